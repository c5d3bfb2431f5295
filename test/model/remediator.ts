import type { ModelMachine } from './machine.ts';

/**
 * A remediator has the GPUs of a machine to itself, as NVSentinel's janitor does: it switches gpu-operator's operands off by their labels,
 * whatever these say, resets the GPUs that nothing uses, and switches all on again.
 *
 * @param withinMs how long it takes at most until the reset
 */
export function remediate(machine: ModelMachine, withinMs = 15_000): void {
  const { uid, deployLabels } = machine;
  const label = (value: string): void => {
    const set = Object.fromEntries(deployLabels.map((key) => [key, value]));
    if (machine.uid !== uid) return;
    machine.edit('remediator', ({ metadata, ...node }) => ({
      ...node,
      metadata: { ...metadata, labels: { ...metadata.labels, ...set } },
    }));
  };
  label('false');
  machine.later(500, withinMs, () => {
    resetGpus(machine);
    machine.later(50, 5000, () => label('true'));
  });
}

/** No instance survives a reset, and a mode that waits for one is in effect. */
function resetGpus(machine: ModelMachine): void {
  const { device } = machine;
  if (!machine.isUp || machine.isGpuOpen) return;
  const held = machine.heldUuids();
  for (const gpu of device.gpus) {
    const slices = gpu.slices.map(({ uuid }) => uuid);
    if (gpu.isLost || [gpu.uuid, ...slices].some((uuid) => held.has(uuid) || device.processes.has(uuid))) continue;
    machine.instancesAreLost(slices);
    device.reset(gpu);
  }
  machine.devicesChanged();
}
