import type { GpuWish, PolicySpec } from '../../api/types.ts';
import { reportDevice } from '../report/report-device.ts';
import { resolveNode } from '../policy/resolve-node.ts';
import type { GpuTarget } from '../gpu/target/plan-target.ts';
import type { DeviceState } from '../gpu/state/device-state.ts';
import type { NodeLayout } from './host-layout.ts';

/** Why no part of a layout may be applied to this node, with the numbers. */
export interface NodeRefusal {
  /** `NoGpuMatches`, or the reason that a policy's condition would give. */
  readonly code: string;
  /** Starts with the position in the file. */
  readonly message: string;
}

export type NodeTargets =
  | {
      readonly targets: readonly GpuTarget[];
      /** Entries that apply to no GPU of this node, and why; each starts with the position in the file. */
      readonly skipped: readonly string[];
    }
  | { readonly refusal: NodeRefusal };

/** The target of each GPU, by the rules of a policy; a refusal is about the whole node and nothing is touched. */
export function resolveTargets(layout: NodeLayout, device: DeviceState): NodeTargets {
  // The user of the command is responsible for the host: no instance is foreign to it.
  const allow = { replaceForeignInstances: true };
  const spec: PolicySpec = { nodeSelector: {}, strategy: layout.strategy ?? 'none', layouts: layout.layouts, allow };
  const resolved = resolveNode(spec, reportDevice(device), undefined);
  if ('wish' in resolved) {
    // For mig-parted a filter without a match is a success; the node would then not match the file.
    if (resolved.wish.gpus.length === 0) return { refusal: refuseNothing(layout, device) };
    const skipped = resolved.skipped.map(({ entry, message }) => `${layout.locate({ entry })}: ${message}`);
    return { targets: resolved.wish.gpus.map(toTarget), skipped };
  }
  const { entry, refusal } = resolved;
  const place = layout.locate(entry === undefined ? 'strategy' : { entry });
  return { refusal: { code: refusal.reason, message: `${place}: ${refusal.message}` } };
}

function toTarget({ uuid, mig, profiles }: GpuWish): GpuTarget {
  return { uuid, want: mig === 'Disabled' ? 'Disabled' : (profiles ?? {}) };
}

function refuseNothing({ locate }: NodeLayout, { gpus }: DeviceState): NodeRefusal {
  const names = gpus.map(({ index, product, pciDeviceId, migCapable }) => {
    return `GPU ${index} (${product}, ${pciDeviceId ?? 'unknown PCI id'}${migCapable ? '' : ', without MIG'})`;
  });
  const found = names.length === 0 ? 'it has no GPU' : `it has ${names.join(', ')}`;
  return { code: 'NoGpuMatches', message: `${locate({ entry: 0 })}: no entry applies to a GPU of this node: ${found}` };
}
