import { deepEqual } from '../../src/core/text/json.ts';
import { managedConfig } from '../../src/core/nvidia/plugin-config.ts';
import { borrowedLabelsOf, metadataOf } from '../../src/core/node/node-patch.ts';
import { devicePluginConfigLabel } from '../../src/core/nvidia/labels.ts';
import { nonZero } from './checks.ts';
import { hourMs } from './cluster.ts';
import { countSlices, nameDevices } from './slices.ts';
import { countOffer, isAsWished } from './expected.ts';
import type { Wish } from '../../src/api/types.ts';
import { resolveNode } from '../../src/core/policy/resolve-node.ts';
import type { ModelWorld } from './world.ts';
import { migManagerLabel } from '../../src/api/names.ts';
import { isOwnTaint } from '../../src/core/node/snapshot.ts';

/** What is still wrong once faults have stopped; undefined if nothing is. */
export function findTrouble(world: ModelWorld, end: 'Enforce' | 'Delete' | 'Plan' | 'Pause'): string | undefined {
  const { node, partition, controllers, setup } = world;
  const [controller] = controllers;
  const verdict = controller?.verdicts.get('n');
  const words = `${verdict?.phase} ${verdict?.reason}: ${verdict?.message}`;
  if (!node || !partition || !controller || !verdict) return 'the node, its object or its controller is missing';
  const ours = (node.spec?.taints ?? []).filter(({ key }) => key === 'gpupartition.dev/repartitioning');
  if (ours.length > 0) return `taint of ours is on the node (L4); ${words}`;
  const loans = Object.entries(borrowedLabelsOf(metadataOf(node)));
  const paused = loans.filter(([, { set }]) => set === 'paused-for-mig-change');
  if (paused.length > 0) return `${paused.map(([key]) => key).join()} is paused (L4); ${words}`;
  const left = Object.entries(node.metadata.labels ?? {}).filter(([, value]) => value === 'paused-for-mig-change');
  if (left.length > 0) return `${left.map(([key]) => key).join()} is paused by mig-manager; ${words}`;
  const away = world.kubelet.daemons.flatMap(({ role, deployLabel: key }) =>
    role !== 'manager' && key !== undefined && node.metadata.labels?.[key] !== 'true' ? [key] : [],
  );
  if (away.length > 0) return `${away.join()} is not back (L4); ${words}`;
  if (partition.spec.drain !== undefined) return `pods are still told to go; ${words}`;
  const held = world.api.list('policies').filter(({ status }) => (status?.inFlight ?? []).length > 0);
  if (held.length > 0) return `policy ${held[0]?.metadata.name} keeps a slot; ${words}`;
  const foreign = world.device.report().gpus;
  if (end === 'Delete') {
    if (verdict.phase !== 'Unmanaged') return `nobody decides over it; ${words}`;
    // Without any settings the plugin might run with a strategy that does not fit the layout.
    const owed = loans.filter(([key, { was }]) => key !== devicePluginConfigLabel || was !== null);
    if (owed.length > 0) return `${owed.map(([key]) => key).join()} is not given back`;
    if (partition.spec.policy !== undefined || partition.spec.wish !== undefined) return 'it still has a wish';
    const state = node.metadata.labels?.['nvidia.com/mig.config.state'];
    const isRight = state === (setup.hasConfigState ? 'success' : undefined) || setup.hasMigManager === true;
    if (!isRight) return `mig.config.state is ${state}`;
    if (node.metadata.labels?.['gpupartition.dev/state'] !== undefined) return 'it still has a state';
    return undefined;
  }
  // A controller that was stalled may not have seen the last edit: the node still is as the edit before wants it.
  const edited = world.api
    .list('policies')
    .find(({ metadata, status }) => status?.acceptedGeneration !== metadata.generation);
  if (edited)
    return `generation ${edited.metadata.generation} of policy ${edited.metadata.name} is not accepted; ${words}`;
  const { wish } = partition.spec;
  if (!wish) return `it has no wish; ${words}`;
  const late = findLateSwitch(world, wish);
  if (late !== undefined) return `${late}; ${words}`;
  const isMet = wish.gpus.every((one) => foreign.some((gpu) => gpu.uuid === one.uuid && isAsWished(gpu, one)));
  if (end === 'Plan') return verdict.reason === 'PlanOnly' ? undefined : words;
  // What restarts the plugin waits like a change of the layout.
  const isDra = setup.backend === 'DRA';
  const offered = isDra ? countSlices(world.kubelet.driver.published) : nonZero(node.status?.allocatable);
  const real = countOffer(foreign, world.kubelet.plugin.settings);
  const isOffered = deepEqual(offered, isDra ? countSlices(nameDevices(foreign)) : real);
  const spec = world.api.find('policies', 'a')?.spec;
  const config = node.metadata.labels?.[devicePluginConfigLabel];
  const isConfigured = !setup.hasConfigMap || (spec !== undefined && managedConfig(spec).key === config);
  // Turning it off waits for the node's turn, too.
  const isReplaced = node.metadata.labels?.[migManagerLabel] !== 'true';
  if (end === 'Pause' && !(isMet && isConfigured && isOffered && isReplaced))
    return verdict.reason === 'Paused' ? undefined : words;
  if (verdict.phase !== 'Ready') return words;
  if (!isMet) return `the device is not as wished; ${words}`;
  if (!(partition.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True')) {
    return 'condition Ready is not True';
  }
  if ((node.spec?.taints ?? []).some(isOwnTaint)) return 'the start-up taint is on the node (L4)';
  if (!isOffered) return 'it offers something else than it has';
  for (const [name, count] of Object.entries(real)) {
    if (name === 'nvidia.com/gpu') continue;
    const label = node.metadata.labels?.[`${name}.count`];
    if (label !== String(count)) return `label ${name}.count is ${label}, not ${count}`;
  }
  return undefined;
}

/**
 * A controller that is stalled in the middle of a node has not seen what another of its workers has accepted. Schedules are judged by
 * what the story wrote: a start today, and how long it lasts.
 */
function findLateSwitch(world: ModelWorld, { gpus }: Wish): string | undefined {
  const { now } = world.timeline;
  const serving = world.partition?.spec.policy;
  for (const { metadata, spec, status } of world.api.list('policies')) {
    if (metadata.uid !== serving?.uid) continue;
    const [schedule] = spec.schedules ?? [];
    const device = world.partition?.status?.device ?? {};
    const resolved = spec.layouts && resolveNode({ ...spec, schedules: [] }, device, world.partition?.spec.wish);
    const wanted = resolved && 'wish' in resolved ? resolved.wish.gpus : undefined;
    const isLate = wanted !== undefined && !deepEqual(wanted, gpus);
    if (!schedule) {
      if (isLate) return 'its wish is not that of the layouts in force';
      continue;
    }
    const [minute = 0, hour = 0] = schedule.schedule.split(' ').map(Number);
    const start = new Date(now).setUTCHours(hour, minute, 0, 0);
    const end = start + Number.parseInt(schedule.duration, 10) * 1000;
    if (start < now + hourMs && end > now) return 'its schedule is open, or about to open';
    if (status?.schedule?.name !== undefined) return `schedule ${status.schedule.name} is over`;
    if (isLate) return 'its wish is not that of the layouts in force';
  }
  return undefined;
}
