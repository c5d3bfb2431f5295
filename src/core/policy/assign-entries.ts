import type { DeviceReport, GpuReport, GpuWish, Wish } from '../../api/types.ts';
import { findModel } from '../gpu/geometry/model-lookup.ts';
import { placeOf } from '../gpu/search/instance.ts';
import { type NodeGpu, type NodeWish, planNode, type Want } from '../gpu/assign/node-plan.ts';
import type { GpuLayout } from './gpu-layout.ts';
import type { LayoutEntry } from './layout-entry.ts';
import { foreignOn, type ForeignInstances } from '../wish/ownership.ts';
import type { LayoutRefusal } from './refusal.ts';
import { explainNameless } from './skipped-entry.ts';
import { viewReport } from '../wish/report-view.ts';

/** Index of the deciding entry by GPU UUID; or the entry that cannot have its GPUs, and why. */
export type Assignment =
  { readonly entryOf: ReadonlyMap<string, number> } | { readonly entry: number; readonly refusal: LayoutRefusal };

/**
 * Assigns the GPUs of a node to the entries of a policy. If no entry has a count, there is no choice. Otherwise the assignment is
 * the one that does least harm to the node as a whole, gives every entry with a count exactly this many GPUs, and keeps as many as it
 * can of those chosen before. An entry that no GPU of the node reaches does not concern this node and claims nothing.
 */
export function assignEntries(
  entries: readonly LayoutEntry[],
  names: readonly string[],
  device: DeviceReport,
  current: Wish | undefined,
  replacesForeign: boolean,
): Assignment {
  const gpus = device.gpus ?? [];
  if (entries.every(({ entry }) => entry.gpus?.count === undefined)) {
    return {
      entryOf: new Map(entries.flatMap(({ layouts }, index) => [...layouts.keys()].map((uuid) => [uuid, index]))),
    };
  }
  const foreign: ForeignInstances = replacesForeign ? new Map() : foreignOn(device);
  const plan = planNode(
    gpus.map((gpu) => toNodeGpu(device, gpu, foreign)),
    entries.map((entry, index) => toNodeWish(entry, names[index] ?? '', current)),
  );
  const [short] = plan.refusals;
  if (short !== undefined) {
    const lost = explainNameless(gpus);
    const message = `${short.refusal.message}${lost === undefined ? '' : `; ${lost}`}`;
    return { entry: short.wish, refusal: refuseShort(entries[short.wish], message) };
  }
  return { entryOf: new Map(plan.gpus.flatMap(({ key, wish }) => (wish === undefined ? [] : [[key, wish]]))) };
}

function toNodeGpu(device: DeviceReport, gpu: GpuReport, foreign: ForeignInstances): NodeGpu {
  const model = findModel(gpu.product);
  const { geometry, mig, instances, use } = viewReport(device, gpu);
  const untouchable = foreign.get(gpu.uuid);
  return {
    key: gpu.uuid,
    index: gpu.index,
    geometry,
    have: instances.map((one) => (untouchable?.has(placeOf(one)) === true ? { ...one, busy: true } : one)),
    mig: mig?.current ?? 'Disabled',
    busy: use !== 'None',
    lost: gpu.error !== undefined,
    ...(model === undefined ? {} : { model }),
  };
}

function toNodeWish({ entry, layouts }: LayoutEntry, name: string, current: Wish | undefined): NodeWish {
  const count = layouts.size > 0 ? entry.gpus?.count : undefined;
  const want = new Map([...layouts].map(([uuid, layout]) => [uuid, toWant(layout)]));
  if (count === undefined) return { want };
  return {
    want,
    count,
    sticky: (current?.gpus ?? []).filter((one) => one.entry === name).map(({ uuid }: GpuWish) => uuid),
  };
}

function toWant(layout: GpuLayout): Want {
  if ('refusal' in layout) return 'Impossible';
  return 'mig' in layout ? 'Disabled' : layout.profiles;
}

/** If no GPU can take the layout, the layout's own numbers explain more than a count of GPUs. */
function refuseShort(entry: LayoutEntry | undefined, message: string): LayoutRefusal {
  const layouts = [...(entry?.layouts.values() ?? [])];
  const refusals = layouts.flatMap((layout) => ('refusal' in layout ? [layout.refusal] : []));
  const [first] = refusals;
  return first !== undefined && refusals.length === layouts.length ? first : { reason: 'NotEnoughGpus', message };
}
