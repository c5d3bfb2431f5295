import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { auditPolicy } from './audit.ts';
import { startComponent, waitUntilReady } from './component.ts';
import type { Component } from './component.ts';
import type { Guard } from './guard.ts';
import type { Identities } from './identities.ts';
import { createApiClient } from './request.ts';

export interface ApiServerOptions {
  readonly program: string;
  readonly folder: string;
  readonly guard: Guard;
  readonly etcdUrl: string;
  readonly port: number;
  readonly identities: Identities;
  /** No audit log if absent. */
  readonly auditFile?: string;
  /** Without a controller manager nothing creates the ServiceAccounts that this admission plugin requires for every pod. */
  readonly demandServiceAccounts: boolean;
  readonly extraArguments: readonly string[];
}

/** Certificate that the server creates for 127.0.0.1 at its first start, followed by its CA; kept over restarts. */
export function caFileOf(folder: string): string {
  return join(folder, 'certificates', 'apiserver.crt');
}

/** @internal The tests' proxy serves with the same certificate. */
export function keyFileOf(folder: string): string {
  return join(folder, 'certificates', 'apiserver.key');
}

/** @throws ControlPlaneError `StartFailed` */
export async function startApiServer(options: ApiServerOptions): Promise<Component> {
  const { folder, guard, identities, port } = options;
  const args = [
    `--etcd-servers=${options.etcdUrl}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, 'certificates')}`,
    `--token-auth-file=${identities.tokenFile}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    ...(options.demandServiceAccounts ? [] : ['--disable-admission-plugins=ServiceAccount']),
    '--service-cluster-ip-range=10.0.0.0/24',
    '--allow-privileged=true',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${identities.serviceAccountPublicKey}`,
    `--service-account-signing-key-file=${identities.serviceAccountKey}`,
    '--profiling=false',
    ...(await auditArguments(folder, options.auditFile)),
    ...options.extraArguments,
  ];
  const component = await startComponent(options.program, args, { log: join(folder, 'kube-apiserver.log'), guard });
  await waitUntilReady(component, async () => isReady(folder, port, identities.tokens.admin));
  return component;
}

async function isReady(folder: string, port: number, token: string): Promise<boolean> {
  const client = createApiClient(`https://127.0.0.1:${port}`, await readFile(caFileOf(folder), 'utf8'), token);
  try {
    return (await client.send({ path: '/readyz' })).status === 200;
  } finally {
    await client.close();
  }
}

async function auditArguments(folder: string, auditFile: string | undefined): Promise<readonly string[]> {
  if (auditFile === undefined) return [];
  const policyFile = join(folder, 'audit-policy.json');
  await writeFile(policyFile, JSON.stringify(auditPolicy));
  // Rotation would lose the first half of a long test.
  return [`--audit-policy-file=${policyFile}`, `--audit-log-path=${auditFile}`, '--audit-log-maxsize=0'];
}
