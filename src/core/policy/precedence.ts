import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import { compareText, canonicalJson } from '../text/fingerprint.ts';
import { isEmptySelection, meetsSelection, requirementsOf } from '../metadata/label-selector.ts';

/** Order in which policies win a node: higher priority first, then older, then by name. */
export function byPrecedence(a: GpuPartitionPolicy, b: GpuPartitionPolicy): number {
  return (
    (b.spec.priority ?? 0) - (a.spec.priority ?? 0) ||
    compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
    compareText(a.metadata.name, b.metadata.name)
  );
}

/**
 * Whether a node's labels match the selector. The CRD refuses an invalid or empty one, but an object may be older than the rule:
 * neither is ever read as "the whole fleet", as `DoesNotExist` of an impossible key would be.
 */
export function selectsNode(selector: PolicySpec['nodeSelector'], labels: Readonly<Record<string, string>>): boolean {
  return !isEmptySelection(selector) && meetsSelection(selector, labels);
}

/** What decides between policies on a node; with equal keys only age and name decide. */
export function claimKey({ nodeSelector, priority = 0 }: PolicySpec): string {
  const requirements = requirementsOf(nodeSelector).map(({ key, operator, values = [] }) =>
    canonicalJson({ key, operator, values: [...new Set(values)].sort() }),
  );
  const unique = [...new Set(requirements)].sort();
  return `${priority} ${unique.join(' ')}`;
}
