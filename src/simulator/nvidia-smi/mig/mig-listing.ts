import type { CiProfile } from '../nvml/ci-profile.ts';
import type { GiProfile } from '../nvml/gi-profile.ts';
import type { MigTable } from './mig-tables.ts';
import type { ComputeInstance, GpuInstance } from '../state/node-state.ts';

/** Rows of the `nvidia-smi mig` tables and lines of its placement lists, as driver 550 prints them. */

export function giProfileRows(table: MigTable, gpu: number, profile: GiProfile, free: number): readonly string[] {
  const { engines } = profile;
  const name = profile.name.padEnd(table.nameWidth) + String(profile.id).padStart(3);
  const counts = `${free}/${profile.maxInstances}`.padEnd(11);
  // Two decimals of half-even rounding, as printf does: 9856 MiB are 9.62 GiB.
  const gib = roundHalfEven(profile.memoryMiB / 1024).padEnd(11);
  return [
    `${index(gpu)}  MIG ${name}     ${counts}${gib}No     ${cell(profile.multiprocessors, 7)}${cell(engines.decoder, 6)}${engines.encoder}`,
    `${' '.repeat(table.width - 16)}${cell(engines.copy, 6)}${cell(engines.jpeg, 6)}${engines.ofa}`,
  ];
}

export function giRow(table: MigTable, gpu: number, gi: GpuInstance, name: string): string {
  const ids = `${String(gi.profileId).padStart(4)}${String(gi.id).padStart(9)}`;
  return `${index(gpu)}  MIG ${name.padEnd(table.nameWidth)}${ids}          ${gi.start}:${gi.size}`;
}

export function ciProfileRows(
  table: MigTable,
  gpu: number,
  giId: number,
  profile: CiProfile,
  counts: string,
  gi: GiProfile,
): readonly string[] {
  const { engines } = gi;
  const mark = profile.isDefault ? '*' : ' ';
  const name = `${profile.name.padEnd(table.nameWidth)}${String(profile.id).padStart(3)}${mark}`;
  return [
    `${instance(gpu, giId)}       MIG ${name}     ${counts}           ${cell(profile.multiprocessors, 10)}${cell(engines.decoder, 6)}${cell(engines.encoder, 6)}${engines.ofa}`,
    `${' '.repeat(table.width - 16)}${cell(engines.copy, 6)}${engines.jpeg}`,
  ];
}

export function ciRow(table: MigTable, gpu: number, giId: number, ci: ComputeInstance, name: string): string {
  const ids = `${String(ci.profileId).padStart(3)}${String(ci.id).padStart(10)}`;
  return `${instance(gpu, giId)}       MIG ${name.padEnd(table.nameWidth)}${ids}          ${ci.start}:${ci.size}`;
}

/** `GPU  0 Profile ID 19 Placements: {0,1,2}:1`, in the singular `Placement : {0}:8`. */
export function placementLine(head: string, profileId: number, starts: readonly number[], size: number): string {
  const word = starts.length === 1 ? 'Placement ' : 'Placements';
  return `${head} Profile ID ${pad(profileId)} ${word}: {${starts.join(',')}}:${size}\n`;
}

/** Ids in sentences are printed `%2u`. */
export function pad(id: number): string {
  return String(id).padStart(2);
}

function index(gpu: number): string {
  return String(gpu).padStart(4);
}

function instance(gpu: number, giId: number): string {
  return index(gpu) + String(giId).padStart(7);
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
