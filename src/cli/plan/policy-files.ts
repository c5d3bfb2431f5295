import type { GpuPartitionPolicy } from '../../api/types.ts';
import { CliError } from '../exit.ts';
import { type InputFile, readInputs } from '../input/input-file.ts';
import { describeFinding, type LocatedFinding, printFinding } from '../located-finding.ts';
import type { Terminal } from '../terminal.ts';
import { type FoundPolicy, validateFiles } from '../validation.ts';

/**
 * Policies from files and folders; objects of other kinds are skipped, as in `validate`.
 *
 * @throws CliError if one is not valid: the API server or the controller would reject it
 */
export async function readPolicies(
  paths: readonly string[],
  terminal: Terminal,
): Promise<readonly GpuPartitionPolicy[]> {
  const files = await readInputs(paths, terminal);
  const { errors, policies } = checkPolicies(files);
  if (errors.length > 0) throw refuse(errors, terminal);
  return listPolicies(policies, paths.join(', '));
}

/** Policies from a text in YAML or JSON. @throws CliError that names what is wrong, and in which line */
export function parsePolicies(text: string): readonly GpuPartitionPolicy[] {
  const name = 'the text';
  const { errors, policies } = checkPolicies([{ name, isNamed: true, content: { text } }]);
  if (errors.length > 0)
    throw new CliError(errors.map((error) => `line ${error.line}: ${describeFinding(error)}`).join('\n'));
  return listPolicies(policies, name);
}

function checkPolicies(files: readonly InputFile[]) {
  const { validation, policies } = validateFiles(files);
  return { errors: validation.findings.filter(({ severity }) => severity === 'error'), policies };
}

/** @param where they were looked for */
function listPolicies(found: readonly FoundPolicy[], where: string): readonly GpuPartitionPolicy[] {
  const first = new Map<string, string>();
  for (const { policy, manifest } of found) {
    const { name } = policy.metadata;
    const place = `${manifest.file}:${manifest.locate([]).line}`;
    const other = first.get(name);
    if (other !== undefined) {
      throw new CliError(
        `policy ${name} is in ${other} and in ${place}: a cluster has one of that name; give one of them`,
      );
    }
    first.set(name, place);
  }
  if (found.length === 0) throw new CliError(`there is no GpuPartitionPolicy in ${where}`);
  return found.map(({ policy }) => policy);
}

function refuse(errors: readonly LocatedFinding[], terminal: Terminal): CliError {
  for (const error of errors) printFinding(terminal.stderr, error);
  const isUnread = errors.some(({ code }) => code === 'Unreadable' || code === 'InvalidYaml');
  return new CliError('nothing done; fix these errors first', isUnread ? 2 : 1);
}
