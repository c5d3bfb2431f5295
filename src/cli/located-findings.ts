import type { Finding } from '../core/text/finding.ts';
import { locateFinding, type Manifest } from './input/manifest.ts';
import { type LocatedFinding, sortFindings } from './located-finding.ts';

/** Of a file: a user with more of them reads only the first ones. */
const mostInFile = 100;

interface Rest {
  readonly count: number;
  /** Of the worst. */
  readonly severity: Finding['severity'];
}

/** Findings of files, up to a hundred each. What comes after them is only counted, so that no file takes gigabytes. */
export class LocatedFindings {
  readonly #kept: LocatedFinding[] = [];
  readonly #counts = new Map<string, number>();
  readonly #rest = new Map<string, Rest>();

  add(finding: LocatedFinding): void {
    if (this.#isKept(finding.file, finding.severity)) this.#kept.push(finding);
  }

  addAll(manifest: Manifest, findings: readonly Finding[]): void {
    for (const finding of findings)
      if (this.#isKept(manifest.file, finding.severity)) this.#kept.push(locateFinding(manifest, finding));
  }

  /** In the order in which they were added; for each file with more, a last one that says so. */
  list(): readonly LocatedFinding[] {
    const more = [...this.#rest].map(([file, { count, severity }]): LocatedFinding => {
      const last = sortFindings(this.#kept.filter((one) => one.file === file)).at(-1);
      const { line = 1, column = 1 } = last ?? {};
      const message = `and at least ${count} more; fix these first`;
      return { severity, code: 'MoreFindings', file, line, column, path: '$', message };
    });
    return [...this.#kept, ...more];
  }

  #isKept(file: string, severity: Finding['severity']): boolean {
    const count = (this.#counts.get(file) ?? 0) + 1;
    this.#counts.set(file, count);
    if (count <= mostInFile) return true;
    const rest = this.#rest.get(file) ?? { count: 0, severity };
    this.#rest.set(file, { count: rest.count + 1, severity: rest.severity === 'error' ? 'error' : severity });
    return false;
  }
}
