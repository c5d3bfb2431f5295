import protobuf from 'protobufjs/light.js';

import { codecOf } from './message-codec.ts';
import type { MessageCodec } from './message-codec.ts';

/** gRPC paths of the kubelet's `v1.PodResourcesLister` (k8s.io/kubelet `pkg/apis/podresources/v1/api.proto`). */
export const podResourcesPaths = {
  List: '/v1.PodResourcesLister/List',
  GetAllocatableResources: '/v1.PodResourcesLister/GetAllocatableResources',
} as const;

export type PodResourcesMethod = keyof typeof podResourcesPaths;

/** Usually there is one entry per device id, so the same resource name repeats. */
export interface ContainerDevices {
  readonly resourceName: string;
  readonly deviceIds: readonly string[];
}

/** Devices that a container has through one claim (DRA). */
export interface DynamicResource {
  readonly claimName: string;
  readonly claimNamespace: string;
  readonly claimResources: readonly {
    readonly cdiDevices: readonly { readonly name: string }[];
    /** Older kubelets leave it and the device's name empty. */
    readonly driverName: string;
    readonly deviceName: string;
  }[];
}

export interface ContainerResources {
  readonly name: string;
  readonly devices: readonly ContainerDevices[];
  /** Absent means none. */
  readonly dynamicResources?: readonly DynamicResource[];
}

export interface ListPodResourcesResponse {
  readonly podResources: readonly {
    readonly name: string;
    readonly namespace: string;
    readonly containers: readonly ContainerResources[];
  }[];
}

export interface AllocatableResourcesResponse {
  readonly devices: readonly ContainerDevices[];
}

/** The part of api.proto about devices; CPUs, memory and topology are left out. */
const definition = protobuf.Root.fromJSON({
  nested: {
    v1: {
      nested: {
        ListPodResourcesResponse: { fields: { podResources: { rule: 'repeated', type: 'PodResources', id: 1 } } },
        PodResources: {
          fields: {
            name: { type: 'string', id: 1 },
            namespace: { type: 'string', id: 2 },
            containers: { rule: 'repeated', type: 'ContainerResources', id: 3 },
          },
        },
        ContainerResources: {
          fields: {
            name: { type: 'string', id: 1 },
            devices: { rule: 'repeated', type: 'ContainerDevices', id: 2 },
            dynamicResources: { rule: 'repeated', type: 'DynamicResource', id: 5 },
          },
        },
        DynamicResource: {
          fields: {
            claimName: { type: 'string', id: 2 },
            claimNamespace: { type: 'string', id: 3 },
            claimResources: { rule: 'repeated', type: 'ClaimResource', id: 4 },
          },
        },
        ClaimResource: {
          fields: {
            cdiDevices: { rule: 'repeated', type: 'CDIDevice', id: 1 },
            driverName: { type: 'string', id: 2 },
            deviceName: { type: 'string', id: 4 },
          },
        },
        CDIDevice: { fields: { name: { type: 'string', id: 1 } } },
        ContainerDevices: {
          fields: { resourceName: { type: 'string', id: 1 }, deviceIds: { rule: 'repeated', type: 'string', id: 2 } },
        },
        AllocatableResourcesResponse: { fields: { devices: { rule: 'repeated', type: 'ContainerDevices', id: 1 } } },
      },
    },
  },
});

export const listResponse: MessageCodec<ListPodResourcesResponse> = codecOf(definition, 'v1.ListPodResourcesResponse');
export const allocatableResponse: MessageCodec<AllocatableResourcesResponse> = codecOf(
  definition,
  'v1.AllocatableResourcesResponse',
);
