import type { DeviceReport, GpuWish, PolicySpec, Wish } from '../../api/types.ts';
import { assignEntries } from './assign-entries.ts';
import { nameEntries } from './entry-key.ts';
import { type LayoutEntry, readEntries } from './layout-entry.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import type { LayoutRefusal } from './refusal.ts';
import { placeOf } from './schedules.ts';
import type { FieldPath } from '../text/finding.ts';
import { type DemandWishes, wishForDemand } from './demand-wish.ts';
import { checkSingle } from './single.ts';
import { explainSkipped, type SkippedEntry } from './skipped-entry.ts';

/** What a policy makes of a node's GPUs: one wish per GPU that an entry decides over, or the reason why it cannot. */
export type NodeResolution =
  | {
      readonly wish: Wish;
      /** Entries that apply to no GPU of this node. */
      readonly skipped: readonly SkippedEntry[];
    }
  | {
      readonly refusal: LayoutRefusal;
      /** Index of the refused entry; absent if the strategy is refused. */
      readonly entry?: number;
      /** Where the entries stand in the policy; absent if the strategy is refused. */
      readonly place?: FieldPath;
    };

/**
 * Per GPU the first entry that matches it decides; an entry with a count takes exactly this many of the GPUs that match it.
 *
 * A node is refused if a GPU with MIG reaches an entry whose profiles it does not know or cannot hold (an entry without a selector
 * is for every GPU), or if an entry with a count matches GPUs, but too few. An entry that no GPU of the node reaches is skipped: it
 * is for other nodes.
 *
 * @param device what the node's agent reported
 * @param current the node's present wish: an entry with a count retains the GPUs that it chose before
 * @param chosen for a policy with a demand: what its last plan makes of GPUs
 */
export function resolveNode(
  spec: PolicySpec,
  device: DeviceReport,
  current: Wish | undefined,
  chosen?: DemandWishes,
): NodeResolution {
  const gpus = device.gpus ?? [];
  const { layouts = [] } = spec;
  const names = nameEntries(layouts);
  const entries = readEntries(layouts, device);
  const replacesForeign = spec.allow?.replaceForeignInstances === true;
  const assigned = assignEntries(entries, names, device, current, replacesForeign);
  const place = placeOf(spec);
  if ('refusal' in assigned) return { ...assigned, place };
  const { entryOf } = assigned;
  const refused = findRefused(entries, entryOf);
  if (refused) return { ...refused, place };
  const wish: Wish = {
    // In the order of the device, so that equal wishes are equal lists.
    gpus:
      spec.demand === undefined
        ? gpus.flatMap(({ uuid }) => wishFor(uuid, entryOf.get(uuid), entries, names))
        : wishForDemand(gpus, current, chosen),
    ...(replacesForeign ? { replaceForeignInstances: true } : {}),
    ...(spec.allow?.gpuReset === false ? { allowGpuReset: false } : {}),
  };
  const refusal = spec.strategy === 'single' ? checkSingle(gpus, wish.gpus) : undefined;
  return refusal ? { refusal } : { wish, skipped: listSkipped(spec, device, entryOf) };
}

function wishFor(
  uuid: string,
  index: number | undefined,
  entries: readonly LayoutEntry[],
  names: readonly string[],
): readonly GpuWish[] {
  if (index === undefined) return [];
  const layout = entries[index]?.layouts.get(uuid);
  if (layout === undefined || 'refusal' in layout) return [];
  const name = entries[index]?.entry.gpus?.count === undefined ? undefined : names[index];
  return [{ uuid, ...layout, ...(name === undefined ? {} : { entry: name }) }];
}

/** The first entry that decides over a GPU which cannot take its layout. */
function findRefused(
  entries: readonly LayoutEntry[],
  entryOf: ReadonlyMap<string, number>,
): { readonly refusal: LayoutRefusal; readonly entry: number } | undefined {
  for (const [index, { layouts }] of entries.entries()) {
    for (const [uuid, layout] of layouts) {
      if ('refusal' in layout && entryOf.get(uuid) === index) return { refusal: layout.refusal, entry: index };
    }
  }
  return undefined;
}

function listSkipped(
  { layouts = [] }: PolicySpec,
  device: DeviceReport,
  entryOf: ReadonlyMap<string, number>,
): readonly SkippedEntry[] {
  const served = new Set(entryOf.values());
  if (served.size === layouts.length) return [];
  const gpus = device.gpus ?? [];
  const withoutMig = new Set(gpus.filter((gpu) => liveGeometry(device, gpu) === undefined).map(({ uuid }) => uuid));
  return layouts.flatMap((entry, index) => {
    if (served.has(index)) return [];
    return [explainSkipped(index, entry, gpus, entry.mig === 'Disabled' ? new Set() : withoutMig)];
  });
}
