import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { endDeviceCommands } from '../../src/simulator/rig/workloads.ts';
import type { Rig } from '../../src/simulator/rig/rig.ts';
import type { Random } from '../model/random.ts';
import { pluginName } from './cast.ts';
import type { ClusterActs } from './cluster-acts.ts';

/** Lines of a fault file: what a driver does now and then (facts of docs/internal/fault-catalogue.md). */
const scripts: readonly string[] = [
  'fail DeviceCreateGpuInstance rc=999',
  'fail DeviceCreateGpuInstance rc=999 done nth=1',
  'fail GpuInstanceDestroy rc=19',
  'fail Init rc=9',
  'skip GpuInstanceDestroy nth=1',
  'sleep * ms=200',
  'hang GpuInstanceDestroy nth=1',
  'hang Init nth=2',
  'output garbage=300 nth=2',
  'output cut=200 nth=1-3',
  'output empty nth=1',
  'lost gpu=0',
  'tables off',
];

/** When a node's driver or machine was disturbed. */
export interface Disturbance {
  readonly node: string;
  readonly fromMs: number;
  untilMs: number;
}

export interface Allowance {
  /** Its memory is not measured then. */
  readonly killController: boolean;
  /** Watches then skip revisions. */
  readonly killApiServer: boolean;
}

/** Faults of everything around the programs, and deaths of the programs. */
export class FaultMaker {
  readonly #rig: Rig;
  readonly #acts: ClusterActs;
  readonly #random: Random;
  readonly #disturbances: Disturbance[] = [];
  /** Programs that are never killed, so that what they keep in memory can be measured over hours. */
  readonly #spared: ReadonlySet<string>;
  readonly done = new Map<string, number>();

  constructor(rig: Rig, acts: ClusterActs, random: Random, spared: ReadonlySet<string>) {
    this.#rig = rig;
    this.#acts = acts;
    this.#random = random;
    this.#spared = spared;
  }

  get disturbances(): readonly Disturbance[] {
    return this.#disturbances;
  }

  async strike(may: Allowance): Promise<void> {
    const kinds: readonly (readonly [weight: number, what: string, strike: () => Promise<unknown>])[] = [
      [6, 'driver fault', () => this.#breakDriver()],
      [3, 'agent killed', () => this.#killAgent()],
      [may.killController ? 2 : 0, 'controller killed', () => this.#killController()],
      [may.killApiServer ? 2 : 0, 'API server killed', () => this.#killApiServer()],
      [1, 'node rebooted', () => this.#reboot()],
      [1, 'node deleted and back', () => this.#replace()],
      [2, 'device plugin killed', () => this.#killPlugin()],
    ];
    let at = this.#random.next() * kinds.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, what, strike] of kinds) {
      at -= weight;
      if (at > 0) continue;
      this.done.set(what, (this.done.get(what) ?? 0) + 1);
      await strike();
      return;
    }
  }

  /** Ends all faults; programs run again. */
  async heal(): Promise<void> {
    for (const { name } of this.#nodes) {
      await this.#mendDriver(name);
      // What hung in it ends: it may have outlived its agent, and holds the lock of the node.
      endDeviceCommands(this.#rig.stateFile(name));
    }
    this.#rig.controller.start();
    for (const agent of this.#rig.agents) agent.start();
  }

  get #nodes(): readonly { readonly name: string }[] {
    return this.#rig.nodeNames.map((name) => ({ name }));
  }

  get #mortal(): readonly string[] {
    return this.#rig.nodeNames.filter((name) => !this.#spared.has(name));
  }

  async #breakDriver(): Promise<void> {
    const node = this.#random.pick(this.#rig.nodeNames) ?? '';
    const script = this.#random.pick(scripts) ?? '';
    this.#disturbances.push({ node, fromMs: Date.now(), untilMs: Infinity });
    // Each counts from the start.
    await writeFile(this.#rig.faultsFile(node), `${script} #${this.#random.integer(1e6)}\n`);
    if (this.#random.chance(0.6)) {
      await pause(this.#random.between(500, 4_000));
      await this.#mendDriver(node);
    }
  }

  async #mendDriver(node: string): Promise<void> {
    await writeFile(this.#rig.faultsFile(node), '');
    for (const one of this.#disturbances)
      if (one.node === node && one.untilMs === Infinity) one.untilMs = Date.now() + 5_000;
  }

  async #killAgent(): Promise<void> {
    const agent = this.#rig.agent(this.#random.pick(this.#mortal) ?? '');
    await agent.stop('SIGKILL');
    await pause(this.#random.between(0, 2_000));
    agent.start();
  }

  async #killController(): Promise<void> {
    await this.#rig.controller.stop('SIGKILL');
    await pause(this.#random.between(0, 1_000));
    this.#rig.controller.start();
  }

  async #killApiServer(): Promise<void> {
    await this.#rig.controlPlane.killApiServer();
    await pause(this.#random.between(0, 3_000));
    await this.#rig.controlPlane.startApiServer();
    await this.#acts.untilServed();
  }

  async #reboot(): Promise<void> {
    await this.#disturb((node) => this.#rig.rebootNode(node));
  }

  async #replace(): Promise<void> {
    await this.#disturb(async (node) => {
      await this.#rig.replaceNode(node);
      this.#rig.agent(node).start();
    });
  }

  async #disturb(act: (node: string) => Promise<void>): Promise<void> {
    const node = this.#random.pick(this.#mortal) ?? '';
    const disturbance = { node, fromMs: Date.now(), untilMs: Infinity };
    this.#disturbances.push(disturbance);
    await act(node);
    disturbance.untilMs = Date.now() + 5_000;
  }

  async #killPlugin(): Promise<void> {
    const pods = await this.#acts.pods('kube-system');
    const plugin = this.#random.pick(pods.filter(({ metadata }) => metadata.name.startsWith(pluginName)));
    if (plugin)
      await this.#acts.delete(`/api/v1/namespaces/kube-system/pods/${plugin.metadata.name}?gracePeriodSeconds=0`);
  }
}
