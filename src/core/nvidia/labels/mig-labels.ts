import { labelResource } from './gpu-labels.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from './label-key.ts';
import { mergeLabels } from './label-value.ts';
import type { Labels } from './label-value.ts';
import type { MigStrategy } from './mig-strategy.ts';
import { MIG_ATTRIBUTE_NAMES } from './node-description.ts';
import type { GpuDescription, MigDeviceDescription } from './node-description.ts';
import { PARENT_REPLICATION, replicationOf } from '../plugin-config/sharing.ts';
import type { Sharing } from '../plugin-config/sharing.ts';

/** All MIG devices of one profile on a node. GFD takes model and attributes from the first one that it encounters. */
interface MigGroup {
  readonly model: string;
  readonly first: MigDeviceDescription;
  readonly count: number;
}

/** What the strategy adds to the labels of the whole GPUs, or overrides in them (`internal/lm/mig-strategy.go`). */
export function computeMigLabels(
  gpus: readonly GpuDescription[],
  strategy: MigStrategy,
  sharing: Sharing | undefined,
): Labels {
  switch (strategy) {
    case 'none':
      return {};
    case 'single':
      return { 'nvidia.com/mig.strategy': 'single', ...labelSingle(gpus, sharing) };
    case 'mixed':
      return { 'nvidia.com/mig.strategy': 'mixed', ...labelMixed(gpus, sharing) };
  }
}

function labelSingle(gpus: readonly GpuDescription[], sharing: Sharing | undefined): Labels {
  const parents = gpus.filter((gpu) => gpu.migEnabled);
  const [parent] = parents;
  if (parent === undefined) return {};
  const [group, ...others] = groupByProfile(gpus);
  const isEmpty = parents.some((gpu) => gpu.migDevices.length === 0);
  if (group === undefined || others.length > 0 || isEmpty || parents.length < gpus.length) return labelInvalid(parent);
  return labelGroup(GPU_RESOURCE, group, sharing);
}

function labelMixed(gpus: readonly GpuDescription[], sharing: Sharing | undefined): Labels {
  const groups = groupByProfile(gpus);
  return mergeLabels(groups.map((group) => labelGroup(migResourceName(group.first.profile), group, sharing)));
}

/** The state known to users as MIG-INVALID: strategy single on a node that does not have one profile throughout. */
function labelInvalid(parent: GpuDescription): Labels {
  return {
    ...labelResource(GPU_RESOURCE, [parent.name, 'MIG', 'INVALID'], 0, PARENT_REPLICATION),
    // Empty, not "none": GFD writes this in this state and in no other.
    [`${GPU_RESOURCE}.sharing-strategy`]: '',
    [`${GPU_RESOURCE}.memory`]: '0',
  };
}

function labelGroup(resource: string, group: MigGroup, sharing: Sharing | undefined): Labels {
  const { profile, attributes } = group.first;
  const product = [group.model, 'MIG', labelProfile(profile)];
  return {
    ...labelResource(resource, product, group.count, replicationOf(resource, sharing)),
    ...Object.fromEntries(MIG_ATTRIBUTE_NAMES.map((name) => [`${resource}.${name}`, String(attributes[name])])),
  };
}

function groupByProfile(gpus: readonly GpuDescription[]): readonly MigGroup[] {
  const groups = new Map<string, MigGroup>();
  for (const gpu of gpus) {
    for (const device of gpu.migDevices) {
      const known = groups.get(device.profile);
      const group = known ?? { model: gpu.name, first: device, count: 0 };
      groups.set(device.profile, { ...group, count: group.count + 1 });
    }
  }
  return [...groups.values()];
}
