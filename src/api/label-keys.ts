/**
 * The labels of a Node whose values depend on a layout, a strategy or a change in progress: those that this operator writes,
 * removes or borrows. A policy must not select nodes by them: its nodes would leave it, or flap. This is the only table of them;
 * the CEL rules of the policies' CRD repeat it, and a test compares the two.
 *
 * Not included, because no layout changes them: `nvidia.com/mig.config`, `gpu.present`, `gpu.family`, `gpu.machine`,
 * `gpu.compute.*`, `mig.capable`, `cuda.*`, although some of them are also written where no GPU Feature Discovery runs.
 */
export const changingLabelKeys: readonly string[] = [
  'nvidia.com/gpu.product',
  'nvidia.com/gpu.count',
  'nvidia.com/gpu.replicas',
  'nvidia.com/gpu.sharing-strategy',
  'nvidia.com/gpu.memory',
  'nvidia.com/gpu.multiprocessors',
  'nvidia.com/mig.strategy',
  'nvidia.com/mig.config.state',
  'nvidia.com/device-plugin.config',
];

/** Prefixes of such keys. */
export const changingLabelPrefixes: readonly string[] = [
  'gpupartition.dev/',
  'nvidia.com/mig-',
  'nvidia.com/gpu.slices.',
  'nvidia.com/gpu.engines.',
  'nvidia.com/gpu.deploy.',
];

export function isChangingLabelKey(key: string): boolean {
  return changingLabelKeys.includes(key) || changingLabelPrefixes.some((prefix) => key.startsWith(prefix));
}
