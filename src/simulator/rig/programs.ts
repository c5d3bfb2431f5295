import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The checkout, from src or from a bundle in dist. */
export const projectRoot = new URL(import.meta.url).pathname.replace(/\/(src|dist)\/.*$/, '');

/** One of our programs as Node.js runs it: the bundle of `make build` if it exists, else the source. */
export function programPath(name: 'controller' | 'agent' | 'nvidia-smi-sim' | 'gpu-partition'): string {
  const bundle = join(projectRoot, 'dist', `${name}.mjs`);
  if (existsSync(bundle)) return bundle;
  const sources = {
    controller: 'controller',
    agent: 'agent',
    'nvidia-smi-sim': 'simulator/nvidia-smi',
    'gpu-partition': 'cli',
  } as const;
  return join(projectRoot, 'src', sources[name], 'main.ts');
}
