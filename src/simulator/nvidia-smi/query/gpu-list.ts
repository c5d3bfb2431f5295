import { exitWith } from '../command-exit.ts';
import { ciProfilesOf } from '../nvml/ci-profile.ts';
import { describeBadHandle } from '../gpu-selection.ts';
import { migUuid } from '../nvml/gpu.ts';
import type { SimulatedGpu } from '../nvml/gpu.ts';
import type { NodeState } from '../state/node-state.ts';
import { listMigDevices } from '../nvml/mig-device.ts';
import { attempt } from '../nvml/nvml-code.ts';
import type { Nvml } from '../nvml/nvml.ts';
import type { World } from '../state/world.ts';

/** `nvidia-smi -L`: every GPU that answers, then its MIG devices. */
export function printGpuList(world: World, nvml: Nvml): void {
  if (nvml.gpus.length === 0) return world.print('No devices found.\n');
  let exitCode = 0;
  for (const gpu of nvml.gpus) {
    const failure = attempt(() => nvml.open(gpu));
    if (failure === undefined) {
      world.print(describeGpu(gpu, world.readState()));
    } else {
      world.print(describeBadHandle('gpu ', gpu, failure));
      exitCode = failure.exitCode;
    }
  }
  if (exitCode !== 0) exitWith(exitCode, '');
}

function describeGpu(gpu: SimulatedGpu, state: NodeState): string {
  const devices = listMigDevices(gpu, state).map(({ index, gi, ci }) => {
    const name = ciProfilesOf(gpu, gi).find(({ id }) => id === ci.profileId)?.name ?? 'unknown';
    return `  MIG ${name.padEnd(11)} Device ${String(index).padStart(2)}: (UUID: ${migUuid(gpu, gi.id, ci.id)})\n`;
  });
  return [`GPU ${gpu.index}: ${gpu.board.productName} (UUID: ${gpu.uuid})\n`, ...devices].join('');
}
