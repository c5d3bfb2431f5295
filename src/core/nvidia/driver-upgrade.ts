/** gpu-operator's upgrade controller records a node's progress here (NVIDIA/k8s-operator-libs `pkg/upgrade/consts.go`). */
export const driverUpgradeLabel = 'nvidia.com/gpu-driver-upgrade-state';

/** Value that k8s-driver-manager gives deploy labels from before it unloads a driver until the new one is loaded. */
export const pausedForDriverUpgrade = 'paused-for-driver-upgrade';

// `upgrade-required` only means that the driver is old: nothing happens to the node until its upgrade starts.
const idle: readonly string[] = ['', 'upgrade-done', 'upgrade-required'];

/**
 * True right before the upgrade controller opens the node again: the new driver runs and has been validated. Not earlier: the
 * driver's own pods, and those that validate it, do not tolerate our taint, and the upgrade would wait for them forever.
 */
export function isDriverReplaced(labels: Readonly<Record<string, string>>): boolean {
  return labels[driverUpgradeLabel] === 'uncordon-required';
}

/** What to wait for if the node's driver is being replaced, undefined if it is not. MIG changes before or after, never during. */
export function driverUpgrade(labels: Readonly<Record<string, string>>): string | undefined {
  const state = labels[driverUpgradeLabel] ?? '';
  if (state === 'upgrade-failed') {
    return (
      `the driver upgrade of this node failed (${driverUpgradeLabel}=upgrade-failed): repair it, ` +
      `then set the label to upgrade-required to retry; waiting until it is upgrade-done`
    );
  }
  if (!idle.includes(state)) {
    return `gpu-operator is upgrading the driver of this node (${driverUpgradeLabel}=${state}); waiting until it is upgrade-done`;
  }
  const paused = Object.keys(labels)
    .filter((key) => key.startsWith('nvidia.com/gpu.deploy.') && labels[key] === pausedForDriverUpgrade)
    .sort();
  if (paused.length === 0) return undefined;
  return (
    `k8s-driver-manager is replacing the driver of this node (${pausedForDriverUpgrade}: ${paused.join(', ')}); ` +
    `waiting until it restores ${paused.length === 1 ? 'this label' : 'these labels'}`
  );
}
