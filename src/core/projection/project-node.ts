import { PackedLabels } from '../metadata/packed-labels.ts';
import { SharedValues } from '../metadata/shared-values.ts';
import type { NodeView } from '../node/node-view.ts';

/** What nodes of a fleet have in common: a few values each, unless another program keeps times in its annotations. */
const shared = new SharedValues(512);

/** A Node of a large fleet is 15 kB; these are the relevant parts. What is equal across the fleet is kept once. Of the result itself all is kept. */
export function projectNode(node: NodeView): NodeView {
  if (node.metadata instanceof KeptMetadata) return node;
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  const bootID = node.status?.nodeInfo?.bootID;
  return {
    metadata: new KeptMetadata(node.metadata),
    spec: shared.share({
      taints: node.spec?.taints ?? [],
      ...(node.spec?.unschedulable === true && { unschedulable: true }),
    }),
    status: {
      // All of it: a waiting pod may request any of it.
      allocatable: shared.share({ ...node.status?.allocatable }),
      capacity: projectQuantities(node.status?.capacity),
      ...(bootID !== undefined && { nodeInfo: { bootID } }),
      conditions: shared.share(ready ? [describeReady(ready)] : []),
    },
  };
}

function projectQuantities(quantities: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return shared.share(Object.fromEntries(Object.entries(quantities).filter(([key]) => ownerResource.test(key))));
}

/** Metadata whose labels are packed, and unpacked when they are read. */
class KeptMetadata {
  readonly name: string;
  declare readonly uid?: string;
  declare readonly resourceVersion?: string;
  declare readonly deletionTimestamp?: string;
  declare readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly #packed: PackedLabels;

  constructor({ name, uid, resourceVersion, deletionTimestamp, labels, annotations }: NodeView['metadata']) {
    this.name = name;
    // What is absent has no field, as everywhere.
    if (uid !== undefined) this.uid = uid;
    if (resourceVersion !== undefined) this.resourceVersion = resourceVersion;
    if (deletionTimestamp !== undefined) this.deletionTimestamp = deletionTimestamp;
    this.annotations = shared.share(projectAnnotations(annotations ?? {}));
    this.#packed = new PackedLabels(labels ?? {});
    // A field, unlike a getter of the class, is in copies too; and one descriptor for all, so that V8 keeps one layout for all.
    Object.defineProperty(this, 'labels', KeptMetadata.#labels);
  }

  pick(keys: readonly string[]): Readonly<Record<string, string>> {
    return this.#packed.pick(keys);
  }

  static readonly #labels: PropertyDescriptor & ThisType<KeptMetadata> = {
    enumerable: true,
    get() {
      return this.#packed.unpack();
    },
  };
}

/** Resources of NVIDIA's device plugin, and of other providers of GPUs. */
const ownerResource = /^(nvidia\.com|k8s\.amazonaws\.com|mig\.das\.com|instaslice\.redhat\.com)\//;
/** Annotations by which other programs claim GPUs or labels. */
const ownerAnnotation = /^(gpupartition\.dev\/|hami\.io\/node-|([\w.-]+\.)?nfd\.node\.kubernetes\.io\/feature-labels$)/;

function projectAnnotations(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const kept = Object.entries(annotations).filter(([key]) => ownerAnnotation.test(key));
  const [first] = Object.entries(annotations);
  // Keep at least one: a patch creates the map if there is none, and would remove everything in it.
  return Object.fromEntries(kept.length > 0 || first === undefined ? kept : [first]);
}

type ReadyCondition = NonNullable<NonNullable<NodeView['status']>['conditions']>[number];

/** The message of a ready node changes with the kubelet's wording and is irrelevant. */
function describeReady({ type, status, message }: ReadyCondition): ReadyCondition {
  return { type, status, ...(status !== 'True' && message !== undefined && { message }) };
}
