import type { GpuNodePartition } from '../../api/types.ts';
import { findModel } from '../../core/gpu/geometry/model-lookup.ts';
import { parseState } from '../nvidia-smi/state/state-text.ts';
import type { RigNode } from '../rig/rig.ts';
import { drawPicture, groupPictures } from './picture-lines.ts';

/**
 * A node's row and its GPUs' slices at this moment.
 * @param state the simulated device itself, so that each slice shows when it is created, not when the agent reports it
 */
export function drawNode(node: RigNode, partition: GpuNodePartition | undefined, state: string): readonly string[] {
  const { spec, status } = partition ?? {};
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const epoch = spec?.granted?.epoch ?? 0;
  const isApplying = epoch > (status?.device?.observedEpoch ?? 0);
  const columns = [
    node.name.padEnd(10),
    (spec?.policy?.name ?? '-').padEnd(12),
    (isApplying ? 'Updating' : (status?.phase ?? 'Pending')).padEnd(10),
    isApplying ? `grant ${epoch}` : (ready?.reason ?? ''),
  ];
  const { gpus } = parseState(state, node.gpus.length);
  const pictures = gpus.map(({ migCurrent, gpuInstances }, index) => {
    const name = node.gpus[index] ?? '';
    const model = findModel(name);
    if (!model) return { index, picture: `${name}: no MIG, stays whole` };
    const instances = gpuInstances.map(({ profileId, start, size }) => ({
      profile: model.profiles.find(({ id }) => id === profileId)?.name ?? `profile ${profileId}`,
      start,
      size,
    }));
    return { index, picture: drawPicture(model, migCurrent ? instances : undefined) };
  });
  return [columns.join(' ').trimEnd(), ...groupPictures(pictures).map((line) => `  ${line}`)];
}
