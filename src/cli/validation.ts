import { apiVersion, group } from '../api/names.ts';
import type { GpuPartitionPolicy } from '../api/types.ts';
import { isConfigFile } from '../core/migparted/config-file.ts';
import { validateConfigFile } from '../core/migparted/validate.ts';
import { claimKey } from '../core/policy/same-nodes.ts';
import { validatePolicy } from '../core/policy/validate.ts';
import type { InputFile } from './input/input-file.ts';
import { locateFinding, type Manifest, readManifests } from './input/manifest.ts';
import { type LocatedFinding, sortFindings } from './located-finding.ts';

/** What was read and found; `-o json` shows it unchanged. */
export interface Validation {
  readonly files: number;
  /** Objects by kind; other objects of a GitOps repository are counted and left alone. */
  readonly objects: { readonly policies: number; readonly migParted: number; readonly skipped: number };
  /** Files with templates that only become YAML when rendered. */
  readonly templates: readonly string[];
  readonly findings: readonly LocatedFinding[];
}

/** Per object: a user with more of them reads only the first ones. */
const MAX_FINDINGS = 100;

interface FoundPolicy {
  readonly policy: GpuPartitionPolicy;
  readonly manifest: Manifest;
}

/** Checks everything that was read, and the policies against each other. */
export function validateFiles(files: readonly InputFile[]): Validation {
  const findings: LocatedFinding[] = [];
  const templates: string[] = [];
  const policies: FoundPolicy[] = [];
  const objects = { policies: 0, migParted: 0, skipped: 0 };
  for (const { name, isNamed, content } of files) {
    if ('error' in content) {
      findings.push({
        severity: 'error',
        code: 'Unreadable',
        file: name,
        line: 1,
        column: 1,
        path: '$',
        message: content.error,
      });
      continue;
    }
    const read = readManifests(name, content.text);
    if ('finding' in read) {
      if (!isNamed && isTemplate(content.text)) templates.push(name);
      else findings.push(read.finding);
      continue;
    }
    for (const manifest of read.manifests) {
      const kind = kindOf(manifest.value);
      objects[kind] += 1;
      if (kind === 'skipped') {
        if (isNamed) findings.push(...findNameless(manifest));
        continue;
      }
      const { found, policy } = validateManifest(kind, manifest);
      findings.push(...found.slice(0, MAX_FINDINGS), ...countRest(manifest, found));
      if (policy !== undefined) policies.push({ policy, manifest });
    }
  }
  findings.push(...findRivals(policies));
  return { files: files.length, objects, templates, findings: sortFindings(findings) };
}

/** Helm charts in a repository are full of files that are not YAML yet; only our own kinds in them are worth an error. */
function isTemplate(text: string): boolean {
  return text.includes('{{') && !text.includes('GpuPartitionPolicy') && !text.includes('mig-configs');
}

function kindOf(value: unknown): keyof Validation['objects'] {
  if (isConfigFile(value)) return 'migParted';
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
 * To kubectl an object without kind or apiVersion is not an object. In a file that the user named this is an error, if it looks
 * like an object at all: values of a Helm chart and workflows are YAML too.
 */
function findNameless(manifest: Manifest): readonly LocatedFinding[] {
  const { value } = manifest;
  const looksLikeObject =
    typeof value === 'object' && value !== null && ['spec', 'metadata'].some((field) => field in value);
  if (!looksLikeObject || !isNameless(value)) return [];
  const missing = ['apiVersion', 'kind'].filter((field) => !(field in value));
  const message = `the object has no ${missing.join(' and no ') || 'kind or apiVersion'}, so that kubectl refuses it; a policy has apiVersion: ${apiVersion} and kind: GpuPartitionPolicy`;
  return [locateFinding(manifest, { severity: 'error', code: 'UnknownKind', path: [], message })];
}

function validateManifest(
  kind: 'policies' | 'migParted',
  manifest: Manifest,
): { readonly found: readonly LocatedFinding[]; readonly policy: GpuPartitionPolicy | undefined } {
  if (kind === 'migParted') {
    const findings = [...validateConfigFile(manifest.value), ...duplicateConfigs(manifest)];
    return { found: findings.map((finding) => locateFinding(manifest, finding)), policy: undefined };
  }
  const { policy, findings } = validatePolicy(manifest.value);
  const duplicates = manifest.duplicates.map((path) => ({
    severity: 'error' as const,
    code: 'DuplicateKey' as const,
    path,
    message: `the key ${String(path.at(-1))} is given twice: kustomize refuses the file, and kubectl takes the last without saying so`,
  }));
  return { found: [...findings, ...duplicates].map((finding) => locateFinding(manifest, finding)), policy };
}

function countRest(manifest: Manifest, found: readonly LocatedFinding[]): readonly LocatedFinding[] {
  const rest = found.slice(MAX_FINDINGS);
  if (rest.length === 0) return [];
  const severity = rest.some((one) => one.severity === 'error') ? 'error' : 'warning';
  const message = `and ${rest.length} more; fix these first`;
  return [locateFinding(manifest, { severity, code: 'MoreFindings', path: [], message })];
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

/** Policies for the same nodes with the same priority: only age decides which of them applies. */
function findRivals(policies: readonly FoundPolicy[]): readonly LocatedFinding[] {
  const first = new Map<string, FoundPolicy>();
  return policies.flatMap((found) => {
    const key = claimKey(found.policy.spec);
    const rival = first.get(key);
    if (rival === undefined) first.set(key, found);
    // The same policy twice is an overlay or another environment, and a cluster sees only one of them.
    if (rival === undefined || rival.policy.metadata.name === found.policy.metadata.name) return [];
    const { line } = rival.manifest.locate(['spec', 'nodeSelector']);
    const message = `policy ${rival.policy.metadata.name} (${rival.manifest.file}:${line}) selects the same nodes at the same priority, so that the older one wins and the other does nothing; change the selector or the priority of one`;
    return [
      locateFinding(found.manifest, {
        severity: 'warning',
        code: 'SameNodes',
        path: ['spec', 'nodeSelector'],
        message,
      }),
    ];
  });
}
