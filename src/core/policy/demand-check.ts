import type { PolicyDemand } from '../../api/types.ts';
import { findModel } from '../gpu/geometry/model-lookup.ts';
import { MODELS } from '../gpu/geometry/models.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import { listByMemory } from '../gpu/plan/memory-fit.ts';
import { isWhole, nameSlice, profilesServing, type SliceEntry } from './demand-profiles.ts';
import type { PolicyRefusal } from './refusal.ts';

/** A slice of a demand that no GPU can offer. */
export interface SliceRefusal {
  /** Index of the slice. */
  readonly slice: number;
  readonly refusal: PolicyRefusal;
}

/**
 * Finds a slice that no GPU could offer.
 *
 * @param products that nodes have reported; where there are none yet, all that are known count
 */
export function checkDemand({ slices }: PolicyDemand, products: readonly string[]): SliceRefusal | undefined {
  const present = products.map((product) => ({ product, geometry: findModel(product) }));
  // The table of a model that is newer than this release is reported by its driver.
  if (present.some(({ geometry }) => geometry === undefined)) return undefined;
  const known = present.length > 0 ? present : MODELS.map((geometry) => ({ product: geometry.id, geometry }));
  for (const [index, slice] of slices.entries()) {
    // Every GPU can be whole.
    if (isWhole(slice)) continue;
    const isOffered = known.some(
      ({ product, geometry }) => geometry && profilesServing(slice, geometry, product).length > 0,
    );
    if (!isOffered) return { slice: index, refusal: refuse(slice, present) };
  }
  return undefined;
}

function refuse(
  slice: SliceEntry,
  present: readonly { readonly product: string; readonly geometry: Geometry | undefined }[],
): PolicyRefusal {
  const { memory, profiles = [] } = slice;
  const wanted =
    memory === undefined ? `a profile ${profiles.join(' or ')}` : `a plain profile with ${memory} of usable memory`;
  const who = present.length === 0 ? 'no GPU model has' : 'no GPU that nodes have reported has';
  const has = present.map(({ product, geometry }) => {
    const names = memory === undefined ? listNames(geometry) : describeLargest(geometry);
    return `${product.replace(/^NVIDIA /, '')} has ${names}`;
  });
  const rest = has.length === 0 ? '' : `: ${has.join('; ')}`;
  return { reason: 'UnknownProfile', message: `slice ${nameSlice(slice)}: ${who} ${wanted}${rest}` };
}

function listNames(geometry: Geometry | undefined): string {
  return (geometry?.profiles ?? []).map(({ name }) => name).join(', ');
}

function describeLargest(geometry: Geometry | undefined): string {
  const largest = geometry && listByMemory(geometry).at(-1);
  if (largest === undefined) return 'no profile whose memory is published';
  return `${largest.memoryMiB.toLocaleString('en-US')} MiB in its largest, ${largest.profile}`;
}
