// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here what a policy makes of the GPUs of one node, as a wish, or why it cannot.
import type {
  GpuNodePartition,
  GpuReport,
  GpuSelector,
  PolicyLayout,
  DeviceReport,
  GpuWish,
  Wish,
  PolicySpec,
} from '../../api/types.ts';
import { findModel, matchesModelGlob, type Geometry, type Layout } from '../gpu/geometry.ts';
import { joinWords } from '../text/words.ts';
import { placeOf as gpuPlaceOf } from '../gpu/grid.ts';
import { planNode, fitLayout, expandPreset } from '../gpu/layouts.ts';
import { foreignOn, type ForeignInstances } from '../device/grants.ts';
import { viewReport, liveGeometry } from '../device/plan.ts';
import { canonicalJson, fingerprint, memoize } from '../text/json.ts';
import { resolveProfile, computeInstanceName, computeInstanceSlices } from '../gpu/profiles.ts';
import { layoutsPath } from './spec.ts';
import { writePath } from '../text/words.ts';
import { type DemandWishes, wishForDemand } from './spec.ts';

/** Why GPUs cannot take a policy. Reason and message go into conditions unchanged. */
interface LayoutRefusal {
  readonly reason: 'UnknownProfile' | 'UnknownPreset' | 'DoesNotFit' | 'NotEnoughGpus' | 'SingleNeedsOneProfile';
  readonly message: string;
}

/** Why a generation is a mistake on every GPU of a kind. How many GPUs a node reports is that node's own matter. */
export interface Mistake extends LayoutRefusal {
  readonly reason: Exclude<LayoutRefusal['reason'], 'NotEnoughGpus'>;
}

/** Why a policy is refused, possibly regardless of the GPUs. */
export interface PolicyRefusal {
  readonly reason: Mistake['reason'] | 'NotConfigured' | 'BadWindow' | 'SharingRefused';
  readonly message: string;
}

/** Products of the GPUs that may have MIG: one that has none, or does not say what it is, tells nothing of what a policy can have. */
export function migProductsOf(gpus: readonly GpuReport[]): readonly string[] {
  const mayHaveMig = ({ migCapable, error, product }: GpuReport): boolean =>
    migCapable !== false && (error === undefined || findModel(product) !== undefined);
  return gpus.filter((gpu) => !isNameless(gpu) && mayHaveMig(gpu)).map(({ product }) => product);
}

/** A lost GPU that has never told its UUID is reported by its address, and nothing can be asked of it. */
function isNameless({ uuid, pciBusId }: GpuReport): boolean {
  return uuid === pciBusId;
}

/** Whether a GPU matches the selector of a layout, `count` aside: every given field must match. */
export function matchesGpu(selector: GpuSelector, gpu: GpuReport): boolean {
  return (
    !isNameless(gpu) &&
    (selector.models === undefined || matchesModel(selector.models, gpu.product)) &&
    (selector.indices?.includes(gpu.index) ?? true) &&
    (selector.uuids?.some((uuid) => uuid.toLowerCase() === gpu.uuid.toLowerCase()) ?? true) &&
    (selector.pciDeviceIds?.some((id) => id.toLowerCase() === gpu.pciDeviceId?.toLowerCase()) ?? true)
  );
}

/** Products cached per selector: a fleet has few, and an agent may report anything. */
const MOST_PRODUCTS = 64;

const matches = new WeakMap<readonly string[], Map<string, boolean>>();

function matchesModel(globs: readonly string[], product: string): boolean {
  const known = matches.get(globs) ?? new Map<string, boolean>();
  matches.set(globs, known);
  const before = known.get(product);
  if (before !== undefined) return before;
  if (known.size >= MOST_PRODUCTS) known.clear();
  const modelId = findModel(product)?.id;
  const identity = { product, ...(modelId === undefined ? {} : { modelId }) };
  const isMatch = globs.some((glob) => matchesModelGlob(glob, identity));
  known.set(product, isMatch);
  return isMatch;
}

/** An entry of a policy's `layouts` that applies to no GPU of a node, and why. */
export interface SkippedEntry {
  /** Index in `layouts`. */
  readonly entry: number;
  readonly reason:
    /** The GPUs that it matches lack MIG, and it requests slices. */
    | 'NoMig'
    /** The node has GPUs, but none with these indices. */
    | 'NoSuchIndex'
    /** No GPU of the node matches the selector. */
    | 'NoGpuMatches'
    /** Earlier entries take every GPU that it matches. */
    | 'Taken';
  /** Names the GPUs and what exists instead; without the entry's position. */
  readonly message: string;
}

function explainSkipped(
  index: number,
  { gpus: selector = {} }: PolicyLayout,
  gpus: readonly GpuReport[],
  withoutMig: ReadonlySet<string>,
): SkippedEntry {
  const met = gpus.filter((gpu) => matchesGpu(selector, gpu));
  const sliceable = met.filter(({ uuid }) => !withoutMig.has(uuid));
  if (sliceable.length > 0) {
    const message = `earlier entries apply to every GPU that it matches: ${listGpus(sliceable)}`;
    return { entry: index, reason: 'Taken', message };
  }
  if (met.length > 0) {
    const products = [...new Set(met.map(({ product }) => shorten(product)))].join(', ');
    const [has, it] = met.length === 1 ? ['has', 'it'] : ['have', 'they'];
    const message = `${listGpus(met)} (${products}) ${has} no MIG support, so ${it} cannot be sliced`;
    return { entry: index, reason: 'NoMig', message };
  }
  const known = new Set(gpus.map(({ index: number }) => number));
  const { indices } = selector;
  if (indices !== undefined && gpus.length > 0 && !indices.some((number) => known.has(number))) {
    const message = `this node has no GPU ${indices.join(' or ')}; it has ${listGpus(gpus)}`;
    return { entry: index, reason: 'NoSuchIndex', message };
  }
  const nameless = explainNameless(gpus.filter((gpu) => indices?.includes(gpu.index) === true));
  const message = nameless ?? explainNone(selector, gpus);
  return { entry: index, reason: 'NoGpuMatches', message };
}

/** Why a selector cannot match some of these GPUs, if it might. */
function explainNameless(gpus: readonly GpuReport[]): string | undefined {
  const nameless = gpus.filter(isNameless);
  if (nameless.length === 0) return undefined;
  const [is, it] = nameless.length === 1 ? ['is', 'it is'] : ['are', 'they are'];
  return `${listGpus(nameless)} ${is} lost, and no agent has read yet what ${it}`;
}

function explainNone({ models, indices, uuids, pciDeviceIds }: GpuSelector, gpus: readonly GpuReport[]): string {
  if (gpus.length === 0) return 'this node has no GPU';
  const wanted = [
    ...(models === undefined ? [] : [`of models ${models.join(', ')}`]),
    ...(indices === undefined ? [] : [`with index ${indices.join(', ')}`]),
    ...(uuids === undefined ? [] : [`with UUID ${uuids.join(', ')}`]),
    ...(pciDeviceIds === undefined ? [] : [`with PCI device id ${pciDeviceIds.join(', ')}`]),
  ];
  const counts = new Map<string, number>();
  for (const gpu of gpus) {
    const product = isNameless(gpu) ? 'lost GPU' : shorten(gpu.product);
    counts.set(product, (counts.get(product) ?? 0) + 1);
  }
  const found = [...counts].map(([product, count]) => `${count} × ${product}`);
  return `no GPU of this node is ${joinWords(wanted)}; it has ${joinWords(found)}`;
}

/** `GPU 0`, `GPUs 0 and 1`, `GPUs 0 to 7`. */
function listGpus(gpus: readonly GpuReport[]): string {
  const numbers = gpus.map(({ index }) => index).toSorted((a, b) => a - b);
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  const isRow = numbers.length > 2 && last - first === numbers.length - 1;
  const text = isRow ? `${first} to ${last}` : joinWords(numbers.map(String));
  return `${gpus.length === 1 ? 'GPU' : 'GPUs'} ${text}`;
}

function shorten(product: string): string {
  return product.replace(/^NVIDIA /, '');
}

/** Index of the deciding entry by GPU UUID; or the entry that cannot have its GPUs, and why. */
type Assignment =
  | { readonly entryOf: ReadonlyMap<string, number> }
  | { readonly entry: number; readonly refusal: LayoutRefusal };

/**
 * Assigns the GPUs of a node to the entries of a policy. If no entry has a count, there is no choice. Otherwise the assignment is
 * the one that does least harm to the node as a whole, gives every entry with a count exactly this many GPUs, and keeps as many as it
 * can of those chosen before. An entry that no GPU of the node reaches does not concern this node and claims nothing.
 */
function assignEntries(
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

function toNodeGpu(device: DeviceReport, gpu: GpuReport, foreign: ForeignInstances) {
  const model = findModel(gpu.product);
  const { geometry, mig, instances, use } = viewReport(device, gpu);
  const untouchable = foreign.get(gpu.uuid);
  return {
    key: gpu.uuid,
    index: gpu.index,
    geometry,
    have: instances.map((one) => (untouchable?.has(gpuPlaceOf(one)) === true ? { ...one, busy: true } : one)),
    mig: mig?.current ?? 'Disabled',
    busy: use !== 'None',
    lost: gpu.error !== undefined,
    ...(model === undefined ? {} : { model }),
  };
}

function toNodeWish({ entry, layouts }: LayoutEntry, name: string, current: Wish | undefined) {
  const count = layouts.size > 0 ? entry.gpus?.count : undefined;
  const want = new Map([...layouts].map(([uuid, layout]) => [uuid, toWant(layout)]));
  if (count === undefined) return { want };
  return {
    want,
    count,
    sticky: (current?.gpus ?? []).filter((one) => one.entry === name).map(({ uuid }: GpuWish) => uuid),
  };
}

function toWant(layout: GpuLayout): Layout | 'Disabled' | 'Impossible' {
  if ('refusal' in layout) return 'Impossible';
  return 'mig' in layout ? 'Disabled' : layout.profiles;
}

/** Refuses a count of GPUs. If no GPU can take the layout, the layout's own numbers explain more than the count. */
function refuseShort(entry: LayoutEntry | undefined, message: string): LayoutRefusal {
  const layouts = [...(entry?.layouts.values() ?? [])];
  const refusals = layouts.flatMap((layout) => ('refusal' in layout ? [layout.refusal] : []));
  const [first] = refusals;
  return first !== undefined && refusals.length === layouts.length ? first : { reason: 'NotEnoughGpus', message };
}

/**
 * Names each entry of `layouts` across edits of the policy: a hash of its selector, including `count`, which still identifies an
 * entry when its layout is edited, or entries are inserted before it or removed. Among entries with the same selector the second and
 * later ones get a number. One policy is looked up on thousands of nodes.
 */
export const entryHashes = memoize((layouts: readonly PolicyLayout[]): readonly string[] => {
  const seen = new Map<string, number>();
  return layouts.map(({ gpus = {} }) => {
    const name = fingerprint(canonicalJson(gpus));
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return number === 1 ? name : `${name}-${number}`;
  });
});

/** What an entry of `layouts` makes of a GPU with this geometry: MIG off, a layout, or the reason why it cannot. */
export type GpuLayout = { readonly mig: 'Disabled' } | { readonly profiles: Layout } | { readonly refusal: Mistake };

/**
 * Applies one entry of `layouts` to one geometry.
 * @param model product of the GPU, for refusals and for names of other driver branches: `A100-SXM4-40GB`
 */
export function layoutFor(entry: PolicyLayout, geometry: Geometry, model: string): GpuLayout {
  if (entry.mig !== undefined) return { mig: entry.mig };
  if (entry.preset !== undefined) return presetFor(entry.preset, geometry, model);
  return profilesFor(entry.profiles ?? {}, geometry, model);
}

function presetFor(preset: string, geometry: Geometry, model: string): GpuLayout {
  const expanded = expandPreset(geometry, preset, findModel(model));
  if ('refusal' in expanded) {
    return { refusal: { reason: 'UnknownPreset', message: `${model}: ${expanded.refusal.message}` } };
  }
  return expanded.mig === 'Disabled' ? { mig: 'Disabled' } : { profiles: expanded.layout };
}

function profilesFor(wanted: Layout, geometry: Geometry, model: string): GpuLayout {
  const profiles: Record<string, number> = {};
  for (const [name, count] of Object.entries(wanted)) {
    const known = localName(name, geometry, model);
    profiles[known] = (profiles[known] ?? 0) + count;
  }
  const fit = fitLayout(geometry, profiles, model);
  if (fit.fits) return { profiles };
  const reason = fit.refusal.code === 'UnknownProfile' ? 'UnknownProfile' : 'DoesNotFit';
  return { refusal: { reason, message: fit.refusal.message } };
}

/**
 * The profile's name in the driver of the node, with which the device is compared: drivers differ (7g.79gb, 7g.80gb), and a compute
 * instance over a whole GPU instance has the name of that (3c.3g.20gb).
 */
function localName(name: string, geometry: Geometry, model: string): string {
  const profile = resolveProfile(geometry, name, findModel(model));
  if (profile === undefined) return name;
  const { computeSlices } = profile;
  return computeInstanceName(profile.name, computeInstanceSlices(name, computeSlices), computeSlices);
}

/** An entry of a policy's `layouts`, on one node. */
interface LayoutEntry {
  readonly entry: PolicyLayout;
  /** What it makes of the GPUs that reach it, by UUID; without GPUs that lack MIG if it requests slices. */
  readonly layouts: ReadonlyMap<string, GpuLayout>;
}

/**
 * Evaluates the entries on the GPUs that reach them: an entry without a count takes every GPU that it applies to, one with a count
 * may leave a GPU to later entries.
 */
function readEntries(layouts: readonly PolicyLayout[], device: DeviceReport): readonly LayoutEntry[] {
  let open = device.gpus ?? [];
  return layouts.map((entry) => {
    const read = readEntry(entry, open, device);
    if (entry.gpus?.count === undefined) open = open.filter(({ uuid }) => !read.has(uuid));
    return { entry, layouts: read };
  });
}

function readEntry(
  entry: PolicyLayout,
  gpus: readonly GpuReport[],
  device: DeviceReport,
): ReadonlyMap<string, GpuLayout> {
  const layouts = new Map<string, GpuLayout>();
  for (const gpu of gpus) {
    if (!matchesGpu(entry.gpus ?? {}, gpu)) continue;
    const geometry = liveGeometry(device, gpu);
    // A GPU without MIG is already whole; if slices are requested, it is left alone, like a GPU that matches nothing.
    if (geometry !== undefined) layouts.set(gpu.uuid, layoutFor(entry, geometry, gpu.product.replace(/^NVIDIA /, '')));
    else if (entry.mig === 'Disabled') layouts.set(gpu.uuid, { mig: 'Disabled' });
  }
  return layouts;
}

/**
 * Strategy single requires all GPUs of a node in MIG mode with one profile, or none in MIG mode; else the device plugin exits and
 * GPU Feature Discovery reports MIG-INVALID. GPUs that no layout matches, and GPUs without MIG, count too (facts: k8s-device-plugin
 * internal/rm/device_map.go).
 */
function checkSingle(gpus: readonly GpuReport[], wish: readonly GpuWish[]): Mistake | undefined {
  const after = gpus.flatMap((gpu) => {
    const wanted = wish.find(({ uuid }) => uuid === gpu.uuid);
    // What a lost GPU is cannot be told, and it offers nothing.
    if (wanted === undefined && gpu.error !== undefined) return [];
    const profiles = wanted ? wanted.profiles && Object.keys(wanted.profiles) : profilesOf(gpu);
    return [{ gpu, profiles: profiles?.toSorted() }];
  });
  const sliced = after.flatMap(({ profiles }) => (profiles === undefined ? [] : [profiles]));
  if (sliced.length === 0) return undefined;
  const whole = after.find(({ profiles }) => profiles === undefined);
  if (whole) {
    return refuseSingle(`GPU ${whole.gpu.index} (${whole.gpu.product}) would stay whole beside sliced GPUs`);
  }
  const names = [...new Set(sliced.flat())];
  if (names.length > 1) return refuseSingle(`the node would have slices of ${names.join(' and ')}`);
  const empty = after.find(({ profiles }) => profiles?.length === 0);
  return empty ? refuseSingle(`GPU ${empty.gpu.index} would be in MIG mode without a slice`) : undefined;
}

/** What no node could have under strategy single, whatever its GPUs. The schema counts profiles, but not those of a preset. */
export function checkSinglePreset({ preset }: PolicyLayout): Mistake | undefined {
  if (preset === 'all-balanced') return refuseSingle(`preset ${preset} makes slices of several profiles`);
  return preset === 'all-enabled' ? refuseSingle(`preset ${preset} makes no slice`) : undefined;
}

/** The profiles on a GPU; undefined for a whole GPU. */
function profilesOf({ mig, instances }: GpuReport): readonly string[] | undefined {
  return mig === 'Enabled' ? instances.map(({ profile }) => profile) : undefined;
}

function refuseSingle(found: string): Mistake {
  return {
    reason: 'SingleNeedsOneProfile',
    message:
      `strategy single needs all GPUs of a node in MIG mode with the same profile, or none in MIG mode: ${found}; ` +
      'the device plugin would not start. Use strategy mixed, or layouts that cover every GPU of the node with one profile',
  };
}

/** What a policy makes of a node's GPUs: one wish per GPU that an entry decides over, or the reason why it cannot. */
type NodeResolution =
  | {
      readonly wish: Wish;
      /** Entries that apply to no GPU of this node. */
      readonly skipped: readonly SkippedEntry[];
    }
  | {
      readonly refusal: LayoutRefusal;
      /** Index of the refused entry; absent if the strategy is refused. */
      readonly entry?: number;
      /** The refusal with the part of the policy that it concerns. */
      readonly told: LayoutRefusal;
    };

/**
 * Resolves a policy's layouts for the GPUs of a node. For each GPU the first entry that matches it decides; an entry with a count takes
 * exactly this many of the GPUs that match it.
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
  const names = entryHashes(layouts);
  const entries = readEntries(layouts, device);
  const replacesForeign = spec.allow?.replaceForeignInstances === true;
  const assigned = assignEntries(entries, names, device, current, replacesForeign);
  if ('refusal' in assigned) return { ...assigned, told: describeRefusal(assigned, spec) };
  const { entryOf } = assigned;
  const refused = findRefused(entries, entryOf);
  if (refused) return { ...refused, told: describeRefusal(refused, spec) };
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
  return refusal ? { refusal, told: refusal } : { wish, skipped: listSkipped(spec, device, entryOf) };
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

function describeRefusal(
  { refusal, entry }: { readonly refusal: LayoutRefusal; readonly entry: number },
  spec: PolicySpec,
): LayoutRefusal {
  return { ...refusal, message: `${writePath([...layoutsPath(spec), 'layouts', entry])}: ${refusal.message}` };
}

/**
 * Why a generation is a mistake, judged on one node. What rests only on the agent's own report, such as its tables and GPU count,
 * blocks that node alone: otherwise one lying agent would freeze a policy everywhere.
 */
export function refusalForAll(spec: PolicySpec, partition: GpuNodePartition | undefined): Mistake | undefined {
  const { models: _ofAgent, ...device } = partition?.status?.device ?? {};
  const judged = resolveNode(spec, device, partition?.spec.wish);
  if (!('refusal' in judged)) return undefined;
  const { told } = judged;
  return isMistake(told) ? told : undefined;
}

function isMistake(refusal: LayoutRefusal): refusal is Mistake {
  return refusal.reason !== 'NotEnoughGpus';
}
