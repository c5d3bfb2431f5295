import type { DeviceReport, GpuNodePartition, GpuReport, GpuWish } from '../../api/types.ts';
import { planGpuChange } from '../gpu/plan.ts';
import { placeOf } from '../gpu/grid.ts';
import { describeFault, type ForeignInstances, foreignOn } from '../device/grants.ts';
import { viewReport, meetsWish } from '../device/plan.ts';
import { listGoingClaims } from '../device/holders.ts';

/** One GPU instance in a picture. */
export interface PicturedSlice {
  readonly profile: string;
  readonly start: number;
  readonly state: 'used' | 'free' | 'going' | 'coming';
  /** Used, regardless of whether it stays. */
  readonly busy: boolean;
  readonly pods: readonly string[];
  /** ResourceClaims by which the pods have it. */
  readonly claims: readonly string[];
}

/** A picture of one GPU as it is, and as it is to be. */
export interface GpuPicture {
  readonly index: number;
  readonly product: string;
  /** Why it is unreadable. */
  readonly error?: string;
  /** Its health as the driver reports it; absent if it is well. */
  readonly health?: string;
  /** Pods that hold the whole GPU, and ResourceClaims by which they do. */
  readonly pods: readonly string[];
  readonly claims: readonly string[];
  /** Instances now; undefined for a GPU that is whole. */
  readonly now: readonly PicturedSlice[] | undefined;
  /** Instances after the change; absent if nothing is to change. */
  readonly after?: { readonly slices: readonly PicturedSlice[] | undefined } | { readonly refusal: string };
}

/** @param wish undefined where no policy decides over the GPU */
function pictureGpu(
  device: DeviceReport,
  gpu: GpuReport,
  wish: GpuWish | undefined,
  foreign: ForeignInstances,
): GpuPicture {
  const { index, product, error, health, pods = [], claims = [] } = gpu;
  const base = {
    index,
    product: product.replace(/^NVIDIA /, ''),
    pods,
    claims,
    ...(error !== undefined && { error }),
    ...(health && { health: health.message }),
  };
  const now = gpu.mig === 'Enabled' ? gpu.instances.map((one): PicturedSlice => sliceOf(one)) : undefined;
  if (!wish || error !== undefined || meetsWish(gpu, wish)) return { ...base, now };
  const want = wish.mig === 'Disabled' ? 'Disabled' : (wish.profiles ?? {});
  const untouchable = foreign.get(gpu.uuid);
  const result = planGpuChange(viewReport(device, gpu), want, (place) => untouchable?.has(placeOf(place)) !== true);
  if ('refusal' in result) return { ...base, now, after: { refusal: result.refusal.message } };
  const { destroy, keep, create } = result.change;
  const going = new Set(destroy.map(placeOf));
  const kept = new Set(keep.map(placeOf));
  const marked = now?.map((one): PicturedSlice => (going.has(placeOf(one)) ? { ...one, state: 'going' } : one));
  const coming = create.map(({ profile, start }): PicturedSlice => ({
    profile,
    start,
    state: 'coming',
    busy: false,
    pods: [],
    claims: [],
  }));
  const slices = [...(now ?? []).filter((one) => kept.has(placeOf(one))), ...coming].toSorted(
    (a, b) => a.start - b.start,
  );
  return { ...base, now: marked, after: { slices: want === 'Disabled' ? undefined : slices } };
}

function sliceOf(instance: GpuReport['instances'][number]): PicturedSlice {
  const { profile, start, busy = false, pods = [], claims = [] } = instance;
  return { profile, start, state: busy ? 'used' : 'free', busy, pods, claims };
}

/** The status of one node, as people see it. */
interface NodeStatusView {
  readonly node: string;
  readonly policy: string | undefined;
  readonly strategy: string | undefined;
  readonly phase: string;
  readonly reason: string;
  readonly message: string;
  /** Layout of the device in words. */
  readonly layout: string;
  /** The plan of its agent. */
  readonly plan:
    | {
        readonly keep: number;
        readonly destroy: number;
        readonly create: number;
        readonly pods: readonly string[];
        /** ResourceClaims that have what it destroys. */
        readonly claims: readonly string[];
      }
    | undefined;
  readonly error: string | undefined;
  readonly driver: string | undefined;
  readonly gpus: readonly GpuPicture[];
}

export function viewNodeStatus({ metadata, spec, status }: GpuNodePartition): NodeStatusView {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const { device } = status ?? {};
  const foreign = foreignOn(device ?? {});
  const wishOf = ({ uuid }: GpuReport) => spec.wish?.gpus.find((one) => one.uuid === uuid);
  const { plan } = device ?? {};
  const isPlanned = plan !== undefined && (plan.gpusChanging ?? 0) > 0;
  return {
    node: metadata.name,
    policy: spec.policy?.name,
    strategy: spec.strategy,
    phase: status?.phase ?? 'Pending',
    reason: ready?.reason ?? 'AgentNotReporting',
    message: ready?.message ?? 'nothing is known yet',
    layout: status?.layout ?? '',
    plan: isPlanned
      ? {
          keep: plan.keep,
          destroy: plan.destroy,
          create: plan.create,
          pods: plan.affectedPods ?? [],
          claims: listGoingClaims(device),
        }
      : undefined,
    error: device && describeFault(device),
    driver: device?.driverVersion,
    gpus: (device?.gpus ?? []).map((gpu) => pictureGpu(device ?? {}, gpu, wishOf(gpu), foreign)),
  };
}
