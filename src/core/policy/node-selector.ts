import type { PolicySpec } from '../../api/types.ts';
import { isEmptySelection, meetsSelection } from '../metadata/label-selector.ts';

/**
 * Whether a node's labels match the selector. The CRD refuses an invalid or empty one, but an object may be older than the rule:
 * neither is ever read as "the whole fleet", as `DoesNotExist` of an impossible key would be.
 */
export function selectsNode(selector: PolicySpec['nodeSelector'], labels: Readonly<Record<string, string>>): boolean {
  return !isEmptySelection(selector) && meetsSelection(selector, labels);
}
