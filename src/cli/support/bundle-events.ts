import { events, nodePartitions, policies } from '../../api/resources.ts';
import type { KubeObject } from '../../kube/resource.ts';
import type { BundledPod } from './cluster-bundle.ts';
import type { LenientReader } from './lenient-reader.ts';
import { projectObject } from '../../core/projection/bundled-object.ts';

type BundledEvent = KubeObject & {
  readonly involvedObject?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
};

/** Events about policies and node partitions, about GPU nodes, and about the pods of the bundle. */
export async function readEvents(
  reader: LenientReader,
  gpuNodes: ReadonlySet<string>,
  pods: readonly BundledPod[],
): Promise<readonly KubeObject[]> {
  const known = new Set(pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const isMeant = ({ involvedObject: { kind, namespace, name = '' } = {} }: BundledEvent): boolean => {
    switch (kind) {
      case policies.kind:
      case nodePartitions.kind:
        return true;
      case 'Node':
        return gpuNodes.has(name);
      default:
        return kind === 'Pod' && known.has(`${namespace}/${name}`);
    }
  };
  const kinds = [policies.kind, nodePartitions.kind, 'Node', 'Pod'];
  const found: BundledEvent[] = [];
  for (const kind of kinds) {
    const some = await reader.list<BundledEvent>(events, { fieldSelector: `involvedObject.kind=${kind}` });
    // A user who may not list some may not list the others.
    if (some === undefined) break;
    found.push(...some.filter(isMeant));
  }
  return found.map((event) => projectObject(event, 'event'));
}
