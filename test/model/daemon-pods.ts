import type { NodeObject } from '../../src/controller/operator.ts';
import { isOwnTaint } from '../../src/core/node/snapshot.ts';
import { devicePluginConfigLabel } from '../../src/core/nvidia/labels.ts';
import type { Pod } from './api.ts';
import { daemonsOf, type DaemonSetup, type ModelDaemon, type Role } from './daemons.ts';
import { writeGfdLabels } from './discovery.ts';
import type { ModelMachine } from './machine.ts';
import { ModelPlugin } from './plugin.ts';
import { makePod, type PodParts } from './pods.ts';

/** The pods of a machine's DaemonSets: their controller makes them where its taints let them in, and the kubelet runs them. */
export class DaemonPods {
  readonly plugin: ModelPlugin;
  /** The DaemonSets that each node of its kind has. */
  readonly daemons: readonly ModelDaemon[];
  readonly #machine: ModelMachine;
  readonly #hasConfigMap: boolean;
  /** Pods whose containers run. */
  readonly #running = new Map<string, Role>();
  /** Which of the plugin's config files the node's label names. */
  #config: string | undefined;
  #isSyncDue = false;
  #pods = 0;

  constructor(machine: ModelMachine, setup: DaemonSetup) {
    this.#machine = machine;
    this.#hasConfigMap = setup.hasConfigMap;
    this.daemons = daemonsOf(setup);
    this.plugin = new ModelPlugin(machine, setup, () => machine.tellOfferSoon());
  }

  /** Its node may have changed, or its pods. */
  syncSoon(): void {
    if (this.#isSyncDue) return;
    this.#isSyncDue = true;
    this.#machine.later(50, 800, () => {
      this.#isSyncDue = false;
      const { node } = this.#machine;
      if (node) this.sync(node);
    });
  }

  protected sync({ metadata, spec }: NodeObject): void {
    const config = metadata.labels?.[devicePluginConfigLabel];
    if (this.#hasConfigMap && config !== this.#config) this.plugin.settingsChanged();
    this.#config = config;
    const isFenced = (spec?.taints ?? []).some(isOwnTaint);
    const wanted = this.installed.filter(
      ({ deployLabel }) => deployLabel === undefined || metadata.labels?.[deployLabel] === 'true',
    );
    for (const daemon of wanted)
      if (this.podsOf(daemon).length === 0 && (daemon.toleratesOurs || !isFenced)) this.#make(daemon);
    for (const daemon of this.all)
      if (!wanted.includes(daemon)) for (const pod of this.podsOf(daemon)) this.#machine.terminate(pod);
  }

  /** Those that are to have a pod where the node's labels let them. */
  protected get installed(): readonly ModelDaemon[] {
    return this.daemons;
  }

  podsOf({ role }: Pick<ModelDaemon, 'role'>): readonly Pod[] {
    return this.#machine.pods().filter(({ metadata }) => metadata.labels?.['role'] === role);
  }

  #make(daemon: ModelDaemon): void {
    const { deployLabel } = daemon;
    const pod = this.newPod(daemon.role, {
      labels: { ...daemon.labels, role: daemon.role },
      owner: 'DaemonSet',
      spec: {
        nodeName: this.#machine.name,
        containers: [
          { name: daemon.container, ...(daemon.args && { args: daemon.args }) },
          ...(daemon.sidecar ? [daemon.sidecar.container] : []),
        ],
        ...(daemon.sidecar && { volumes: [daemon.sidecar.volume] }),
        ...(deployLabel !== undefined && { nodeSelector: { [deployLabel]: 'true' } }),
        tolerations: daemon.toleratesOurs ? [{ operator: 'Exists' }] : [{ key: 'nvidia.com/gpu', operator: 'Exists' }],
      },
    });
    this.#startSoon(pod.metadata.uid ?? '', daemon.role);
  }

  #startSoon(uid: string, role: Role): void {
    this.#machine.later(100, 1500, () => {
      if (!this.#machine.isUp || !this.isThere(uid)) return;
      this.#running.set(uid, role);
      this.setStatus(uid, 'Running', true);
      this.run(uid, role);
    });
  }

  /** The containers of a pod have started. */
  protected run(uid: string, role: Role): void {
    if (role === 'plugin') this.plugin.start(uid);
    if (role === 'discovery') this.#label(uid);
  }

  /** GPU Feature Discovery looks once a minute. */
  #label(uid: string): void {
    this.#machine.later(100, 3000, () => {
      if (!this.#running.has(uid)) return;
      const { isDiscoveryDead, isDown, isUp } = this.#machine;
      if (!isDiscoveryDead && !isDown && isUp) writeGfdLabels(this.#machine, this.plugin);
      this.#machine.timeline.after(60_000, () => this.#label(uid));
    });
  }

  /** Whether one of them keeps the GPUs open. */
  get isGpuOpen(): boolean {
    const opening = this.all.filter(({ opensGpus }) => opensGpus).map(({ role }) => role);
    return [...this.#running.values()].some((role) => opening.includes(role));
  }

  protected roleOf(uid: string): Role | undefined {
    return this.#running.get(uid);
  }

  // --- what the kubelet does --------------------------------------------------------------------------------------

  /** The containers of a pod have ended. */
  end(uid: string): void {
    this.plugin.end(uid);
    this.#running.delete(uid);
  }

  /** The machine is new: its pods come with it. */
  start(): void {
    for (const daemon of this.daemons) this.#make(daemon);
  }

  shutDown(): void {
    this.plugin.shutDown();
    this.#running.clear();
  }

  /** All containers restart in their pods. */
  comeUp(): void {
    this.plugin.comeUp();
    this.#machine.tellStart();
    for (const daemon of this.all)
      for (const { metadata } of this.podsOf(daemon)) {
        if (metadata.deletionTimestamp !== undefined) continue;
        this.setStatus(metadata.uid ?? '', 'Running', false);
        this.#startSoon(metadata.uid ?? '', daemon.role);
      }
  }

  /** Those too that somebody may install. */
  protected get all(): readonly ModelDaemon[] {
    return this.daemons;
  }

  /** Whether a pod is there, and not told to go. */
  isThere(uid: string): boolean {
    const pod = this.#machine.api.find('pods', uid);
    return pod !== undefined && pod.metadata.deletionTimestamp === undefined;
  }

  setStatus(uid: string, phase: string, isReady: boolean): void {
    if (!this.#machine.api.find('pods', uid)) return;
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
    this.#machine.api.update('pods', uid, 'kubelet', (pod) => ({
      ...pod,
      status: { ...pod.status, phase, conditions },
    }));
  }

  nextUid(name: string): string {
    this.#pods += 1;
    return `${name}-${this.#machine.uid}-${this.#pods}`;
  }

  newPod(name: string, parts: PodParts, uid = this.nextUid(name)): Pod {
    return this.#machine.api.create('pods', uid, makePod(name, uid, parts), 'cluster');
  }
}
