import { GpuDriver, type OwnLine, type Permit } from './nvidia-smi.ts';
import {
  type Execution,
  type ChangeCommand,
  type ReadCommand,
  type DriverAnswer,
  splitExecution,
} from '../core/smi/command.ts';
import type { GpuState } from '../core/gpu/device-state.ts';

/**
 * Branches whose nvidia-smi was recorded with several GPUs in `-i`: it works GPU by GPU, by index, and the first failure ends it.
 * Source: test/fixtures/nvidia-smi/branches/multi-550.jsonl and multi-535.jsonl, 62 runs each. Of every other branch a command names
 * one GPU.
 */
const recordedBranches: ReadonlySet<string> = new Set(['535', '550']);

/** Whether a driver is known to take several GPUs in one command that changes them. */
export function sharesCommands(driverVersion: string): boolean {
  return recordedBranches.has(driverVersion.split('.', 1)[0] ?? '');
}

/** The work of a crew has ended because of one of its GPUs. */
export class CrewEnded extends Error {
  override readonly name = 'CrewEnded';
}

/** One GPU of a crew at its work. */
export interface Member {
  readonly driver: GpuDriver;
  /** Waits until no other GPU is at work, to borrow from the host, or for what cannot be shared: one GPU after the other. */
  readonly beAlone: () => Promise<void>;
}

type NamedGpu = Pick<GpuState, 'pciBusId' | 'index'>;

interface Request<Kind, Command, Result> {
  readonly kind: Kind;
  readonly gpu: NamedGpu;
  readonly command: Command;
  /** Requests with the same key become one command; undefined: it stays by itself. */
  readonly key: string | undefined;
  readonly permit?: Permit | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

type Question = Request<'Question', ReadCommand, DriverAnswer>;
type Order = Request<'Order', ChangeCommand, Execution | undefined>;

/**
 * GPUs that change together. The work on each is written as if it were the only one; the crew holds every command until each GPU at work
 * waits for one. GPUs that ask for exactly the same share one process, and each gets its part of the answer. One process runs at a
 * time. A GPU that has failed, or is done, is no longer waited for.
 */
export class Crew {
  readonly #line: OwnLine;
  /** How many GPUs are at work: all of them are waited for. */
  #active = 0;
  #waiting: (Question | Order)[] = [];
  /** GPUs that wait until no other is at work. */
  readonly #soloists: (() => void)[] = [];
  /** An answer for several GPUs spoke of none of them: since then each has its own commands. */
  #isApart = false;
  #end: CrewEnded | undefined;

  constructor(line: OwnLine) {
    this.#line = line;
  }

  /** Ends the work on all GPUs: no command begins any more. */
  end(): void {
    this.#end ??= new CrewEnded('the work on the GPUs has ended');
  }

  /** Works on one GPU, beside all others that begin in the same turn. @throws CrewEnded, and what `work` throws */
  async work<Result>(gpu: NamedGpu, work: (member: Member) => Promise<Result>): Promise<Result> {
    this.#active += 1;
    try {
      await Promise.resolve();
      return await work(this.#admit(gpu));
    } finally {
      this.#active -= 1;
      this.#proceed();
    }
  }

  #admit(gpu: NamedGpu): Member {
    const driver = new GpuDriver({
      read: (command, key) =>
        new Promise((resolve, reject) => this.#wait({ kind: 'Question', gpu, command, key, resolve, reject })),
      change: (command, permit, key) =>
        new Promise((resolve, reject) => this.#wait({ kind: 'Order', gpu, command, key, permit, resolve, reject })),
    });
    const beAlone = async (): Promise<void> => {
      const turn = new Promise<void>((resolve) => this.#soloists.push(resolve));
      this.#active -= 1;
      this.#proceed();
      await turn;
      if (this.#end !== undefined) throw this.#end;
    };
    return { driver, beAlone };
  }

  #wait(request: Question | Order): void {
    this.#waiting.push(request);
    this.#proceed();
  }

  #proceed(): void {
    if (this.#active === 0) {
      const next = this.#soloists.shift();
      if (next === undefined) return;
      this.#active += 1;
      return next();
    }
    if (this.#waiting.length < this.#active) return;
    const requests = this.#waiting;
    this.#waiting = [];
    void this.#serve(requests);
  }

  async #serve(requests: readonly (Question | Order)[]): Promise<void> {
    for (const group of this.#group(requests)) {
      try {
        if (this.#end !== undefined) throw this.#end;
        const orders = group.filter((request) => request.kind === 'Order');
        await (orders.length > 0
          ? this.#change(orders)
          : this.#ask(group.filter((request) => request.kind === 'Question')));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
  }

  /** By index within a group: the tool works in this order, however they are named. */
  #group(requests: readonly (Question | Order)[]): readonly (readonly (Question | Order)[])[] {
    const groups = new Map<unknown, (Question | Order)[]>();
    for (const request of requests.toSorted((one, other) => one.gpu.index - other.gpu.index)) {
      const key = this.#isApart ? request : (request.key ?? request);
      groups.set(key, [...(groups.get(key) ?? []), request]);
    }
    return [...groups.values()];
  }

  async #ask(questions: readonly Question[]): Promise<void> {
    const [first] = questions;
    if (first === undefined) return;
    if (questions.length === 1) return first.resolve(await this.#line.read(first.command));
    const gpus = questions.map(({ gpu }) => gpu);
    const answer = await this.#line.read(nameAll(first.command, gpus));
    for (const { resolve } of questions) resolve({ ...answer, gpus });
  }

  /** A GPU that may not be changed after all is left out. */
  async #change(orders: readonly Order[]): Promise<void> {
    const asked = await keepPermitted(orders, ({ permit }) => permit?.ask());
    const begun = await keepPermitted(asked, ({ permit }) => permit?.begin());
    const [first, ...others] = begun;
    if (first === undefined) return;
    const also = others.map(({ gpu }) => gpu.pciBusId);
    try {
      const execution = await this.#line.change({ ...first.command, ...(also.length > 0 && { also }) });
      const gpus = begun.map(({ gpu }) => gpu);
      const parts = also.length === 0 ? [execution] : splitExecution(execution, gpus);
      this.#isApart ||= parts.every((part) => part === undefined);
      for (const [at, { resolve }] of begun.entries()) resolve(parts[at]);
    } catch (error) {
      for (const { reject } of begun) reject(error);
    }
  }
}

async function keepPermitted(
  orders: readonly Order[],
  check: (order: Order) => Promise<void> | void,
): Promise<readonly Order[]> {
  const kept: Order[] = [];
  for (const order of orders) {
    try {
      await check(order);
      kept.push(order);
    } catch (error) {
      order.reject(error);
    }
  }
  return kept;
}

/** Only questions that name their GPUs have a key, and thereby company. */
function nameAll(command: ReadCommand, gpus: readonly NamedGpu[]): ReadCommand {
  return 'gpus' in command ? { ...command, gpus: gpus.map(({ pciBusId }) => pciBusId) } : command;
}
