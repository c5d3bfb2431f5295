import type { Geometry, Profile } from '../gpu/geometry/geometry.ts';
import { findModel } from '../gpu/geometry/model-lookup.ts';
import { isProfileNameError, parseProfile } from '../gpu/geometry/profile-name.ts';
import { DeviceError } from '../gpu/state/device-error.ts';
import type { GpuState } from '../gpu/state/device-state.ts';
import type { ListedProfile, PlacementRow } from './profile-table.ts';

/** The geometry of one GPU from the driver's tables. What nvidia-smi never prints comes from the built-in table, if it has the product. */
export function buildGeometry(
  product: string,
  profiles: readonly ListedProfile[],
  placements: readonly PlacementRow[],
): Geometry {
  const builtIn = findModel(product);
  const known = profiles.flatMap((row): readonly Profile[] => {
    const parsed = parseProfile(row.name);
    // A name outside the grammar cannot be requested; an instance of it counts as foreign.
    if (isProfileNameError(parsed)) return [];
    const place = placements.find(({ profileId }) => profileId === row.id);
    const { gpuIndex: _index, memoryGib, ...facts } = row;
    const exact = builtIn?.profiles.find(({ name }) => name === row.name)?.memoryMiB;
    return [
      {
        ...facts,
        computeSlices: parsed.gpuSlices,
        memorySlices: place?.size ?? 0,
        starts: place?.starts.toSorted((a, b) => a - b) ?? [],
        ...readMemory(memoryGib, exact),
      },
    ];
  });
  return {
    computeSlices: Math.max(0, ...known.map(({ computeSlices }) => computeSlices)),
    memorySlices: Math.max(0, ...known.map(({ starts, memorySlices }) => Math.max(-1, ...starts) + memorySlices)),
    ...(builtIn?.engines === undefined ? {} : { engines: builtIn.engines }),
    ...(builtIn?.exclusive === undefined ? {} : { exclusive: builtIn.exclusive }),
    profiles: known,
  };
}

/** The driver prints GiB with two decimals; built-in MiB that round to the same value are exact. */
function readMemory(gib: string, exact: number | undefined): Pick<Profile, 'memoryMiB'> {
  if (exact !== undefined && Math.abs(exact / 1024 - Number(gib)) < 0.01) return { memoryMiB: exact };
  const memoryMiB = Math.round(Number(gib) * 1024);
  return Number.isFinite(memoryMiB) ? { memoryMiB } : {};
}

/** Both tables must name the same profiles, which reveals a truncated one. Only Thor has profiles without placements. */
export function findTorn(
  gpu: Pick<GpuState, 'product' | 'pciBusId'>,
  profiles: readonly ListedProfile[],
  placements: readonly PlacementRow[],
): DeviceError | undefined {
  if (placements.length === 0 && findModel(gpu.product)?.memorySlices === 0) return undefined;
  const named = profiles.map(({ id }) => id).toSorted((a, b) => a - b);
  const placed = placements.map(({ profileId }) => profileId).toSorted((a, b) => a - b);
  if (named.length > 0 && named.join() === placed.join()) return undefined;
  return new DeviceError('ParseError', {
    tried: 'nvidia-smi mig -lgip and -lgipp',
    found: `profiles ${named.join()} and placements of ${placed.join()}`,
    gpu: gpu.pciBusId,
  });
}
