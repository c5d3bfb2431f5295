import type { GpuPartitionPolicy } from '../../api/types.ts';
import { type Admits, judgeAdmits } from '../rollout/admits.ts';
import type { RolloutStates } from '../rollout/rollout-states.ts';
import { noWrites } from './write-pace.ts';
import type { Hold } from './claim.ts';
import type { DemandReport } from './demand-report.ts';
import type { Mistake, PolicyRefusal } from './refusal.ts';
import type { PolicyScope } from './selections.ts';
import { PolicyTally } from './tally.ts';
import { applySchedule, currentOf, enforces, isAccepted, type PolicyVersions } from './versions.ts';
import { countWords, joinWithin } from '../text/cut-text.ts';

/** A policy, and what is known of it and its nodes. A new one is made for each generation. */
export class PolicyRecord {
  /** As they are stored, with all their schedules. */
  #versions: PolicyVersions;
  /** As the schedule in force has them. */
  #shown: PolicyVersions;
  /** Why its newest version is invalid, regardless of nodes. */
  refusal: PolicyRefusal | undefined;
  /** Nodes that any of its versions selects, including those over which another policy decides. */
  readonly nodes: ReadonlySet<string>;
  /** Nodes not yet checked for whether they can take its newest generation. */
  unchecked: Set<string> = new Set();
  /** Nodes that cannot take it, and why. */
  readonly refused = new Map<string, Mistake>();
  /** Whether it was known at its acceptance how each node stands. */
  isForecast = false;
  /** What its nodes were last told about why its generation is not accepted. */
  toldRefusal: string | undefined;
  /** How its demand stands; undefined if it has none, or no plan was made for it yet. */
  demand: DemandReport | undefined;
  /** Of its status. An edit begins no new count. */
  writes = noWrites;
  /** Of the nodes that are its own, as they are under the current version. */
  tally = new PolicyTally([]);

  constructor(versions: PolicyVersions, refusal: PolicyRefusal | undefined, nodes: ReadonlySet<string>) {
    this.#versions = versions;
    this.#shown = applySchedule(versions);
    this.refusal = refusal;
    this.nodes = nodes;
  }

  get versions(): PolicyVersions {
    return this.#versions;
  }

  set versions(versions: PolicyVersions) {
    this.#versions = versions;
    this.#shown = applySchedule(versions);
  }

  get name(): string {
    return this.newest.metadata.name;
  }

  /** As its author last wrote it, with what its schedule in force makes of it. */
  get newest(): GpuPartitionPolicy {
    return this.#shown.newest;
  }

  /** The version that its nodes are told. */
  get policy(): GpuPartitionPolicy {
    return currentOf(this.#shown);
  }

  get inForce(): GpuPartitionPolicy | undefined {
    return this.#shown.inForce;
  }

  /** The version by which it is ordered among the policies of a node. */
  get rank(): GpuPartitionPolicy {
    return this.inForce ?? this.newest;
  }

  get scope(): PolicyScope {
    const { name, newest, rank } = this;
    return { policy: name, newest: newest.spec.nodeSelector, inForce: rank.spec.nodeSelector, rank };
  }

  get acceptedGeneration(): number | undefined {
    return this.versions.acceptedGeneration;
  }

  get isAccepted(): boolean {
    return isAccepted(this.versions);
  }

  /** Whether its newest generation is yet to be checked against nodes; one that is invalid by itself is not. */
  get awaitsAcceptance(): boolean {
    return !this.isAccepted && this.refusal === undefined;
  }

  /** Why nothing new starts on its nodes. @param told the version that a node is told */
  holdFor(told: GpuPartitionPolicy): Hold | undefined {
    const { name, generation } = this.newest.metadata;
    const unaccepted = `generation ${generation} of policy ${name} is not accepted`;
    if (this.refusal) {
      const what = this.isAccepted ? `policy ${name} cannot be carried out` : unaccepted;
      return { kind: 'Refused', message: `${what}: ${this.refusal.message}` };
    }
    if (!this.isAccepted) {
      const why = this.unchecked.size > 0 ? undefined : listRefused(this);
      if (why !== undefined) return { kind: 'Refused', message: `${unaccepted}: ${why}` };
      const message = `generation ${generation} of policy ${name} is being checked against all selected nodes`;
      return { kind: 'Checking', message };
    }
    if (enforces(this.newest) || told === this.newest) return undefined;
    return { kind: 'Plan', message: `policy ${name} only plans since generation ${generation}` };
  }
}

const mostNames = 5;
/** Of a condition's message, which says first what is refused. */
const longestRefused = 3800;

/** Nodes that keep a generation from being accepted: the first, and how many. Undefined if there are none. */
export function listRefused({ refused }: Pick<PolicyRecord, 'refused'>): string | undefined {
  if (refused.size === 0) return undefined;
  const named = [...refused].slice(0, mostNames).map(([node, { message }]) => `node ${node}: ${message}`);
  const sayRest = (shown: number): string =>
    shown < refused.size ? `and ${countWords(refused.size - shown, 'more node')}` : '';
  return joinWithin(named, longestRefused, '; ', sayRest);
}

/** Which nodes of a policy may start. @param isOverdue it is being deleted, and its deadline is over */
export function admitsOf(record: PolicyRecord, rolloutStates: RolloutStates, isOverdue: boolean): Admits {
  const { tally, policy, isForecast, refusal } = record;
  return judgeAdmits({
    mayStart: record.isAccepted && refusal === undefined && !isOverdue,
    unseen: tally.unseen,
    rolloutStates,
    isForecast,
    hasCanary: policy.spec.rollout?.canary !== undefined,
  });
}
