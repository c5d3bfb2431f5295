import { expect } from 'chai';
import type { GpuPartitionPolicy, PolicySpec } from '../../../src/api/types.ts';
import { type LedgerStep, stepLedger } from '../../../src/core/rollout/ledger.ts';
import { FleetRollout, slotOf } from '../../../src/core/rollout/budget.ts';
import { aPolicy } from '../../support/builders.ts';
import { noon } from './rollout-builders.ts';

/** What really becomes of a node. */
interface Truth {
  readonly uid: string;
  readonly policy: string;
  readonly isReady: boolean;
  /** Closed since it joined. */
  readonly isFresh: boolean;
  readonly stage: 'Todo' | 'Closed' | 'Done';
  readonly hasFailed: boolean;
  readonly wishGeneration: number;
}

export type RolloutChange =
  | { readonly do: 'look' | 'finish' | 'fail' | 'giveUp' | 'leave'; readonly node: number }
  | { readonly do: 'readiness'; readonly node: number; readonly isReady: boolean }
  | { readonly do: 'join'; readonly node: number; readonly isFresh: boolean }
  | { readonly do: 'move'; readonly node: number; readonly policy: string }
  | { readonly do: 'edit'; readonly asksAnew: boolean; readonly rollout: NonNullable<PolicySpec['rollout']> }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'lookAtAll' | 'step' | 'restart' | 'loseStatus' };

/** Nodes of policy `p`, and a controller that sees one of them at a time and dies now and then. */
export class RolloutWorld {
  readonly #cap: number;
  #now = noon;
  #uids = 0;
  #truth = new Map<string, Truth>();
  #fleet = new FleetRollout();
  /** Looked at since the controller started and the policy asks what it asks. */
  #seen = new Set<string>();
  #policy: GpuPartitionPolicy = aPolicy({ rollout: { maxUnavailable: 2 } });
  /** Generation at which nodes were asked for something else. */
  #asked = 1;

  constructor(size: number, cap: number) {
    this.#cap = cap;
    for (let node = 0; node < size; node += 1) this.apply({ do: 'join', node, isFresh: false });
  }

  apply(change: RolloutChange): void {
    const name = 'node' in change ? `n${change.node}` : '';
    const known = this.#truth.get(name);
    switch (change.do) {
      case 'look':
        if (known) this.#look(name, known);
        return;
      case 'lookAtAll':
        for (const [node, one] of this.#truth) this.#look(node, one);
        return;
      case 'step':
        return this.#step();
      case 'finish':
        if (known?.stage === 'Closed' && known.wishGeneration === this.#asked)
          this.#truth.set(name, { ...known, stage: 'Done', isFresh: false, hasFailed: false });
        return;
      case 'fail':
        if (known?.stage === 'Closed') this.#truth.set(name, { ...known, stage: 'Todo', hasFailed: true });
        return;
      case 'giveUp':
        if (known?.stage === 'Closed') this.#truth.set(name, { ...known, stage: 'Todo' });
        return;
      case 'readiness':
        if (known) this.#truth.set(name, { ...known, isReady: change.isReady });
        return;
      case 'join':
        this.#uids += 1;
        this.#truth.set(name, {
          uid: `uid-${this.#uids}`,
          policy: 'p',
          isReady: true,
          isFresh: change.isFresh,
          stage: 'Todo',
          hasFailed: false,
          wishGeneration: 0,
        });
        return;
      case 'leave':
        this.#truth.delete(name);
        this.#fleet.remove(name);
        this.#seen.delete(name);
        return;
      case 'move':
        if (known) this.#truth.set(name, { ...known, policy: change.policy });
        return;
      case 'edit': {
        const { generation = 1 } = this.#policy.metadata;
        const { status = {} } = this.#policy;
        this.#policy = { ...aPolicy({ generation: generation + 1, rollout: change.rollout }), status };
        if (change.asksAnew) this.#asked = generation + 1;
        this.#seen.clear();
        return;
      }
      case 'wait':
        this.#now += change.ms;
        return;
      case 'restart':
        this.#fleet = new FleetRollout();
        this.#seen.clear();
        return;
      case 'loseStatus':
        this.#policy = { ...this.#policy, status: {} };
    }
  }

  /** Nothing goes wrong any more. @returns nodes of the policy that are not done in the end */
  heal(): readonly string[] {
    this.apply({ do: 'edit', asksAnew: false, rollout: { maxUnavailable: 1, canary: { nodes: 2, soak: '1m' } } });
    for (const [name, one] of this.#truth) this.#truth.set(name, { ...one, isReady: true });
    for (let wave = 0; wave < 6 * this.#truth.size + 12; wave += 1) {
      this.apply({ do: 'lookAtAll' });
      this.#step();
      this.apply({ do: 'lookAtAll' });
      for (const name of this.#truth.keys()) this.apply({ do: 'finish', node: Number(name.slice(1)) });
      this.#now += 20_000;
    }
    return [...this.#truth].flatMap(([name, { policy, stage }]) => (policy === 'p' && stage !== 'Done' ? [name] : []));
  }

  /** As a node's worker does: with the slot that the ledger has for it. */
  #look(name: string, before: Truth): void {
    const isOutdated = before.policy === 'p' && before.wishGeneration < this.#asked;
    const one: Truth = isOutdated
      ? {
          ...before,
          wishGeneration: this.#asked,
          hasFailed: false,
          stage: before.stage === 'Closed' ? 'Closed' : 'Todo',
        }
      : before;
    const { uid, policy, isReady, isFresh, stage, hasFailed, wishGeneration } = one;
    const ledger = this.#policy.status?.inFlight;
    const slot = policy === 'p' ? slotOf(ledger, { node: name, nodeUID: uid, wishGeneration }) : undefined;
    if (slot) this.#fleet.begin(name);
    // One of a node that was already closed does not count once the node has been opened; see slotInForce.
    const inForce = slot?.kind === 'Fresh' && !isFresh && stage !== 'Closed' ? undefined : slot;
    const starts = inForce !== undefined && stage === 'Todo' && isReady;
    const asks = policy === 'p' && inForce === undefined && stage !== 'Done' && isReady && !this.#isPaused;
    const isClosed = stage === 'Closed' && (slot !== undefined || !isFresh);
    this.#fleet.put({
      node: name,
      nodeUID: uid,
      policy,
      isReady,
      isCordoned: false,
      hasGpus: true,
      hasFailed,
      isVerified: stage === 'Done',
      isClosedAnyway: isFresh,
      isUnderWay: isClosed || starts,
      wishGeneration,
      slot: slot?.startTime,
      ...(asks && {
        request: {
          kind: hasFailed ? 'Retry' : isFresh ? 'Fresh' : 'New',
          isClosedAnyway: isFresh,
          evictions: uid.length % 3,
          destroys: 1,
          failedDrains: 0,
        },
      }),
    });
    this.#seen.add(name);
    const next = starts ? 'Closed' : slot === undefined && stage === 'Closed' ? 'Todo' : stage;
    this.#truth.set(name, { ...one, stage: next });
  }

  get #isPaused(): boolean {
    return this.#policy.spec.rollout?.paused === true;
  }

  /** As the policy's worker does. */
  #step(): void {
    const step = this.#decide();
    this.#check(step);
    const { canary: _before, ...status } = this.#policy.status ?? {};
    const { ledger, canary } = step;
    this.#policy = { ...this.#policy, status: { ...status, inFlight: [...ledger], ...(canary && { canary }) } };
    const again = this.#decide();
    expect(again.ledger, 'ledger after a second step').to.deep.equal(ledger);
    expect(again.canary, 'canary after a second step').to.deep.equal(canary);
    expect(again.released, 'given back by a second step').to.deep.equal([]);
  }

  /** Nodes over which policy `p` decides. */
  get #own(): readonly string[] {
    return [...this.#truth].flatMap(([node, { policy }]) => (policy === 'p' ? [node] : []));
  }

  #decide(): LedgerStep {
    return stepLedger({
      now: this.#now,
      policy: this.#policy,
      hasAskedSince: (generation) => generation >= this.#asked,
      rolloutStates: this.#fleet.of('p'),
      size: this.#own.length,
      rolloutStateOf: (node) => this.#fleet.rolloutStateOf(node),
      uidOf: (node) => this.#truth.get(node)?.uid,
      admits: [...this.#truth.keys()].every((node) => this.#seen.has(node)) ? 'Everybody' : 'Nobody',
      cap: { most: this.#cap, others: [] },
      frozen: undefined,
    });
  }

  #check({ ledger, admitted, canary }: LedgerStep): void {
    const names = ledger.map(({ node }) => node);
    expect(names, 'nobody is there twice').to.deep.equal([...new Set(names)]);
    // 1. Whoever is being changed is in the ledger.
    const closed = [...this.#truth].filter(([, one]) => one.stage === 'Closed' && one.policy === 'p' && !one.isFresh);
    for (const [name, { uid }] of closed) {
      const isKnown = this.#fleet.of('p').get(name)?.isUnderWay === true;
      const wasHeld = this.#policy.status?.inFlight?.some(({ nodeUID }) => nodeUID === uid) === true;
      if (isKnown || wasHeld) expect(names, `${name} is being changed`).to.include(name);
    }
    const rolloutStates = this.#fleet.of('p');
    // 2. Nobody starts beyond the budget, the cap, a pause or the threshold.
    const { maxUnavailable = 1, failureThreshold = 1 } = this.#policy.spec.rollout ?? {};
    const size = this.#own.length;
    const before = new Set((this.#policy.status?.inFlight ?? []).map(({ node, nodeUID }) => `${node} ${nodeUID}`));
    const isFound = (node: string): boolean => rolloutStates.get(node)?.isUnderWay === true;
    const started = ledger.filter(({ node, nodeUID }) => !before.has(`${node} ${nodeUID}`) && !isFound(node));
    const disrupting = started.filter(({ kind }) => kind !== 'Fresh');
    const inFlight = ledger.flatMap(({ node, kind }) => (kind === 'Fresh' ? [] : [node]));
    const unavailable = new Set([...inFlight, ...rolloutStates.unavailable, ...closed.map(([name]) => name)]);
    const most = countOf(maxUnavailable, size);
    for (const { node } of started) expect(admitted, 'told').to.include(node);
    if (disrupting.length > 0) {
      expect(unavailable.size, `unavailable, of ${maxUnavailable}`).to.be.at.most(most);
      expect(this.#isPaused, 'started while paused').to.equal(false);
    }
    if (started.some(({ kind }) => kind !== 'Fresh')) expect(ledger.length, 'the cap').to.be.at.most(this.#cap);
    const isHalted = rolloutStates.failed.size >= Math.max(1, countOf(failureThreshold, size));
    const fresh = started.filter(({ node }) => rolloutStates.get(node)?.hasFailed !== true);
    if (isHalted)
      expect(
        fresh.filter(({ kind }) => kind !== 'Repair'),
        'started although halted',
      ).to.deep.equal([]);
    // 3. As long as the canary has not passed nobody else starts.
    const soakedAt = Date.parse(canary?.readySince ?? '2100-01-01T00:00:00Z') + 60_000;
    if (canary === undefined || soakedAt <= this.#now) return;
    for (const { node, kind } of started) if (kind === 'New') expect(canary.nodes, 'canaries').to.include(node);
    // An edit may ask for fewer than have begun.
    const hasMore = canary.nodes.length > (this.#policy.status?.canary?.nodes.length ?? 0);
    if (hasMore) expect(canary.nodes.length, 'canaries').to.be.at.most(this.#policy.spec.rollout?.canary?.nodes ?? 0);
  }
}

function countOf(limit: number | string, size: number): number {
  if (typeof limit === 'number') return limit;
  const percent = Number(limit.replace('%', ''));
  return percent === 0 ? 0 : Math.max(1, Math.floor((size * percent) / 100));
}
