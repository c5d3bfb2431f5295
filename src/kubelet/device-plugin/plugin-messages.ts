import protobuf from 'protobufjs/light.js';

import { codecOf } from '../message-codec.ts';
import type { MessageCodec } from '../message-codec.ts';

/** gRPC paths of the kubelet's device plugin API (k8s.io/kubelet `pkg/apis/deviceplugin/v1beta1/api.proto`). */
export const pluginPaths = {
  Register: '/v1beta1.Registration/Register',
  GetDevicePluginOptions: '/v1beta1.DevicePlugin/GetDevicePluginOptions',
  ListAndWatch: '/v1beta1.DevicePlugin/ListAndWatch',
  Allocate: '/v1beta1.DevicePlugin/Allocate',
} as const;

interface RegisterRequest {
  readonly version: 'v1beta1';
  /** Name of the plugin's socket in the kubelet's folder. */
  readonly endpoint: string;
  readonly resourceName: string;
}

interface ListAndWatchResponse {
  readonly devices: readonly { readonly ID: string; readonly health: 'Healthy' | 'Unhealthy' }[];
}

interface AllocateRequest {
  readonly containerRequests: readonly { readonly devicesIds: readonly string[] }[];
}

interface AllocateResponse {
  readonly containerResponses: readonly { readonly envs: Readonly<Record<string, string>> }[];
}

/** A map, which protobufjs's message type lacks. */
const envs: protobuf.IMapField = { keyType: 'string', type: 'string', id: 1 };

/** The part that this plugin needs: no topology, preferred allocation or mounts. */
const definition = protobuf.Root.fromJSON({
  nested: {
    v1beta1: {
      nested: {
        RegisterRequest: {
          fields: {
            version: { type: 'string', id: 1 },
            endpoint: { type: 'string', id: 2 },
            resourceName: { type: 'string', id: 3 },
          },
        },
        Device: { fields: { ID: { type: 'string', id: 1 }, health: { type: 'string', id: 2 } } },
        ListAndWatchResponse: { fields: { devices: { rule: 'repeated', type: 'Device', id: 1 } } },
        ContainerAllocateRequest: { fields: { devicesIds: { rule: 'repeated', type: 'string', id: 1 } } },
        AllocateRequest: {
          fields: { containerRequests: { rule: 'repeated', type: 'ContainerAllocateRequest', id: 1 } },
        },
        ContainerAllocateResponse: { fields: { envs } },
        AllocateResponse: {
          fields: { containerResponses: { rule: 'repeated', type: 'ContainerAllocateResponse', id: 1 } },
        },
      },
    },
  },
});

export const registerRequest: MessageCodec<RegisterRequest> = codecOf(definition, 'v1beta1.RegisterRequest');
export const listAndWatchResponse: MessageCodec<ListAndWatchResponse> = codecOf(
  definition,
  'v1beta1.ListAndWatchResponse',
);
export const allocateRequest: MessageCodec<AllocateRequest> = codecOf(definition, 'v1beta1.AllocateRequest');
export const allocateResponse: MessageCodec<AllocateResponse> = codecOf(definition, 'v1beta1.AllocateResponse');
