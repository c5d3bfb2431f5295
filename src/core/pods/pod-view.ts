import type { Taint } from '../metadata/node-change.ts';
import type { ObjectMeta } from '../metadata/object-meta.ts';
import { namespacedName } from '../text/namespaced-name.ts';

/** The parts of a Pod that are read here, in the API's own shape. */
export interface PodView {
  readonly metadata: ObjectMeta;
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
    readonly priority?: number;
    readonly preemptionPolicy?: string;
    /** Of its RuntimeClass. */
    readonly overhead?: Readonly<Record<string, string | number>>;
    /** Of the pod as a whole. */
    readonly resources?: ContainerView['resources'];
    readonly terminationGracePeriodSeconds?: number;
    readonly containers?: readonly ContainerView[];
    readonly initContainers?: readonly ContainerView[];
    readonly ephemeralContainers?: readonly ContainerView[];
    readonly volumes?: readonly VolumeView[];
    readonly resourceClaims?: readonly {
      readonly name?: string;
      readonly resourceClaimName?: string;
      readonly resourceClaimTemplateName?: string;
    }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly startTime?: string;
    readonly nominatedNodeName?: string;
    readonly conditions?: readonly PodConditionView[];
    readonly initContainerStatuses?: readonly ContainerStatusView[];
    readonly containerStatuses?: readonly ContainerStatusView[];
    /** The claims that were made of templates. */
    readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
    /** The claim that the scheduler created for resources of a device class (KEP-5004). */
    readonly extendedResourceClaimStatus?: { readonly resourceClaimName?: string };
  };
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

export interface ContainerView {
  readonly name?: string;
  readonly restartPolicy?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly resources?: {
    readonly limits?: Readonly<Record<string, string | number>>;
    readonly requests?: Readonly<Record<string, string | number>>;
  };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface VolumeView {
  readonly name: string;
  readonly configMap?: { readonly name?: string };
}

interface PodConditionView {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ContainerStatusView {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerStateView;
  readonly lastState?: ContainerStateView;
}

interface ContainerStateView {
  readonly running?: { readonly startedAt?: string };
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly terminated?: { readonly reason?: string; readonly message?: string; readonly exitCode: number };
}

/** Whether tolerations keep a taint from a pod, for the scheduler as for the DaemonSet controller (`Toleration.ToleratesTaint`). */
export function tolerates(tolerations: readonly Toleration[] = [], { key, value = '', effect }: Taint): boolean {
  return tolerations.some(
    (one) =>
      (one.effect === undefined || one.effect === '' || one.effect === effect) &&
      (one.key === undefined || one.key === '' ? one.operator === 'Exists' : one.key === key) &&
      (one.operator === 'Exists' || (one.value ?? '') === value),
  );
}

/** Whether all containers of the pod are present and ready, and it is not terminating. */
export function isReady({ metadata, status }: PodView): boolean {
  const condition = status?.conditions?.find(({ type }) => type === 'Ready');
  return metadata.deletionTimestamp === undefined && condition?.status === 'True';
}

/** No container of the pod runs or will run again. */
export function hasEnded({ status }: Pick<PodView, 'status'>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** So many characters of names leave room for the rest of a message; the API takes names of 317. */
const mostNameCharacters = 400;

/** `ns/a, ns/b and 3 more`: names are whole. */
export function namePods(pods: readonly Pick<PodView, 'metadata'>[], most = 5): string {
  const names = pods.map(podName).sort();
  let left = mostNameCharacters;
  const long = names.findIndex((name, at) => (left -= name.length) < 0 && at > 0);
  const named = names.slice(0, Math.min(most, long < 0 ? names.length : long));
  const rest = names.length - named.length;
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ');
}

/** `NAMESPACE/NAME`, as the agents' reports name pods. */
export function podName({ metadata }: Pick<PodView, 'metadata'>): string {
  return namespacedName(metadata);
}

/** What keeps a pod from going. */
export interface PodCause {
  readonly pod: Pick<PodView, 'metadata'>;
  readonly why: string;
}

/** Pods with what keeps them, those of one cause together: `team/a, team/b and 3 more: CAUSE`. */
export function listPodCauses(causes: readonly PodCause[]): readonly string[] {
  return [...Map.groupBy(causes, ({ why }) => why)].map(
    ([why, list]) => `${namePods(list.map(({ pod }) => pod))}: ${why}`,
  );
}
