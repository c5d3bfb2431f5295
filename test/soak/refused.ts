import { dirname, join } from 'node:path';
import type { Rig } from '../../src/simulator/rig/rig.ts';
import type { Disturbance } from './fault-maker.ts';
import { readLines } from './read-lines.ts';

interface LogLine {
  readonly event: string;
  readonly rc?: number;
  readonly argv: readonly string[];
  readonly time: string;
}

/** Destroys that the device refused as in use, on nodes that nobody disturbed at the time. */
export function listRefused(rig: Rig, disturbances: readonly Disturbance[]): readonly string[] {
  return rig.nodeNames.flatMap((node) => {
    const file = join(dirname(rig.stateFile(node)), 'operations.jsonl');
    return readLines(file).flatMap((line) => {
      const { event, rc, argv, time } = JSON.parse(line) as LogLine;
      if (event !== 'end' || rc !== 19 || !argv.some((word) => word === '-dci' || word === '-dgi')) return [];
      const atMs = Date.parse(time);
      const isDisturbed = disturbances.some((one) => one.node === node && one.fromMs <= atMs && atMs <= one.untilMs);
      return isDisturbed ? [] : [`${node} tried to destroy what is in use, at ${time}: ${argv.join(' ')}`];
    });
  });
}
