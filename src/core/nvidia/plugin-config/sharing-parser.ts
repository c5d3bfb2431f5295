import type { FindingList } from '../labels/config-finding.ts';
import { describeTypeMismatch, RAW_MAP } from '../labels/go-json.ts';
import { isFields } from '../../text/fields.ts';
import { parseSharedResource } from './shared-resource-parser.ts';
import type { SharedResource, Sharing, SharingStrategy } from './sharing.ts';

const FIELDS: readonly string[] = ['renameByDefault', 'failRequestsGreaterThanOne', 'resources'];

/**
 * Reads `sharing.timeSlicing` or `sharing.mps` by upstream's rules, in upstream's order, so that the first finding is the error that
 * the plugin prints (`api/config/v1/replicas.go`).
 */
export function parseSharing(value: unknown, strategy: SharingStrategy, path: string, findings: FindingList): Sharing {
  if (value !== null && !isFields(value)) {
    findings.refuse(path, describeTypeMismatch(value, RAW_MAP), `must be an object with a list "resources"`);
  }
  const body = isFields(value) ? value : {};
  findings.warnUnknown(body, FIELDS, path);
  const renameByDefault = readFlag(body, 'renameByDefault', path, findings);
  const asked = readFlag(body, 'failRequestsGreaterThanOne', path, findings);
  if (strategy === 'mps' && body['failRequestsGreaterThanOne'] === false) {
    findings.warn(`${path}.failRequestsGreaterThanOne`, 'has no effect: with MPS a request above 1 always fails');
  }
  const resources = readResources(body['resources'], renameByDefault, `${path}.resources`, findings);
  warnDuplicates(resources, `${path}.resources`, findings);
  return { strategy, renameByDefault, failRequestsGreaterThanOne: strategy === 'mps' || asked, resources };
}

function readResources(
  value: unknown,
  renameByDefault: boolean,
  path: string,
  findings: FindingList,
): readonly SharedResource[] {
  if (value !== undefined && value !== null && !Array.isArray(value)) {
    findings.refuse(path, describeTypeMismatch(value, '[]v1.ReplicatedResource'), 'must be a list of resources');
    return [];
  }
  const list: readonly unknown[] = value ?? [];
  if (list.length === 0) findings.refuse(path, 'no resources specified', 'name at least one resource to share');
  return list.flatMap((item, index) => parseSharedResource(item, renameByDefault, `${path}[${index}]`, findings) ?? []);
}

function readFlag(body: Readonly<Record<string, unknown>>, name: string, path: string, findings: FindingList): boolean {
  const value = body[name];
  if (value === undefined || value === null || typeof value === 'boolean') return value ?? false;
  findings.refuse(`${path}.${name}`, describeTypeMismatch(value, 'bool'), 'must be true or false');
  return false;
}

function warnDuplicates(resources: readonly SharedResource[], path: string, findings: FindingList): void {
  const seen = new Set<string>();
  for (const { name } of resources) {
    if (seen.has(name)) {
      findings.warn(path, `${name} is listed twice: labels follow the first entry, capacity the greatest`);
    }
    seen.add(name);
  }
}
