import { join } from 'node:path';
import { request } from 'undici';

import { startComponent, waitUntilReady } from './component.ts';
import type { Component } from './component.ts';
import type { Guard } from './guard.ts';

export interface Etcd {
  readonly component: Component;
  /** Address for clients. */
  readonly url: string;
}

export function etcdDataIn(folder: string): string {
  return join(folder, 'etcd');
}

/**
 * Starts an etcd without durability: no fsync, and election times that let its single member lead after 0.25 s, not 1 s; a shorter heartbeat costs twice the time at rest.
 *
 * @throws ControlPlaneError `StartFailed`
 */
export async function startEtcd(
  program: string,
  options: { readonly folder: string; readonly guard: Guard; readonly ports: readonly [number, number] },
): Promise<Etcd> {
  const [url, peer] = options.ports.map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const args = [
    `--data-dir=${etcdDataIn(options.folder)}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
    '--heartbeat-interval=50',
    '--election-timeout=250',
    '--log-level=warn',
  ];
  const component = await startComponent(program, args, {
    log: join(options.folder, 'etcd.log'),
    guard: options.guard,
  });
  await waitUntilReady(component, async () => {
    const answer = await request(`${url}/health`);
    await answer.body.dump();
    return answer.statusCode === 200;
  });
  return { component, url };
}
