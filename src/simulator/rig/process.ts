import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Guard } from '../control-plane/run.ts';
import type { PodProgram, KubeletTiming } from '../kubelet/pods.ts';
import { join } from 'node:path';
import type { TokenOptions } from '../control-plane/access.ts';
import type { NodeFiles } from './install.ts';
import type { ControlPlane } from '../control-plane/start.ts';
import type { RigNode } from './rig.ts';

/** Settings of glibc as config/ has them: otherwise it keeps an arena per thread, 10 to 15 MB that nobody uses. */
const memorySettings = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };

/** A program of ours, running as in a cluster: its own token, its own log. */
export class RigProcess implements PodProgram {
  readonly name: string;
  readonly logFile: string;
  readonly #argv: readonly string[];
  readonly #guard: Guard;
  readonly #onChange: () => void;
  #child: ChildProcess | undefined;
  #ends = 0;
  #crashes = 0;
  #crashedAtMs: number | undefined;
  #isToldToEnd = false;

  /** @param onChange called after it has started or exited */
  constructor(
    name: string,
    argv: readonly string[],
    logFile: string,
    guard: Guard,
    onChange: () => void = () => undefined,
  ) {
    this.name = name;
    this.logFile = logFile;
    this.#argv = argv;
    this.#guard = guard;
    this.#onChange = onChange;
  }

  get pid(): number | undefined {
    return this.#child?.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined;
  }

  get isRunning(): boolean {
    return this.pid !== undefined;
  }

  get ends(): number {
    return this.#ends;
  }

  /** How often it has ended without {@link stop}. */
  get crashes(): number {
    return this.#crashes;
  }

  get crashedAtMs(): number | undefined {
    return this.isRunning ? undefined : this.#crashedAtMs;
  }

  /** Exit status of the last run; undefined while it runs, null when a signal ended it. */
  get exitCode(): number | null | undefined {
    return this.#child && this.pid === undefined ? this.#child.exitCode : undefined;
  }

  /** Starts it if it is not running. */
  start(): void {
    if (this.pid !== undefined) return;
    this.#isToldToEnd = false;
    this.#crashedAtMs = undefined;
    const log = openSync(this.logFile, 'a');
    // Node's own memory settings are part of how the programs are deployed (config/).
    const child = spawn(process.execPath, ['--max-semi-space-size=1', ...this.#argv], {
      stdio: ['ignore', log, log],
      // Only what a pod would have: no administrator's KUBECONFIG by accident.
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...memorySettings },
    });
    closeSync(log);
    this.#child = child;
    const { pid } = child;
    if (pid === undefined) return;
    this.#guard.watch(pid);
    child.once('exit', () => {
      this.#guard.forget(pid);
      this.#ends += 1;
      if (!this.#isToldToEnd) {
        this.#crashes += 1;
        this.#crashedAtMs = performance.now();
      }
      this.#onChange();
    });
    this.#onChange();
  }

  /** Ends it and waits for its exit. SIGKILL, as in a crash; but it is left to the caller to start it again. */
  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#isToldToEnd = true;
    this.#crashedAtMs = undefined;
    if (child === undefined || this.pid === undefined) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await gone;
    clearTimeout(timer);
  }

  async readLog(): Promise<string> {
    return readFile(this.logFile, 'utf8').catch(() => '');
  }
}

/** The checkout, from src or from a bundle in dist. */
export const projectRoot = new URL(import.meta.url).pathname.replace(/\/(src|dist)\/.*$/, '');

/** The path of one of our programs as Node.js runs it: the bundle of `make build` if it exists, else the source. */
export function programPath(name: 'controller' | 'agent' | 'nvidia-smi-sim' | 'gpu-partition'): string {
  const bundle = join(projectRoot, 'dist', `${name}.mjs`);
  if (existsSync(bundle)) return bundle;
  const sources = {
    controller: 'controller',
    agent: 'agent',
    'nvidia-smi-sim': 'simulator/nvidia-smi',
    'gpu-partition': 'cli',
  } as const;
  return join(projectRoot, 'src', sources[name], 'main.ts');
}

/** Flags of V8 as in config/agent: the agent has little work and must be cheap for a node. */
const agentMemorySettings = ['--optimize-for-size', '--no-opt', '--no-maglev', '--liftoff-only'];
/**
 * Flags of V8 as in config/controller: a heap that grows with retained data, not with throughput. The compiler in the middle and inlining
 * take 25 MB while they work, which the process keeps, and make an event no faster.
 */
const controllerMemorySettings = ['--optimize-for-size', '--no-maglev', '--no-turbo-inlining'];
/** Seconds for which a token is valid: longer than any demo stays open. */
const tokenSeconds = 48 * 3600;

/** A controller that has not been started yet. */
export async function makeController(
  options: RigOptions,
  guard: Guard,
  folder: string,
  identity: string,
): Promise<RigProcess> {
  const account = ['gpu-partition-system', 'gpu-partition-controller'] as const;
  const kubeconfig = await kubeconfigFor(options, identity, account);
  const program = [
    ...controllerMemorySettings,
    options.fileOf?.(identity) ?? programPath('controller'),
    // Simulated plugins have no pod, unless a test says so.
    '--unknown-device-plugin',
    'Await',
    '--kubeconfig',
    kubeconfig,
    '--identity',
    identity,
  ];
  const argv = [...program, ...(options.controllerArguments ?? [])];
  return new RigProcess(identity, argv, join(folder, `${identity}.log`), guard);
}

/** The agent of a node, not started yet. */
export async function makeAgent(
  options: RigOptions,
  guard: Guard,
  {
    node,
    files,
    nvidiaSmi,
    ignorePods = false,
    onChange,
  }: {
    readonly node: string;
    readonly files: NodeFiles;
    readonly nvidiaSmi: string;
    /** True for a node whose kubelet does not report who holds what. */
    readonly ignorePods?: boolean;
    /** Called when the agent starts and when it has exited. */
    readonly onChange: () => void;
  },
): Promise<RigProcess> {
  const account = ['gpu-partition-agents', 'gpu-partition-agent'] as const;
  const settings = {
    'node-name': node,
    kubeconfig: await kubeconfigFor(options, node, account, { bound: { node } }),
    'nvidia-smi': nvidiaSmi,
    'state-dir': files.agentFolder,
    'machine-file': files.machine,
    'boot-id-file': files.bootId,
    'reboot-sentinel': files.rebootSentinel,
    'pod-resources-socket': files.podResourcesSocket,
  };
  const argv = Object.entries(settings).flatMap(([option, value]) => [`--${option}`, value]);
  if (ignorePods) argv.push('--ignore-pods');
  const file = options.fileOf?.(node) ?? programPath('agent');
  const program = [...agentMemorySettings, file, ...argv, ...(options.agentArguments ?? [])];
  return new RigProcess(`agent ${node}`, program, files.agentLog, guard, onChange);
}

async function kubeconfigFor(
  { controlPlane, serverOf }: RigOptions,
  program: string,
  [namespace, name]: readonly [namespace: string, name: string],
  about: TokenOptions = {},
): Promise<string> {
  const token = await controlPlane.serviceAccountToken(namespace, name, { ...about, expirationSeconds: tokenSeconds });
  const server = serverOf?.(program);
  return controlPlane.kubeconfigFile({ token, ...(server === undefined ? {} : { server }) });
}

export interface RigOptions {
  readonly controlPlane: ControlPlane;
  readonly nodes: readonly RigNode[];
  readonly controllerArguments?: readonly string[];
  readonly agentArguments?: readonly string[];
  /** Whether commands of nvidia-smi run in this process, which takes a tenth of the time, and not each in its own. */
  readonly servesNvidiaSmi?: boolean;
  /** Waits of the simulated kubelets. */
  readonly kubeletTiming?: Partial<KubeletTiming>;
  /** Address of a proxy to the API server for one program: a controller by its identity, an agent by its node. */
  readonly serverOf?: (program: string) => string | undefined;
  /** File of another version to run instead of the checkout's: for a controller by its identity, for an agent by its node. */
  readonly fileOf?: (program: string) => string | undefined;
}
