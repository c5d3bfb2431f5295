import { type ClusterFacts, type GpuNode, listShortages } from '../cluster/facts.ts';
import { type ClaimRequests, describeTainted, judgeRequests, listDevices } from './claims.ts';
import { lostGpuFor, otherNameOf, slicesOf, wishedSlices } from './cluster.ts';
import { repartitioningTaint, startupTaintKeys } from '../../api/names.ts';
import { isUnanswered } from '../device/grants.ts';
import { type ResourceClaimView, gpuDriver, nameDevices, ownDevicesOf } from '../kubernetes/claims.ts';
import { namespacedName } from '../text/syntax.ts';
import { countWords } from '../text/words.ts';
import { listMismatches } from '../kubernetes/selectors.ts';
import { type PodView, tolerates } from '../kubernetes/pod.ts';
import { GPU_RESOURCE } from '../nvidia/labels.ts';

/** What keeps a pod from a node, the firmest first. */
export const blockerKinds = [
  'Selector',
  'NotReady',
  'Cordoned',
  'Tainted',
  'Changing',
  'NotAdvertised',
  'ClaimElsewhere',
  'NotOffered',
  'TooMany',
  'Full',
  'OtherResource',
] as const;
export type BlockerKind = (typeof blockerKinds)[number];

/** One thing that keeps a pod from a node, and its words. */
export interface Blocker {
  readonly kind: BlockerKind;
  readonly message: string;
}

/** A node, and what keeps a pod from it. */
export interface NodeVerdict {
  readonly gpuNode: GpuNode;
  readonly mismatches: ReturnType<typeof listMismatches>;
  readonly blockers: readonly Blocker[];
}

/** @param asked GPU resources that the pod requests, and how many */
export function judgeNode(
  pod: PodView,
  gpuNode: GpuNode,
  asked: ReadonlyMap<string, number>,
  claims: ClaimRequests,
  facts: ClusterFacts,
): NodeVerdict {
  const mismatches = listMismatches(pod.spec, gpuNode.name, gpuNode.labels);
  const found = [
    ...mismatches.map((one): Blocker => ({ kind: 'Selector', message: describeMismatch(one) })),
    ...listClosings(pod, gpuNode),
    ...[...asked].flatMap(
      ([resource, amount]) =>
        judgeStack(gpuNode, resource, claims, facts) ?? judgeResource(gpuNode, resource, amount, facts),
    ),
    ...judgeRequests(gpuNode, claims.requests, facts),
    ...claims.allocated.flatMap((claim) => judgeAllocated(gpuNode, claim)),
    ...judgeOthers(pod, gpuNode, facts),
  ];
  const blockers = found.toSorted((a, b) => blockerKinds.indexOf(a.kind) - blockerKinds.indexOf(b.kind));
  return { gpuNode, mismatches, blockers };
}

/** A claim stays with its devices until no pod uses it. */
function judgeAllocated({ name }: GpuNode, claim: ResourceClaimView): readonly Blocker[] {
  const isHere = ownDevicesOf(claim).every(({ pool }) => pool === name);
  return isHere
    ? []
    : [{ kind: 'ClaimElsewhere', message: `claim ${namespacedName(claim.metadata)} has ${nameDevices(claim)}` }];
}

/** Taints that the control plane derives from what is reported already. */
const saidElsewhere = ['not-ready', 'unreachable', 'unschedulable'].map((word) => `node.kubernetes.io/${word}`);

function listClosings({ spec }: PodView, gpuNode: GpuNode): readonly Blocker[] {
  const { node } = gpuNode;
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  const found: Blocker[] = [];
  if (ready !== undefined && ready.status !== 'True') {
    found.push({ kind: 'NotReady', message: `its kubelet is not ready${ready.message ? `: ${ready.message}` : ''}` });
  }
  const tolerations = spec?.tolerations ?? [];
  const cordon = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  if (node.spec?.unschedulable === true && !tolerates(tolerations, cordon)) {
    found.push({ kind: 'Cordoned', message: 'it is cordoned; kubectl uncordon opens it' });
  }
  for (const taint of node.spec?.taints ?? []) {
    if (taint.effect === 'PreferNoSchedule' || saidElsewhere.includes(taint.key)) continue;
    if (tolerates(tolerations, taint)) continue;
    if (taint.key === repartitioningTaint.key) found.push({ kind: 'Changing', message: describeChange(gpuNode) });
    else if (startupTaintKeys.includes(taint.key)) {
      found.push({ kind: 'Changing', message: `it joined and waits for its first layout: ${reasonOf(gpuNode)}` });
    } else {
      const text = `${taint.key}${taint.value ? `=${taint.value}` : ''}:${taint.effect}`;
      found.push({ kind: 'Tainted', message: `it has the taint ${text}, which the pod does not tolerate` });
    }
  }
  return found;
}

function describeChange(gpuNode: GpuNode): string {
  const { partition } = gpuNode;
  const deadline = partition && isUnanswered(partition) ? partition.spec.granted?.deadline : undefined;
  const until = deadline === undefined ? '' : `, until ${deadline} at the latest`;
  return `it is closed while its GPUs change${until}: ${reasonOf(gpuNode)}`;
}

/** `Applying: the agent works on 2 GPUs` */
function reasonOf({ partition }: GpuNode): string {
  const ready = partition?.status?.conditions?.find(({ type }) => type === 'Ready');
  if (!ready) return 'its agent has not reported yet';
  return ready.message === '' ? ready.reason : `${ready.reason}: ${ready.message}`;
}

/** Whether what hands out the GPUs of a node serves a pod that requests a resource like this. */
function judgeStack(
  gpuNode: GpuNode,
  resource: string,
  { asked }: ClaimRequests,
  { classes }: ClusterFacts,
): readonly Blocker[] | undefined {
  const offered = gpuNode.offers[resource] ?? 0;
  if (offered === 0) return undefined;
  if (!gpuNode.isDra) {
    if (!asked.has(resource)) return undefined;
    const message = `it has ${offered} ${resource}, which its device plugin hands out, and the pod asks by claim`;
    return [{ kind: 'NotOffered', message }];
  }
  if (classes === undefined || classes.some(({ spec }) => spec?.extendedResourceName === resource)) return undefined;
  const [what, cure] =
    resource === GPU_RESOURCE
      ? ['whole GPU', `ask for it by a claim of DeviceClass ${gpuDriver}, which the driver brings`]
      : ['such slice', 'gpu-partition export dra -f POLICY | kubectl apply -f - creates it'];
  const message = `its DRA driver hands out ${countWords(offered, what)}, and no DeviceClass has extendedResourceName: ${resource}; ${cure}`;
  return [{ kind: 'NotAdvertised', message }];
}

function judgeResource(gpuNode: GpuNode, resource: string, amount: number, facts: ClusterFacts): readonly Blocker[] {
  const offered = gpuNode.offers[resource] ?? 0;
  if (offered === 0) return [explainAbsence(gpuNode, resource)];
  if (amount > offered) {
    const message = `the pod requests ${amount} ${resource}, and the node has ${offered} in total`;
    return [{ kind: 'TooMany', message }];
  }
  const { used, holders } = gpuNode.useOf(resource);
  if (offered - used >= amount) {
    const tainted = listDevices(gpuNode, facts).filter(
      (one) => one.resource === resource && one.holder === undefined && one.taints.length > 0,
    );
    if (offered - used - tainted.length >= amount) return [];
    return [{ kind: 'Tainted', message: describeTainted(`${tainted.length} ${resource}`, tainted) }];
  }
  const names = holders.length > 5 ? [...holders.slice(0, 5), `${holders.length - 5} more`] : holders;
  const by = names.length === 0 ? '' : `, held by ${names.join(', ')}`;
  return [{ kind: 'Full', message: `${used} of ${offered} ${resource} are in use${by}` }];
}

function explainAbsence(gpuNode: GpuNode, resource: string): Blocker {
  const { partition } = gpuNode;
  const hasOtherName = (gpuNode.offers[otherNameOf(resource)] ?? 0) > 0;
  const there = hasOtherName ? 0 : slicesOf(gpuNode, resource);
  const isSingle = gpuNode.strategy === 'single';
  const lost = lostGpuFor(gpuNode, resource);
  const why = lost === undefined ? '' : `: GPU ${lost.index} does not answer (${lost.error ?? ''})`;
  if (there > 0 && !isSingle && partition?.status?.phase === 'Ready') {
    const message = gpuNode.isDra
      ? `it has ${there} of these slices, and its DRA driver publishes none: their GPU is lost, or they have no compute instance`
      : `it has ${there} of these slices, and its device plugin offers none${why || ': look at the plugin’s pod and its MIG strategy'}`;
    return { kind: 'NotAdvertised', message };
  }
  const wished = isSingle ? 0 : wishedSlices(gpuNode, resource);
  if (wished > 0 && partition?.status?.phase !== 'Ready') {
    return {
      kind: 'Changing',
      message: `it will have ${wished} of them; ${partition?.status?.phase ?? 'Pending'}, ${reasonOf(gpuNode)}`,
    };
  }
  return { kind: 'NotOffered', message: `it does not offer ${resource}${why}` };
}

/** CPU, memory, other devices and the like, which a GPU node may run out of first. */
function judgeOthers(pod: PodView, { node, pods = [] }: GpuNode, { classes = [] }: ClusterFacts): readonly Blocker[] {
  return listShortages(node, pod, pods).flatMap(({ resource, total, percentUsed }): readonly Blocker[] => {
    // A DeviceClass stands for it.
    if (classes.some(({ spec }) => spec?.extendedResourceName === resource)) return [];
    const message =
      total === undefined
        ? `it has no ${resource}`
        : `not enough ${resource}: ${total} in total, ${percentUsed} % requested by others`;
    return [{ kind: 'OtherResource', message }];
  });
}

/** `pool is training, and the pod wants inference` */
export function describeMismatch({ key, wanted, found }: ReturnType<typeof listMismatches>[number]): string {
  return `${key} is ${found === undefined ? 'absent' : found === '' ? 'empty' : found}, and the pod wants ${wanted}`;
}
