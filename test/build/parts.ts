import { readFile } from 'node:fs/promises';
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
