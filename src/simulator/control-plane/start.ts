import { randomUUID } from 'node:crypto';
import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  caFileOf,
  startApiServer,
  auditFileOf,
  readAuditLog,
  waitUntilReady,
  type Component,
  controllerManagerArguments,
  startController,
  makeDataFolder,
  etcdDataIn,
  startEtcd,
  type Etcd,
  findFreePorts,
  type AuditedWrite,
} from './components.ts';
import { ControlPlaneError, startGuard, type Guard, runProgram, type Finished } from './run.ts';
import {
  createIdentities,
  type Identity,
  writeSecret,
  formatKubeconfig,
  createApiClient,
  requestToken,
  type ApiClient,
  type TokenOptions,
} from './access.ts';
import type { Binaries } from './build.ts';

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

export interface ControlPlaneOptions {
  readonly binaries: Binaries;
  /** Record every write; see {@link ControlPlane.auditedWrites}. */
  readonly auditLog?: boolean;
  /** Start kube-controller-manager if available; default true. */
  readonly controllerManager?: boolean;
  /** Start kube-scheduler if available; default true. */
  readonly scheduler?: boolean;
  /** Kubernetes release whose APIs and features the programs offer instead of their own, such as `1.33`: at most three before it. */
  readonly emulatedVersion?: string;
  readonly apiServerArguments?: readonly string[];
  readonly controllerManagerArguments?: readonly string[];
}

/** Contents of a kubeconfig file. */
interface KubeconfigAbout {
  /** Default: the administrator's. */
  readonly token?: string;
  /** Address of a proxy with the API server's certificate; default: the API server itself. */
  readonly server?: string;
}

/** A private control plane on the loopback interface, gone without a trace when it is stopped or we exit. */
export interface ControlPlane extends AsyncDisposable {
  /** `https://127.0.0.1:PORT` */
  readonly server: string;
  /** etcd's address, for what the API server has stored. */
  readonly etcdUrl: string;
  readonly caFile: string;
  /** Certificate authority in PEM. */
  readonly ca: string;
  /** Token of an administrator. */
  readonly adminToken: string;
  /** Token of the simulated kubelets, user `simulated-kubelet`: the audit log distinguishes their writes. */
  readonly kubeletToken: string;
  /** Folder for keys, certificates, logs and data. */
  readonly folder: string;
  readonly binaries: Binaries;
  /** An administrator's client, without retries. */
  readonly client: ApiClient;
  /** Process ids of the running programs, by name. */
  pids(): Readonly<Record<string, number>>;
  /** Writes a kubeconfig file and returns its path. */
  kubeconfigFile(about?: KubeconfigAbout): Promise<string>;
  serviceAccountToken(namespace: string, name: string, options?: TokenOptions): Promise<string>;
  /** Runs kubectl, as the administrator if no token is given; the caller judges the exit status. */
  kubectl(args: readonly string[], options?: { readonly token?: string; readonly input?: string }): Promise<Finished>;
  /** Reads all writes so far, oldest first. @throws ControlPlaneError unless started with `auditLog`. */
  auditedWrites(): Promise<readonly AuditedWrite[]>;
  /** SIGKILL, as in a crash. */
  killApiServer(): Promise<void>;
  /** Restarts it with the same address, certificate and data. */
  startApiServer(): Promise<void>;
  /** Stops the API server and etcd for a moment to copy the data. @returns the copy, for {@link restore} */
  backUp(): Promise<string>;
  /** Restores all data, versions included, as an administrator does after a loss. */
  restore(backup: string): Promise<void>;
  stop(): Promise<void>;
}
