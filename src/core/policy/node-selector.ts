import type { PolicySpec } from '../../api/types.ts';
import { isEmptySelection, meetsSelection } from '../metadata/label-selector.ts';

/**
 * Whether a node's labels meet the selector. The CRD refuses one that cannot be understood and an empty one, but an object may be
 * older than the rule: neither is ever read as "the whole fleet", as `DoesNotExist` of a key that cannot exist would be.
 */
export function selectsNode(selector: PolicySpec['nodeSelector'], labels: Readonly<Record<string, string>>): boolean {
  return !isEmptySelection(selector) && meetsSelection(selector, labels);
}
