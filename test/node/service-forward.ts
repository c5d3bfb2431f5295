import { connect, createServer } from 'node:net';

import { serviceAddress } from './node-config.ts';

/** Serves the API server's service address, as kube-proxy would have pods find it. */
export async function forwardService(server: string): Promise<Disposable> {
  const { port } = new URL(server);
  const listener = createServer((pod) => {
    const api = connect(Number(port), '127.0.0.1');
    for (const [from, to] of [
      [pod, api],
      [api, pod],
    ] as const) {
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(443, serviceAddress, resolve);
  });
  listener.unref();
  return { [Symbol.dispose]: () => void listener.close() };
}
