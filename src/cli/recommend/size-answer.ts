import type { GpuModel } from '../../core/gpu/geometry/models.ts';
import { isProfileNameError, parseProfile } from '../../core/gpu/geometry/profile-name.ts';
import { listByMemory, type MemoryFit } from '../../core/gpu/plan/memory-fit.ts';
import { mebibytes } from '../../core/text/quantity.ts';
import { CliError } from '../exit.ts';
import { paint, printLine, type Terminal } from '../terminal.ts';

/** More than any GPU has. */
const MOST_MIB = 2 ** 30;

/** What one model offers to a program that needs so much memory. */
export interface ModelForSize {
  readonly model: string;
  /** Every profile that holds it, the smallest first. */
  readonly profiles: readonly (MemoryFit & { readonly leftMiB: number })[];
  /** The largest whose memory is published; absent if none is. */
  readonly largest?: MemoryFit;
  /** Whether the memory of a profile is unpublished: one of these may hold it. */
  readonly isIncomplete: boolean;
  /** Smaller profiles that hold it too if their memory, which is unpublished, is near that of their name. */
  readonly perhaps: readonly string[];
}

export interface SizeAnswer {
  readonly sizeMiB: number;
  readonly models: readonly ModelForSize[];
}

/** A number and its unit: a bare number could be bytes or GB. */
const pattern = /^([0-9.]+ ?[MGT]i?)B?$/;

/** A size as users write it, in MiB, rounded up: `38GiB`, `38Gi`, `40GB`, `40 G`. @throws CliError */
export function readSize(text: string): number {
  const size = mebibytes(pattern.exec(text.trim())?.[1]?.replace(' ', '') ?? '');
  if (size >= 1 && size <= MOST_MIB) return size;
  throw new CliError(
    `${JSON.stringify(text)} is not a size of memory; write 38GiB (of 2^30 bytes) or 40GB (of 10^9 bytes)`,
  );
}

export function answerSize(sizeMiB: number, models: readonly GpuModel[]): SizeAnswer {
  return { sizeMiB, models: models.map((model) => answerModel(model, sizeMiB)) };
}

function answerModel(model: GpuModel, sizeMiB: number): ModelForSize {
  const all = listByMemory(model);
  const largest = all.at(-1);
  const profiles = all
    .filter(({ memoryMiB }) => memoryMiB >= sizeMiB)
    .map((fit) => ({ ...fit, leftMiB: fit.memoryMiB - sizeMiB }));
  return {
    model: model.id,
    profiles,
    ...(largest && { largest }),
    isIncomplete: all.length < model.profiles.length,
    perhaps: listUnpublished(model, sizeMiB, profiles[0]?.profile),
  };
}

/** Slices have a little less memory than their name says, never more. */
function listUnpublished({ profiles }: GpuModel, sizeMiB: number, smallest: string | undefined): readonly string[] {
  const most = profiles.find(({ name }) => name === smallest)?.memorySlices ?? Infinity;
  return profiles
    .filter(({ name, memoryMiB, memorySlices }) => {
      const parsed = parseProfile(name);
      const isLarge = !isProfileNameError(parsed) && parsed.gb * 1024 >= sizeMiB;
      return memoryMiB === undefined && memorySlices < most && isLarge;
    })
    .map(({ name }) => name);
}

export function printSizeAnswer({ stdout }: Terminal, { sizeMiB, models }: SizeAnswer): void {
  printLine(stdout, paint(stdout, 'bold', `The smallest slices with ${writeMiB(sizeMiB)} of usable memory:`));
  const width = Math.max(...models.map(({ model }) => model.length));
  for (const one of models) {
    const line = describeModel(one);
    if (line !== undefined) printLine(stdout, `${one.model.padEnd(width)}  ${line}`);
  }
  const unknown = models.filter(isUnknown).map(({ model }) => model);
  if (unknown.length === 0) return;
  printLine(stdout, `Not known, since NVIDIA has not published the memory of their slices: ${unknown.join(', ')}.`);
  printLine(stdout, '`nvidia-smi mig -lgip` on such a GPU shows it.');
}

/** Whether only profiles without a published memory could hold it. */
function isUnknown({ profiles, isIncomplete }: ModelForSize): boolean {
  return profiles.length === 0 && isIncomplete;
}

function describeModel(model: ModelForSize): string | undefined {
  if (isUnknown(model)) return undefined;
  const [first] = model.profiles;
  const { largest } = model;
  if (first === undefined)
    return largest && `none: the largest, ${largest.profile}, has ${writeMiB(largest.memoryMiB)}`;
  const alike = model.profiles.filter(({ memoryMiB }) => memoryMiB === first.memoryMiB);
  const names = alike.map(({ profile, perGpu }) => `${profile} (${perGpu} a GPU)`).join(', ');
  const less = model.perhaps.length === 0 ? '' : `; perhaps ${model.perhaps.join(', ')}, whose memory is not published`;
  return `${names}: ${writeMiB(first.memoryMiB)}, ${writeMiB(first.leftMiB)} more than needed${less}`;
}

function writeMiB(mebibytes: number): string {
  return `${mebibytes.toLocaleString('en-US')} MiB`;
}
