import type { Finding } from '../core/text/words.ts';
import {
  locateFinding,
  type Manifest,
  type LocatedFinding,
  sortFindings,
  type InputFile,
  readManifests,
} from './input/files.ts';
import { apiVersion, group } from '../api/names.ts';
import type { GpuPartitionPolicy } from '../api/types.ts';
import { ConfigFile } from '../core/host/import.ts';
import { validatePolicy } from '../core/policy/check.ts';

/** The most findings about one file: a user with more of them reads only the first ones. */
const mostInFile = 100;

interface Rest {
  readonly count: number;
  /** The severity of the worst finding. */
  readonly severity: Finding['severity'];
}

/** Findings of files, up to a hundred each. What comes after them is only counted, so that no file takes gigabytes. */
class LocatedFindings {
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

  /** Lists the findings in the order in which they were added; for each file with more, a last one that says so. */
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

/** What was read and found; `-o json` shows it unchanged. */
export interface Validation {
  readonly files: number;
  /** Objects by kind; other objects of a GitOps repository are counted and left alone. */
  readonly objects: { readonly policies: number; readonly migParted: number; readonly skipped: number };
  /** Files with templates that only become YAML when rendered. */
  readonly templates: readonly string[];
  readonly findings: readonly LocatedFinding[];
}

/** A policy of the right shape, and where it is. */
export interface FoundPolicy {
  readonly policy: GpuPartitionPolicy;
  /** Equal for policies between which only age and name decide on a node. */
  readonly claim: string;
  readonly manifest: Manifest;
}

/** The objects in one file. */
interface CheckedFile {
  readonly manifests: readonly Manifest[];
  readonly policies: readonly FoundPolicy[];
  readonly isTemplate: boolean;
}

/** Checks everything that was read, and the policies against each other. */
export function validateFiles(files: readonly InputFile[]): {
  readonly validation: Validation;
  readonly policies: readonly FoundPolicy[];
} {
  const findings = new LocatedFindings();
  const checked = files.map((file) => checkFile(file, findings));
  const found = checked.flatMap(({ policies }) => policies);
  findRivals(found, findings);
  const kinds = checked.flatMap(({ manifests }) => manifests.map(({ value }) => kindOf(value)));
  const count = (kind: Kind): number => kinds.filter((one) => one === kind).length;
  const validation = {
    files: files.length,
    objects: { policies: count('policies'), migParted: count('migParted'), skipped: count('skipped') },
    templates: files.filter((_, at) => checked[at]?.isTemplate).map(({ name }) => name),
    findings: sortFindings(findings.list()),
  };
  return { validation, policies: found };
}

function checkFile({ name, isNamed, content }: InputFile, findings: LocatedFindings): CheckedFile {
  const nothing = { manifests: [], policies: [], isTemplate: false };
  if ('error' in content) {
    const place = { file: name, line: 1, column: 1, path: '$' };
    findings.add({ severity: 'error', code: 'Unreadable', ...place, message: content.error });
    return nothing;
  }
  const read = readManifests(name, content.text);
  if ('finding' in read) {
    if (!isNamed && isTemplate(content.text)) return { ...nothing, isTemplate: true };
    findings.add(read.finding);
    return nothing;
  }
  const policies = read.manifests.flatMap((manifest): readonly FoundPolicy[] => {
    const { policy, claim = '', found } = validateManifest(manifest, isNamed);
    findings.addAll(manifest, found);
    return policy === undefined ? [] : [{ policy, claim, manifest }];
  });
  findNamesakes(policies, findings);
  return { ...nothing, manifests: read.manifests, policies };
}

/** Helm charts in a repository are full of files that are not YAML yet; only our own kinds in them are worth an error. */
function isTemplate(text: string): boolean {
  return text.includes('{{') && !text.includes('GpuPartitionPolicy') && !text.includes('mig-configs');
}

type Kind = keyof Validation['objects'];

function kindOf(value: unknown): Kind {
  if (ConfigFile.isMeantBy(value)) return 'migParted';
  if (typeof value !== 'object' || value === null) return 'skipped';
  const kind = 'kind' in value ? value.kind : undefined;
  const version = 'apiVersion' in value ? value.apiVersion : undefined;
  if (kind === 'GpuPartitionPolicy') return 'policies';
  // The API server would reject a misspelt kind of our group, and a policy without its kind.
  const isOurs = typeof version === 'string' && version.split('/')[0] === group && kind !== 'GpuNodePartition';
  return isOurs || (isNameless(value) && isPolicySpec(value)) ? 'policies' : 'skipped';
}

function isNameless(value: object): boolean {
  const { kind, apiVersion } = value as Readonly<Record<string, unknown>>;
  return kind === undefined || kind === null || apiVersion === undefined || apiVersion === null;
}

function isPolicySpec({ spec }: { readonly spec?: unknown }): boolean {
  return typeof spec === 'object' && spec !== null && 'layouts' in spec;
}

/**
 * Finds objects without kind or apiVersion. To kubectl an object without kind or apiVersion is not an object. In a file that the user named this is an
 * error, if it looks like an object at all: values of a Helm chart and workflows are YAML too.
 */
function findNameless({ value }: Manifest): readonly Finding[] {
  const looksLikeObject =
    typeof value === 'object' && value !== null && ['spec', 'metadata'].some((field) => field in value);
  if (!looksLikeObject || !isNameless(value)) return [];
  const missing = ['apiVersion', 'kind'].filter((field) => !(field in value));
  const message = `the object has no ${missing.join(' and no ') || 'kind or apiVersion'}, so that kubectl refuses it; a policy has apiVersion: ${apiVersion} and kind: GpuPartitionPolicy`;
  return [{ severity: 'error', code: 'UnknownKind', path: [], message }];
}

function validateManifest(
  manifest: Manifest,
  isNamed: boolean,
): Partial<Pick<ReturnType<typeof validatePolicy>, 'policy' | 'claim'>> & { readonly found: readonly Finding[] } {
  switch (kindOf(manifest.value)) {
    case 'skipped':
      return { found: isNamed ? findNameless(manifest) : [] };
    case 'migParted':
      return { found: [...new ConfigFile(manifest.value).validate(), ...duplicateConfigs(manifest)] };
    case 'policies': {
      const { findings, ...checked } = validatePolicy(manifest.value);
      return { ...checked, found: [...findings, ...duplicateKeys(manifest)] };
    }
  }
}

function duplicateKeys({ duplicates }: Manifest): readonly Finding[] {
  return duplicates.map((path) => ({
    severity: 'error',
    code: 'DuplicateKey',
    path,
    message: `the key ${String(path.at(-1))} is given twice: kustomize refuses the file, and kubectl takes the last without saying so`,
  }));
}

/** Duplicate keys of a mig-parted file: upstream silently takes the last. */
export function duplicateConfigs(manifest: Manifest) {
  return manifest.duplicates.map((path) => ({
    severity: 'warning' as const,
    code: 'DuplicateConfig' as const,
    path,
    message: `${String(path.at(-1))} is given twice; mig-parted takes the last one without saying so`,
  }));
}

/** Finds policies of one name in one file: elsewhere a second one is an overlay, or another environment's. */
function findNamesakes(policies: readonly FoundPolicy[], findings: LocatedFindings): void {
  const path = ['metadata', 'name'];
  for (const [{ policy, manifest }, first] of listRepeated(policies, ({ policy }) => policy.metadata.name)) {
    const message = `policy ${policy.metadata.name} is in this file already (line ${first.manifest.locate(path).line}): kustomize refuses the file, and kubectl applies both, so that only the last counts; rename or delete one`;
    findings.addAll(manifest, [{ severity: 'error', code: 'DuplicatePolicy', path, message }]);
  }
}

/** Policies for the same nodes with the same priority: only age decides which of them applies. */
function findRivals(policies: readonly FoundPolicy[], findings: LocatedFindings): void {
  const path = ['spec', 'nodeSelector'];
  for (const [{ policy, manifest }, rival] of listRepeated(policies, ({ claim }) => claim)) {
    // The same policy twice is an overlay or another environment, and a cluster sees only one of them.
    if (rival.policy.metadata.name === policy.metadata.name) continue;
    const { line } = rival.manifest.locate(path);
    const message = `policy ${rival.policy.metadata.name} (${rival.manifest.file}:${line}) selects the same nodes at the same priority, so that the older one wins and the other does nothing; change the selector or the priority of one`;
    findings.addAll(manifest, [{ severity: 'warning', code: 'SameNodes', path, message }]);
  }
}

/** Lists each policy with the key of an earlier one, and the first that has it. */
function* listRepeated(
  policies: readonly FoundPolicy[],
  keyOf: (found: FoundPolicy) => string,
): Generator<readonly [FoundPolicy, FoundPolicy]> {
  const firsts = new Map<string, FoundPolicy>();
  for (const found of policies) {
    const key = keyOf(found);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, found);
    else yield [found, first];
  }
}
