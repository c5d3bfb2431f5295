import type { ResourceClaimView, ResourceSliceView } from '../../src/core/kubernetes/pod.ts';
import type { DemandGpu } from '../../src/core/demand/members.ts';
import type { DemandAsked } from '../../src/core/demand/plan-pool.ts';
import { type Decision, decide } from '../../src/core/node/decide.ts';
import type { NodeMemory } from '../../src/core/node/memory.ts';
import type { OfferedStatus } from '../../src/core/node/offer.ts';
import type { NodeSettings, NodeSnapshot } from '../../src/core/node/snapshot.ts';
import { composeDevicePluginConfig } from '../../src/core/nvidia/plugin-config.ts';
import type { MigStrategy } from '../../src/core/nvidia/labels.ts';
import { type LedgerSnapshot, type LedgerStep, stepLedger } from '../../src/core/rollout/ledger.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import { Api, type ApiChange, type Pod, type Policy, refuse, type StoredPartition } from './api.ts';
import { clockSlackMs } from './clock.ts';
import { ModelConfigMap } from './config-map.ts';
import { ControllerProcess, type SettledDecision, watchedKinds } from './controller.ts';
import { setFinalizers } from './deletion.ts';
import type { DemandOnlooker, ReadPool } from './follow-demand.ts';
import type { ModelMachine } from './machine.ts';
import { nodeOf } from './pods.ts';
import { Random } from './random.ts';
import { VirtualTime } from './timeline.ts';
import { Violation } from './violation.ts';

/** A deliberate mistake of the product, by name or by what it makes of what is asked and said, to check that a model finds it. */
export interface Bug<Theme extends string = string> {
  readonly name: string;
  readonly what: string;
  /** The kind of story that exposes it. */
  readonly theme?: Theme;
  readonly see?: (snapshot: NodeSnapshot) => NodeSnapshot;
  readonly remember?: (memory: NodeMemory) => NodeMemory;
  readonly say?: (decision: SettledDecision, snapshot: NodeSnapshot, memory: NodeMemory) => Partial<SettledDecision>;
  /** What is listed of a pod. */
  readonly list?: (pod: Pod) => Pod;
  /** What is listed of pods that wait. */
  readonly listPending?: (pods: readonly Pod[]) => readonly Pod[];
  readonly seeLedger?: (snapshot: LedgerSnapshot) => LedgerSnapshot;
  readonly sayLedger?: (step: LedgerStep, snapshot: LedgerSnapshot) => LedgerStep;
  readonly seePool?: (members: readonly DemandGpu[], known: ReadPool | undefined, now: number) => readonly DemandGpu[];
  readonly seeAsked?: (asked: DemandAsked) => DemandAsked;
}

/** Where a controller's call fails: for runs that try every position. */
export interface Mishap {
  /** Counted from 1. */
  readonly call: number;
  readonly what: 'CrashBefore' | 'CrashAfter' | 'LoseAnswer';
}

/** The process was killed in the middle of its work. */
class Ended extends Error {}

/** An old leader learns within this time that it has lost its lease. Two leaders overwrite each other endlessly. */
const longestRivalryMs = 60_000;
/** Far more than any story needs. */
const mostEvents = 300_000;
export const hourMs = 3600_000;

/** A cluster in virtual time: its API server, and the controllers that lead it one after another, or side by side for a while. */
export abstract class ModelCluster {
  readonly timeline = new VirtualTime();
  readonly api = new Api((change) => this.#changed(change));
  readonly configMap: ModelConfigMap;
  readonly bug: Bug | undefined;
  random: Random;
  /** The one that leads is the last. */
  controllers: readonly ControllerProcess[] = [];
  /** Why no node may start a change: `--freeze`. */
  freeze: string | undefined;
  mishap: Mishap | undefined;
  /** Calls of controllers so far; `writes`: those that write. */
  calls = 0;
  writes: number[] = [];
  /** Calls left until a process is killed: when one begins, or when one has begun or has taken effect. */
  crashIn: { readonly who: 'agent' | 'controller'; readonly at: 'Begin' | 'Both'; calls: number } | undefined;
  /** When a leader's view or actions were last disturbed, in ms. */
  lastFaultAt = -Infinity;
  /** When a controller last started, in ms. */
  ledAt = -Infinity;
  /** Until when no controller starts, in ms. */
  leaderlessUntil = -Infinity;
  readonly #due = new Set<string>();
  #leaders = 0;
  #events = 0;
  #failure: unknown;

  constructor(seed: number, strategy: MigStrategy, bug: Bug | undefined) {
    this.random = new Random(seed);
    this.configMap = new ModelConfigMap({ default: composeDevicePluginConfig(strategy, []) });
    this.bug = bug;
  }

  abstract readonly setup: { readonly hasClocks?: boolean };
  /** Probabilities that the API server refuses, and that a write takes effect and its answer is lost. */
  abstract readonly faults: { refusal: number; lostAnswer: number };
  /** The onlooker; `always`: called after each event. */
  abstract readonly checks: {
    apiHasChanged(change: ApiChange): void;
    isDecided(by: string, snapshot: NodeSnapshot, settled: SettledDecision): void;
    always?(): void;
    readonly demands?: DemandOnlooker;
  };
  /** The administrator's, for processes that start now. */
  abstract readonly settings: NodeSettings;
  /** `--max-concurrent-nodes` */
  abstract readonly cap: number | string;

  abstract slicesOf(node: string): readonly ResourceSliceView[];
  /** Of all nodes. */
  abstract claims(): readonly ResourceClaimView[];
  /** @param graceSeconds undefined: the pod's own */
  abstract evict(uid: string, by: string, graceSeconds: number | undefined): void;
  abstract deletePod(uid: string, by: string, graceSeconds: number | undefined): void;
  /** Before the controller writes what a node offers. */
  abstract devicesAreAdvertised(by: string, status: OfferedStatus): void;
  /** How far the clock of the next leader is ahead of the API server's, in ms. */
  protected abstract drawLeadersClock(): number;
  /** Others than the controllers hear of a change. */
  protected abstract onChange(change: ApiChange): void;
  /** The machine of a node that is there. */
  protected abstract machineOf(node: string): ModelMachine | undefined;

  /** How far the times of two leaders may be apart, in ms. */
  get slackMs(): number {
    return this.setup.hasClocks === true ? clockSlackMs : 0;
  }

  // --- time -------------------------------------------------------------------------------------------------------

  /** Lets time pass. @throws Violation, or another error of a story that ends here */
  async run(ms: number): Promise<void> {
    await this.timeline.run(this.timeline.now + ms, () => {
      if (this.#failure !== undefined) throw this.#failure;
      this.#events += 1;
      if (this.#events > mostEvents) throw new Violation('L8', 'somebody is woken again and again');
      this.checks.always?.();
    });
  }

  /** Takes an error of the model itself, or a violation: the story ends. */
  fail(error: unknown): void {
    if (!(error instanceof Ended)) this.#failure ??= error;
  }

  later(from: number, to: number, run: () => void): void {
    this.timeline.after(this.random.between(from, to), run);
  }

  // --- planted bugs -----------------------------------------------------------------------------------------------

  hasBug(name: string): boolean {
    return this.bug?.name === name;
  }

  /** The controllers' `decide`, with the planted bug if there is one. */
  decide(snapshot: NodeSnapshot, memory: NodeMemory): Decision {
    const { bug } = this;
    const decision = decide(bug?.see?.(snapshot) ?? snapshot, bug?.remember?.(memory) ?? memory);
    return 'needs' in decision ? decision : { ...decision, ...bug?.say?.(decision, snapshot, memory) };
  }

  stepLedger(snapshot: LedgerSnapshot): LedgerStep {
    const { bug } = this;
    const step = stepLedger(bug?.seeLedger?.(snapshot) ?? snapshot);
    return bug?.sayLedger?.(step, snapshot) ?? step;
  }

  /** Pods of a node as they are listed. */
  podsOf(node: string): readonly Pod[] {
    const { list } = this.bug ?? {};
    const pods = this.boundPods().filter((pod) => nodeOf(pod) === node);
    return list ? pods.map(list) : pods;
  }

  boundPods(): readonly Pod[] {
    return this.api.list('pods').filter((pod) => nodeOf(pod) !== '');
  }

  /** Pods that no node runs yet, as they are listed. */
  listPending(): readonly Pod[] {
    const pods = this.pendingPods();
    return this.bug?.listPending?.(pods) ?? pods;
  }

  pendingPods(): readonly Pod[] {
    return this.api.list('pods').filter((pod) => nodeOf(pod) === '' && pod.metadata.deletionTimestamp === undefined);
  }

  /** @param known how the pool was read before */
  seePool(members: readonly DemandGpu[], known: ReadPool | undefined): readonly DemandGpu[] {
    return this.bug?.seePool?.(members, known, this.timeline.now) ?? members;
  }

  seeAsked(asked: DemandAsked): DemandAsked {
    return this.bug?.seeAsked?.(asked) ?? asked;
  }

  // --- calls of programs ------------------------------------------------------------------------------------------

  /** Makes a request: its generator yields how many ms it takes from here. @param kill ends the process that makes it */
  *call<Answer>(
    by: string,
    kind: 'Read' | 'Write',
    act: () => Answer,
    kill = (): void => this.#killController(by),
  ): Generator<number, Answer, undefined> {
    yield this.random.between(2, 40);
    const { faults } = this;
    const who = by === 'agent' ? 'agent' : 'controller';
    const planned = who === 'agent' ? undefined : this.#countCall(kind);
    this.mayCrash(who, kill, planned === 'CrashBefore');
    if (faults.refusal > 0 && this.random.chance(faults.refusal)) throw refuse(500, 'InternalError', 'etcd is away');
    const answer = act();
    yield this.random.between(1, 20);
    if (planned === 'CrashAfter' || this.crashIn?.at === 'Both') this.mayCrash(who, kill, planned === 'CrashAfter');
    const isLost = kind === 'Write' && faults.lostAnswer > 0 && this.random.chance(faults.lostAnswer);
    if (planned === 'LoseAnswer' || isLost) throw refuse(0, 'Timeout', 'no answer');
    return answer;
  }

  #countCall(kind: 'Read' | 'Write'): Mishap['what'] | undefined {
    this.calls += 1;
    if (kind === 'Write') this.writes.push(this.calls);
    return this.mishap?.call === this.calls ? this.mishap.what : undefined;
  }

  /** Whether an error is one that programs survive. */
  isFault(error: unknown): boolean {
    return error instanceof ApiError || error instanceof Ended;
  }

  /** A process may be killed at this moment. @param kill ends it @param isPlanned whether it must be @throws Error if it was */
  mayCrash(who: 'agent' | 'controller', kill: () => void, isPlanned = false): void {
    const { crashIn } = this;
    const isCounted = crashIn?.who === who;
    if (isCounted) crashIn.calls -= 1;
    const isDue = isCounted && crashIn.calls <= 0;
    if (isDue) this.crashIn = undefined;
    if (!isDue && !isPlanned) return;
    kill();
    throw new Ended();
  }

  #killController(by: string): void {
    this.noteFault();
    this.#stop(this.controllers.filter(({ name }) => name === by));
    if (this.controllers.length === 0) this.later(100, 5000, () => this.#leadAgain());
  }

  noteFault(): void {
    this.lastFaultAt = this.timeline.now;
  }

  createPartition(name: string, nodeUID: string, by: string): StoredPartition {
    const metadata = { name, uid: `partition-${nodeUID}-${this.api.log.length}`, generation: 1 };
    return this.api.create(
      'partitions',
      name,
      { apiVersion: 'gpupartition.dev/v1alpha1', kind: 'GpuNodePartition', metadata, spec: { nodeUID } },
      by,
    );
  }

  setFinalizers(name: string, finalizers: readonly string[], version: string | undefined, by: string): Policy {
    return setFinalizers(this.api, name, finalizers, version, by);
  }

  // --- controllers ------------------------------------------------------------------------------------------------

  /** A new leader starts; its predecessors continue until they learn that they have lost the lease. */
  lead(): void {
    this.#leaders += 1;
    this.ledAt = this.timeline.now;
    const rivals = this.controllers;
    const name = `controller-${this.#leaders}`;
    this.controllers = [...rivals, new ControllerProcess(this, name, this.freeze, this.drawLeadersClock())];
    if (rivals.length === 0) return;
    this.noteFault();
    this.timeline.after(longestRivalryMs, () => {
      if (rivals.some((one) => !one.isGone)) this.noteFault();
      this.#endOld(rivals);
    });
  }

  endControllers(): void {
    this.noteFault();
    this.#stop(this.controllers);
    this.later(0, 10_000, () => this.#leadAgain());
  }

  endOldLeaders(): void {
    this.#endOld(this.controllers.slice(0, -1));
  }

  #endOld(controllers: readonly ControllerProcess[]): void {
    this.#stop(controllers);
    this.#leadAgain();
  }

  #stop(controllers: readonly ControllerProcess[]): void {
    for (const controller of controllers) controller.stop();
    this.controllers = this.controllers.filter((one) => !one.isGone);
  }

  #leadAgain(): void {
    if (this.controllers.length > 0) return;
    const leftMs = this.leaderlessUntil - this.timeline.now;
    if (leftMs > 0) return void this.timeline.after(leftMs, () => this.#leadAgain());
    this.noteFault();
    this.lead();
  }

  // --- watches ----------------------------------------------------------------------------------------------------

  #changed(change: ApiChange): void {
    this.checks.apiHasChanged(change);
    this.onChange(change);
    const { kind, key } = change;
    if (kind === 'pods') return;
    for (const one of this.controllers) this.#deliverSoon(`${one.name} ${kind}`, () => one.deliver(kind));
    if (kind === 'partitions' && this.machineOf(key)) this.#deliverSoon(key, () => this.machineOf(key)?.tellAgent());
  }

  /** A watch delivers what has happened until then, a moment later. @param key whose it is */
  #deliverSoon(key: string, deliver: () => void): void {
    if (this.#due.has(key)) return;
    this.#due.add(key);
    this.later(1, 150, () => {
      this.#due.delete(key);
      deliver();
    });
  }

  /** All watches deliver what has happened, those too that stood still. */
  deliverAll(): void {
    for (const one of this.controllers) {
      one.frozen.clear();
      for (const kind of watchedKinds) one.deliver(kind);
    }
  }
}
