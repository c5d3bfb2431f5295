// Room explain: why a pod or a claim waits, and what is wrong around a cluster's GPUs.
// Ask here what is too old or too new for what it works with: agents, this program, CRDs, and exporters that tell wrong names of profiles.
import { shape as partitionShape } from '../../api/generated/gpu-node-partition.shape.ts';
import { shape as policyShape } from '../../api/generated/gpu-partition-policy.shape.ts';
import { version as servedVersion } from '../../api/names.ts';
import { ownDefinitions } from '../../api/resources.ts';
import type { GpuNode } from '../cluster/facts.ts';
import { liveGeometry } from '../device/plan.ts';
import { findModel, isOlderVersion } from '../gpu/geometry.ts';
import { resolveProfile } from '../gpu/profiles.ts';
import { isOfDaemonSet, type PodView } from '../kubernetes/pod.ts';
import { ownerOf } from '../node/eviction.ts';
import { defaultClients } from '../node/plugin-pods.ts';
import { clientPods } from '../node/rules/gpu-clients.ts';
import { compareVersions } from '../node/rules/plan.ts';
import { compareText, fieldsOf } from '../text/json.ts';
import { countWords, joinWords } from '../text/words.ts';

/** What is judged here, and what could not be. */
type Answer = { readonly code: 'VersionSkew' | 'ProfileNames'; readonly node?: string } & (
  | { readonly evidence: string; readonly remedy: string }
  | { readonly why: string }
);

/** A CustomResourceDefinition: which fields the API server keeps. */
export interface CrdView {
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly versions?: readonly { readonly name: string; readonly schema?: { readonly openAPIV3Schema?: unknown } }[];
  };
}

interface Versions {
  readonly pods?: readonly PodView[] | undefined;
  /** The cluster's CRDs, those of others among them; undefined: they were not read. */
  readonly crds: readonly CrdView[] | undefined;
  /** The version of this program. */
  readonly version: string;
}

export function imageVersions(pods: readonly PodView[]): readonly string[] {
  return pods.flatMap(({ spec }) => (spec?.containers ?? []).flatMap(({ image }) => imageVersion(image) ?? []));
}

/** `v0.15.0` of `nvcr.io/nvidia/cloud-native/k8s-mig-manager:v0.15.0@sha256:…` */
function imageVersion(image = ''): string | undefined {
  return /:([^:/@]+)(?:@[^@]*)?$/.exec(image.replace(/@sha256:[0-9a-f]+$/, ''))?.[1];
}

const controllerName = 'gpu-partition-controller';

function findControllers({ pods = [] }: Versions): readonly PodView[] {
  return pods.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === controllerName);
}

/** The version that a tag says; undefined: it is not that of a release. */
function releaseOf(tag = ''): string | undefined {
  return /^v?(\d+\.\d+\.\d.*)$/.exec(tag)?.[1];
}

/** What is more than a minor version from the controller. */
export function judgeVersions(facts: Versions, nodes: readonly GpuNode[]): readonly Answer[] {
  const controllers = findControllers(facts);
  const [tag] = imageVersions(controllers);
  const version = releaseOf(tag);
  const code = 'VersionSkew';
  if (version === undefined) {
    if (facts.pods === undefined || nodes.length === 0) return [];
    const image = `the image of the controller ${tag === undefined ? 'has no tag' : `is ${tag}`}`;
    const seen = controllers.length === 0 ? `no pod of ${controllerName} was found` : image;
    return [{ code, why: `${seen}: its version is not known` }];
  }
  const agents = nodes.flatMap(({ name, partition }): readonly Answer[] => {
    const theirs = partition?.status?.device?.agentVersion;
    const skew = compareVersions(theirs, version);
    if (skew === 'Fine') return [];
    const evidence = `the agent is ${theirs}, the controller ${version}: more than one minor version apart, so nothing changes on the node`;
    const remedy = `update the image of ${skew === 'TooOld' ? 'the agents’ DaemonSet' : 'the controller’s Deployment'}`;
    return [{ code, node: name, evidence, remedy }];
  });
  if (compareVersions(facts.version, version) === 'Fine') return agents;
  const evidence = `this gpu-partition is ${facts.version}, the controller ${version}: it may misjudge what it reads`;
  return [...agents, { code, evidence, remedy: `use gpu-partition ${version}` }];
}

const [ofPolicies, ofPartitions] = ownDefinitions;

/** The CRDs by which this program was built, by name: the fields alone. */
const ours: readonly (readonly [name: string, fields: object])[] = [
  [ofPolicies.name, policyShape],
  [ofPartitions.name, partitionShape],
];
/** The command that saves the CRDs of a cluster. */
const crdCommand = `kubectl get crd ${ours.map(([name]) => name).join(' ')} -o yaml`;

/**
 * Where the API server knows other fields than this program. It silently drops a field that its CRD lacks: an upgrade that left the CRDs out
 * looks like one that worked.
 */
export function judgeCrds(facts: Versions): readonly Answer[] {
  const code = 'VersionSkew';
  const { crds } = facts;
  if (crds === undefined) return [{ code, why: `the CRDs were not read (${crdCommand})` }];
  return ours.flatMap(([name, fields]): readonly Answer[] => {
    const crd = crds.find(({ metadata }) => metadata.name === name);
    if (crd === undefined) return [{ code, why: `CRD ${name} was not read (${crdCommand})` }];
    const served = crd.spec?.versions?.find((one) => one.name === servedVersion)?.schema?.openAPIV3Schema;
    return judgeFields(name, facts, {
      known: { properties: fields },
      served: { properties: partsOf(served) },
    });
  });
}

/** The fields of spec and status: those around them are the API server's own. */
function partsOf(schema: unknown): object {
  const { spec, status } = fieldsOf(fieldsOf(schema)?.['properties']) ?? {};
  return { ...(spec !== undefined && { spec }), ...(status !== undefined && { status }) };
}

function judgeFields(
  name: string,
  facts: Versions,
  { known, served }: { readonly known: object; readonly served: object },
): readonly Answer[] {
  const code = 'VersionSkew';
  const { version } = facts;
  const controller = releaseOf(imageVersions(findControllers(facts))[0]);
  const missing = listMissing(known, served);
  if (missing.length > 0) {
    // Those of the controller's release may be older than this program.
    if (controller !== undefined && isOlderVersion(controller, version))
      return [
        {
          code,
          why: `CRD ${name} lacks ${describePaths(missing)} of gpu-partition ${version}, and the controller is ${controller}: ask gpu-partition ${controller}`,
        },
      ];
    const evidence = `CRD ${name} lacks ${describePaths(missing)} of gpu-partition ${version}: the API server drops what is written there`;
    const remedy =
      `apply the CRDs, in the folder of release ${controller ?? version}: kubectl apply --server-side --force-conflicts -f crds.yaml ` +
      '(helm upgrade does it, unless crds.enabled=false; docs/upgrade.md)';
    return [{ code, evidence, remedy }];
  }
  const more = listMissing(served, known);
  // After a rollback the newer CRDs stay (docs/upgrade.md).
  if (more.length === 0 || controller === version) return [];
  const evidence = `CRD ${name} has ${describePaths(more)}, which this gpu-partition (${version}) does not know: it is older, and may misjudge what it reads`;
  return [{ code, evidence, remedy: `use gpu-partition ${controller ?? 'of the controller’s version'}` }];
}

/** Paths of the fields of one schema that another lacks; of a field that is missing, none below it. What our maps hold has no fields. */
function listMissing(known: unknown, served: unknown, path = ''): readonly string[] {
  const [mine, theirs] = [fieldsOf(known) ?? {}, fieldsOf(served) ?? {}];
  if (theirs['x-kubernetes-preserve-unknown-fields'] === true) return [];
  const [fields, found] = [fieldsOf(mine['properties']) ?? {}, fieldsOf(theirs['properties']) ?? {}];
  return [
    ...Object.entries(fields).flatMap(([field, inner]) => {
      const at = path === '' ? field : `${path}.${field}`;
      return Object.hasOwn(found, field) ? listMissing(inner, found[field], at) : [at];
    }),
    ...(fieldsOf(mine['items']) === undefined ? [] : listMissing(mine['items'], theirs['items'], `${path}[]`)),
  ];
}

/** The most fields that are named. */
const mostNamed = 5;

function describePaths(paths: readonly string[]): string {
  const rest = paths.length - mostNamed;
  return joinWords([...paths.slice(0, mostNamed), ...(rest > 0 ? [countWords(rest, 'more field')] : [])]);
}

/** The first dcgm-exporter that asks NVML for a profile's name (NVIDIA/dcgm-exporter#680). */
const firstRight = '4.8.4';
const exporters = defaultClients.filter(({ name }) => name.startsWith('dcgm-exporter'));

/** A kind of slice that DCGM does not call as nvidia-smi does. */
interface Misnamed {
  readonly product: string;
  readonly profile: string;
  /** DCGM's name; undefined: the memory of such a slice is not known. */
  readonly reported: string | undefined;
}

/** An exporter on a node with such slices. */
interface Exporter {
  readonly node: string;
  /** Namespace and name of its DaemonSet. */
  readonly set: string;
  readonly tag: string | undefined;
  readonly slices: readonly Misnamed[];
}

/** Where DCGM's metrics have other names of profiles than nvidia-smi (NVIDIA/dcgm-exporter#544, #713): what selects or sums by them is wrong. */
export function judgeProfileNames(
  nodes: readonly (GpuNode & { readonly pods: readonly PodView[] })[],
): readonly Answer[] {
  const found = nodes.flatMap((one) => {
    const slices = listMisnamed(one);
    if (slices.length === 0) return [];
    const pods = new Set(exporters.flatMap((client) => clientPods(client, one.pods)).filter(isOfDaemonSet));
    return [...pods].map((pod): Exporter => {
      const set = `${pod.metadata.namespace}/${ownerOf(pod)?.name ?? 'unknown'}`;
      return { node: one.name, set, tag: findExporterTag(pod), slices };
    });
  });
  const byVersion = Map.groupBy(found, ({ set, tag }) => `${set} ${tag ?? ''}`);
  return [...byVersion.values()].flatMap(judgeExporter);
}

function findExporterTag({ spec }: PodView): string | undefined {
  const containers = spec?.containers ?? [];
  const own = containers.find(({ image = '' }) => image.includes('dcgm-exporter')) ?? containers[0];
  return imageVersion(own?.image);
}

/** @param found the same DaemonSet and version on each of its nodes */
function judgeExporter(found: readonly Exporter[]): readonly Answer[] {
  const code = 'ProfileNames';
  const [first] = found;
  if (first === undefined) return [];
  const { set, tag } = first;
  // DCGM's version, then the exporter's, then the system in the image: 4.2.3-4.1.3-ubuntu22.04.
  const [, version] = /^\d+\.\d+\.\d+-(\d+\.\d+\.\d+)(?:-|$)/.exec(tag ?? '') ?? [];
  if (version === undefined) {
    const image = tag === undefined ? 'its image has no tag' : `its image has the tag ${tag}`;
    return [
      { code, why: `DaemonSet ${set}: ${image}, which does not say whether dcgm-exporter is older than ${firstRight}` },
    ];
  }
  if (!isOlderVersion(version, firstRight)) return [];
  const isWrong = ({ reported }: Misnamed): boolean => reported !== undefined;
  const slices = found.flatMap((one) => one.slices);
  const unknown = new Set(
    slices.filter((one) => !isWrong(one)).map(({ product, profile }) => `${profile} of ${product}`),
  );
  const untold =
    unknown.size === 0 ? [] : [{ code, why: `the memory of ${joinWords([...unknown])} is not known` } as const];
  const wrong = slices.filter(isWrong);
  if (wrong.length === 0) return untold;
  const nodes = new Set(found.filter((one) => one.slices.some(isWrong)).map(({ node }) => node));
  const evidence =
    `DaemonSet ${set}: dcgm-exporter ${version} (image tag ${tag}) reports ${describeMisnamed(wrong)} on ${countWords(nodes.size, 'node')}: ` +
    'DCGM makes the name from the memory, rounded up to GiB';
  const remedy =
    `update dcgm-exporter to ${firstRight} or newer (image tag 4.6.1-${firstRight}-…); until then take the profile from ` +
    'gpu_partition_slice_info, by UUID and GPU_I_ID (docs/metrics.md)';
  return [...untold, { code, evidence, remedy }];
}

/** `1g.12gb as 1g.11gb, 2g.24gb as 2g.22gb (H100 NVL) and 1g.18gb as 1g.16gb (H200)` */
function describeMisnamed(wrong: readonly Misnamed[]): string {
  const byProduct = Map.groupBy(wrong, ({ product }) => product);
  const parts = [...byProduct].map(([product, all]) => {
    const pairs = new Set(all.map(({ profile, reported }) => `${profile} as ${reported}`));
    return `${[...pairs].toSorted(compareText).join(', ')} (${product})`;
  });
  return joinWords(parts);
}

function listMisnamed({ partition }: GpuNode): readonly Misnamed[] {
  const device = partition?.status?.device ?? {};
  return (device.gpus ?? []).flatMap((gpu) => {
    const model = findModel(gpu.product);
    // The driver's table may lack the memory where ours has it.
    const tables = [liveGeometry(device, gpu), model].flatMap((table) => table ?? []);
    const product = gpu.product.replace(/^NVIDIA /, '');
    return [...new Set(gpu.instances.map(({ profile }) => profile))].flatMap((profile): readonly Misnamed[] => {
      const [memoryMiB] = tables.flatMap((table) => resolveProfile(table, profile, model)?.memoryMiB ?? []);
      const reported = nameByDcgm(profile, memoryMiB);
      return reported === profile ? [] : [{ product, profile, reported }];
    });
  });
}

/** The name by DCGM’s rule: the GiB of its memory, rounded up, and no suffix (`GpuInstanceProfiles` in its DcgmCacheManager.cpp). */
function nameByDcgm(profile: string, memoryMiB: number | undefined): string | undefined {
  const [, slices] = /^(\d+)g\./.exec(profile) ?? [];
  return slices === undefined || memoryMiB === undefined ? undefined : `${slices}g.${Math.ceil(memoryMiB / 1024)}gb`;
}
