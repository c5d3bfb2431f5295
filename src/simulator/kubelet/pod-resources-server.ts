import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http2';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { dirname } from 'node:path';

/** Encoded answers by gRPC path, made when they are asked for. */
export type Methods = Readonly<Record<string, () => Buffer>>;

/** gRPC status codes. */
const ok = '0';
const unimplemented = '12';

/** A gRPC server on a Unix socket for unary calls without arguments: a kubelet's `pod-resources/kubelet.sock`. */
export interface PodResourcesServer {
  close(): Promise<void>;
}

/** A socket file that is there already, of a kubelet that was killed, is replaced. */
export async function servePodResources(socket: string, methods: Methods): Promise<PodResourcesServer> {
  mkdirSync(dirname(socket), { recursive: true });
  rmSync(socket, { force: true });
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    // The request is always the empty message.
    stream.resume();
    stream.on('error', () => undefined);
    answer(stream, methods[String(headers[':path'])]);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  server.unref();
  return {
    close: () =>
      new Promise((resolve) => {
        for (const session of sessions) session.destroy();
        server.close(() => resolve());
      }),
  };
}

function answer(stream: ServerHttp2Stream, method: (() => Buffer) | undefined): void {
  const headers = { ':status': 200, 'content-type': 'application/grpc' };
  if (method === undefined) {
    stream.respond({ ...headers, 'grpc-status': unimplemented, 'grpc-message': 'unknown method' }, { endStream: true });
    return;
  }
  const message = method();
  // One byte for "not compressed", four for the length.
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  stream.respond(headers, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': ok }));
  stream.end(Buffer.concat([prefix, message]));
}
