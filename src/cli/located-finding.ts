import type { Finding } from '../core/text/finding.ts';
import { type Output, paint, printLine } from './terminal.ts';

/** A finding with its position in a file, as `-o json` shows it. */
export interface LocatedFinding {
  readonly severity: Finding['severity'];
  readonly code: Finding['code'];
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** `spec.layouts[0].profiles["1g.5gb"]`; `$` for the document as a whole. */
  readonly path: string;
  readonly message: string;
  /** Ids of the GPU models that a warning is about. */
  readonly models?: readonly string[];
}

/** By line, then by column; files stay in the order in which they were read. */
export function sortFindings(findings: readonly LocatedFinding[]): readonly LocatedFinding[] {
  const order = new Map<string, number>();
  for (const { file } of findings) if (!order.has(file)) order.set(file, order.size);
  return findings.toSorted(
    (a, b) => (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || a.line - b.line || a.column - b.column,
  );
}

/** `file.yaml:12:7: error: spec.strategy: …`, which editors and CI systems understand. */
export function printFinding(stream: Output, finding: LocatedFinding): void {
  const { severity, file, line, column } = finding;
  const word = paint(stream, severity === 'error' ? 'red' : 'yellow', severity);
  printLine(stream, `${paint(stream, 'bold', `${file}:${line}:${column}:`)} ${word}: ${describeFinding(finding)}`);
}

/** Without its place in a file. */
export function describeFinding({ path, message }: LocatedFinding): string {
  return `${path === '$' ? '' : `${path}: `}${message}`;
}
