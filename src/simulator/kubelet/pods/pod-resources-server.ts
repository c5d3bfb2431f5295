import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

import { Server } from '@grpc/grpc-js';
import type { handleUnaryCall } from '@grpc/grpc-js';

import { asItIs, bindSocket } from '../../../kubelet/device-plugin/unix-socket.ts';

/**
 * A gRPC server on a Unix socket for unary calls without arguments: a kubelet's `pod-resources/kubelet.sock`. Replaces an existing socket
 * file of a kubelet that was killed.
 *
 * @param methods encoded responses by gRPC path, computed on request
 */
export async function servePodResources(socket: string, methods: Readonly<Record<string, () => Buffer>>) {
  mkdirSync(dirname(socket), { recursive: true });
  const server = new Server({ 'grpc.enable_channelz': 0 });
  for (const [path, answer] of Object.entries(methods)) {
    const handle: handleUnaryCall<Buffer, Buffer> = (_call, callback) => callback(null, answer());
    server.register(path, handle, asItIs, asItIs, 'unary');
  }
  await bindSocket(server, socket);
  return {
    close: () =>
      new Promise<void>((resolve) => {
        server.tryShutdown(() => resolve());
        // A kubelet that exits does not wait for its callers.
        server.forceShutdown();
      }),
  };
}
