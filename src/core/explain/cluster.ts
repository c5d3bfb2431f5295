import { MODELS } from '../gpu/geometry.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../nvidia/labels.ts';
import { isGpuResource } from '../kubernetes/pod.ts';
import { findNearestWords } from '../text/words.ts';
import { type GpuNode, isResourceOf } from '../cluster/facts.ts';
import type { GpuReport, GpuWish } from '../../api/types.ts';
import { isPlanned } from '../policy/versions.ts';

/** Why no node offers a resource of this name, as far as the name tells. */
export interface NameFinding {
  readonly code: 'UnknownResource' | 'OtherStrategy' | 'OtherName' | 'NotOffered';
  readonly message: string;
}

const knownResources = [
  ...new Set(MODELS.flatMap(({ profiles }) => profiles.map(({ name }) => migResourceName(labelProfile(name))))),
];

/** @param offered GPU resources that some node offers now */
export function explainName(resource: string, nodes: readonly GpuNode[], offered: readonly string[]): NameFinding {
  return (
    explainUnknown(resource, offered) ??
    explainShared(resource, offered) ??
    explainSingle(resource, nodes) ??
    explainSliced(resource, offered) ?? {
      code: 'NotOffered',
      message: `no node offers ${resource}; ${listOffer(offered)}`,
    }
  );
}

function explainUnknown(resource: string, offered: readonly string[]): NameFinding | undefined {
  const name = resource.replace(/\.shared$/, '');
  // No strategy with which upstream's plugin starts gives a compute instance its own resource.
  if (offered.includes(resource) || name === GPU_RESOURCE || knownResources.includes(name)) return undefined;
  const near = findNearestWords(resource, [...offered, ...knownResources, GPU_RESOURCE]);
  const hint = near.length > 0 ? `did the pod mean ${near.join(' or ')}?` : listOffer(offered);
  const what = isGpuResource(resource) ? 'no GPU has such a slice' : 'no device plugin for GPUs offers such a resource';
  return { code: 'UnknownResource', message: `${resource}: ${what}; ${hint}` };
}

function explainShared(resource: string, offered: readonly string[]): NameFinding | undefined {
  const other = otherNameOf(resource);
  if (!offered.includes(other)) return undefined;
  return {
    code: 'OtherName',
    message: `no node offers ${resource}, but ${other}: the device plugin ${resource.endsWith('.shared') ? 'does not rename what it shares' : 'shares these and renames them'}`,
  };
}

/** What the device plugin calls the same slices if it shares them, or if it does not. */
export function otherNameOf(resource: string): string {
  return resource.endsWith('.shared') ? resource.slice(0, -'.shared'.length) : `${resource}.shared`;
}

function explainSingle(resource: string, nodes: readonly GpuNode[]): NameFinding | undefined {
  const single = nodes.find((one) => one.strategy === 'single' && slicesOf(one, resource) > 0);
  if (!single) return undefined;
  const product = single.labels['nvidia.com/gpu.product'];
  const select = product === undefined ? '' : ` with the node selector nvidia.com/gpu.product: ${product}`;
  return {
    code: 'OtherStrategy',
    message: `node ${single.name} has such slices under strategy single, which offers them as ${GPU_RESOURCE}: ask for ${GPU_RESOURCE}${select}`,
  };
}

/** Explains a request for whole GPUs where none is left anywhere: slices must be requested by their own names. */
function explainSliced(resource: string, offered: readonly string[]): NameFinding | undefined {
  if (resource !== GPU_RESOURCE || offered.length === 0) return undefined;
  return {
    code: 'OtherStrategy',
    message: `no node offers ${resource}: every GPU is cut into slices under strategy mixed, which have names of their own; ${listOffer(offered)}`,
  };
}

function listOffer(offered: readonly string[]): string {
  return offered.length === 0 ? 'no GPU resource is offered at the moment' : `what is offered: ${offered.join(', ')}`;
}

/** Compute slices and memory in GB of a slice's resource; undefined for any other. */
export function sizeOfResource(resource: string): { readonly compute: number; readonly memory: number } | undefined {
  const [, compute, memory] = /^nvidia\.com\/mig-(\d)g\.(\d+)gb(?:\.me)?$/.exec(resource) ?? [];
  return compute === undefined ? undefined : { compute: Number(compute), memory: Number(memory) };
}

/** The profile of a resource by the names in a GPU's own table. */
export function profileOfResource(
  resource: string,
  profiles: readonly { readonly name: string }[],
): string | undefined {
  return profiles.find(({ name }) => isResourceOf(resource, name))?.name;
}

/** How many instances of a resource's profile are on a node's device. */
export function slicesOf({ partition }: GpuNode, resource: string): number {
  const gpus = partition?.status?.device?.gpus ?? [];
  return gpus.flatMap(({ instances }) => instances).filter(({ profile }) => isResourceOf(resource, profile)).length;
}

/** The GPU without an answer that has, or is to have, instances of a resource's profile, unless one that answers has some too. */
export function lostGpuFor(gpuNode: GpuNode, resource: string): GpuReport | undefined {
  const wishes = wishesOf(gpuNode);
  const gpus = (gpuNode.partition?.status?.device?.gpus ?? []).filter(
    ({ uuid, instances }) =>
      instances.some(({ profile }) => isResourceOf(resource, profile)) ||
      wishes.some((wish) => wish.uuid === uuid && countWished(wish, resource) > 0),
  );
  return gpus.every(({ error }) => error !== undefined) ? gpus[0] : undefined;
}

/** How many instances of a resource's profile a node is to have by its policy, on GPUs that answer. */
export function wishedSlices(gpuNode: GpuNode, resource: string): number {
  const { gpus = [] } = gpuNode.partition?.status?.device ?? {};
  const lost = new Set(gpus.flatMap(({ uuid, error }) => (error === undefined ? [] : [uuid])));
  return wishesOf(gpuNode).reduce((sum, wish) => sum + (lost.has(wish.uuid) ? 0 : countWished(wish, resource)), 0);
}

function wishesOf({ partition, policy }: GpuNode): readonly GpuWish[] {
  return isPlanned(policy) ? [] : (partition?.spec.wish?.gpus ?? []);
}

function countWished({ profiles = {} }: GpuWish, resource: string): number {
  return Object.entries(profiles).reduce(
    (sum, [profile, count]) => sum + (isResourceOf(resource, profile) ? count : 0),
    0,
  );
}

/** Lists all GPU resources that are offered anywhere now. */
export function listOffered(nodes: readonly GpuNode[]): readonly string[] {
  const names = nodes.flatMap(({ offers }) =>
    Object.entries(offers).flatMap(([name, amount]) => (amount > 0 ? [name] : [])),
  );
  return [...new Set(names)].toSorted();
}
