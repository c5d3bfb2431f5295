import type { PolicyLayout } from '../../api/types.ts';
import type { Geometry, Layout } from '../gpu/geometry/geometry.ts';
import { findModel } from '../gpu/geometry/model-lookup.ts';
import { resolveProfile } from '../gpu/geometry/profile-lookup.ts';
import { computeInstanceName, computeInstanceSlices } from '../gpu/geometry/profile-name.ts';
import { fitLayout } from '../gpu/plan/fit.ts';
import { expandPreset } from '../gpu/plan/preset.ts';
import type { LayoutRefusal } from './refusal.ts';

/** What an entry of `layouts` makes of a GPU with this geometry: MIG off, a layout, or the reason why it cannot. */
export type GpuLayout =
  { readonly mig: 'Disabled' } | { readonly profiles: Layout } | { readonly refusal: LayoutRefusal };

/**
 * Applies one entry of `layouts` to one geometry.
 * @param model product of the GPU, for refusals and for names of other driver branches: `A100-SXM4-40GB`
 */
export function layoutFor(entry: PolicyLayout, geometry: Geometry, model: string): GpuLayout {
  if (entry.mig !== undefined) return { mig: entry.mig };
  if (entry.preset !== undefined) return presetFor(entry.preset, geometry, model);
  return profilesFor(entry.profiles ?? {}, geometry, model);
}

function presetFor(preset: string, geometry: Geometry, model: string): GpuLayout {
  const expanded = expandPreset(geometry, preset, findModel(model));
  if ('refusal' in expanded) {
    return { refusal: { reason: 'UnknownPreset', message: `${model}: ${expanded.refusal.message}` } };
  }
  return expanded.mig === 'Disabled' ? { mig: 'Disabled' } : { profiles: expanded.layout };
}

function profilesFor(wanted: Layout, geometry: Geometry, model: string): GpuLayout {
  const profiles: Record<string, number> = {};
  for (const [name, count] of Object.entries(wanted)) {
    const known = localName(name, geometry, model);
    profiles[known] = (profiles[known] ?? 0) + count;
  }
  const fit = fitLayout(geometry, profiles, model);
  if (fit.fits) return { profiles };
  const reason = fit.refusal.code === 'UnknownProfile' ? 'UnknownProfile' : 'DoesNotFit';
  return { refusal: { reason, message: fit.refusal.message } };
}

/**
 * As the driver that is there names it, with which the device is compared: drivers differ (7g.79gb, 7g.80gb), and a compute instance
 * over a whole GPU instance has the name of that (3c.3g.20gb).
 */
function localName(name: string, geometry: Geometry, model: string): string {
  const profile = resolveProfile(geometry, name, findModel(model));
  if (profile === undefined) return name;
  const { computeSlices } = profile;
  return computeInstanceName(profile.name, computeInstanceSlices(name, computeSlices), computeSlices);
}
