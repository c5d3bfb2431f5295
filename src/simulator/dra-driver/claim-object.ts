import type { KubeObject } from '../../kube/resource.ts';

/** The part of a ResourceClaim that a kubelet and a driver read. */
export interface ClaimObject extends KubeObject {
  readonly status?: {
    readonly allocation?: {
      readonly devices?: {
        readonly results?: readonly {
          readonly request: string;
          readonly driver: string;
          readonly pool: string;
          readonly device: string;
        }[];
      };
    };
    readonly reservedFor?: readonly { readonly uid: string }[];
  };
}
