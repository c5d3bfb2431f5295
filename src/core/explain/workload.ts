import type { Taint } from '../metadata/node-change.ts';
import { hasEnded } from '../pods/gpu-pods.ts';
import { parseQuantity, roundUp } from '../text/quantity.ts';

type Amounts = Readonly<Record<string, string | number>>;

interface WorkloadContainer {
  readonly name?: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly limits?: Amounts; readonly requests?: Amounts };
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface SelectorTerm {
  readonly matchExpressions?: readonly SelectorRequirement[];
  readonly matchFields?: readonly SelectorRequirement[];
}

interface WaitingState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
}

/** The parts of a Pod that tell where it may run, in the API's own shape. */
export interface WorkloadPod {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: {
    readonly nodeName?: string;
    readonly schedulerName?: string;
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly affinity?: {
      readonly nodeAffinity?: {
        readonly requiredDuringSchedulingIgnoredDuringExecution?: {
          readonly nodeSelectorTerms: readonly SelectorTerm[];
        };
      };
    };
    readonly tolerations?: readonly Toleration[];
    readonly schedulingGates?: readonly { readonly name: string }[];
    readonly resourceClaims?: readonly {
      readonly name?: string;
      readonly resourceClaimName?: string;
      readonly resourceClaimTemplateName?: string;
    }[];
    readonly containers?: readonly WorkloadContainer[];
    readonly initContainers?: readonly WorkloadContainer[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly nominatedNodeName?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly containerStatuses?: readonly { readonly name: string; readonly state?: WaitingState }[];
    /** The claims that were made of templates. */
    readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
    /** The claim that the scheduler made for resources of DeviceClasses (KEP-5004). */
    readonly extendedResourceClaimStatus?: { readonly resourceClaimName?: string };
  };
}

/**
 * What a pod requests of one resource of a node, in billionths, as the scheduler counts it: its containers and sidecars together, or
 * an init container with the sidecars that run before it, whichever is more.
 */
export function requestOf({ spec }: WorkloadPod, resource: string): bigint {
  const { containers = [], initContainers = [] } = spec ?? {};
  const amountOf = (one: WorkloadContainer): bigint => parseQuantity(amountsOf(one)[resource] ?? 0) ?? 0n;
  let sidecars = 0n;
  let starting = 0n;
  for (const one of initContainers) {
    const together = sidecars + amountOf(one);
    if (one.restartPolicy === 'Always') sidecars = together;
    if (together > starting) starting = together;
  }
  const running = containers.reduce((sum, one) => sum + amountOf(one), sidecars);
  return running > starting ? running : starting;
}

/** The countable resources that a pod requests, and how many. */
export function requestsOf(pod: WorkloadPod, isMeant: (resource: string) => boolean): ReadonlyMap<string, number> {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const names = new Set([...containers, ...initContainers].flatMap((one) => Object.keys(amountsOf(one))));
  const asked = [...names].filter(isMeant).map((name) => [name, roundUp(requestOf(pod, name))] as const);
  return new Map(asked.filter(([, amount]) => amount > 0));
}

/** Limits of extended resources are requests too. */
function amountsOf({ resources }: WorkloadContainer): Amounts {
  return { ...resources?.limits, ...resources?.requests };
}

/** Whether a pod tolerates a node's taint. */
export function tolerates(tolerations: readonly Toleration[], { key, value = '', effect }: Taint): boolean {
  return tolerations.some(
    (one) =>
      (one.effect === undefined || one.effect === '' || one.effect === effect) &&
      (one.key === undefined || one.key === '' ? one.operator === 'Exists' : one.key === key) &&
      (one.operator === 'Exists' || (one.value ?? '') === value),
  );
}

/** Whether a pod keeps what it holds on a node. */
export function holdsNode(pod: WorkloadPod): boolean {
  return pod.spec?.nodeName !== undefined && !hasEnded(pod);
}

/** Whether it has no node yet, and still wants one. */
export function isUnbound(pod: WorkloadPod): boolean {
  return pod.spec?.nodeName === undefined && pod.metadata.deletionTimestamp === undefined && !hasEnded(pod);
}
