import type { NodeObject } from '../../src/controller/operator.ts';
import { isOwnTaint } from '../../src/core/node/snapshot.ts';
import { devicePluginConfigLabel } from '../../src/core/nvidia/labels.ts';
import { daemonsOf, type ModelDaemon } from '../model/daemons.ts';
import { writeGfdLabels } from '../model/discovery.ts';
import { ModelPlugin, type PluginHost } from '../model/plugin.ts';
import { makePod } from '../model/pods.ts';
import type { FleetMachine } from './fleet-machine.ts';
import { bindPod } from './fleet-pods.ts';
import type { FleetWorld } from './fleet-world.ts';

/** The pods of a machine's DaemonSets: a device plugin that reads its settings and the devices once, and GPU Feature Discovery. */
export class MachinePods {
  readonly #world: FleetWorld;
  readonly #machine: FleetMachine;
  readonly #daemons: readonly ModelDaemon[];
  readonly plugin: ModelPlugin;
  #isSyncDue = false;
  #config: string | undefined;
  #made = 0;
  /** Pods of GPU Feature Discovery label the node no more. */
  isDiscoveryDead = false;

  /** @param onOffer called when the plugin tells the kubelet something else */
  constructor(world: FleetWorld, machine: FleetMachine, onOffer: () => void) {
    this.#world = world;
    this.#machine = machine;
    const { hasDiscovery = false, plugin = 'Stock', hasStartupTaint } = world.setup;
    const kind = { backend: 'DevicePlugin', plugin, strategy: 'mixed', hasConfigMap: true } as const;
    this.#daemons = daemonsOf({ ...kind, hasDiscovery, exporter: 'None', hasClient: false, hasStartupTaint });
    const host: PluginHost = {
      timeline: world.timeline,
      later: (from, to, run) => world.later(from, to, run),
      configMap: world.configMap,
      device: machine.device,
      setup: kind,
      faults: { driverDown: false },
      kubelet: {
        get isUp() {
          return machine.isUp && !machine.isGone;
        },
      },
      get node() {
        return machine.node;
      },
    };
    this.plugin = new ModelPlugin(host, () => {
      onOffer();
      this.#labelSoon();
    });
  }

  /** The node has changed: its taints keep pods away or no more, its label names another file. */
  nodeHasChanged({ metadata }: NodeObject): void {
    const config = metadata.labels?.[devicePluginConfigLabel];
    if (config !== this.#config) this.plugin.settingsChanged();
    this.#config = config;
    this.#syncSoon();
  }

  #syncSoon(): void {
    if (this.#isSyncDue) return;
    this.#isSyncDue = true;
    this.#world.later(50, 800, () => {
      this.#isSyncDue = false;
      const { node } = this.#machine;
      const isFenced = (node?.spec?.taints ?? []).some(isOwnTaint);
      for (const daemon of node ? this.#daemons : [])
        if (this.#podsOf(daemon).length === 0 && (daemon.toleratesOurs || !isFenced)) this.#make(daemon);
    });
  }

  #podsOf({ role }: ModelDaemon) {
    return this.#world.podsOf(this.#machine.name).filter(({ metadata }) => metadata.labels?.['role'] === role);
  }

  #make(daemon: ModelDaemon): void {
    this.#made += 1;
    const uid = `${daemon.role}-${this.#machine.uid}-${this.#made}`;
    const pod = makePod(daemon.role, uid, {
      labels: { ...daemon.labels, role: daemon.role },
      owner: 'DaemonSet',
      spec: {
        nodeName: this.#machine.name,
        containers: [
          { name: daemon.container, ...(daemon.args && { args: daemon.args }) },
          ...(daemon.sidecar ? [daemon.sidecar.container] : []),
        ],
        ...(daemon.sidecar && { volumes: [daemon.sidecar.volume] }),
        tolerations: daemon.toleratesOurs ? [{ operator: 'Exists' }] : [{ key: 'nvidia.com/gpu', operator: 'Exists' }],
      },
    });
    this.#world.api.create('pods', uid, bindPod(pod, this.#machine.name), 'cluster');
    this.#startSoon(uid, daemon);
  }

  #startSoon(uid: string, { role }: ModelDaemon): void {
    this.#world.later(100, 1500, () => {
      const pod = this.#world.api.find('pods', uid);
      if (!this.#machine.isUp || !pod || pod.metadata.deletionTimestamp !== undefined) return;
      this.#setReady(uid, true);
      if (role === 'plugin') this.plugin.start(uid);
      else this.#labelSoon();
    });
  }

  #setReady(uid: string, isReady: boolean): void {
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
    this.#world.api.update('pods', uid, 'kubelet', (pod) => ({
      ...pod,
      status: { ...pod.status, phase: 'Running', conditions },
    }));
  }

  /** A pod of these is gone. */
  podHasEnded(uid: string): void {
    this.plugin.end(uid);
    this.#syncSoon();
  }

  shutDown(): void {
    this.plugin.shutDown();
  }

  /** The machine has started: containers start again in the pods that it has. */
  start(): void {
    this.plugin.comeUp();
    for (const daemon of this.#daemons)
      for (const { metadata } of this.#podsOf(daemon)) {
        if (metadata.deletionTimestamp !== undefined) continue;
        this.#setReady(metadata.uid ?? '', false);
        this.#startSoon(metadata.uid ?? '', daemon);
      }
    this.#syncSoon();
  }

  reviveDiscovery(): void {
    this.isDiscoveryDead = false;
    this.#labelSoon();
  }

  /** GPU Feature Discovery looks once a minute. */
  #labelSoon(): void {
    const discovery = this.#daemons.find(({ role }) => role === 'discovery');
    if (!discovery) return;
    this.#world.later(100, 20_000, () => {
      const { isUp, isGone, device, node } = this.#machine;
      if (!isUp || isGone || this.isDiscoveryDead || this.#podsOf(discovery).length === 0) return;
      writeGfdLabels({ device, node, plugin: this.plugin, editNode: (_by, change) => this.#machine.edit(change) });
    });
  }
}
