import type { ObjectMeta } from '../metadata/object-meta.ts';

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
