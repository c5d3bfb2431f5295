import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createKubeClient } from '../support/cluster.ts';
import { AuditTail } from '../support/audit-tail.ts';
import { eventually, patience } from '../support/eventually.ts';
import { ownTaints, type TestRig } from '../support/rig.ts';
import { EarlierStates } from './earlier-states.ts';
import type { Interference } from './interference.ts';
import { describeWriteOf, isOfChange, lagOf, type Perturbation } from './perturbation.ts';
import type { Scenario } from './scenarios.ts';

export const controller = 'controller-0';

/** How long a server lags behind a program that has just read from it, or a watch is silent. */
const lagMs = 1_500;
/** After a write, until a turn counts as over: the status of a policy is written once a second. */
const quietMs = 1_200;
/** For what our programs do not wait for: labels of other programs, the scheduler. */
const settleMs = 15_000;

export interface TurnEnding {
  readonly end: object;
  /** GPU instances destroyed, and pods evicted. */
  readonly destroyed: number;
  readonly evicted: number;
}

/** Plays the turns of scenarios on a rig, disturbed or not. */
export class Player {
  readonly #rig: TestRig;
  readonly #interferences: ReadonlyMap<string, Interference>;
  readonly #audit: AuditTail;

  /** @param interferences of the programs with a proxy */
  constructor(rig: TestRig, interferences: ReadonlyMap<string, Interference>) {
    this.#rig = rig;
    this.#interferences = interferences;
    this.#audit = new AuditTail(rig.controlPlane);
  }

  /** An undisturbed turn. @returns how it ended, and what each program wrote */
  async play(
    scenario: Scenario,
    turn: number,
  ): Promise<TurnEnding & { readonly writes: ReadonlyMap<string, string[]> }> {
    const programs = [controller, scenario.node];
    const from = new Map(programs.map((program) => [program, this.#rig.proxy(program).requests.length]));
    const ending = await this.#turn(scenario, turn);
    const listWrites = (program: string): string[] =>
      this.#rig.proxy(program).requests.slice(from.get(program)).filter(isOfChange).map(describeWriteOf);
    return { ...ending, writes: new Map(programs.map((program) => [program, listWrites(program)])) };
  }

  /** @returns how the turn ended, and whether the write came: those of a policy's status are joined, so that their number varies */
  async disturb(
    scenario: Scenario,
    turn: number,
    perturbation: Perturbation,
    usual: TurnEnding,
  ): Promise<TurnEnding & { readonly hasStruck: boolean }> {
    const { program } = perturbation;
    const interference = this.#interferences.get(program);
    if (interference === undefined) throw new Error(`${program} has no proxy`);
    const states = await EarlierStates.start(await createKubeClient(this.#rig.controlPlane));
    const strike = interference.arm(perturbation, states);
    const follow = strike.struck.then(() => this.#follow(perturbation, strike));
    try {
      const ending = await this.#turn(scenario, turn, usual);
      if (strike.hasStruck) await follow;
      return { ...ending, hasStruck: strike.hasStruck };
    } finally {
      interference.disarm();
      await states.stop();
    }
  }

  /** What comes after the write. */
  async #follow({ program, kind }: Perturbation, strike: ReturnType<Interference['arm']>): Promise<void> {
    const { rig } = this.#rig;
    if (kind === 'events skipped') await Promise.race([strike.skippedAll, pause(lagMs)]);
    else {
      const process = program === controller ? rig.controller : rig.agent(program);
      await process.stop('SIGKILL');
      process.start();
      if (lagOf(kind) === undefined) return;
      await strike.answeredStale;
      await pause(lagMs);
    }
    strike.catchUp();
    this.#rig.proxy(program).reset();
  }

  /** @param usual the ending to wait for a while; without it, that of the moment when all is done is taken */
  async #turn(scenario: Scenario, turn: number, usual?: TurnEnding): Promise<TurnEnding> {
    const { node, turns } = scenario;
    const rig = this.#rig;
    const destroyedBefore = await this.#countDestroyed(node);
    await this.#audit.read();
    await turns[turn]?.act(rig);
    const startMs = performance.now();
    await eventually(
      () => this.#findUndone(scenario, turn),
      (found) => found === '',
      {
        timeoutMs: 60_000,
        intervalMs: 100,
        what: 'what is not done',
      },
    );
    await this.#untilQuiet(node, startMs);
    const deadline = performance.now() + settleMs * patience;
    let end = await scenario.readEnd(rig);
    const isOther = (): boolean => usual !== undefined && !isDeepStrictEqual(end, usual.end);
    while (isOther() && performance.now() < deadline) {
      await pause(250);
      end = await scenario.readEnd(rig);
    }
    const writes = await this.#audit.read();
    const evicted = new Set(
      writes.flatMap(({ subresource, code, name }) => (subresource === 'eviction' && code === 201 ? [name] : [])),
    );
    return { end, destroyed: (await this.#countDestroyed(node)) - destroyedBefore, evicted: evicted.size };
  }

  /** @returns the first thing that the turn still waits for */
  async #findUndone({ node, turns }: Scenario, turn: number): Promise<string> {
    const rig = this.#rig;
    const undone = turns[turn]?.findUndone?.(rig);
    if (undone) return undone;
    const { metadata, status: told } = await rig.policy(node);
    const ready = told?.conditions?.find(({ type }) => type === 'Ready');
    if (ready?.status !== 'True' || ready.observedGeneration !== metadata.generation)
      return `policy ${node} is ${ready?.status} ${ready?.reason} of generation ${ready?.observedGeneration}: ${ready?.message}`;
    const { spec, status } = await rig.partition(node);
    if (status?.phase !== 'Ready' || status.device?.observedEpoch !== spec.granted?.epoch)
      return `node ${node} is ${status?.phase}, epoch ${status?.device?.observedEpoch} of ${spec.granted?.epoch}`;
    const taints = ownTaints(await rig.node(node));
    if (taints.length > 0) return `node ${node} has ${taints.join()}`;
    return (await turns[turn]?.isDone?.(rig)) === false ? `the turn of ${node} is not done` : '';
  }

  async #untilQuiet(node: string, startMs: number): Promise<void> {
    const lastMs = (): number =>
      [controller, node].reduce(
        (last, program) => Math.max(last, this.#rig.proxy(program).requests.findLast(isOfChange)?.atMs ?? 0),
        startMs,
      );
    await eventually(lastMs, (last) => performance.now() - last > quietMs, {
      timeoutMs: 30_000,
      what: 'the last write',
    });
  }

  async #countDestroyed(node: string): Promise<number> {
    return (await this.#rig.rig.deviceOperations(node))
      .filter((argv) => argv.includes('-dgi'))
      .flatMap((argv) => argv[argv.indexOf('-gi') + 1]?.split(',') ?? []).length;
  }
}
