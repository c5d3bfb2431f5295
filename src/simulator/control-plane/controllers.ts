import { join } from 'node:path';

import { startComponent } from './component.ts';
import type { Component } from './component.ts';
import type { Guard } from './guard.ts';
import type { Identities } from './identities.ts';

export interface ControllerOptions {
  readonly program: string;
  readonly folder: string;
  readonly guard: Guard;
  /** Kubeconfig file with the component's own identity. */
  readonly kubeconfig: string;
  readonly extraArguments: readonly string[];
}

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

export async function startControllerManager(
  options: ControllerOptions & {
    readonly identities: Identities;
    readonly caFile: string;
  },
): Promise<Component> {
  const args = [
    `--kubeconfig=${options.kubeconfig}`,
    `--service-account-private-key-file=${options.identities.serviceAccountKey}`,
    `--root-ca-file=${options.caFile}`,
    `--controllers=${controllers.join(',')}`,
    '--leader-elect=false',
    '--secure-port=0',
    ...quick,
    ...options.extraArguments,
  ];
  return startComponent(options.program, args, {
    log: join(options.folder, 'kube-controller-manager.log'),
    guard: options.guard,
  });
}

export async function startScheduler(options: ControllerOptions): Promise<Component> {
  const { kubeconfig, extraArguments } = options;
  const args = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0', ...quick, ...extraArguments];
  return startComponent(options.program, args, {
    log: join(options.folder, 'kube-scheduler.log'),
    guard: options.guard,
  });
}
