import { MODELS } from '../gpu/geometry.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../nvidia/labels.ts';
import { isGpuResource } from '../kubernetes/pod.ts';
import { findNearestWords } from '../text/words.ts';
import { type GpuNode, isResourceOf, slicesOf, strategyOf } from '../cluster/facts.ts';

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
  const single = nodes.find((one) => strategyOf(one) === 'single' && slicesOf(one, resource) > 0);
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
