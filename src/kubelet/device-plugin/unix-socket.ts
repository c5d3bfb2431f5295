import { rmSync } from 'node:fs';

import { ServerCredentials } from '@grpc/grpc-js';
import type { Server } from '@grpc/grpc-js';

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
