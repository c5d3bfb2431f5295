import type { DeviceReport, GpuReport, GpuWish } from '../../api/types.ts';
import type { Geometry } from '../gpu/geometry.ts';
import { planGpuChange } from '../gpu/plan.ts';
import { drawCells, placeOf } from '../gpu/grid.ts';
import type { ForeignInstances } from '../device/grants.ts';
import { viewReport, meetsWish } from '../device/plan.ts';
import { type Line, type Span, span, type Tone } from './lines.ts';

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
export function pictureGpu(
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

const indent = '       ';
/** Wider than this a slice gets no clearer. */
const widest = 143;

/** A GPU in lines: what is on it, what will be, and who holds what. */
export function drawGpuPicture(
  name: string,
  picture: GpuPicture,
  geometry: Geometry | undefined,
  columns: number,
): readonly Line[] {
  const { product, error, health, now, after } = picture;
  const sick = health === undefined ? [] : [span(`  ${health}`, 'bad')];
  const title = [span(name, 'title'), span(`  ${product}`), ...sick];
  if (error !== undefined) return [[...title, span(`  ${error}`, 'bad')]];
  if (geometry === undefined) return [[...title, span('  no MIG: whole GPU'), ...holders(picture)]];
  const bar = (word: string, slices: readonly PicturedSlice[] | undefined): Line => [
    span(`  ${word.padEnd(5)}`, 'dim'),
    ...drawBar(geometry, slices, Math.min(columns - indent.length - 2, widest)),
  ];
  const planned: readonly Line[] =
    after === undefined
      ? []
      : 'refusal' in after
        ? [[span('  then '), span(after.refusal, 'bad')]]
        : [bar('then', after.slices)];
  const held = (now ?? []).flatMap((slice): readonly Line[] =>
    slice.pods.length === 0
      ? []
      : [[span(`${indent}${slice.profile} at ${slice.start}: ${nameHolders(slice)}`, 'dim')]],
  );
  const whole = picture.pods.length === 0 ? [] : [[span(`${indent}whole GPU: ${nameHolders(picture)}`, 'dim')]];
  return [title, bar('now', now), ...planned, ...held, ...whole];
}

function holders(held: Pick<GpuPicture, 'pods' | 'claims'>): readonly Span[] {
  return held.pods.length === 0 ? [] : [span(`, held by ${nameHolders(held)}`, 'used')];
}

/** `team/train by claim team/train-gpu` */
function nameHolders({ pods, claims }: Pick<GpuPicture, 'pods' | 'claims'>): string {
  return `${pods.join(', ')}${claims.length === 0 ? '' : ` by claim ${claims.join(', ')}`}`;
}

const tones: Readonly<Record<PicturedSlice['state'], Tone>> = {
  used: 'used',
  free: 'free',
  going: 'going',
  coming: 'coming',
};
const marks: Readonly<Record<PicturedSlice['state'], string>> = { used: '', free: '', going: '-', coming: '+' };

function drawBar(geometry: Geometry, slices: readonly PicturedSlice[] | undefined, width: number): Line {
  const byStart = new Map(slices?.map((one) => [one.start, one]));
  const cells = drawCells(geometry, slices, width, ({ start, busy }) => {
    const state = byStart.get(start)?.state ?? 'free';
    return `${busy === true ? '*' : ''}${marks[state]}`;
  });
  return [
    span('|'),
    ...cells.flatMap(({ instance, text }) => {
      const slice = instance && byStart.get(instance.start);
      return [span(text, slice ? tones[slice.state] : 'dim'), span('|')];
    }),
  ];
}

/** Explains the marks. */
export const legend = '* in use   - goes   + comes   . no slice';
