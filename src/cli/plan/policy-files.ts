import type { GpuPartitionPolicy } from '../../api/types.ts';
import { isFields } from '../../core/text/fields.ts';
import { validatePolicy } from '../../core/policy/validate.ts';
import { CliError } from '../exit.ts';
import { type InputFile, readInputs } from '../input/input-file.ts';
import { readManifests } from '../input/manifest.ts';
import { describeFinding, type LocatedFinding, printFinding } from '../located-finding.ts';
import type { Terminal } from '../terminal.ts';
import { validateFiles } from '../validation.ts';

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
  const errors = findErrors(files);
  if (errors.length > 0) throw refuse(errors, terminal);
  return listPolicies(files, paths.join(', '));
}

/** Policies from a text in YAML or JSON. @throws CliError that names what is wrong, and in which line */
export function parsePolicies(text: string): readonly GpuPartitionPolicy[] {
  const name = 'the text';
  const files = [{ name, isNamed: true, content: { text } }];
  const errors = findErrors(files);
  if (errors.length > 0)
    throw new CliError(errors.map((error) => `line ${error.line}: ${describeFinding(error)}`).join('\n'));
  return listPolicies(files, name);
}

function findErrors(files: readonly InputFile[]): readonly LocatedFinding[] {
  return validateFiles(files).findings.filter(({ severity }) => severity === 'error');
}

/** @param where they were looked for */
function listPolicies(files: readonly InputFile[], where: string): readonly GpuPartitionPolicy[] {
  const found = files.flatMap(({ name, content }) => {
    const read = 'text' in content ? readManifests(name, content.text) : { manifests: [] };
    const manifests = 'manifests' in read ? read.manifests : [];
    return manifests.flatMap((manifest) => {
      if (!isFields(manifest.value) || manifest.value['kind'] !== 'GpuPartitionPolicy') return [];
      const { policy } = validatePolicy(manifest.value);
      const { line } = manifest.locate([]);
      return policy === undefined ? [] : [{ policy, place: `${name}:${line}` }];
    });
  });
  const first = new Map<string, string>();
  for (const { policy, place } of found) {
    const { name } = policy.metadata;
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
