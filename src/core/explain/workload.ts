import type { Taint } from '../metadata/node-change.ts';
import { hasEnded } from '../pods/gpu-pods.ts';
import { wholeUnits } from '../pods/quantity.ts';

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
    readonly resourceClaims?: readonly unknown[];
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
  };
}

export function nameOf({ metadata }: Pick<WorkloadPod, 'metadata'>): string {
  return `${metadata.namespace ?? 'default'}/${metadata.name}`;
}

/** What a pod asks of a node, as the scheduler counts it: containers and sidecars together, or the largest init container. */
export function requestsOf({ spec }: WorkloadPod, isMeant: (resource: string) => boolean): ReadonlyMap<string, number> {
  const { containers = [], initContainers = [] } = spec ?? {};
  const isSidecar = ({ restartPolicy }: WorkloadContainer): boolean => restartPolicy === 'Always';
  const totals = new Map<string, number>();
  const names = [...containers, ...initContainers].flatMap((one) => Object.keys(amountsOf(one)));
  for (const name of new Set(names)) {
    if (!isMeant(name)) continue;
    const amount = (one: WorkloadContainer): number => wholeUnits(amountsOf(one)[name] ?? 0);
    const running = [...containers, ...initContainers.filter(isSidecar)].reduce((sum, one) => sum + amount(one), 0);
    const most = Math.max(running, ...initContainers.filter((one) => !isSidecar(one)).map(amount));
    if (most > 0) totals.set(name, most);
  }
  return totals;
}

/** Limits of extended resources are requests too. */
function amountsOf({ resources }: WorkloadContainer): Amounts {
  return { ...resources?.limits, ...resources?.requests };
}

/** Whether a pod lets itself be put on a node in spite of a taint. */
export function tolerates(tolerations: readonly Toleration[], { key, value = '', effect }: Taint): boolean {
  return tolerations.some(
    (one) =>
      (one.effect === undefined || one.effect === '' || one.effect === effect) &&
      (one.key === undefined || one.key === '' ? one.operator === 'Exists' : one.key === key) &&
      (one.operator === 'Exists' || (one.value ?? '') === value),
  );
}

/** Pods that keep what they hold on a node. */
export function holdsNode(pod: WorkloadPod): boolean {
  return pod.spec?.nodeName !== undefined && !hasEnded(pod);
}
