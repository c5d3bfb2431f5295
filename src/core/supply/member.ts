import type { GpuNodePartition, GpuPartitionPolicy, GpuReport, GpuWish } from '../../api/types.ts';
import { type PoolGpu, type PoolInstance, WHOLE } from '../demand/pool.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import type { GpuView } from '../gpu/plan/gpu-view.ts';
import { planGpu } from '../gpu/plan/gpu-plan.ts';
import { isGrantLive } from '../node/revocation.ts';
import { explainOldDriver, findModel } from '../gpu/geometry/model-lookup.ts';
import { countsWhole } from '../policy/demand-profiles.ts';
import { demandEntry, type DemandWishes, evictsNever, isChosen, ownWish, restEntry } from '../policy/demand-wish.ts';
import { foreignOn } from '../wish/ownership.ts';
import { viewReport } from '../wish/report-view.ts';
import { layoutOf, meetsWish } from '../wish/wish.ts';

/** A GPU that takes part in a demand. */
export interface Member {
  readonly node: string;
  readonly product: string;
  /** As it will be once what was chosen for it before is done: a plan continues from there. */
  readonly gpu: PoolGpu;
  /** It was re-laid a short while ago, and is left alone unless something waits. */
  readonly rests: boolean;
  /** It was re-laid while it rested, and is not again before it has rested, whatever waits. */
  readonly isHeld?: boolean;
  /** What it offers now. */
  readonly present: readonly PoolInstance[];
  /** Its wish, if the plan leaves it as it is. */
  readonly wish: GpuWish;
}

/** Whether a GPU was re-laid a short while ago; `Held`: twice. */
export type Rests = boolean | 'Held';

/** What a GPU without MIG has: it is whole, always. */
export const noProfiles: Geometry = { computeSlices: 0, memorySlices: 0, profiles: [] };

/**
 * The GPUs of a node that take part in the demand of its policy. Others are left alone, whatever they offer: those that do not
 * answer, serve virtual machines, or have instances that are split, which the device plugin does not advertise. GPUs without MIG take
 * part where whole ones are asked for.
 *
 * @param known what the last plan has chosen, which may not be in the node's wish yet, and whether a GPU was re-laid a short while ago,
 * or is held after that
 */
export function listMembers(
  policy: GpuPartitionPolicy,
  partition: GpuNodePartition,
  known: { readonly chosen?: DemandWishes | undefined; readonly isResting: (uuid: string) => Rests },
): readonly Member[] {
  const { device = {} } = partition.status ?? {};
  const node = partition.metadata.name;
  const isGranted = isGrantLive(partition);
  const { demand, allow } = policy.spec;
  const asksWhole = demand !== undefined && countsWhole(demand);
  const foreign = allow?.replaceForeignInstances === true ? new Map<string, ReadonlySet<string>>() : foreignOn(device);
  const chosen = new Map(ownWish(policy, partition)?.gpus.map((one) => [one.uuid, one]));
  return (device.gpus ?? []).flatMap((gpu): readonly Member[] => {
    const view = viewReport(device, gpu);
    const geometry = view.geometry ?? (asksWhole && gpu.mig !== 'Enabled' ? noProfiles : undefined);
    if (geometry === undefined || !takesPart(gpu, view, geometry)) return [];
    const { uuid, product } = gpu;
    const earlier = known.chosen?.get(uuid) ?? chosen.get(uuid);
    const present = listPresent(gpu, view);
    const awaited = earlier && isChosen(earlier) && !meetsWish(gpu, earlier) ? earlier : undefined;
    const isSpared = evictsNever(policy) || awaited?.entry === restEntry;
    const coming = awaited && foresee(geometry, view, present, awaited, isSpared);
    const stays = isGranted || isFixed(gpu, view, asksWhole) || foreign.has(uuid);
    const rests = known.isResting(uuid);
    const keepsMode = mustKeepMode(gpu, view, device.driverVersion, allow?.gpuReset !== false);
    return [
      {
        node,
        product,
        gpu: {
          id: `${node}/${uuid}`,
          geometry,
          instances: coming ?? present,
          isResting: stays || rests === 'Held',
          keepsMode,
        },
        // One for which something was chosen and not made yet was re-laid just now, whoever led then.
        rests: rests !== false || coming !== undefined,
        ...(rests === 'Held' && { isHeld: true }),
        present,
        wish: coming ? awaited : asItIs(gpu, earlier),
      },
    ];
  });
}

function takesPart(gpu: GpuReport, { instances }: GpuView, { profiles }: Geometry): boolean {
  const isUnsplit = instances.every(
    ({ profile, computeInstances: [first, ...others] }) =>
      first === profile && others.length === 0 && profiles.some(({ name }) => name === profile),
  );
  return gpu.error === undefined && gpu.vgpuHost === undefined && isUnsplit;
}

function listPresent({ mig }: GpuReport, { instances, use }: GpuView): readonly PoolInstance[] {
  if (mig !== 'Enabled') return [{ profile: WHOLE, start: 0, busy: use !== 'None' }];
  return instances.map(({ profile, start, busy }) => ({ profile, start, busy }));
}

/** Whether nothing may change on a GPU for now, for reasons of its own. @param asksWhole whether pods on whole GPUs are part of the demand */
function isFixed(gpu: GpuReport, { use, instances }: GpuView, asksWhole: boolean): boolean {
  const isPending = gpu.migPending !== undefined && gpu.migPending !== gpu.mig;
  // What uses the GPU beside its instances keeps MIG mode, and a first instance, from it. Pods on a whole GPU can be evicted.
  const isOpen = use !== 'None' && instances.length === 0;
  const mayBeFreed = asksWhole && use === 'Evictable' && gpu.mig !== 'Enabled';
  return isPending || gpu.health !== undefined || (isOpen && !mayBeFreed);
}

/** Whether a GPU cannot be taken into MIG mode, or out of it. */
function mustKeepMode(
  gpu: GpuReport,
  { use, geometry }: GpuView,
  driver: string | undefined,
  mayReset: boolean,
): boolean {
  const isPartitioned = gpu.mig === 'Enabled';
  const needsReset = findModel(gpu.product)?.resetToChangeMode !== false;
  // A process of which the driver names no instance keeps the mode as it is.
  const isOpen = isPartitioned && use !== 'None';
  const isTooOld = !isPartitioned && explainOldDriver(gpu.product, driver) !== undefined;
  return geometry === undefined || isOpen || isTooOld || (needsReset && !mayReset);
}

/** What is there, as a wish: nothing changes for it. */
function asItIs(gpu: GpuReport, earlier: GpuWish | undefined): GpuWish {
  const { uuid, mig } = gpu;
  if (earlier && isChosen(earlier) && meetsWish(gpu, earlier)) return earlier;
  return mig === 'Enabled'
    ? { uuid, profiles: layoutOf(gpu), entry: demandEntry }
    : { uuid, mig: 'Disabled', entry: demandEntry };
}

/** The instances once a wish is met; undefined if that takes an eviction which is not allowed. */
function foresee(
  geometry: Geometry,
  { instances }: GpuView,
  present: readonly PoolInstance[],
  { profiles, mig }: GpuWish,
  isSpared: boolean,
): readonly PoolInstance[] | undefined {
  const isWhole = present.some(({ profile }) => profile === WHOLE);
  const turns = isWhole !== (mig === 'Disabled');
  if (turns && isSpared && present.some(({ busy }) => busy)) return undefined;
  if (mig === 'Disabled') return isWhole ? present : [{ profile: WHOLE, start: 0, busy: false }];
  const mayDisturb = ({ busy }: { readonly busy: boolean }): boolean => !isSpared || !busy;
  const plan = planGpu(geometry, instances, profiles ?? {}, { mayDisturb });
  if (!plan.fits) return undefined;
  return [
    ...plan.keep.map(({ profile, start, busy }) => ({ profile, start, busy })),
    ...plan.create.map(({ profile, start }) => ({ profile, start, busy: false })),
  ];
}
