import protobuf from 'protobufjs/light.js';
import { codecOf, type MessageCodec } from './pod-resources.ts';
import { rmSync } from 'node:fs';
import {
  ServerCredentials,
  Server,
  Client,
  Metadata,
  credentials,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { join } from 'node:path';

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

/** Binds a gRPC server to a Unix socket, in place of what an earlier process left there. */
export async function bindSocket(server: Server, socket: string): Promise<void> {
  rmSync(socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

/** A message that is encoded and decoded elsewhere. */
export function asItIs(bytes: Buffer): Buffer {
  return bytes;
}

const registerTimeoutMs = 5_000;

/** What a plugin advertises under one name: `nvidia.com/mig-1g.5gb`, and the UUIDs. */
interface OfferedResource {
  readonly name: string;
  readonly deviceIds: readonly string[];
}

/** Advertises the devices of one resource to the kubelet until closed; the kubelet then advertises none of them. */
export interface ResourceServer {
  /** Marks its own devices among these as unhealthy until the plugin starts again. */
  markUnhealthy(deviceIds: readonly string[]): void;
  close(): void;
}

/**
 * Serves one resource on its own socket and registers it with the kubelet, as NVIDIA's plugin does.
 *
 * @param folder `/var/lib/kubelet/device-plugins`
 * @param endpoint the name of its socket there
 * @throws Error if the kubelet rejects the registration
 */
export async function serveResource(
  folder: string,
  { name, deviceIds }: OfferedResource,
  endpoint = `${name.replaceAll('/', '-')}.sock`,
): Promise<ResourceServer> {
  const socket = join(folder, endpoint);
  const server = new Server({ 'grpc.enable_channelz': 0 });
  const options: handleUnaryCall<Buffer, Buffer> = (_call, callback) => callback(null, Buffer.alloc(0));
  const sick = new Set<string>();
  const encodeDevices = (): Buffer =>
    listAndWatchResponse.encode({
      devices: deviceIds.map((ID) => ({ ID, health: sick.has(ID) ? 'Unhealthy' : 'Healthy' })),
    });
  const watches = new Set<ServerWritableStream<Buffer, Buffer>>();
  const watch: handleServerStreamingCall<Buffer, Buffer> = (call) => {
    // It stays open: its end tells the kubelet that the plugin is gone.
    watches.add(call);
    call.once('close', () => watches.delete(call));
    call.write(encodeDevices());
  };
  const allocate: handleUnaryCall<Buffer, Buffer> = ({ request }, callback) => {
    const { containerRequests } = allocateRequest.decode(request);
    const containerResponses = containerRequests.map(({ devicesIds }) => ({
      envs: { NVIDIA_VISIBLE_DEVICES: devicesIds.join(',') },
    }));
    callback(null, allocateResponse.encode({ containerResponses }));
  };
  server.register(pluginPaths.GetDevicePluginOptions, options, asItIs, asItIs, 'unary');
  server.register(pluginPaths.ListAndWatch, watch, asItIs, asItIs, 'serverStream');
  server.register(pluginPaths.Allocate, allocate, asItIs, asItIs, 'unary');
  await bindSocket(server, socket);
  const markUnhealthy = (ids: readonly string[]): void => {
    for (const id of ids) sick.add(id);
    for (const call of watches) call.write(encodeDevices());
  };
  const close = (): void => {
    // Without channelz grpc-js does not track sessions that it could end.
    for (const call of watches) call.end();
    server.forceShutdown();
    rmSync(socket, { force: true });
  };
  try {
    await register(join(folder, 'kubelet.sock'), endpoint, name);
  } catch (error) {
    close();
    throw error;
  }
  return { markUnhealthy, close };
}

async function register(kubelet: string, endpoint: string, resourceName: string): Promise<void> {
  const client = new Client(`unix:${kubelet}`, credentials.createInsecure(), { 'grpc.enable_channelz': 0 });
  try {
    await new Promise<void>((resolve, reject) => {
      client.makeUnaryRequest<Buffer, Buffer>(
        pluginPaths.Register,
        asItIs,
        asItIs,
        registerRequest.encode({ version: 'v1beta1', endpoint, resourceName }),
        new Metadata(),
        { deadline: Date.now() + registerTimeoutMs },
        (error) => {
          if (error === null) resolve();
          else reject(error);
        },
      );
    });
  } finally {
    client.close();
  }
}
