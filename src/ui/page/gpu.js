import { make } from './dom.js';

/** Slices to scale, as one background: a tile of eight GPUs has few elements. What goes keeps its colour under the hatching: who goes is the question. */
function paintGpu(gpu, slices) {
  if (gpu.error) return 'var(--none)';
  if (slices === null) return gpu.pods.length > 0 ? 'var(--used)' : 'var(--whole)';
  const stops = [];
  const hatched = [];
  const stop = (color, from, to) => stops.push(`${color} ${from}% ${to}%`);
  let at = 0;
  for (const { start, size, state, busy } of slices) {
    const from = (start / gpu.units) * 100;
    const to = ((start + size) / gpu.units) * 100;
    const width = to - from - 0.8;
    if (from > at) stop('var(--none)', at, from);
    stop(`var(--${state === 'going' ? (busy ? 'used' : 'free') : state})`, from, to - 0.8);
    stop('var(--back)', to - 0.8, to);
    if (state === 'going') hatched.push(`var(--hatch) ${(from / (100 - width)) * 100}% 0 / ${width}% 100% no-repeat`);
    at = to;
  }
  if (at < 100) stop('var(--none)', at, 100);
  return [...hatched, `linear-gradient(to right, ${stops.join(', ')})`].join(', ');
}

export function describeGpu(gpu) {
  if (gpu.error) return gpu.error;
  if (gpu.now === null) return gpu.pods.length > 0 ? `whole, held by ${nameHolders(gpu)}` : 'whole';
  const used = gpu.now.filter(({ busy }) => busy).length;
  return `${used} of ${gpu.now.length} slices in use`;
}

/** `team/train by claim team/train-gpu` @param namePod as for {@link describeSlice} */
export function nameHolders({ pods, claims }, namePod = (pod) => pod) {
  return `${pods.map(namePod).join(', ')}${claims.length > 0 ? ` by claim ${claims.join(', ')}` : ''}`;
}

function useOf({ state, pods, claims, busy }, namePod) {
  if (pods.length > 0) return `held by ${nameHolders({ pods, claims }, namePod)}`;
  if (busy) return 'in use by a process';
  return state === 'coming' ? 'not made yet' : 'free';
}

/** @param namePod what is said of a pod by its NAMESPACE/NAME */
export function describeSlice(slice, namePod = (pod) => pod) {
  const { profile, state, memoryMiB, start } = slice;
  const memory = memoryMiB ? `, ${(memoryMiB / 1024).toFixed(1)} GiB` : '';
  return `${profile} at ${start}${memory}: ${useOf(slice, namePod)}${state === 'going' ? ', goes' : ''}`;
}

/** @param least of a GPU that a slice must take for its name to fit, from 0 to 1 */
export function drawGpu(gpu, slices, least, label) {
  const bar = make('span', {
    className: gpu.error || gpu.health ? 'gpu sick' : 'gpu',
    style: { background: paintGpu(gpu, slices) },
  });
  if (label) bar.setAttribute('role', 'img');
  if (label) bar.setAttribute('aria-label', label);
  for (const { profile, start, size, state, busy } of gpu.error ? [] : (slices ?? [])) {
    if (size / gpu.units < least) continue;
    const style = { left: `${(start / gpu.units) * 100}%`, width: `${(size / gpu.units) * 100}%` };
    const className = state === 'going' ? (busy ? 'used going' : 'free going') : state;
    bar.append(make('span', { className: `name ${className}`, style, ariaHidden: 'true' }, profile));
  }
  bar.sliced = { gpu, slices };
  return bar;
}

/** GPUs that look alike, in one: with pods only where that is told. */
export function groupGpus(gpus, withPods) {
  const keyOf = ({ product, error, health, pods, now, after, units }) =>
    JSON.stringify([
      product,
      error,
      health,
      withPods ? pods : pods.length > 0,
      units,
      now?.map(({ profile, start, state, busy, pods: held }) => [profile, start, state, busy, withPods ? held : 0]),
      after,
    ]);
  return [...Map.groupBy(gpus, keyOf).values()];
}
