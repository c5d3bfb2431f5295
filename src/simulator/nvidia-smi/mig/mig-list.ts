import { countFreeGpuInstances, freeCiStarts } from '../nvml/capacity.ts';
import { ciProfilesOf } from '../nvml/ci-profile.ts';
import { exitWith } from '../command-exit.ts';
import { listGiProfiles } from '../nvml/gi-profile.ts';
import type { SimulatedGpu } from '../nvml/gpu.ts';
import { ciProfileRows, ciRow, giProfileRows, giRow, pad, placementLine } from './mig-listing.ts';
import type { InstanceScope } from './mig-scope.ts';
import { findComputeInstances, findGpuInstances, tryList } from './mig-scope.ts';
import type { MigTable } from './mig-tables.ts';
import {
  CI_PROFILE_TABLE,
  CI_TABLE,
  fitTable,
  GI_PROFILE_TABLE,
  GI_TABLE,
  tableEntry,
  tableHead,
} from './mig-tables.ts';
import { NVML } from '../nvml/nvml-code.ts';
import type { Nvml } from '../nvml/nvml.ts';
import type { World } from '../state/world.ts';

/** `-lgip`. The header comes before the first call, so that it is printed even if that fails. */
export function listProfiles(world: World, nvml: Nvml, gpus: readonly SimulatedGpu[]): number {
  const table = fitTable(
    GI_PROFILE_TABLE,
    gpus.flatMap((gpu) => listGiProfiles(gpu.board).map(({ name }) => name)),
  );
  world.print(tableHead(table));
  for (const gpu of gpus) {
    const profiles = tryList(world, () => nvml.getGiProfiles(gpu), 'Failed to display GPU instance profiles');
    for (const profile of profiles) {
      const free = countFreeGpuInstances(gpu, world.readState(), profile);
      world.print(tableEntry(table, giProfileRows(table, gpu.index, profile, free)));
    }
  }
  return 0;
}

/** `-lgipp`: occupied placements stay in the list. */
export function listPlacements(world: World, nvml: Nvml, gpus: readonly SimulatedGpu[]): number {
  for (const gpu of gpus) {
    const profiles = tryList(world, () => nvml.getGiProfiles(gpu), 'Failed to display GPU instance placements');
    for (const { id, starts, size } of profiles) {
      world.print(placementLine(`GPU ${pad(gpu.index)}`, id, starts, size));
    }
  }
  return 0;
}

/** `-lgi`. It ignores `-gi`. */
export function listGpuInstances(world: World, nvml: Nvml, scope: InstanceScope): number {
  const found = scope.gpus.flatMap((gpu) => {
    const profiles = listGiProfiles(gpu.board);
    const instances = tryList(world, () => nvml.getGpuInstances(gpu), 'Failed to display GPU instances');
    return instances.map((gi) => ({ gpu, gi, name: nameOf(profiles, gi.profileId) }));
  });
  if (found.length === 0) {
    return exitWith(world, NVML.notFound, 'No GPU instances found: Not Found\n');
  }
  return printTable(world, GI_TABLE, found, (table, { gpu, gi, name }) => [giRow(table, gpu.index, gi, name)]);
}

/** `-lcip`. */
export function listComputeProfiles(world: World, nvml: Nvml, scope: InstanceScope): number {
  const found = findGpuInstances(world, nvml, scope).flatMap(({ gpu, gi }) => {
    const owner = listGiProfiles(gpu.board).find(({ id }) => id === gi.profileId);
    return owner === undefined
      ? []
      : ciProfilesOf(gpu, gi).map((profile) => ({ gpu, gi, owner, profile, name: profile.name }));
  });
  return printTable(world, CI_PROFILE_TABLE, found, (table, { gpu, gi, owner, profile }) => {
    const counts = `${freeCiStarts(profile, gi).length}/${profile.starts.length}`;
    return ciProfileRows(table, gpu.index, gi.id, profile, counts, owner);
  });
}

/** `-lcipp`, by profile id. */
export function listComputePlacements(world: World, nvml: Nvml, scope: InstanceScope): number {
  for (const { gpu, gi } of findGpuInstances(world, nvml, scope)) {
    const head = `GPU ${pad(gpu.index)} GI ${pad(gi.id)}`;
    for (const { id, starts, size } of ciProfilesOf(gpu, gi).toSorted((a, b) => a.id - b.id)) {
      world.print(placementLine(head, id, starts, size));
    }
  }
  return 0;
}

/** `-lci`. */
export function listComputeInstances(world: World, nvml: Nvml, scope: InstanceScope): number {
  const found = findComputeInstances(world, nvml, scope).map(({ gpu, gi, ci }) => ({
    gpu,
    gi,
    ci,
    name: nameOf(ciProfilesOf(gpu, gi), ci.profileId),
  }));
  return printTable(world, CI_TABLE, found, (table, { gpu, gi, ci, name }) => [
    ciRow(table, gpu.index, gi.id, ci, name),
  ]);
}

function printTable<T extends { readonly name: string }>(
  world: World,
  template: MigTable,
  items: readonly T[],
  rowsOf: (table: MigTable, item: T) => readonly string[],
): number {
  const table = fitTable(
    template,
    items.map(({ name }) => name),
  );
  world.print(tableHead(table) + items.map((item) => tableEntry(table, rowsOf(table, item))).join(''));
  return 0;
}

function nameOf(profiles: readonly { readonly id: number; readonly name: string }[], id: number): string {
  return profiles.find((profile) => profile.id === id)?.name ?? 'unknown';
}
