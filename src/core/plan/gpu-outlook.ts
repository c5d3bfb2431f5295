import type { DeviceReport, GpuReport } from '../../api/types.ts';
import { drawGpu } from '../gpu/plan/picture.ts';
import { placeOf } from '../gpu/search/instance.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import type { GpuWork } from '../wish/plan-gpu-wish.ts';
import type { WishPlan } from '../wish/plan-wish.ts';

/** A GPU instance and its holders. */
export interface HeldSlice {
  readonly profile: string;
  /** First memory slice. */
  readonly start: number;
  /** `NAMESPACE/NAME`; absent if no pod holds it. */
  readonly pods?: readonly string[];
}

/** A GPU at one moment. */
export interface DrawnGpu {
  readonly mig: 'Enabled' | 'Disabled';
  readonly slices: readonly HeldSlice[];
  /** A line of 73 characters; empty for a GPU without MIG. */
  readonly picture: string;
}

/** What becomes of one GPU. */
export interface GpuOutlook {
  readonly index: number;
  readonly uuid: string;
  /** `A100-SXM4-40GB` */
  readonly product: string;
  readonly isChanging: boolean;
  readonly before: DrawnGpu;
  readonly after: DrawnGpu;
  readonly keep: readonly HeldSlice[];
  readonly destroy: readonly HeldSlice[];
  readonly create: readonly HeldSlice[];
  /** Instances that stay and whose compute instances change. */
  readonly recut: readonly HeldSlice[];
  /** Pods that hold the GPU as a whole. */
  readonly pods?: readonly string[];
}

/** The GPUs of a node before and after a plan, by index. */
export function describeGpus(device: DeviceReport, plan: WishPlan | undefined): readonly GpuOutlook[] {
  return (device.gpus ?? [])
    .toSorted((a, b) => a.index - b.index)
    .map((gpu) =>
      describeGpu(
        device,
        gpu,
        plan?.work.find(({ uuid }) => uuid === gpu.uuid),
      ),
    );
}

function describeGpu(device: DeviceReport, gpu: GpuReport, work: GpuWork | undefined): GpuOutlook {
  const { index, uuid, product, pods = [], instances, mig = 'Disabled' } = gpu;
  const places = (action: string): ReadonlySet<string> =>
    new Set(work?.steps.flatMap((step) => (step.action === action ? [placeOf(step)] : [])));
  const gone = places('DestroyInstance');
  const cut = new Set([...places('DestroyComputeInstances'), ...places('CreateComputeInstances')]);
  const slices = instances.toSorted((a, b) => a.start - b.start).map(holdSlice);
  const keep = slices.filter((one) => !gone.has(placeOf(one)));
  const create = (work?.steps ?? [])
    .flatMap(({ action, profile, start }) => (action === 'CreateInstance' ? [{ profile, start }] : []))
    .toSorted((a, b) => a.start - b.start);
  const migAfter = work?.mode === undefined ? mig : work.mode === 'Enable' ? 'Enabled' : 'Disabled';
  return {
    index,
    uuid,
    product: product.replace(/^NVIDIA /, ''),
    isChanging: work !== undefined,
    before: draw(device, gpu, mig, slices),
    after: draw(
      device,
      gpu,
      migAfter,
      [...keep, ...create].toSorted((a, b) => a.start - b.start),
    ),
    keep,
    destroy: slices.filter((one) => gone.has(placeOf(one))),
    create,
    recut: keep.filter((one) => cut.has(placeOf(one))),
    ...(pods.length > 0 && { pods }),
  };
}

function holdSlice({ profile, start, pods = [] }: GpuReport['instances'][number]): HeldSlice {
  return { profile, start, ...(pods.length > 0 && { pods }) };
}

function draw(device: DeviceReport, gpu: GpuReport, mig: DrawnGpu['mig'], slices: readonly HeldSlice[]): DrawnGpu {
  const geometry = liveGeometry(device, gpu);
  const busy = new Set(gpu.instances.filter((one) => one.busy === true).map(placeOf));
  const drawn = slices.map((one) => ({ ...one, busy: busy.has(placeOf(one)) }));
  const picture = geometry === undefined ? '' : drawGpu(geometry, mig === 'Enabled' ? drawn : undefined);
  return { mig, slices, picture };
}
