import { devicePluginConfigLabel } from '../../../core/nvidia/labels/label-key.ts';
import type { Labels } from '../../../core/nvidia/labels/label-value.ts';
import { isMigStrategy } from '../../../core/nvidia/labels/mig-strategy.ts';
import type { DevicePluginConfig } from '../../../core/nvidia/plugin-config/sharing.ts';
import type { KubeClient } from '../../../kube/client.ts';
import type { ReconcileResult } from '../../../kube/queue.ts';
import { loadConfig } from './daemon-config.ts';
import type { LoadedConfig } from './daemon-config.ts';
import type { DaemonSettings } from './daemon-settings.ts';
import type { DaemonWork, DaemonRunResult } from './daemon-work.ts';
import type { ContainerProblem } from '../pods/container-problem.ts';
import { usualStrategyOf } from '../node/simulated-node.ts';
import type { SimulatedNode } from '../node/simulated-node.ts';

export interface DaemonOptions {
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
export class Daemon {
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
