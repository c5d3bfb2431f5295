import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which kernels pick source ports (32768 and up on Linux). A client that keeps calling a port in
 * that range while its server is down will eventually get the same source port, and connect to itself.
 */
const lowest = 20_000;
const highest = 32_000;

/** Distinct ports of the loopback interface that nobody listens on. Somebody else can still take one: retry. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
