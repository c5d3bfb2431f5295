import { ciProfilesOf, nameCi } from '../nvml/ci-profile.ts';
import { exitWith } from '../command-exit.ts';
import { findGiProfile, listGiProfiles } from '../nvml/gi-profile.ts';
import type { InstanceScope } from './mig-scope.ts';
import { findComputeInstances, findGpuInstances, tryList } from './mig-scope.ts';
import type { MigTable } from './mig-tables.ts';
import {
  CI_PROFILE_TABLE,
  CI_TABLE,
  fitTable,
  GI_PROFILE_TABLE,
  GI_TABLE,
  pad,
  tableEntry,
  tableHead,
} from './mig-tables.ts';
import { NVML } from '../nvml/nvml-code.ts';
import type { Nvml } from '../nvml/nvml.ts';
import { countFreeGpuInstances, freeStarts } from '../nvml/placement.ts';
import type { World } from '../state/world.ts';

/** `-lgip`. The header comes before the first call, so that it is printed even if that fails. */
export function listProfiles(world: World, nvml: Nvml, { gpus }: InstanceScope): void {
  const named = gpus.flatMap((gpu) => listGiProfiles(gpu.board));
  const table = fitTable(GI_PROFILE_TABLE, named);
  world.print(tableHead(table));
  for (const gpu of gpus) {
    for (const profile of tryList(() => nvml.getGiProfiles(gpu), 'Failed to display GPU instance profiles')) {
      const { engines } = profile;
      const name = profile.name.padEnd(table.nameWidth) + String(profile.id).padStart(3);
      const free = countFreeGpuInstances(gpu, world.readState(), profile);
      const counts = `${free}/${profile.maxInstances}`.padEnd(11);
      // Two decimals of half-even rounding, as printf does: 9856 MiB are 9.62 GiB.
      const gib = roundHalfEven(profile.memoryMiB / 1024).padEnd(11);
      const rows = [
        `${index(gpu)}  MIG ${name}     ${counts}${gib}No     ${cell(profile.multiprocessors, 7)}${cell(engines.decoder, 6)}${engines.encoder}`,
        `${' '.repeat(table.width - 16)}${cell(engines.copy, 6)}${cell(engines.jpeg, 6)}${engines.ofa}`,
      ];
      world.print(tableEntry(table, rows));
    }
  }
}

/** `-lgipp`: occupied placements stay in the list. */
export function listPlacements(world: World, nvml: Nvml, { gpus }: InstanceScope): void {
  for (const gpu of gpus) {
    const profiles = tryList(() => nvml.getGiProfiles(gpu), 'Failed to display GPU instance placements');
    for (const profile of profiles) world.print(placementLine(`GPU ${pad(gpu.index)}`, profile));
  }
}

/** `-lgi`. It ignores `-gi`. */
export function listGpuInstances(world: World, nvml: Nvml, { gpus }: InstanceScope): void {
  const found = gpus.flatMap((gpu) => {
    const instances = tryList(() => nvml.getGpuInstances(gpu), 'Failed to display GPU instances');
    return instances.map((gi) => ({ gpu, gi, name: findGiProfile(gpu.board, gi.profileId)?.name ?? 'unknown' }));
  });
  if (found.length === 0) exitWith(NVML.notFound, 'No GPU instances found: Not Found\n');
  printTable(world, GI_TABLE, found, ({ nameWidth }, { gpu, gi, name }) => {
    const ids = `${String(gi.profileId).padStart(4)}${String(gi.id).padStart(9)}`;
    return [`${index(gpu)}  MIG ${name.padEnd(nameWidth)}${ids}          ${gi.start}:${gi.size}`];
  });
}

/** `-lcip`. */
export function listComputeProfiles(world: World, nvml: Nvml, scope: InstanceScope): void {
  const found = findGpuInstances(nvml, scope).flatMap(({ gpu, gi }) => {
    const owner = findGiProfile(gpu.board, gi.profileId);
    return owner === undefined
      ? []
      : ciProfilesOf(gpu, gi).map((profile) => {
          return { gpu, gi, engines: owner.engines, profile, name: nameCi(profile, nvml.driver) };
        });
  });
  printTable(world, CI_PROFILE_TABLE, found, ({ nameWidth, width }, { gpu, gi, engines, profile }) => {
    const counts = `${freeStarts(profile, gi.computeInstances).length}/${profile.starts.length}`;
    const mark = profile.isDefault ? '*' : ' ';
    const name = `${nameCi(profile, nvml.driver).padEnd(nameWidth)}${String(profile.id).padStart(3)}${mark}`;
    return [
      `${index(gpu, gi)}       MIG ${name}     ${counts}           ${cell(profile.multiprocessors, 10)}${cell(engines.decoder, 6)}${cell(engines.encoder, 6)}${engines.ofa}`,
      `${' '.repeat(width - 16)}${cell(engines.copy, 6)}${engines.jpeg}`,
    ];
  });
}

/** `-lcipp`, by profile id. */
export function listComputePlacements(world: World, nvml: Nvml, scope: InstanceScope): void {
  for (const { gpu, gi } of findGpuInstances(nvml, scope)) {
    const head = `GPU ${pad(gpu.index)} GI ${pad(gi.id)}`;
    const profiles = ciProfilesOf(gpu, gi).toSorted((a, b) => a.id - b.id);
    for (const profile of profiles) world.print(placementLine(head, profile));
  }
}

/** `-lci`. */
export function listComputeInstances(world: World, nvml: Nvml, scope: InstanceScope): void {
  const found = findComputeInstances(nvml, scope).map(({ gpu, gi, ci }) => {
    const profile = ciProfilesOf(gpu, gi).find(({ id }) => id === ci.profileId);
    return { gpu, gi, ci, name: profile === undefined ? 'unknown' : nameCi(profile, nvml.driver) };
  });
  printTable(world, CI_TABLE, found, ({ nameWidth }, { gpu, gi, ci, name }) => {
    const ids = `${String(ci.profileId).padStart(3)}${String(ci.id).padStart(10)}`;
    return [`${index(gpu, gi)}       MIG ${name.padEnd(nameWidth)}${ids}          ${ci.start}:${ci.size}`];
  });
}

function printTable<T extends { readonly name: string }>(
  world: World,
  template: MigTable,
  items: readonly T[],
  rowsOf: (table: MigTable, item: T) => readonly string[],
): void {
  const table = fitTable(template, items);
  world.print(tableHead(table) + items.map((item) => tableEntry(table, rowsOf(table, item))).join(''));
}

/** `GPU  0 Profile ID 19 Placements: {0,1,2}:1`, in the singular `Placement : {0}:8`. */
function placementLine(
  head: string,
  { id, starts, size }: { readonly id: number; readonly starts: readonly number[]; readonly size: number },
): string {
  const word = starts.length === 1 ? 'Placement ' : 'Placements';
  return `${head} Profile ID ${pad(id)} ${word}: {${starts.join(',')}}:${size}\n`;
}

/** The first columns of a row: the GPU, and its GPU instance if the row is about what is in it. */
function index(gpu: { readonly index: number }, gi?: { readonly id: number }): string {
  return String(gpu.index).padStart(4) + (gi === undefined ? '' : String(gi.id).padStart(7));
}

function cell(value: number, width: number): string {
  return String(value).padEnd(width);
}

function roundHalfEven(value: number): string {
  const hundredths = value * 100;
  const below = Math.floor(hundredths);
  const rest = hundredths - below;
  const rounded = rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
  return (rounded / 100).toFixed(2);
}
