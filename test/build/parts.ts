import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../src/simulator/control-plane/run.ts';

interface SourceMap {
  readonly sources: readonly string[];
}

interface PartsList {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly serialNumber: string;
  readonly metadata: { readonly tools: unknown };
  readonly components: readonly {
    readonly name: string;
    readonly purl: string;
    readonly hashes?: readonly { readonly content: string }[];
  }[];
}

/** The packages of which the programs of the image have a part, by the bundles' source maps. */
export async function bundledPackages(): Promise<readonly string[]> {
  const programs = ['agent', 'controller', 'gpu-partition', 'demand-solver'];
  const maps = await Promise.all(programs.map((name) => readFile(`dist/${name}.mjs.map`, 'utf8')));
  const sources = maps.flatMap((text) => (JSON.parse(text) as SourceMap).sources);
  const names = sources.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/.@][^/]*)\//.exec(path)?.[1] ?? []);
  return [...new Set(names)];
}

/** What `make sbom` writes. */
export async function readPartsList(): Promise<PartsList> {
  const { code, stdout, stderr } = await runProgram(process.execPath, ['build/sbom.mjs']);
  if (code !== 0) throw new Error(`build/sbom.mjs: ${stderr.slice(-500)}`);
  return JSON.parse(stdout) as PartsList;
}

/** A pool of 1,000 GPUs, too large to be planned without the solver's process. @returns arguments of the command that plans it */
export async function writePool(folder: string): Promise<readonly string[]> {
  const states = ['1g.5gb', '1g.5gb+me', '1g.10gb', '2g.10gb', '3g.20gb', '4g.20gb'];
  const gpus = Array.from({ length: 1000 }, (_, index) => ({
    id: `gpu-${index}`,
    model: 'a100-40gb',
    instances: [
      { profile: states[index % 6], start: 0, busy: index % 4 === 0 },
      { profile: states[2 + ((index >> 2) % 3)], start: 4, busy: index % 3 === 0 },
    ],
  }));
  await writeFile(join(folder, 'pool.json'), JSON.stringify({ gpus }));
  await writeFile(join(folder, 'demand.json'), JSON.stringify({ '1g.5gb': 2000, '2g.10gb': 500, '3g.20gb': 250 }));
  return ['recommend', '--pool', join(folder, 'pool.json'), '--demand', join(folder, 'demand.json'), '-o', 'json'];
}
