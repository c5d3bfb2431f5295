import { MODELS } from '../gpu/geometry/models.ts';
import { migResourceName } from '../nvidia/labels/label-key.ts';
import { gpuDriver } from '../dra/resource-slice.ts';
import type { Boards, SliceKind } from './slice-kind.ts';

/** A DeviceClass (`resource.k8s.io/v1`), and what it is for. */
export interface ClassWish {
  readonly name: string;
  /** One sentence for people. */
  readonly about: string;
  /** In CEL, on `device`. */
  readonly expression: string;
  /** The resource of the device plugin that its pods may ask for; a name belongs to one class. */
  readonly extendedResourceName?: string;
}

/** What the API server takes in one `firstAvailable`. */
export const mostAlternatives = 8;

/**
 * One class for each profile, which the device plugin's resource of that profile names too. If the memory of its slices depends on the
 * model, one more for each memory: their slices have the same resource with the device plugin as well.
 */
export function listProfileClasses(kinds: readonly SliceKind[]): readonly ClassWish[] {
  return kinds.flatMap((kind) => {
    const { profile, boards } = kind;
    const all: ClassWish = {
      name: classNameOf(profile),
      about: `A slice ${profile}${sayMemory(boards)}.`,
      expression: selectProfile(kind),
      extendedResourceName: migResourceName(profile),
    };
    return boards.length < 2 ? [all] : [all, ...boards.map((one) => classOfBoards(kind, one))];
  });
}

/** Sizes in GB by the names of the profiles, and from how much memory on a slice counts as so large; without sizes of unpublished memory. */
export function listSizes(kinds: readonly SliceKind[]): readonly { readonly gb: number; readonly memoryMiB: number }[] {
  const sizes = new Map<number, number>();
  for (const { gb, boards } of kinds) {
    const known = boards.flatMap(({ memoryMiB }) => memoryMiB ?? []);
    if (known.length > 0) sizes.set(gb, Math.min(...known, mostBelow(gb), sizes.get(gb) ?? Infinity));
  }
  return [...sizes].map(([gb, memoryMiB]) => ({ gb, memoryMiB })).toSorted((a, b) => a.gb - b.gb);
}

const namedSizes = new Set(
  MODELS.flatMap(({ profiles }) => profiles.map(({ name }) => Number(/\.(\d+)gb/.exec(name)?.[1]))),
);

/**
 * More than any slice has, in MiB, whose name has a smaller number, which is rounded up from its memory. How much less that is depends
 * on the driver (B200 `1g.23gb`: 22,528 MiB, later 20,992): the number of one would leave out slices of another.
 */
function mostBelow(gb: number): number {
  const smaller = [...namedSizes].filter((one) => one > 0 && one < gb);
  return smaller.length === 0 ? Infinity : Math.max(...smaller) * 1024;
}

/** "At least N GB": any slice with so much memory, whatever its profile. */
export function listSizeClasses(kinds: readonly SliceKind[]): readonly ClassWish[] {
  return listSizes(kinds).map(({ gb, memoryMiB }) => ({
    name: `mig-at-least-${gb}gb.${gpuDriver}`,
    about: `Any slice of ${gb} GB or more, by its profile’s name (at least ${memoryMiB} MiB); the scheduler takes the first that it finds.`,
    expression: `${isSlice} && device.capacity['${gpuDriver}'].memory.compareTo(quantity('${memoryMiB}Mi')) >= 0`,
  }));
}

/** `mig-1g-5gb-me.gpu.nvidia.com`. A plus and a minus before the same attribute give different names. */
export function classNameOf(profile: string): string {
  return `${stemOf(profile)}.${gpuDriver}`;
}

/** `mig-1g-24gb-me`, `mig-1g-24gb-no-me` */
export function stemOf(profile: string): string {
  return `mig-${profile.replaceAll('-', '-no-').replaceAll(/[.+]/g, '-')}`;
}

function classOfBoards(kind: SliceKind, { modelId, products, memoryMiB }: Boards): ClassWish {
  const memory = memoryMiB === undefined ? '' : ` with ${memoryMiB} MiB`;
  return {
    name: `${stemOf(kind.profile)}-${modelId}.${gpuDriver}`,
    about: `A slice ${kind.profile}${memory}: only on ${modelId} and GPUs with equal slices.`,
    expression: `${selectProfile(kind)} && ${isOneOf(products)}`,
  };
}

function sayMemory(boards: readonly Boards[]): string {
  const sizes = boards.flatMap(({ memoryMiB }) => memoryMiB ?? []).toSorted((a, b) => a - b);
  if (sizes.length === 0) return '';
  return boards.length < 2 ? ` with ${sizes[0]} MiB` : ` with ${sizes.join(' or ')} MiB, depending on the GPU`;
}

/** Without `||`, which the admission policy of the controller's DeviceClasses refuses. */
function selectProfile({ profile, formerNames }: SliceKind): string {
  const name = attribute('profile');
  if (formerNames.length === 0) return `${isSlice} && ${name} == '${profile}'`;
  const names = [profile, ...formerNames.map((former) => former.name)].map((one) => `'${one}'`).join(', ');
  const notElsewhere = formerNames.map((one) => `!(${name} == '${one.name}' && !(${isOneOf(one.products)}))`);
  return [isSlice, `${name} in [${names}]`, ...notElsewhere].join(' && ');
}

function isOneOf(products: readonly string[]): string {
  return `${attribute('productName')} in [${products.map((name) => `'${name}'`).join(', ')}]`;
}

function attribute(name: string): string {
  return `device.attributes['${gpuDriver}'].${name}`;
}

const isSlice = `device.driver == '${gpuDriver}' && ${attribute('type')} == 'mig'`;
