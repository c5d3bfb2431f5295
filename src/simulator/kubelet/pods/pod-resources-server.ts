import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

import { Server } from '@grpc/grpc-js';
import type { handleUnaryCall } from '@grpc/grpc-js';

import { asItIs, bindSocket } from '../../../kubelet/device-plugin/unix-socket.ts';

/** Encoded responses by gRPC path, computed on request. */
export type Methods = Readonly<Record<string, () => Buffer>>;

/** A gRPC server on a Unix socket for unary calls without arguments: a kubelet's `pod-resources/kubelet.sock`. */
export interface PodResourcesServer {
  close(): Promise<void>;
}

/** Replaces an existing socket file of a kubelet that was killed. */
export async function servePodResources(socket: string, methods: Methods): Promise<PodResourcesServer> {
  mkdirSync(dirname(socket), { recursive: true });
  const server = new Server({ 'grpc.enable_channelz': 0 });
  for (const [path, answer] of Object.entries(methods)) {
    const handle: handleUnaryCall<Buffer, Buffer> = (_call, callback) => callback(null, answer());
    server.register(path, handle, asItIs, asItIs, 'unary');
  }
  await bindSocket(server, socket);
  return {
    close: () =>
      new Promise((resolve) => {
        server.tryShutdown(() => resolve());
        // A kubelet that exits does not wait for its callers.
        server.forceShutdown();
      }),
  };
}
