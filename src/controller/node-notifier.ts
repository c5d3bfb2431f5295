import { nodePartitions, nodes } from '../api/resources.ts';
import { repartitioningTaint } from '../api/names.ts';
import type { GpuNodePartition, NodePartitionStatus } from '../api/types.ts';
import type { NodeStep } from '../core/node/commands.ts';
import { describeModeChanges } from '../core/device/plan.ts';
import { describeCleared } from '../core/node/owners.ts';
import { countWords } from '../core/text/words.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { Logger } from '../process/log.ts';
import type { KubeObject, Change } from '../kube/watch.ts';
import type { NodeObject } from './operator.ts';
import { viewAgent } from './watched-objects.ts';
import type { PodView } from '../core/kubernetes/pod.ts';

/** The refusals of nearly all nodes: none. */
const noRefusals: ReadonlyMap<string, string> = new Map();

interface Parts {
  readonly cluster: {
    readonly partitions: { get(name: string): (GpuNodePartition & KubeObject) | undefined };
    readonly nodes: { get(name: string): NodeObject | undefined };
  };
  readonly events: Pick<EventRecorder, 'record'>;
  readonly log: Logger;
}

/** The state that was last reported of a node. */
interface Notified {
  readonly state: string;
  readonly isChanging: boolean;
  /** Refusals of evictions, by uid of the pod. */
  readonly refusals: ReadonlyMap<string, string>;
}

/**
 * Tells people what happens to nodes: a log line for each decision that differs from the last, and Events before pods are evicted,
 * when a disruption budget is in the way, and at the start and the end of a change.
 */
export class NodeNotifier {
  readonly #parts: Parts;
  readonly #notified = new Map<string, Notified>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  notify(step: NodeStep): void {
    const { node, verdict, commands } = step;
    const { phase, reason } = verdict;
    const before = this.#notified.get(node) ?? this.#recall(node);
    for (const command of commands) this.#logCommand(node, command);
    const refusals = this.#logEvictions(step, before.refusals);
    const state = `${phase} ${reason}`;
    if (state !== before.state) this.#logState(step);
    for (const command of commands)
      if (command.name === 'WriteDrain' && command.going !== undefined) this.#announceDrain(node, command.going);
    if (state !== before.state && reason === 'EvictionBlocked')
      this.#record(node, 'Warning', reason, verdict.message, true);
    this.#announceTakeOver(step, before.state);
    const begins = commands.some(({ name }) => name === 'WriteGrant');
    if (begins) this.#announceStart(node);
    const hasEnded = before.isChanging && (phase === 'Ready' || phase === 'Failed');
    if (hasEnded) this.#announceEnd(step);
    this.#notified.set(node, { state, isChanging: begins || (before.isChanging && !hasEnded), refusals });
  }

  /** Call this when a node is gone. */
  forget(node: string): void {
    this.#notified.delete(node);
  }

  /** Recalls what an earlier leader has reported. */
  #recall(node: string): Notified {
    const status = this.#parts.cluster.partitions.get(node)?.status;
    return { state: `${status?.phase ?? 'Pending'} ${reasonOf(status)}`, isChanging: false, refusals: noRefusals };
  }

  #logCommand(node: string, command: NodeStep['commands'][number]): void {
    if (command.name !== 'PatchNode') return;
    const { addTaints = [], removeTaints = [] } = command.change;
    if (addTaints.some(({ key }) => key === repartitioningTaint.key)) this.#parts.log.info('node closed', { node });
    if (removeTaints.length > 0) this.#parts.log.info('node opened', { node, taints: removeTaints });
  }

  /** @returns refusals that have been reported, without those of pods that are gone */
  #logEvictions({ node, commands, memory }: NodeStep, before: Notified['refusals']): Notified['refusals'] {
    const refusals = new Map([...before].filter(([uid]) => memory.evictions[uid] !== undefined));
    for (const command of commands) {
      if (command.name !== 'EvictPod') continue;
      const { namespace, name, uid } = command.pod;
      const refusal = memory.evictions[uid]?.refusal;
      const pod = `${namespace}/${name}`;
      if (refusal === undefined) this.#parts.log.info('pod evicted', { node, pod });
      else if (refusals.get(uid) !== refusal) this.#parts.log.warn('pod eviction refused', { node, pod, why: refusal });
      if (refusal !== undefined) refusals.set(uid, refusal);
    }
    return refusals.size === 0 ? noRefusals : refusals;
  }

  #logState({ node, verdict: { phase, reason, message, transient } }: NodeStep): void {
    const isTrouble = phase === 'Failed' || phase === 'Invalid';
    const level = isTrouble ? 'warn' : transient === true ? 'debug' : 'info';
    this.#parts.log[level](`node ${phase.toLowerCase()}`, { node, reason, why: message });
  }

  /** No pod has been asked to go yet: that follows once this has been recorded. */
  #announceDrain(node: string, going: string): void {
    const partition = this.#parts.cluster.partitions.get(node);
    const message = `policy ${partition?.spec.policy?.name ?? 'unknown'} will evict ${going}; then it ${describeWork(partition)}`;
    this.#record(node, 'Normal', 'Draining', message, true);
  }

  /** What will be taken from mig-manager, and what of it was repaired. */
  #announceTakeOver({ node, verdict, commands }: NodeStep, before: string): void {
    const cleared = commands.flatMap((command) =>
      command.name === 'PatchNode' ? (describeCleared(command.change) ?? []) : [],
    );
    for (const message of cleared) this.#record(node, 'Normal', 'TakenOver', message, true);
    const begins = verdict.reason === 'TakingOver' && `${verdict.phase} TakingOver` !== before;
    if (begins && cleared.length === 0) this.#record(node, 'Normal', 'TakingOver', verdict.message, true);
  }

  #announceStart(node: string): void {
    const partition = this.#parts.cluster.partitions.get(node);
    const { granted, policy } = partition?.spec ?? {};
    const message = `policy ${policy?.name ?? 'unknown'}, grant ${granted?.epoch ?? 'unknown'}: ${describeWork(partition)}`;
    this.#record(node, 'Normal', 'Repartitioning', message, false);
  }

  #announceEnd({ node, verdict: { phase, reason, message } }: NodeStep): void {
    if (phase === 'Failed') this.#record(node, 'Warning', reason, message, false);
    else this.#record(node, 'Normal', 'Repartitioned', message, false);
  }

  /** A change is told of the Node, where people look. What the partition comes to otherwise is recorded with its status. */
  #record(name: string, type: 'Normal' | 'Warning', reason: string, message: string, onPartition: boolean): void {
    const node = this.#parts.cluster.nodes.get(name);
    const partition = this.#parts.cluster.partitions.get(name);
    const note = { type, reason, action: 'Partition', message };
    if (node) this.#parts.events.record({ ...note, resource: nodes, object: node });
    if (partition && onPartition) this.#parts.events.record({ ...note, resource: nodePartitions, object: partition });
  }
}

function describeWork(partition: GpuNodePartition | undefined): string {
  const { plan } = partition?.status?.device ?? {};
  const { destroy = 0, create = 0, gpusChanging = 0 } = plan ?? {};
  const instances = `destroys ${destroy} and creates ${countWords(create, 'instance')}`;
  return `${instances} on ${countWords(gpusChanging, 'GPU')}${describeModeChanges(plan)}`;
}

function reasonOf(status: NodePartitionStatus | undefined): string {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? 'AgentNotReporting';
}

/** The agents' pods by node. */
export class AgentPods {
  readonly #byNode = new Map<string, Map<string, PodView>>();

  /** @returns the node that the change is about, if any */
  update({ type, key, object }: Change<PodView>): string | undefined {
    const node = object.spec?.nodeName;
    if (node === undefined) return undefined;
    const pods = this.#byNode.get(node) ?? new Map<string, PodView>();
    if (type === 'delete') pods.delete(key);
    else pods.set(key, object);
    if (pods.size > 0) this.#byNode.set(node, pods);
    else this.#byNode.delete(node);
    return node;
  }

  viewOf(node: string): ReturnType<typeof viewAgent> {
    return viewAgent([...(this.#byNode.get(node)?.values() ?? [])]);
  }
}
