import type { GpuNodePartition, GpuPartitionPolicy, GpuReport, GpuWish } from '../../api/types.ts';
import type { PoolGpu, PoolInstance } from '../demand/pool.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import type { GpuView } from '../gpu/plan/gpu-view.ts';
import { planGpu } from '../gpu/plan/gpu-plan.ts';
import { isGrantLive } from '../node/revocation.ts';
import { demandEntry, type DemandWishes, evictsNever, ownWish } from '../policy/demand-wish.ts';
import { loadIdOf } from '../wish/load-id.ts';
import { findForeign } from '../wish/ownership.ts';
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
  /** What it offers now. */
  readonly present: readonly PoolInstance[];
  /** Its wish, if the plan leaves it as it is. */
  readonly wish: GpuWish;
}

/**
 * The GPUs of a node that take part in the demand of its policy. Others are left alone, whatever they offer: those that do not
 * answer, serve virtual machines, or have instances that are split, which the device plugin does not advertise.
 *
 * @param known what the last plan has chosen, which may not be in the node's wish yet, and whether a GPU was re-laid a short while ago
 */
export function listMembers(
  policy: GpuPartitionPolicy,
  partition: GpuNodePartition,
  known: { readonly chosen?: DemandWishes | undefined; readonly isResting: (uuid: string) => boolean },
): readonly Member[] {
  const { device = {} } = partition.status ?? {};
  const node = partition.metadata.name;
  const isGranted = isGrantLive(partition);
  const foreign =
    policy.spec.allow?.replaceForeignInstances === true
      ? new Map<string, ReadonlySet<string>>()
      : findForeign(
          device.gpus ?? [],
          loadIdOf(device),
          device.lastGood,
          isGranted ? partition.spec.granted : undefined,
        );
  const chosen = new Map(ownWish(policy, partition)?.gpus.map((one) => [one.uuid, one]));
  return (device.gpus ?? []).flatMap((gpu): readonly Member[] => {
    const view = viewReport(device, gpu);
    const { geometry } = view;
    if (geometry === undefined || !takesPart(gpu, view, geometry)) return [];
    const { uuid, product } = gpu;
    const earlier = known.chosen?.get(uuid) ?? chosen.get(uuid);
    const present = view.instances.map(({ profile, start, busy }) => ({ profile, start, busy }));
    const awaited = earlier?.entry === demandEntry && !meetsWish(gpu, earlier) ? earlier : undefined;
    const coming = awaited && foresee(geometry, view, awaited, evictsNever(policy));
    const stays = isGranted || isFixed(gpu, view) || foreign.has(uuid);
    return [
      {
        node,
        product,
        gpu: { id: `${node}/${uuid}`, geometry, instances: coming ?? present, isResting: stays },
        rests: known.isResting(uuid),
        present,
        wish: awaited && coming ? awaited : asItIs(gpu, earlier),
      },
    ];
  });
}

function takesPart(gpu: GpuReport, { instances }: GpuView, { profiles }: Geometry): boolean {
  const isWhole = instances.every(
    ({ profile, computeInstances: [first, ...others] }) =>
      first === profile && others.length === 0 && profiles.some(({ name }) => name === profile),
  );
  return gpu.error === undefined && gpu.vgpuHost === undefined && isWhole;
}

/** Whether nothing may change on a GPU for now, for reasons of its own. */
function isFixed(gpu: GpuReport, { use, instances }: GpuView): boolean {
  const isPending = gpu.migPending !== undefined && gpu.migPending !== gpu.mig;
  // What uses the GPU beside its instances keeps MIG mode, and a first instance, from it.
  return isPending || gpu.health !== undefined || (use !== 'None' && instances.length === 0);
}

/** What is there, as a wish: nothing changes for it. */
function asItIs(gpu: GpuReport, earlier: GpuWish | undefined): GpuWish {
  const { uuid, mig } = gpu;
  if (earlier?.entry === demandEntry && meetsWish(gpu, earlier)) return earlier;
  return mig === 'Enabled'
    ? { uuid, profiles: layoutOf(gpu), entry: demandEntry }
    : { uuid, mig: 'Disabled', entry: demandEntry };
}

/** The instances once a wish is met; undefined if that takes an eviction which the policy does not allow. */
function foresee(
  geometry: Geometry,
  { instances }: GpuView,
  { profiles, mig }: GpuWish,
  isSpared: boolean,
): readonly PoolInstance[] | undefined {
  if (mig === 'Disabled') return isSpared && instances.some(({ busy }) => busy) ? undefined : [];
  const mayDisturb = ({ busy }: { readonly busy: boolean }): boolean => !isSpared || !busy;
  const plan = planGpu(geometry, instances, profiles ?? {}, { mayDisturb });
  if (!plan.fits) return undefined;
  return [
    ...plan.keep.map(({ profile, start, busy }) => ({ profile, start, busy })),
    ...plan.create.map(({ profile, start }) => ({ profile, start, busy: false })),
  ];
}
