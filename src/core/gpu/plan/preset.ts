import type { Geometry, Layout } from '../geometry/geometry.ts';
import type { GpuModel } from '../geometry/model.ts';
import { resolveProfile } from '../geometry/profile-lookup.ts';
import { fitLayout } from './fit.ts';
import { listBaseProfiles } from '../search/layout-enumeration.ts';
import { joinWords } from '../search/layout-words.ts';
import { refuse, type Refusal } from '../search/refusal.ts';
import { completeSubject, nameSubject } from '../search/subject.ts';

export type Preset =
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
