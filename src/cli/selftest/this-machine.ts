import { readFileSync } from 'node:fs';
import { hostname, release } from 'node:os';

import type { TestedMachine } from '../../core/selftest/bundle.ts';
import { programVersion } from '../../process/version.ts';

/** The machine that this program runs on. */
export function describeMachine(): TestedMachine {
  return {
    name: hostname(),
    uid: process.geteuid?.() ?? 0,
    versions: { gpuPartition: programVersion, node: process.version },
    system: { kernel: release(), distribution: readDistribution(), architecture: process.arch },
  };
}

function readDistribution(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}
