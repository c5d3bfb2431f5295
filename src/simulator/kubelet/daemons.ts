import { devicePluginConfigLabel, type Labels, isMigStrategy } from '../../core/nvidia/labels.ts';
import type { DevicePluginConfig } from '../../core/nvidia/plugin-config.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { ReconcileResult } from '../../kube/queue.ts';
import {
  loadConfig,
  type LoadedConfig,
  type DaemonSettings,
  type ContainerProblem,
  isSameProblem,
  roleOf,
  type DaemonRole,
  readDaemonSettings,
} from './daemon-config.ts';
import { type DaemonWork, type DaemonRunResult, driverWork, discoveryWork, pluginWork } from './daemon-work.ts';
import { usualStrategyOf, type SimulatedNode, type PodObject } from './node.ts';
import type { Machine } from './machine.ts';
import type { KubeletTiming } from './pods.ts';

interface DaemonOptions {
  readonly client: KubeClient;
  readonly node: SimulatedNode;
  readonly namespace: string;
  readonly settings: DaemonSettings;
  readonly work: DaemonWork;
  /** Whether the container starts and then never becomes ready. */
  readonly isStuck: () => boolean;
  readonly restartMs: number;
}

/**
 * The containers of one pod of the device plugin or of GPU Feature Discovery: the program, restarted after it exits, and
 * the config-manager, which sends it SIGHUP when the node's label chooses another config file.
 */
class Daemon {
  readonly #options: DaemonOptions;
  #isRunning = false;
  #isStopped = false;
  /** The current config file, and the label that the config-manager last saw. */
  #key: string | undefined;
  #label = '';
  #problem: ContainerProblem | undefined;
  #restarts = 0;
  #retryAtMs = 0;

  constructor(options: DaemonOptions) {
    this.#options = options;
  }

  /** What is wrong with one of the containers; absent if nothing is. */
  get problem(): ContainerProblem | undefined {
    return this.#problem;
  }

  /** Does what is due. `labels` are the node's, as last seen. */
  async step(labels: Labels): Promise<ReconcileResult> {
    const waitMs = this.#retryAtMs - performance.now();
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    if (!this.#isRunning) await this.#start(labels);
    else if (this.#hasToFollow(labels)) await this.#follow(labels);
    if (this.#isStopped) return {};
    if (!this.#isRunning) return this.#retry();
    const { failure, againAfterMs } = await this.#options.work.continue();
    if (failure !== undefined) this.#crash(failure);
    if (!this.#isRunning || this.#problem !== undefined) return this.#retry();
    return { requeueAfterMs: againAfterMs };
  }

  /** The program ends by itself and in order; its container starts again after a while, as after a crash. */
  end(): void {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.#options.work.stop();
    this.#restarts += 1;
    const { settings } = this.#options;
    this.#problem = { kind: 'Ended', container: settings.container, restarts: this.#restarts };
    this.#retry();
  }

  /** The pod is gone. */
  stop(): void {
    this.#isStopped = true;
    this.#isRunning = false;
    this.#options.work.stop();
  }

  async #start(labels: Labels): Promise<void> {
    const { settings, isStuck } = this.#options;
    if (isStuck()) {
      this.#problem = { kind: 'NotReady', container: settings.container };
      return;
    }
    const loaded = await this.#load();
    this.#label = loaded.label;
    switch (loaded.kind) {
      case 'NoConfigMap':
        this.#problem = { kind: 'NotCreated', container: settings.container, message: loaded.message };
        return;
      case 'NoKey':
      case 'Refused':
        this.#crash(loaded.message);
        return;
      case 'Loaded':
        this.#begin(loaded, labels);
    }
  }

  /** The config-manager next to a running program: it fails alone, and the program continues with its config. */
  async #follow(labels: Labels): Promise<void> {
    const { settings } = this.#options;
    const loaded = await this.#load();
    this.#label = loaded.label;
    switch (loaded.kind) {
      // A mounted volume stays as it was.
      case 'NoConfigMap':
        return;
      case 'NoKey':
        this.#fail(settings.configManager?.sidecar ?? '', loaded.message);
        return;
      case 'Refused':
        if (loaded.key !== this.#key) this.#crash(loaded.message);
        return;
      case 'Loaded':
        if (loaded.key === this.#key) this.#problem = undefined;
        else this.#begin(loaded, labels);
    }
  }

  /** Start and SIGHUP are the same to the program: it reads its config and the devices. */
  #begin({ key, config }: LoadedConfig & { readonly kind: 'Loaded' }, labels: Labels): void {
    // The pod may have disappeared while its config was read.
    if (this.#isStopped) return;
    this.#key = key;
    const { failure } = this.#work(config, labels);
    if (failure !== undefined) {
      this.#crash(failure);
      return;
    }
    this.#isRunning = true;
    this.#problem = undefined;
  }

  #work(config: DevicePluginConfig, labels: Labels): DaemonRunResult {
    const { settings, node, work } = this.#options;
    const strategy = settings.strategy ?? config.migStrategy ?? usualStrategyOf(node, labels);
    if (!isMigStrategy(strategy)) return { failure: `unknown strategy: ${strategy}` };
    return work.start({ strategy, sharing: settings.configManager ? config.sharing : node.sharing });
  }

  #hasToFollow(labels: Labels): boolean {
    if (this.#options.settings.configManager?.sidecar === undefined) return false;
    return (labels[devicePluginConfigLabel] ?? '') !== this.#label || this.#problem !== undefined;
  }

  async #load(): Promise<LoadedConfig> {
    const { client, node, namespace, settings } = this.#options;
    if (settings.configManager === undefined) return { kind: 'Loaded', label: '', config: {} };
    return loadConfig(client, settings.configManager, { node: node.name, namespace });
  }

  #crash(message: string): void {
    this.#isRunning = false;
    this.#options.work.stop();
    this.#fail(this.#options.settings.container, message);
  }

  #fail(container: string, message: string): void {
    this.#restarts += 1;
    this.#problem = { kind: 'Crashed', container, message, restarts: this.#restarts };
  }

  #retry(): ReconcileResult {
    const { restartMs } = this.#options;
    this.#retryAtMs = performance.now() + restartMs;
    return { requeueAfterMs: restartMs };
  }
}

export interface DaemonClients {
  readonly kubelet: KubeClient;
  /** Client with the field manager `nfd-master`. */
  readonly nfd: KubeClient;
  /** Client with the field manager of the DRA driver. */
  readonly driver: KubeClient;
}

/** A daemon and what its pod's status shows of it. */
interface PodDaemon {
  readonly daemon: Daemon;
  readonly role: DaemonRole;
  /** The problem that the status shows; absent before the first write. */
  shown: { readonly problem: ContainerProblem | undefined } | undefined;
}

/** NVIDIA's programs on one node, by the uid of their pod. */
export class NodeDaemons {
  readonly #machine: Machine;
  readonly #clients: DaemonClients;
  readonly #timing: KubeletTiming;
  readonly #daemons = new Map<string, PodDaemon>();

  constructor(machine: Machine, clients: DaemonClients, timing: KubeletTiming) {
    this.#machine = machine;
    this.#clients = clients;
    this.#timing = timing;
  }

  /** The daemon of a started pod; undefined for other pods, and if the plugin needs no pod. */
  of(pod: PodObject): PodDaemon | undefined {
    const role = roleOf(pod);
    const { uid = '' } = pod.metadata;
    if (role === undefined || this.#machine.node.plugin !== 'pod') return undefined;
    const daemon = this.#daemons.get(uid) ?? { daemon: this.#create(role, pod), role, shown: undefined };
    this.#daemons.set(uid, daemon);
    return daemon;
  }

  /** SIGHUP to the DRA driver of the node: it ends with exit code 0, and its container starts again. */
  hangUpDriver(): void {
    for (const { daemon, role } of this.#daemons.values()) if (role === 'dra-driver') daemon.end();
  }

  /** The pod is gone. */
  stop(pod: PodObject): void {
    const { uid = '' } = pod.metadata;
    this.#daemons.get(uid)?.daemon.stop();
    this.#daemons.delete(uid);
  }

  #create(role: DaemonRole, pod: PodObject): Daemon {
    const machine = this.#machine;
    const { kubelet: client, nfd, driver } = this.#clients;
    const { uid = '', namespace = '' } = pod.metadata;
    const settings = readDaemonSettings(pod, role);
    const about = { client, node: machine.node, namespace, settings, restartMs: this.#timing.restartMs };
    switch (role) {
      case 'device-plugin': {
        const isStuck = (): boolean => machine.registration.fault === 'NeverReady';
        return new Daemon({ ...about, work: pluginWork(machine, uid), isStuck });
      }
      case 'gpu-feature-discovery':
        return new Daemon({ ...about, work: discoveryWork(machine, nfd, this.#timing), isStuck: () => false });
      case 'dra-driver': {
        const isStuck = (): boolean => machine.driver.fault === 'NeverReady';
        return new Daemon({ ...about, work: driverWork(machine, driver, pod), isStuck });
      }
    }
  }
}

/** Whether the pod's status shows the current problem. */
export function isShown({ daemon, shown }: PodDaemon): boolean {
  return shown !== undefined && isSameProblem(shown.problem, daemon.problem);
}
