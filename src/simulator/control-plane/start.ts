import { randomUUID } from 'node:crypto';
import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { caFileOf, startApiServer } from './api-server.ts';
import { auditFileOf, readAuditLog } from './audit.ts';
import { waitUntilReady } from './component.ts';
import type { Component } from './component.ts';
import type { ControlPlane, ControlPlaneOptions } from './control-plane.ts';
import { controllerManagerArguments, startController } from './controllers.ts';
import { makeDataFolder } from './data-folder.ts';
import { ControlPlaneError } from './errors.ts';
import { etcdDataIn, startEtcd } from './etcd.ts';
import type { Etcd } from './etcd.ts';
import { startGuard } from './guard.ts';
import type { Guard } from './guard.ts';
import { createIdentities, type Identity, writeSecret } from './identities.ts';
import { formatKubeconfig } from './kubeconfig.ts';
import { findFreePorts } from './ports.ts';
import { createApiClient } from './request.ts';
import { runProgram } from './run.ts';
import { requestToken } from './service-account-token.ts';

const startAttempts = 3;

/**
 * Starts etcd, the API server and, if available, the controller manager and the scheduler. Ready means: the API
 * server reports it, and (with a controller manager) the default ServiceAccount exists, so that pods can be created.
 *
 * @throws ControlPlaneError `StartFailed` with the end of the log of the program that failed; nothing is left behind.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  for (let attempt = 1; ; attempt += 1) {
    const folder = await makeDataFolder();
    const guard = startGuard(folder);
    try {
      return await startIn(folder, guard, options);
    } catch (error) {
      guard.release();
      // Between our check of a port and the program's own bind somebody else may have taken it.
      const isPortTaken = error instanceof ControlPlaneError && /address already in use/.test(error.message);
      if (!isPortTaken || attempt === startAttempts) throw error;
    }
  }
}

async function startIn(folder: string, guard: Guard, options: ControlPlaneOptions): Promise<ControlPlane> {
  const { binaries, emulatedVersion } = options;
  const emulated = emulatedVersion === undefined ? [] : [`--emulated-version=${emulatedVersion}`];
  const [port = 0, etcdPort = 0, peerPort = 0] = await findFreePorts(3);
  const identities = await createIdentities(folder);
  const startStore = async (): Promise<Etcd> =>
    startEtcd(binaries.etcd, { folder, guard, ports: [etcdPort, peerPort] });
  let etcd = await startStore();
  const server = `https://127.0.0.1:${port}`;
  const auditFile = options.auditLog === true ? auditFileOf(folder) : undefined;
  const controllerManager = options.controllerManager === false ? undefined : binaries.kubeControllerManager;
  const scheduler = options.scheduler === false ? undefined : binaries.kubeScheduler;
  const startApi = async (): Promise<Component> =>
    startApiServer({
      program: binaries.kubeApiserver,
      folder,
      guard,
      port,
      identities,
      etcdUrl: etcd.url,
      ...(auditFile !== undefined && { auditFile }),
      demandServiceAccounts: controllerManager !== undefined,
      extraArguments: [...emulated, ...(options.apiServerArguments ?? [])],
    });
  let apiServer = await startApi();

  const caFile = caFileOf(folder);
  const ca = await readFile(caFile, 'utf8');
  const client = createApiClient(server, ca, identities.tokens.admin);
  const kubeconfigFile: ControlPlane['kubeconfigFile'] = async (about = {}) => {
    const file = join(folder, `kubeconfig-${randomUUID()}`);
    await writeSecret(file, formatKubeconfig({ server, ca, token: identities.tokens.admin, ...about }));
    return file;
  };
  const startAs = async (identity: Identity, program: string, args: readonly string[] = []): Promise<Component> => {
    const kubeconfig = await kubeconfigFile({ token: identities.tokens[identity] });
    return startController(program, kubeconfig, [...args, ...emulated], { folder, guard });
  };
  const others = await Promise.all([
    controllerManager &&
      startAs('controllerManager', controllerManager, [
        ...controllerManagerArguments(identities, caFile),
        ...(options.controllerManagerArguments ?? []),
      ]),
    scheduler && startAs('scheduler', scheduler),
  ]);
  const controllers = others.filter((component) => typeof component === 'object');
  const [manager] = controllers;
  if (controllerManager !== undefined && manager !== undefined) {
    const path = '/api/v1/namespaces/default/serviceaccounts/default';
    await waitUntilReady(manager, async () => (await client.send({ path })).status === 200);
  }

  /** Works on the data while no program has it open. */
  const whileStopped = async (work: () => Promise<void>): Promise<void> => {
    await apiServer.kill();
    await etcd.component.kill();
    await work();
    etcd = await startStore();
    apiServer = await startApi();
  };

  const adminKubeconfig = await kubeconfigFile();
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await client.close();
    // The API server first and at once: on a graceful stop it waits for an etcd that is gone.
    for (const component of [apiServer, ...controllers, etcd.component]) await component.kill();
    guard.release();
  };
  return {
    server,
    // Its port stays over a restore.
    etcdUrl: etcd.url,
    caFile,
    ca,
    folder,
    binaries,
    client,
    kubeconfigFile,
    stop,
    adminToken: identities.tokens.admin,
    kubeletToken: identities.tokens.kubelet,
    pids: () => {
      const running = [etcd.component, apiServer, ...controllers].filter(
        (component) => component.ended() === undefined,
      );
      return Object.fromEntries(running.map(({ name, pid }) => [name, pid]));
    },
    serviceAccountToken: async (namespace, name, about = {}) => requestToken(client, namespace, name, about),
    kubectl: async (args, { token, input } = {}) => {
      const file = token === undefined ? adminKubeconfig : await kubeconfigFile({ token });
      return runProgram(binaries.kubectl, [...args], {
        // A separate home, so that the user's kuberc and cache have no effect.
        env: { ...process.env, KUBECONFIG: file, HOME: folder, KUBERC: 'off' },
        ...(input !== undefined && { input }),
      });
    },
    auditedWrites: async () => {
      if (auditFile === undefined)
        throw new ControlPlaneError('StartFailed', 'This control plane was started without auditLog.');
      return readAuditLog(auditFile);
    },
    killApiServer: async () => apiServer.kill(),
    startApiServer: async () => {
      if (apiServer.ended() === undefined) return;
      apiServer = await startApi();
    },
    backUp: async () => {
      const backup = join(folder, `backup-${randomUUID()}`);
      await whileStopped(() => cp(etcdDataIn(folder), backup, { recursive: true }));
      return backup;
    },
    restore: async (backup) => {
      await whileStopped(async () => {
        await rm(etcdDataIn(folder), { recursive: true });
        await cp(backup, etcdDataIn(folder), { recursive: true });
      });
    },
    [Symbol.asyncDispose]: stop,
  };
}
