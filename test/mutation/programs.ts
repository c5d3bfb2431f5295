import { readFileSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API } from 'typescript/unstable/sync';

import { instrument, type Mutant } from './mutants.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The project's programs, as the compiler reads them. */
export class Programs {
  readonly #api: API;
  readonly #changed = new Map<string, string>();

  constructor() {
    const readFile = (name: string): string | undefined => this.#changed.get(name);
    this.#api = new API({ cwd: root, fs: { readFile } });
  }

  /** @param files relative to the project */
  instrument(files: readonly string[]): {
    readonly sources: Readonly<Record<string, string>>;
    readonly mutants: readonly Mutant[];
  } {
    const { program } = this.#read();
    const mutants: Mutant[] = [];
    const sources = files.map((file) => {
      const read = program.getSourceFile(join(root, file));
      if (!read) throw new Error(`${file} is not part of the project`);
      const made = instrument(read, file, mutants.length);
      mutants.push(...made.mutants);
      return [join(root, file), made.source] as const;
    });
    return { sources: Object.fromEntries(sources), mutants };
  }

  /** Whether the compiler accepts the program with this mutant. */
  accepts({ file, start, end, after }: Mutant): boolean {
    const path = join(root, file);
    const text = readFileSync(path, 'utf8');
    this.#changed.set(path, text.slice(0, start) + after + text.slice(end));
    const problems = this.#read(path).program.getSemanticDiagnostics(path);
    this.#changed.delete(path);
    this.#read(path);
    return problems.length === 0;
  }

  close(): void {
    this.#api.close();
  }

  #read(changed?: string): ReturnType<ReturnType<API['updateSnapshot']>['getProjects']>[number] {
    const [project] = this.#api
      .updateSnapshot({
        openProjects: [join(root, 'tsconfig.json')],
        ...(changed !== undefined && { fileChanges: { changed: [changed] } }),
      })
      .getProjects();
    if (!project) throw new Error('tsconfig.json has no project');
    return project;
  }
}

/** Folders of specs that run in this process. */
const asked = ['core', 'cli', 'device', 'controller', 'agent', 'planner', 'kubelet', 'process', 'ui'];

export interface FoundSpecs {
  /** Those of the files' rooms. */
  readonly own: readonly string[];
  /** Those of all other folders of {@link asked}. */
  readonly others: readonly string[];
}

/** The specs that import any of these files, directly or through others. None that draws its cases or starts programs, as those take long. */
export function findSpecs(files: readonly string[]): FoundSpecs {
  const wanted = new Set(files.map((file) => join(root, file)));
  const known = new Map<string, boolean>();
  const reaches = (file: string): boolean => {
    const before = known.get(file);
    if (before !== undefined) return before;
    // Types may be imported in a circle.
    known.set(file, false);
    const imports = readFileSync(file, 'utf8').matchAll(
      /(?:^(?:import|export)[^;]*? from |\bimport\()'(\.[^']+\.ts)'/gm,
    );
    const found = wanted.has(file) || [...imports].some(([, path = '']) => reaches(join(dirname(file), path)));
    known.set(file, found);
    return found;
  };
  const rooms = new Set(files.map((file) => file.replace(/^src\/(core\/[^/]+)\/.*/, 'test/$1')));
  const find = (folders: Iterable<string>): readonly string[] =>
    [...folders]
      .flatMap((folder) => globSync(`${folder}/**/*.spec.ts`, { cwd: root }))
      .filter((spec) => !spec.endsWith('.properties.spec.ts'))
      .map((spec) => join(root, spec))
      .filter((spec) => reaches(spec) && !startsPrograms(spec))
      .sort();
  const own = find(rooms);
  return { own, others: find(asked.map((folder) => `test/${folder}`)).filter((spec) => !own.includes(spec)) };
}

function startsPrograms(spec: string): boolean {
  return /child_process|control-plane|createServer|support\/(?:cluster|rig)/.test(readFileSync(spec, 'utf8'));
}
