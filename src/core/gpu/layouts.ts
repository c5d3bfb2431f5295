// Room gpu: NVIDIA's GPUs as geometry, layouts and state, without Kubernetes.
// Ask here whether a layout fits an empty GPU, and what a preset or an amount of memory means.
import { type Geometry, type Layout, findModel, type GpuModel } from './geometry.ts';
import { planGpu } from './plan.ts';
import { gridOf, type PlannedInstance, type Refusal, completeSubject, refuse, nameSubject } from './grid.ts';
import { judgeLayout } from './judge-layout.ts';
import { resolveProfile } from './profiles.ts';
import { listBaseProfiles } from './search.ts';
import { joinWords } from './layout.ts';

type FitResult =
  | {
      readonly fits: true;
      /** Places of the instances on an empty GPU; undefined if placements are unpublished (Thor). */
      readonly placements: readonly PlannedInstance[] | undefined;
    }
  | { readonly fits: false; readonly refusal: Refusal };

/**
 * Whether an empty GPU can hold a layout, and if not, why and what would fit. Models with unpublished placements are judged by their
 * counters.
 *
 * @param gpuName what a refusal calls the GPU; if it names a known model, names of other driver branches are understood
 */
export function fitLayout(geometry: Geometry, layout: Layout, gpuName?: string): FitResult {
  const subject = completeSubject(geometry, { gpuName, model: findModel(gpuName ?? '') });
  const grid = gridOf(geometry);
  if (grid.placeable) {
    const plan = planGpu(geometry, [], layout, subject);
    return plan.fits ? { fits: true, placements: plan.placements } : plan;
  }
  const judged = judgeLayout(grid, layout, subject);
  return 'code' in judged ? { fits: false, refusal: judged } : { fits: true, placements: undefined };
}

type Preset =
  | { readonly mig: 'Disabled' }
  /** An empty layout for `all-enabled`: MIG mode without instances. */
  | { readonly mig: 'Enabled'; readonly layout: Layout }
  | { readonly refusal: Refusal };

/**
 * What a preset means on a GPU, by the rules of the configuration that mig-parted generates from the hardware (v0.14):
 * `all-disabled`, `all-enabled`; `all-balanced`, two 1g, one 2g and, if the GPU has seven slices, one 3g; `all-<profile>`, as many
 * instances as fit, `+` written as `.` (`all-1g.5gb.me`) or unchanged.
 */
export function expandPreset(geometry: Geometry, preset: string, model?: GpuModel): Preset {
  if (preset === 'all-disabled') return { mig: 'Disabled' };
  if (preset === 'all-enabled') return { mig: 'Enabled', layout: {} };
  if (preset === 'all-balanced') return expandBalanced(geometry, model);
  const name = preset.startsWith('all-') ? preset.slice('all-'.length) : undefined;
  const profile =
    name === undefined
      ? undefined
      : readDotted(name)
          .map((form) => resolveProfile(geometry, form, model))
          .find(Boolean);
  if (profile === undefined) return { refusal: refuseUnknown(geometry, preset, model) };
  return { mig: 'Enabled', layout: { [profile.name]: profile.maxInstances } };
}

/** Names of all presets of a GPU, as a policy writes them. */
export function listPresets(geometry: Geometry): readonly string[] {
  const balanced = 'refusal' in expandBalanced(geometry, undefined) ? [] : ['all-balanced'];
  return ['all-disabled', 'all-enabled', ...balanced, ...geometry.profiles.map(({ name }) => `all-${name}`)];
}

/** `1g.24gb.me.all` may be `1g.24gb+me.all`: the dot that follows `gb` stands for the plus. No preset splits GPU instances. */
function readDotted(name: string): readonly string[] {
  if (/^\d+c\./.test(name)) return [];
  return [name, name.replace(/gb\./, 'gb+')];
}

function expandBalanced(geometry: Geometry, model?: GpuModel): Preset {
  const largest = Math.max(...geometry.profiles.map(({ computeSlices }) => computeSlices));
  const counts: Readonly<Record<number, number>> = largest === 7 ? { 1: 2, 2: 1, 3: 1 } : { 1: 2, 2: 1 };
  const base = listBaseProfiles(geometry).flatMap(({ name, computeSlices }) => {
    const count = counts[computeSlices];
    return count === undefined ? [] : [[name, count] as const];
  });
  const layout = Object.fromEntries(base);
  const undefinedHere = (largest !== 7 && largest !== 4) || base.length < Object.keys(counts).length;
  if (undefinedHere || !fitLayout(geometry, layout).fits) return { refusal: refuseBalanced(geometry, model) };
  return { mig: 'Enabled', layout };
}

function refuseBalanced(geometry: Geometry, model?: GpuModel): Refusal {
  const subject = nameSubject(completeSubject(geometry, { model }));
  return refuse(
    'UnknownPreset',
    `all-balanced is defined for GPUs of four and of seven slices whose plain profiles can be mixed; ${subject} is not one of them. Write the profiles instead`,
  );
}

function refuseUnknown(geometry: Geometry, preset: string, model?: GpuModel): Refusal {
  const subject = nameSubject(completeSubject(geometry, { model }));
  return refuse('UnknownPreset', `${subject} has no preset ${preset}; it has ${joinWords(listPresets(geometry))}`);
}

/** A profile by the memory that a program can use in it. */
export interface MemoryFit {
  readonly profile: string;
  /** Usable, not nominal: a 1g.5gb of an A100-40GB has 4,864 MiB. */
  readonly memoryMiB: number;
  /** The most instances of the profile on one GPU. */
  readonly perGpu: number;
}

/** Profiles by memory, the smallest first, and of equal ones those of which a GPU holds most. Left out is what NVIDIA has not published. */
export function listByMemory({ profiles }: Geometry): readonly MemoryFit[] {
  return profiles
    .flatMap(({ name, memoryMiB, maxInstances }) =>
      memoryMiB === undefined ? [] : [{ profile: name, memoryMiB, perGpu: maxInstances }],
    )
    .toSorted((a, b) => a.memoryMiB - b.memoryMiB || b.perGpu - a.perGpu);
}
