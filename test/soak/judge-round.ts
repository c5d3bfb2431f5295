import { dirname, join } from 'node:path';
import type { FleetRecorder } from '../support/fleet-recorder.ts';
import { readLines } from './read-lines.ts';
import { explainRefused, findRefused } from './refused.ts';
import { countResigned } from './resigned.ts';
import type { Stage } from './stage.ts';

/** What only the end of a round shows. @returns whether each of its revisions was seen */
export async function judgeRound({ rig, faults, onlooker }: Stage, recorder: FleetRecorder): Promise<boolean> {
  if (recorder.hasSeenAll) for (const broken of recorder.broken) onlooker.report(`S5: ${broken}`);
  for (const program of [rig.controller, ...rig.agents]) {
    if (program.crashes === 0) continue;
    const resigned = countResigned(await program.readLog());
    if (program.crashes > resigned) onlooker.report(`${program.name} has ended without being told to`);
  }
  const refused = rig.nodeNames.flatMap((node) =>
    findRefused(node, readLines(join(dirname(rig.stateFile(node)), 'operations.jsonl')), faults.disturbances),
  );
  const writes = refused.length > 0 ? await rig.controlPlane.auditedWrites() : [];
  for (const one of refused) onlooker.report(`S1: ${explainRefused(one, writes)}`);
  return recorder.hasSeenAll;
}
