import { basename, join } from 'node:path';

import { startComponent } from './component.ts';
import type { Component } from './component.ts';
import type { Guard } from './guard.ts';
import type { Identities } from './identities.ts';

/** All controllers except those that need a cloud or disks, or that only use memory here. */
const withoutControllers = [
  'cloud-node-lifecycle',
  'horizontal-pod-autoscaler',
  'node-ipam',
  'node-route',
  'persistentvolume-attach-detach',
  'persistentvolume-binder',
  'persistentvolume-expander',
  'service-lb',
  'ttl',
];
const controllers = ['*', ...withoutControllers.map((name) => `-${name}-controller`)];

/** With the defaults (20 and 50 requests a second) a fleet of 300 nodes waits a minute for its taints to be removed. */
const quick = ['--kube-api-qps=1000', '--kube-api-burst=2000'];

export function controllerManagerArguments(identities: Identities, caFile: string): readonly string[] {
  return [
    `--service-account-private-key-file=${identities.serviceAccountKey}`,
    `--root-ca-file=${caFile}`,
    `--controllers=${controllers.join(',')}`,
  ];
}

/** Starts a program that works on the API server's objects. @param kubeconfig file with an identity of its own */
export async function startController(
  program: string,
  kubeconfig: string,
  args: readonly string[],
  { folder, guard }: { readonly folder: string; readonly guard: Guard },
): Promise<Component> {
  const common = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0', ...quick];
  return startComponent(program, [...common, ...args], { log: join(folder, `${basename(program)}.log`), guard });
}
