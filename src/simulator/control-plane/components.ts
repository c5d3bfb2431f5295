import { readFile, writeFile, mkdtemp } from 'node:fs/promises';
import { join, basename } from 'node:path';
import { pick, pickText, type Identities, createApiClient } from './access.ts';
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, accessSync, constants, statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ControlPlaneError, type Guard, Waiting } from './run.ts';
import { request } from 'undici';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';

/** Every write, once, on completion; reads are omitted. */
const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
  rules: [{ level: 'None', verbs: ['get', 'list', 'watch'] }, { level: 'Metadata' }],
} as const;

/** A write that the API server answered. */
export interface AuditedWrite {
  /** `system:serviceaccount:gpu-partition-system:controller`; under impersonation, the impersonated user. */
  readonly user: string;
  /** `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verb: string;
  /** Resource with its group, if any: `pods`, `gpunodepartitions.gpupartition.dev`. */
  readonly resource: string;
  /** `status`, `eviction`, …; empty for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Status code of the response. */
  readonly code: number;
  /** Time of the request, RFC 3339 with microseconds. */
  readonly time: string;
  readonly userAgent: string;
}

export function auditFileOf(folder: string): string {
  return join(folder, 'audit.log');
}

/** Reads the audit log, except for a line that is still being written. @param from the byte to begin with, the first of a line */
export async function readAuditLog(file: string, from = 0): Promise<readonly AuditedWrite[]> {
  const text = await readFile(file).then(
    (bytes) => bytes.toString('utf8', from),
    () => '',
  );
  return text.split('\n').slice(0, -1).map(parseAuditLine);
}

export function parseAuditLine(line: string): AuditedWrite {
  const event: unknown = JSON.parse(line);
  const object = (name: string): string => pickText(event, 'objectRef', name) ?? '';
  const code = pick(event, 'responseStatus', 'code');
  const group = object('apiGroup');
  return {
    user: pickText(event, 'impersonatedUser', 'username') ?? pickText(event, 'user', 'username') ?? '',
    verb: pickText(event, 'verb') ?? '',
    resource: group === '' ? object('resource') : `${object('resource')}.${group}`,
    subresource: object('subresource'),
    namespace: object('namespace'),
    name: object('name'),
    code: typeof code === 'number' ? code : 0,
    time: pickText(event, 'requestReceivedTimestamp') ?? '',
    userAgent: pickText(event, 'userAgent') ?? '',
  };
}

/** A running program of the control plane. */
export interface Component {
  readonly name: string;
  readonly pid: number;
  /** How it exited, for example `exit status 1`; undefined while it runs. */
  ended(): string | undefined;
  /** The end of its output. */
  logTail(): string;
  /** Kills it with SIGKILL and waits for its exit. */
  kill(): Promise<void>;
}

/** Go's garbage collector took a third of the API server's time; it collects less often as long as the memory is small. */
const memoryForTime = { GOGC: '300', GOMEMLIMIT: '3GiB' };

/**
 * Starts a program that the guard kills when we exit. It gets no signals from our terminal, so that Ctrl-C does not
 * kill the API server before a test has cleaned up.
 *
 * @throws ControlPlaneError `StartFailed` if it cannot be executed.
 */
export async function startComponent(
  program: string,
  args: readonly string[],
  { log, guard }: { readonly log: string; readonly guard: Guard },
): Promise<Component> {
  const name = basename(program);
  const output = openSync(log, 'a', 0o600);
  const env = { ...process.env, ...memoryForTime };
  const child = spawn(program, args, { stdio: ['ignore', output, output], detached: true, env });
  closeSync(output);
  const { pid } = await new Promise<{ pid: number }>((resolve, reject) => {
    child.once('error', (cause) => {
      reject(new ControlPlaneError('StartFailed', `${program} cannot be started: ${cause.message}`, { cause }));
    });
    child.once('spawn', () => resolve({ pid: child.pid ?? 0 }));
  });
  guard.watch(pid);
  child.unref();
  const exit = new Promise<void>((resolve) => {
    child.once('exit', () => {
      guard.forget(pid);
      resolve();
    });
  });
  const ended = (): string | undefined => {
    if (child.signalCode !== null) return child.signalCode;
    return child.exitCode === null ? undefined : `exit status ${child.exitCode}`;
  };
  return {
    name,
    pid,
    ended,
    logTail: () => readFileSync(log, 'utf8').slice(-2000).trim(),
    kill: async () => {
      if (ended() !== undefined) return;
      // An unref'd child does not keep us alive until its exit is seen; while we wait for it, it must.
      child.ref();
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/**
 * Waits until `isReady` returns true; a rejection counts as false.
 *
 * @param allowanceMs on a machine that does nothing else
 * @throws ControlPlaneError `StartFailed` with the end of its log, if the component exits or takes too long.
 */
export async function waitUntilReady(
  component: Component,
  isReady: () => Promise<boolean>,
  allowanceMs = 60_000,
): Promise<void> {
  const waiting = new Waiting(allowanceMs);
  while (!(await isReady().catch(() => false))) {
    const ended = component.ended();
    if (ended !== undefined || waiting.isOver()) {
      const what = ended === undefined ? 'does not become ready' : `ended with ${ended}`;
      throw new ControlPlaneError(
        'StartFailed',
        `${component.name} ${what}; the end of its log:\n${component.logTail()}`,
      );
    }
    await sleep(20);
  }
}

interface ApiServerOptions {
  readonly program: string;
  readonly folder: string;
  readonly guard: Guard;
  readonly etcdUrl: string;
  readonly port: number;
  readonly identities: Identities;
  /** File of the audit log; none is written if absent. */
  readonly auditFile?: string;
  /** Whether admission requires a ServiceAccount for every pod: without a controller manager nothing creates them. */
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

/** Controllers that need a cloud or disks, or that only use memory here: all others run. */
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

/**
 * Limits of requests to the API server: with the defaults (20 and 50 a second) a fleet of 300 nodes waits a minute for its taints to be
 * removed.
 */
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

/** etcd alone preallocates 64 MB for its log, which is all that /dev/shm has in a container. */
const neededBytes = 1 << 30;

/** Creates a folder that only we can read: in memory if there is enough, since disks of test machines are slow. */
export async function makeDataFolder(memory = '/dev/shm', needed: number = neededBytes): Promise<string> {
  return mkdtemp(join(hasRoom(memory, needed) ? memory : tmpdir(), 'control-plane-'));
}

function hasRoom(folder: string, needed: number): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= needed;
  } catch {
    return false;
  }
}
