import { ciProfilesOf, countFreeGpuInstances, freeCiStarts } from './device.ts';
import { exitWith } from './command-exit.ts';
import { listGiProfiles } from './gi-profile.ts';
import type { SimulatedGpu } from './gpu.ts';
import { ciProfileRows, ciRow, giProfileRows, giRow, placementLine } from './mig-listing.ts';
import type { InstanceScope } from './mig-scope.ts';
import { findComputeInstances, findGpuInstances, tryList } from './mig-scope.ts';
import { CI_PROFILE_TABLE, CI_TABLE, GI_PROFILE_TABLE, GI_TABLE, tableEntry, tableHead } from './mig-tables.ts';
import { NVML } from './nvml-code.ts';
import type { Nvml } from './nvml.ts';
import type { World } from './world.ts';

/** `-lgip`. The head comes before the first call, so that it is printed even if that fails. */
export function listProfiles(world: World, nvml: Nvml, gpus: readonly SimulatedGpu[]): number {
  world.print(tableHead(GI_PROFILE_TABLE));
  for (const gpu of gpus) {
    const profiles = tryList(world, () => nvml.getGiProfiles(gpu), 'Failed to display GPU instance profiles');
    for (const profile of profiles) {
      const free = countFreeGpuInstances(gpu, world.readState(), profile);
      world.print(tableEntry(GI_PROFILE_TABLE, giProfileRows(gpu.index, profile, free)));
    }
  }
  return 0;
}

/** `-lgipp`: occupied placements stay in the list. */
export function listPlacements(world: World, nvml: Nvml, gpus: readonly SimulatedGpu[]): number {
  for (const gpu of gpus) {
    const profiles = tryList(world, () => nvml.getGiProfiles(gpu), 'Failed to display GPU instance placements');
    for (const { id, starts, size } of profiles) {
      world.print(placementLine(`GPU ${String(gpu.index).padStart(2)}`, id, starts, size));
    }
  }
  return 0;
}

/** `-lgi`. It ignores `-gi`. */
export function listGpuInstances(world: World, nvml: Nvml, scope: InstanceScope): number {
  const rows = scope.gpus.flatMap((gpu) => {
    const profiles = listGiProfiles(gpu.board);
    const instances = tryList(world, () => nvml.getGpuInstances(gpu), 'Failed to display GPU instances');
    return instances.map((gi) => giRow(gpu.index, gi, nameOf(profiles, gi.profileId)));
  });
  if (rows.length === 0) {
    return exitWith(world, NVML.notFound, 'No GPU instances found: Not Found\n');
  }
  world.print(tableHead(GI_TABLE) + rows.map((row) => tableEntry(GI_TABLE, [row])).join(''));
  return 0;
}

/** `-lcip`. */
export function listComputeProfiles(world: World, nvml: Nvml, scope: InstanceScope): number {
  const entries = findGpuInstances(world, nvml, scope).flatMap(({ gpu, gi }) => {
    const owner = listGiProfiles(gpu.board).find(({ id }) => id === gi.profileId);
    return owner === undefined
      ? []
      : ciProfilesOf(gpu, gi).map((profile) => {
          const counts = `${freeCiStarts(profile, gi).length}/${profile.starts.length}`;
          return tableEntry(CI_PROFILE_TABLE, ciProfileRows(gpu.index, gi.id, profile, counts, owner));
        });
  });
  world.print(tableHead(CI_PROFILE_TABLE) + entries.join(''));
  return 0;
}

/** `-lcipp`, by profile id. */
export function listComputePlacements(world: World, nvml: Nvml, scope: InstanceScope): number {
  for (const { gpu, gi } of findGpuInstances(world, nvml, scope)) {
    const head = `GPU ${String(gpu.index).padStart(2)} GI ${String(gi.id).padStart(2)}`;
    for (const { id, starts, size } of ciProfilesOf(gpu, gi).toSorted((a, b) => a.id - b.id)) {
      world.print(placementLine(head, id, starts, size));
    }
  }
  return 0;
}

/** `-lci`. */
export function listComputeInstances(world: World, nvml: Nvml, scope: InstanceScope): number {
  const rows = findComputeInstances(world, nvml, scope).map(({ gpu, gi, ci }) =>
    tableEntry(CI_TABLE, [ciRow(gpu.index, gi.id, ci, nameOf(ciProfilesOf(gpu, gi), ci.profileId))]),
  );
  world.print(tableHead(CI_TABLE) + rows.join(''));
  return 0;
}

function nameOf(profiles: readonly { readonly id: number; readonly name: string }[], id: number): string {
  return profiles.find((profile) => profile.id === id)?.name ?? 'unknown';
}
