// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here for the objects that workloads need beside it: DeviceClasses and claims of NVIDIA's DRA driver.
import { migResourceName, type NodeDescription } from '../nvidia/labels.ts';
import { gpuDriver } from '../kubernetes/pod.ts';
import { deepEqual, compareText } from '../text/json.ts';
import { todaysNameOf, isProfileNameError, parseProfile, resolveProfile } from '../gpu/profiles.ts';
import { listProfiles, MODELS, type GpuModel } from '../gpu/geometry.ts';
import type { GpuPartitionPolicy, PolicyDemand, PolicyLayout } from '../../api/types.ts';
import { profilesServing } from './spec.ts';
import { layoutFor } from './resolve-node.ts';
import { judgeLayouts } from './check.ts';
import { variantsOf } from './spec.ts';
import { writePath } from '../text/words.ts';

/** A DeviceClass (`resource.k8s.io/v1`), and what it is for. */
interface ClassWish {
  readonly name: string;
  /** A sentence for people. */
  readonly about: string;
  /** A CEL expression on `device`. */
  readonly expression: string;
  /** The resource of the device plugin that its pods may ask for; a name belongs to one class. */
  readonly extendedResourceName?: string;
}

/** What the API server takes in one `firstAvailable`. */
const mostAlternatives = 8;

/**
 * Lists one class for each profile, which the device plugin's resource of that profile names too. If the memory of its slices depends on
 * the model, one more for each memory: their slices have the same resource with the device plugin as well.
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
function listSizes(kinds: readonly SliceKind[]): readonly { readonly gb: number; readonly memoryMiB: number }[] {
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
 * A number of MiB that exceeds the memory of every slice whose name has a smaller number, which is rounded up from its memory. How much
 * less that is depends on the driver (B200 `1g.23gb`: 22,528 MiB, later 20,992): the number of one would leave out slices of another.
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
function stemOf(profile: string): string {
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

/** A CEL expression that selects a profile, without `||`, which the admission policy of the controller's DeviceClasses refuses. */
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

const apiVersion = 'resource.k8s.io/v1';

/** An object for `kubectl apply`, and what it is for. */
export interface ExportedObject {
  /** A sentence for people. */
  readonly about: string;
  readonly object: object;
}

/** Exports everything that workloads need to ask NVIDIA's DRA driver for the slices of policies; in words why that cannot be. */
export function exportClasses(policies: readonly GpuPartitionPolicy[]): readonly ExportedObject[] | string {
  const [split] = listSplitLayouts(policies);
  if (split !== undefined) {
    const { policy, path, profile } = split;
    const whole = profile.replace(/^\d+c\./, '');
    return `policy ${policy}: ${path}: ${profile}: ${splitReason}; use ${whole}, or the device plugin`;
  }
  const kinds = listSliceKinds(policies);
  if (kinds.length === 0)
    return 'the policies create no slices: a whole GPU has the class gpu.nvidia.com of the driver itself';
  const classes = listClasses(kinds).map((wish) => ({ about: wish.about, object: describeClass(wish) }));
  const templates = listTemplates(kinds);
  return [...classes, ...templates, ...describeSample(kinds, templates)];
}

/** A DeviceClass as it is written. */
export interface DeviceClassObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly selectors?: readonly object[]; readonly extendedResourceName?: string };
}

/** A DeviceClass that the cluster lacks. */
interface MissingClass extends DeviceClassObject {
  /** Another class that has its `extendedResourceName`, which it therefore goes without. */
  readonly takenBy?: string;
}

interface WantedClass {
  readonly wanted: MissingClass;
  /** Why it is there without its resource once it is written; undefined if it is as it should be. @param kept by the API server */
  readonly explain: (kept: object) => string | undefined;
}

/**
 * DeviceClasses for the slices of policies that the cluster does not have, or not like this. The API server serves the requests for an extended
 * resource from the newest class that names it: one that somebody else has made is left its resource.
 */
export function listMissingClasses(
  policies: readonly GpuPartitionPolicy[],
  present: readonly Pick<DeviceClassObject, 'metadata' | 'spec'>[],
): readonly WantedClass[] {
  const known = new Map(present.map(({ metadata, spec }) => [metadata.name, spec]));
  const wishes = listClasses(listSliceKinds(policies)).map(describeClass);
  const own = new Set(wishes.map(({ metadata }) => metadata.name));
  const others = present.filter(({ metadata }) => !own.has(metadata.name));
  return wishes
    .map((wanted) => leaveResource(wanted, others))
    .filter((wanted) => !isUnchangedClass(wanted, known.get(wanted.metadata.name)))
    .map((wanted) => ({ wanted, explain: (kept) => explainWritten(wanted, kept) }));
}

function leaveResource(
  wanted: DeviceClassObject,
  others: readonly Pick<DeviceClassObject, 'metadata' | 'spec'>[],
): MissingClass {
  const { extendedResourceName, ...spec } = wanted.spec ?? {};
  const taker =
    extendedResourceName === undefined
      ? undefined
      : others.find((other) => other.spec?.extendedResourceName === extendedResourceName);
  return taker === undefined ? wanted : { ...wanted, spec, takenBy: taker.metadata.name };
}

function explainWritten(wanted: MissingClass, kept: object): string | undefined {
  const { name } = wanted.metadata;
  if (!isUnchangedClass(wanted, kept))
    return (
      `DeviceClass ${name} is there without extendedResourceName, which the API server does not keep (feature gate DRAExtendedResource, ` +
      'on by default in Kubernetes 1.36): pods get these slices by claims alone'
    );
  return wanted.takenBy === undefined
    ? undefined
    : `DeviceClass ${name} is there without extendedResourceName, which DeviceClass ${wanted.takenBy} has already: pods that ask for the ` +
        'resource get what that class selects. Delete it to have them get these slices';
}

/** Whether a class has all that is wanted of it. Somebody may have added more, such as a configuration. */
function isUnchangedClass({ spec = {} }: DeviceClassObject, kept: object = {}): boolean {
  const found = new Map(Object.entries(kept));
  return Object.entries(spec).every(([field, value]) => deepEqual(found.get(field), value));
}

function listClasses(kinds: readonly SliceKind[]): readonly ClassWish[] {
  return [...listProfileClasses(kinds), ...listSizeClasses(kinds)];
}

function describeClass({ name, expression, extendedResourceName }: ClassWish): DeviceClassObject {
  const spec = {
    selectors: [{ cel: { expression } }],
    ...(extendedResourceName !== undefined && { extendedResourceName }),
  };
  return { apiVersion, kind: 'DeviceClass', metadata: { name }, spec };
}

interface Template extends ExportedObject {
  readonly name: string;
}

/** "At least N GB" with a choice: the smallest slice that is free. Not for a size that one profile alone has. */
function listTemplates(kinds: readonly SliceKind[]): readonly Template[] {
  return listSizes(kinds).flatMap(({ gb }) => {
    const choice = kinds
      .filter((kind) => kind.gb >= gb)
      .toSorted((a, b) => a.gb - b.gb || a.computeSlices - b.computeSlices)
      .slice(0, mostAlternatives);
    if (choice.length < 2) return [];
    const name = `mig-at-least-${gb}gb`;
    const firstAvailable = choice.map(({ profile }) => ({
      name: stemOf(profile),
      deviceClassName: classNameOf(profile),
      // The server's defaults: without them a second `kubectl apply` would find a difference.
      allocationMode: 'ExactCount',
      count: 1,
    }));
    const spec = { spec: { devices: { requests: [{ name: 'slice', firstAvailable }] } } };
    return {
      name,
      about: `At least ${gb} GB: the first of ${choice.map(({ profile }) => profile).join(', ')} that is free.`,
      object: { apiVersion, kind: 'ResourceClaimTemplate', metadata: { name }, spec },
    };
  });
}

/** A Deployment that takes its slices by claim, or like a pod of the device plugin if no template has a choice. */
function describeSample(kinds: readonly SliceKind[], [template]: readonly Template[]): readonly ExportedObject[] {
  const [smallest] = listProfileClasses(kinds);
  if (smallest?.extendedResourceName === undefined) return [];
  const labels = { app: 'slice-sample' };
  const container = {
    name: 'main',
    image: 'example.com/inference:1',
    resources:
      template === undefined
        ? { limits: { [smallest.extendedResourceName]: 1 } }
        : { claims: [{ name: 'slice', request: 'slice' }] },
  };
  const spec = {
    ...(template !== undefined && {
      resourceClaims: [{ name: 'slice', resourceClaimTemplateName: template.name }],
    }),
    containers: [container],
  };
  const metadata = { name: 'slice-sample' };
  const object = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
  return [{ about: 'A sample: give it your image and replicas.', object }];
}

/** Devices of one kind on a node of NVIDIA's DRA driver, and what a workload writes to get one. */
interface NodeDeviceClaim {
  /** `1g.5gb`, `whole GPU` */
  readonly device: string;
  readonly count: number;
  readonly deviceClass: string;
  /** The resource by which pods of the device plugin get it; absent for a whole GPU, whose class the driver brings. */
  readonly extendedResourceName?: string;
  /** A ResourceClaimTemplate. */
  readonly template: object;
}

/** Devices that a node's DRA driver offers. */
interface NodeClaims {
  readonly devices: readonly NodeDeviceClaim[];
  /** Why the driver does not start. */
  readonly errors: readonly string[];
}

/** Why the driver offers nothing new on a node with such a device. */
const splitReason =
  'NVIDIA’s DRA driver exits on a compute instance that is smaller than its GPU instance, and then offers nothing new on the whole node';

/** What workloads write to get the devices of a node, by the names with which policies' DeviceClasses are made. */
export function listNodeClaims({ gpus }: Pick<NodeDescription, 'gpus'>): NodeClaims {
  const errors = gpus.flatMap(({ migDevices }, index) =>
    migDevices.flatMap(({ profile }) => (isSplit(profile) ? [`GPU ${index}: ${profile}: ${splitReason}`] : [])),
  );
  if (errors.length > 0) return { devices: [], errors };
  const names = gpus.flatMap((gpu) => gpu.migDevices.map(({ profile }) => todaysNameOf(gpu.name, profile)));
  const counts = new Map([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
  const slices = listProfiles(Object.fromEntries(counts)).map(([profile, count]): NodeDeviceClaim => ({
    device: profile,
    count,
    deviceClass: classNameOf(profile),
    extendedResourceName: migResourceName(profile),
    template: describeTemplate(stemOf(profile), classNameOf(profile)),
  }));
  const whole = gpus.filter(({ migEnabled }) => !migEnabled).length;
  if (whole === 0) return { devices: slices, errors };
  const template = describeTemplate('whole-gpu', gpuDriver);
  return { devices: [...slices, { device: 'whole GPU', count: whole, deviceClass: gpuDriver, template }], errors };
}

function isSplit(profile: string): boolean {
  const parsed = parseProfile(profile);
  return !isProfileNameError(parsed) && parsed.computeInstanceSlices !== undefined;
}

function describeTemplate(name: string, deviceClassName: string): object {
  // The server's defaults: without them a second `kubectl apply` would find a difference.
  const exactly = { deviceClassName, allocationMode: 'ExactCount', count: 1 };
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: { name },
    spec: { spec: { devices: { requests: [{ name: 'gpu', exactly }] } } },
  };
}

/** Boards whose slices of one profile have the same memory. */
interface Boards {
  readonly modelId: string;
  /** Names as NVML prints them, and the driver's `productName`: `NVIDIA A100-SXM4-40GB`. */
  readonly products: readonly string[];
  /** Memory of such a slice, in MiB; undefined if unpublished. */
  readonly memoryMiB?: number | undefined;
}

/** A profile that policies create, on all GPU models on which they do. */
export interface SliceKind {
  readonly profile: string;
  /** Names that earlier drivers have for it, and on which boards: on others, another profile may be called so. */
  readonly formerNames: readonly { readonly name: string; readonly products: readonly string[] }[];
  readonly gb: number;
  readonly computeSlices: number;
  /** Boards by the memory of such a slice; more than one entry if it depends on the model. */
  readonly boards: readonly Boards[];
}

/** A layout that NVIDIA's DRA driver cannot have. */
interface SplitLayout {
  readonly policy: string;
  /** `spec.layouts[0].profiles` */
  readonly path: string;
  readonly profile: string;
}

/**
 * Layouts with compute instances that are smaller than their GPU instance. One of them ends NVIDIA's DRA driver for the whole node
 * (exit code 1, dra-driver-nvidia-gpu v0.5).
 */
function listSplitLayouts(policies: readonly GpuPartitionPolicy[]): readonly SplitLayout[] {
  return policies.flatMap(({ metadata, spec }) =>
    variantsOf(spec).flatMap((variant) =>
      (variant.spec.layouts ?? []).flatMap(({ profiles = {} }, layout) =>
        Object.keys(profiles).flatMap((profile) => {
          const parsed = parseProfile(profile);
          const isSplit = !isProfileNameError(parsed) && parsed.computeInstanceSlices !== undefined;
          const path = writePath([...variant.place, 'layouts', layout, 'profiles']);
          return isSplit ? [{ policy: metadata.name, path, profile }] : [];
        }),
      ),
    ),
  );
}

/** The profiles that the policies create on the models that they can meet, small ones first. */
export function listSliceKinds(policies: readonly Pick<GpuPartitionPolicy, 'spec'>[]): readonly SliceKind[] {
  const found = new Map<string, GpuModel[]>();
  for (const { spec } of policies.flatMap((policy) => variantsOf(policy.spec))) {
    for (const { profile, model } of [...listUses(spec.layouts ?? []), ...listDemanded(spec.demand)]) {
      const models = found.get(profile) ?? [];
      found.set(profile, models.includes(model) ? models : [...models, model]);
    }
  }
  const order = listProfiles(Object.fromEntries([...found.keys()].map((profile) => [profile, 1])));
  return order.flatMap(([profile]) => describeKind(profile, found.get(profile) ?? []));
}

function listUses(layouts: readonly PolicyLayout[]): readonly { readonly profile: string; readonly model: GpuModel }[] {
  return judgeLayouts(layouts).flatMap(({ verdicts }, index) => {
    const entry = layouts[index];
    return verdicts.flatMap(({ model, name, refusal }) => {
      if (entry === undefined || refusal !== undefined) return [];
      const made = layoutFor(entry, model, name);
      return 'profiles' in made ? Object.keys(made.profiles).map((profile) => ({ profile, model })) : [];
    });
  });
}

/** A demand is for whatever GPUs its nodes have. */
function listDemanded(demand: PolicyDemand | undefined): ReturnType<typeof listUses> {
  return (demand?.slices ?? []).flatMap((slice) =>
    MODELS.flatMap((model) => profilesServing(slice, model, model.id).map((profile) => ({ profile, model }))),
  );
}

function describeKind(profile: string, models: readonly GpuModel[]): readonly SliceKind[] {
  const parsed = parseProfile(profile);
  if (isProfileNameError(parsed)) return [];
  const former = models.flatMap((model) =>
    (resolveProfile(model, profile)?.formerNames ?? []).map((name) => ({ name, model })),
  );
  const boards = Map.groupBy(models, (model) => resolveProfile(model, profile)?.memoryMiB ?? model.id);
  return [
    {
      profile,
      formerNames: [...Map.groupBy(former, ({ name }) => name)].map(([name, on]) => ({
        name,
        products: listProducts(on.map(({ model }) => model)),
      })),
      gb: parsed.gb,
      computeSlices: parsed.gpuSlices,
      boards: [...boards.values()].map(joinBoards(profile)),
    },
  ];
}

function joinBoards(profile: string): (models: readonly GpuModel[]) => Boards {
  return (models) => ({
    modelId: models[0]?.id ?? '',
    products: listProducts(models),
    memoryMiB: models.map((model) => resolveProfile(model, profile)?.memoryMiB)[0],
  });
}

function listProducts(models: readonly GpuModel[]): readonly string[] {
  return [...new Set(models.flatMap(({ products }) => products.map(({ name }) => name)))].toSorted(compareText);
}
