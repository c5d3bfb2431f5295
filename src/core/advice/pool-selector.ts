import { isChangingLabelKey } from '../../api/label-keys.ts';
import type { PolicySpec } from '../../api/types.ts';
import type { NodeView } from '../node/node-view.ts';
import { compareText } from '../text/fingerprint.ts';

const hostname = 'kubernetes.io/hostname';
/** As many values as fit a policy that people still read. */
const mostHosts = 64;

/**
 * A selector of a policy that takes exactly these nodes: by a label that all of them have and no other node, else by their host
 * names. Undefined if neither tells them from the others.
 */
export function findSelector(
  pool: readonly NodeView[],
  others: readonly NodeView[],
): PolicySpec['nodeSelector'] | undefined {
  const [first] = pool;
  if (first === undefined) return undefined;
  const [found] = Object.entries(labelsOf(first))
    .filter(([key, value]) => isOwnLabel(key) && separates(key, value, pool, others))
    .toSorted(([a], [b]) => rank(a) - rank(b) || compareText(a, b));
  if (found !== undefined) return { matchLabels: { [found[0]]: found[1] } };
  const hosts = pool.flatMap((node) => labelsOf(node)[hostname] ?? []);
  const isExact = hosts.length === pool.length && hosts.length <= mostHosts;
  return isExact ? { matchExpressions: [{ key: hostname, operator: 'In', values: hosts }] } : undefined;
}

function separates(key: string, value: string, pool: readonly NodeView[], others: readonly NodeView[]): boolean {
  const has = (node: NodeView): boolean => labelsOf(node)[key] === value;
  return pool.every(has) && !others.some(has);
}

function isOwnLabel(key: string): boolean {
  return key !== hostname && !isChangingLabelKey(key);
}

/** What people name pools with, before what Kubernetes and NVIDIA write by machine. */
function rank(key: string): number {
  if (key === 'nvidia.com/gpu.present') return 1;
  return /(^|[./])(kubernetes\.io|k8s\.io|nvidia\.com)\//.test(key) ? 2 : 0;
}

function labelsOf({ metadata }: NodeView): Readonly<Record<string, string>> {
  return metadata.labels ?? {};
}
