import type { Finding } from '../../core/text/finding.ts';
import { CliError } from '../exit.ts';
import { describeFinding } from '../located-finding.ts';
import { locateFinding, type Manifest } from '../input/manifest.ts';

/** Everything that is wrong with a file, one line each: file, line, column, field, and what to write instead. */
export function refuseFile(manifest: Manifest, findings: readonly Finding[]): CliError {
  const lines = findings.map((finding) => {
    const located = locateFinding(manifest, finding);
    return `${located.file}:${located.line}:${located.column}: ${describeFinding(located)}`;
  });
  return new CliError([...new Set(lines)]);
}
