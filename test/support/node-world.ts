import type { DeviceReport, GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import { patchNode, metadataOf } from '../../src/core/node/node-patch.ts';
import { type Command, recordAnswer } from '../../src/core/node/commands.ts';
import { type NodeMemory, recallMemory } from '../../src/core/node/memory.ts';
import type { NodeView } from '../../src/core/kubernetes/node.ts';
import type { AgentView, ConfigFiles, NodeSettings, NodeSnapshot } from '../../src/core/node/snapshot.ts';
import type { NodeRolloutState } from '../../src/core/rollout/budget.ts';
import type { NodePolicy } from '../../src/core/policy/fleet.ts';
import type { FateFacts } from '../../src/core/node/eviction.ts';
import type { Slot } from '../../src/core/rollout/budget.ts';
import { reportNode } from '../../src/core/node/status.ts';
import { mergePatch } from './merge-patch.ts';
import {
  aClaim,
  aManagedPartition,
  aNode,
  type Answer,
  aSlicingPolicy,
  aSlot,
  decideWith,
  noMemory,
  noon,
  someSettings,
} from './node-builders.ts';
import type { PodView, ResourceClaimView, ResourceSliceView } from '../../src/core/kubernetes/pod.ts';
import type { JsonPatchOperation } from '../../src/core/text/json.ts';

type Start = Partial<
  Pick<NodeWorld, 'node' | 'partition' | 'policy' | 'agent' | 'pods' | 'claim' | 'files' | 'slices'>
> & {
  readonly settings?: Partial<NodeSettings>;
};

/** A node and its objects, in memory: commands are carried out as the API server would. */
export class NodeWorld {
  now = noon;
  node: NodeView = aNode();
  partition: GpuNodePartition = aManagedPartition();
  slot: Slot | undefined = { ...aSlot, deadline: '2100-01-01T00:00:00Z' };
  policy: GpuPartitionPolicy | undefined = aSlicingPolicy();
  claim: Partial<NodePolicy> = {};
  agent: AgentView = { state: 'Ready' };
  pods: readonly PodView[] = [];
  files: ConfigFiles | undefined;
  /** Of a node whose policy hands GPUs out by claims. */
  slices: readonly ResourceSliceView[] | undefined;
  /** All claims of the cluster; undefined: they are not listed. */
  claims: readonly ResourceClaimView[] | undefined;
  memory: NodeMemory = noMemory;
  settings: NodeSettings = someSettings;
  /** The API server's responses to evictions, by uid of the pod; other pods terminate at once. */
  refusals: Readonly<Record<string, string>> = {};
  /** Whether the API server forbids writes of the Node's status. */
  refusesStatus = false;
  /** The same to deletions by force. */
  deletionRefusals: Readonly<Record<string, string>> = {};
  /** What is found of disruption budgets and owners when pods have to go. */
  drain: Partial<FateFacts> = {};
  /** How the node stood after the last decision. */
  rolloutState: NodeRolloutState | undefined;
  /** Writes and evictions that were carried out, by name. */
  readonly done: string[] = [];

  constructor({ settings, ...start }: Start = {}) {
    Object.assign(this, start, { settings: { ...someSettings, ...settings } });
  }

  get taintKeys(): readonly string[] {
    return (this.node.spec?.taints ?? []).map(({ key }) => key.replace(/^.*\//, ''));
  }

  get labels(): Readonly<Record<string, string>> {
    return this.node.metadata.labels ?? {};
  }

  get device(): DeviceReport {
    return this.partition.status?.device ?? {};
  }

  label(labels: Readonly<Record<string, string>>): void {
    this.node = { ...this.node, metadata: { ...this.node.metadata, labels: { ...this.labels, ...labels } } };
  }

  advertise(allocatable: Readonly<Record<string, string>>): void {
    this.node = { ...this.node, status: { ...this.node.status, allocatable } };
  }

  /** The agent reports. */
  report(device: DeviceReport): void {
    this.partition = { ...this.partition, status: { ...this.partition.status, device: { ...this.device, ...device } } };
  }

  /** Another leader: it remembers only what was written. */
  failOver(): void {
    this.memory = recallMemory(this.partition.status);
  }

  /** Decides once, carries out the decision, and reports it. */
  step(afterMs = 0): Answer {
    this.now += afterMs;
    const answer = decideWith(
      this.#snapshot(),
      {
        pods: this.pods,
        slices: this.slices,
        drain: this.drain,
        ...(this.claims && { fresh: { claims: this.claims } }),
        ...(this.files && { configFiles: this.files }),
      },
      this.memory,
    );
    this.memory = answer.memory;
    this.rolloutState = answer.rolloutState;
    for (const command of answer.commands) this.#carryOut(command);
    const { status } = reportNode(this.node, this.partition, answer.verdict, this.memory, this.now);
    if (status) this.partition = { ...this.partition, status: { ...this.partition.status, ...status } };
    return answer;
  }

  /** Decides until nothing is done any more. @returns the last answer */
  settle(stepMs = 500, most = 20): Answer {
    for (let steps = 0; steps < most; steps += 1) {
      const before = this.done.length;
      const answer = this.step(stepMs);
      if (this.done.length === before) return answer;
    }
    throw new Error(`no end of it: ${this.done.join(', ')}`);
  }

  #snapshot(): NodeSnapshot {
    const { now, node, partition, agent, settings, slot } = this;
    return { now, node, partition, agent, settings, slot, claim: aClaim(this.policy, partition, this.claim) };
  }

  #carryOut(command: Command): void {
    switch (command.name) {
      case 'PatchNode': {
        const patch = patchNode(metadataOf(this.node), command.change);
        if (patch.length > 0) this.done.push('PatchNode');
        this.node = applyPatch(this.node, patch);
        return;
      }
      case 'AdvertiseDevices': {
        const { allocatable } = command.status;
        this.done.push(
          `AdvertiseDevices ${Object.entries(allocatable)
            .map((pair) => pair.join('='))
            .join(' ')}`,
        );
        if (!this.refusesStatus) this.node = mergePatch(this.node, { status: command.status }) as NodeView;
        const refusal = this.refusesStatus ? 'forbidden' : undefined;
        this.memory = recordAnswer(this.memory, command, { at: this.now, refusal });
        return;
      }
      case 'EvictPod': {
        const { uid } = command.pod;
        const refusal = this.refusals[uid];
        this.done.push(`EvictPod ${uid}`);
        this.memory = recordAnswer(this.memory, command, { at: this.now, refusal });
        if (refusal === undefined) this.pods = this.pods.filter(({ metadata }) => metadata.uid !== uid);
        return;
      }
      case 'WriteWish':
        this.done.push('WriteWish');
        return this.#writeSpec(command.fields);
      case 'WriteGrant':
        this.done.push('WriteGrant');
        return this.#writeSpec({ granted: dropNulls(command.granted), repairs: command.repairs, unregister: null });
      case 'RevokeGrant':
        this.done.push('RevokeGrant');
        return this.#writeSpec({ granted: { ...this.partition.spec.granted, ...command.granted } });
      case 'WriteDrain':
        this.done.push('WriteDrain');
        return this.#writeSpec({ drain: command.drain ?? undefined });
      case 'WriteMonitors':
        this.done.push(`WriteMonitors ${command.claims.join(' ')}`);
        return this.#writeSpec({ monitors: command.claims, drain: undefined });
      case 'WriteUnregister':
        this.done.push(`WriteUnregister ${command.unregister?.resources.join(' ') ?? 'none'}`);
        return this.#writeSpec({ unregister: command.unregister });
      case 'DeletePod': {
        const { uid } = command.pod;
        const refusal = this.deletionRefusals[uid];
        this.done.push(`DeletePod ${uid}`);
        this.memory = recordAnswer(this.memory, command, { at: this.now, refusal });
        if (refusal === undefined) this.pods = this.pods.filter(({ metadata }) => metadata.uid !== uid);
        return;
      }
      case 'PublishConfig': {
        this.done.push('PublishConfig');
        const files = this.files?.state === 'Read' ? this.files.files : {};
        this.files = { state: 'Read', files: { ...files, [command.key]: command.file } };
        return;
      }
      case 'CreatePartition':
      case 'DeletePartition':
        this.done.push(command.name);
    }
  }

  #writeSpec(fields: object): void {
    const spec = dropNulls({ ...this.partition.spec, ...mapValues(fields, dropNulls) }) as GpuNodePartition['spec'];
    const { generation = 1 } = this.partition.metadata;
    this.partition = { ...this.partition, metadata: { ...this.partition.metadata, generation: generation + 1 }, spec };
  }
}

function dropNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null));
}

function mapValues(value: object, change: (one: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(one)]));
}

/** RFC 6902, as far as Node patches use it. @throws Error if a test fails */
function applyPatch(node: NodeView, patch: readonly JsonPatchOperation[]): NodeView {
  const copy = structuredClone(node) as unknown as Record<string, unknown>;
  for (const { op, path, value } of patch) {
    const keys = path
      .slice(1)
      .split('/')
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop() ?? '';
    const parent = keys.reduce<Record<string, unknown>>((at, key) => (at[key] ??= {}) as Record<string, unknown>, copy);
    if (op === 'test') {
      // The API omits empty lists and maps.
      const present = parent[last] ?? null;
      const found =
        typeof present === 'object' && present !== null && Object.keys(present).length === 0 ? null : present;
      if (JSON.stringify(found) !== JSON.stringify(value ?? null)) throw new Error(`the test of ${path} fails`);
    } else if (op === 'remove') delete parent[last];
    else parent[last] = value;
  }
  return copy as unknown as NodeView;
}
