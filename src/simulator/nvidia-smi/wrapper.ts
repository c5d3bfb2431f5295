import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a wrapper carries. All paths absolute: its caller may pass no environment and any working directory. */
export interface WrapperSettings {
  readonly gpus: readonly string[];
  readonly stateFile: string;
  readonly logFile?: string;
  readonly faultsFile?: string;
  readonly seed?: string;
  readonly uid?: number;
  /** The simulator: `main.ts`, or the bundle. */
  readonly program: string;
  /** The node that runs it. */
  readonly node: string;
}

/** Writes an executable `nvidia-smi` into `dir`, which is made if need be, and returns its path. */
export function writeNvidiaSmiWrapper(dir: string, settings: WrapperSettings): string {
  const variables = [
    ['GPUS', settings.gpus.join(',')],
    ['STATE', settings.stateFile],
    ['LOG', settings.logFile],
    ['FAULTS', settings.faultsFile],
    ['SEED', settings.seed],
    ['UID', settings.uid === undefined ? undefined : String(settings.uid)],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`export NVIDIA_SMI_SIM_${name}=${quote(value)}\n`]));
  const path = join(dir, 'nvidia-smi');
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    path,
    `#!/bin/sh\n${variables.join('')}${compileCache(settings.program)}exec ${quote(settings.node)} ${quote(settings.program)} "$@"\n`,
  );
  chmodSync(path, 0o755);
  return path;
}

/** Sources in a checkout start in 0.05 s instead of 0.14 s when node need not strip the types of sixty files at every run. */
function compileCache(program: string): string {
  const cache = join(dirname(program), '..', '..', '..', 'node_modules', '.cache', 'nvidia-smi-sim');
  return program.endsWith('.ts') ? `export NODE_COMPILE_CACHE=${quote(cache)}\n` : '';
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
