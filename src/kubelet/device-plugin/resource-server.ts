import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { Client, Metadata, Server, credentials } from '@grpc/grpc-js';
import type { handleServerStreamingCall, handleUnaryCall, ServerWritableStream } from '@grpc/grpc-js';

import {
  allocateRequest,
  allocateResponse,
  listAndWatchResponse,
  pluginPaths,
  registerRequest,
} from './plugin-messages.ts';
import { asItIs, bindSocket } from './unix-socket.ts';

const registerTimeoutMs = 5_000;

/** What a plugin advertises under one name: `nvidia.com/mig-1g.5gb`, and the UUIDs. */
export interface OfferedResource {
  readonly name: string;
  readonly deviceIds: readonly string[];
}

/** Advertises the devices of one resource to the kubelet until closed; the kubelet then advertises none of them. */
export interface ResourceServer {
  /** Those of these devices that are its own are unhealthy until the plugin starts again. */
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
