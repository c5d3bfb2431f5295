/** The parts of a Pod that are read here, in the API's own shape. */
export interface PodView {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly OwnerView[];
  };
  readonly spec?: {
    readonly nodeName?: string;
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly TolerationView[];
    readonly priority?: number;
    readonly terminationGracePeriodSeconds?: number;
    readonly containers?: readonly ContainerView[];
    readonly initContainers?: readonly ContainerView[];
    readonly ephemeralContainers?: readonly ContainerView[];
    readonly volumes?: readonly VolumeView[];
    readonly resourceClaims?: readonly { readonly name?: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly PodConditionView[];
    readonly initContainerStatuses?: readonly ContainerStatusView[];
    readonly containerStatuses?: readonly ContainerStatusView[];
    /** The claim that the scheduler created for resources of a device class (KEP-5004). */
    readonly extendedResourceClaimStatus?: { readonly resourceClaimName?: string };
  };
}

export interface OwnerView {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name?: string;
  readonly uid?: string;
  readonly controller?: boolean;
}

interface TolerationView {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface ContainerView {
  readonly name?: string;
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
