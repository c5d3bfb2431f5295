import type { KubeObject, Resource } from '../../../kube/resource.ts';

/** The parts of Nodes and Pods that a kubelet reads. */

export {
  configMaps as configMapsResource,
  nodes as nodesResource,
  pods as podsResource,
} from '../../../api/resources.ts';
export const leasesResource: Resource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
};

export interface KubeletNode extends KubeObject {
  readonly status?: {
    readonly capacity?: Readonly<Record<string, string>>;
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly conditions?: readonly Condition[];
  };
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly resources?: {
    readonly limits?: Readonly<Record<string, string | number>>;
    readonly claims?: readonly { readonly name: string; readonly request?: string }[];
  };
}

/** The devices of a container: KEP-4680 shows them in the pod's status. */
export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly running?: { readonly startedAt?: string };
    readonly waiting?: { readonly reason?: string; readonly message?: string };
  };
  readonly allocatedResourcesStatus?: readonly {
    readonly name: string;
    readonly resources?: readonly { readonly resourceID: string }[];
  }[];
}

export interface ConfigMapObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface PodObject extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly resourceClaims?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
    readonly volumes?: readonly { readonly name: string; readonly configMap?: { readonly name?: string } }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly startTime?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    /** The claims that were made from templates. */
    readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
    /** The claim that the scheduler has made for extended resources of DeviceClasses. */
    readonly extendedResourceClaimStatus?: {
      readonly resourceClaimName: string;
      readonly requestMappings: readonly {
        readonly containerName: string;
        readonly resourceName: string;
        readonly requestName: string;
      }[];
    };
  };
}
