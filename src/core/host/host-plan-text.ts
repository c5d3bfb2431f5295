import { countWords } from '../text/cut-text.ts';
import type { Geometry, Layout } from '../gpu/geometry/geometry.ts';
import { writeLayout } from '../gpu/search/layout-words.ts';
import { drawGpu } from '../gpu/plan/picture.ts';
import type { DeviceState } from '../gpu/state/device-state.ts';
import type { HostGpuPlan, HostPlan, PlannedPlace } from './host-plan.ts';

/** A plan for people and journals: a block for each GPU that changes or cannot, a line for each of the others. */
export function writePlan(plan: HostPlan, device: DeviceState): readonly string[] {
  const lines = plan.gpus.flatMap((gpu) => {
    const geometry = device.gpus.find(({ uuid }) => uuid === gpu.uuid)?.geometry;
    // If nothing may be touched, the outcome of single GPUs does not matter.
    return plan.reason === undefined ? writeGpu(gpu, geometry) : [];
  });
  return [...lines, ...plan.skipped.map((reason) => `skipped: ${reason}`), summarize(plan)];
}

export function nameGpu({ index, product, pciBusId }: HostGpuPlan): string {
  return `GPU ${index} (${product.replace(/^NVIDIA /, '')}, ${pciBusId})`;
}

/** A GPU's target or current state: `2×1g.5gb + 1×3g.20gb`, `MIG off`. */
export function writeWant(want: Layout | 'Disabled' | undefined): string {
  if (want === undefined) return 'as it is';
  return want === 'Disabled' ? 'MIG off' : writeLayout(want);
}

/** Everything that blocks a plan, one sentence each. */
export function listProblems({ reason, gpus, lost }: HostPlan): readonly string[] {
  if (reason !== undefined) return [`${reason.code}: ${reason.message}; nothing was touched`];
  return [
    ...gpus.flatMap((gpu) => (gpu.error === undefined ? [] : [`${nameGpu(gpu)}: ${gpu.error.message}`])),
    ...lost.map(({ pciBusId, error }) => `GPU at ${pciBusId} does not answer: ${error.message}`),
  ];
}

function writeGpu(gpu: HostGpuPlan, geometry: Geometry | undefined): readonly string[] {
  const head = `${nameGpu(gpu)}: ${describe(gpu)}`;
  if (gpu.outcome === 'LeftAlone' || gpu.outcome === 'Unchanged') return [head];
  const draw = (when: 'now' | 'after', places: readonly PlannedPlace[]): readonly string[] => {
    if (geometry === undefined) return [];
    const shown = places.map((place) => ({ ...place, busy: place.holders !== undefined }));
    return [`  ${when.padEnd(5)} ${drawGpu(geometry, gpu.mig[when] === 'Enabled' ? shown : undefined)}`];
  };
  const now = draw('now', [...gpu.keep, ...gpu.destroy]);
  if (gpu.outcome === 'Refused') return [head, ...now];
  const parts = gpu.steps.filter(({ action }) => action.endsWith('ComputeInstances'));
  return [
    head,
    ...now,
    ...draw('after', [...gpu.keep, ...gpu.create]),
    `  keep: ${listPlaces(gpu.keep)}`,
    `  destroy: ${listPlaces(gpu.destroy)}`,
    `  create: ${listPlaces(gpu.create)}`,
    ...parts.map(({ action, profile, start, computeInstances }) => {
      const verb = action === 'CreateComputeInstances' ? 'create' : 'destroy';
      return `  ${verb} on ${profile} at ${start}: ${computeInstances.join(', ')}`;
    }),
    ...(gpu.isTableUnchecked ? ['  unchecked: the driver shows the profiles of this GPU only with MIG mode on'] : []),
  ];
}

function describe({ outcome, want, mig, resets }: HostGpuPlan): string {
  const mode = mig.now === mig.after ? '' : ` (MIG mode ${mig.now ?? 'unknown'} to ${mig.after ?? 'unknown'})`;
  switch (outcome) {
    case 'LeftAlone':
      return mig.now === null ? 'left alone, it has no MIG' : 'left alone, no entry is for it';
    case 'Unchanged':
      return `unchanged, ${writeWant(want)}`;
    case 'Change':
      return `becomes ${writeWant(want)}${mode}${resets === true ? ', with the reset that its driver asks for' : ''}`;
    case 'Refused':
      return `cannot become ${writeWant(want)}`;
  }
}

function listPlaces(places: readonly PlannedPlace[]): string {
  if (places.length === 0) return 'nothing';
  return places
    .toSorted((a, b) => a.start - b.start)
    .map(({ profile, start, holders }) => {
      const who = holders === undefined ? '' : ` (in use by ${holders.join(', ')})`;
      return `${profile} at ${start}${who}`;
    })
    .join(', ');
}

function summarize({ state, reason, gpus, lost }: HostPlan): string {
  if (reason !== undefined) return 'plan: refused, nothing may be touched';
  const count = (outcome: HostGpuPlan['outcome']) => gpus.filter((gpu) => gpu.outcome === outcome).length;
  const places = (kind: 'keep' | 'destroy' | 'create') =>
    gpus.filter(({ outcome }) => outcome === 'Change').reduce((sum, gpu) => sum + gpu[kind].length, 0);
  if (state === 'Unchanged') return 'plan: nothing to do';
  const bad = [
    ...(count('Refused') > 0 ? [`${count('Refused')} refused`] : []),
    ...(lost.length > 0 ? [`${lost.length} not answering`] : []),
  ];
  const change = `${count('Change')} of ${countWords(gpus.length + lost.length, 'GPU')} to change: keep ${places('keep')}, destroy ${places('destroy')}, create ${countWords(places('create'), 'instance')}`;
  return `plan: ${[change, ...bad].join('; ')}`;
}
