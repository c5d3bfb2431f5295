import { type Cluster, nameSlot } from '../../src/controller/cluster.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import type { GpuNodePartition } from '../../src/api/types.ts';
import type { KubeObject } from '../../src/kube/watch.ts';
import { deepEqual } from '../../src/core/text/json.ts';
import type { ResourceClaimView, ResourceSliceView } from '../../src/core/kubernetes/claims.ts';
import { asksForClaims, backendOf, isFoundOut, type Needed, type NodeSnapshot } from '../../src/core/node/snapshot.ts';
import { patchNode } from '../../src/core/kubernetes/node-patch.ts';
import type { Command, Verdict } from '../../src/core/node/commands.ts';
import { type NodeMemory, recordEviction, recordOffer } from '../../src/core/node/memory.ts';
import { metadataOf } from '../../src/core/kubernetes/node.ts';
import { writerModeFor } from '../../src/core/node/rules/labels.ts';
import type { OfferedStatus } from '../../src/core/nvidia/resources.ts';
import { listReportedPods } from '../../src/core/device/holders.ts';
import { readGenerations } from '../../src/core/policy/versions.ts';
import { slotOf } from '../../src/core/rollout/budget.ts';
import { reportNode } from '../../src/core/node/status-node.ts';
import { ApiError, isAlreadyExists, isConflict, isDefinite, isNotFound } from '../../src/kube/api-error.ts';
import type { Api, Pod, StoredPartition } from './api.ts';
import { mergePatch } from '../support/merge-patch.ts';
import type { ModelConfigMap } from './config-map.ts';
import { trimNodeOnce, trimPartitionOnce } from './trim-once.ts';
import type { Random } from './random.ts';
import type { WorkerTask } from './worker.ts';

/** The world as seen by a controller's calls. */
export interface ShellWorld {
  readonly api: Api;
  readonly timeline: { readonly now: number };
  readonly random: Random;
  readonly configMap: ModelConfigMap;
  call<Answer>(by: string, kind: 'Read' | 'Write', act: () => Answer): Generator<number, Answer, undefined>;
  podsOf(node: string): readonly Pod[];
  slicesOf(node: string): readonly ResourceSliceView[];
  /** Of all nodes. */
  claims(): readonly ResourceClaimView[];
  createPartition(name: string, nodeUID: string, by: string): StoredPartition;
  /** @param graceSeconds undefined: the pod's own */
  evict(uid: string, by: string, graceSeconds: number | undefined): void;
  /** Before the controller writes what a node offers. */
  devicesAreAdvertised(by: string, status: OfferedStatus): void;
  deletePod(uid: string, by: string, graceSeconds: number | undefined): void;
}

/** What src/controller does around a decision on one node, in virtual time: reads, commands, and the report. */
export class NodeShell {
  readonly #world: ShellWorld;
  readonly #cluster: Cluster;
  readonly #by: string;
  readonly #comparesAndSwaps: () => boolean;

  /** @param by name of the process @param comparesAndSwaps whether a spec write is conditional on the version that was read */
  constructor(world: ShellWorld, cluster: Cluster, by: string, comparesAndSwaps = (): boolean => true) {
    this.#world = world;
    this.#cluster = cluster;
    this.#by = by;
    this.#comparesAndSwaps = comparesAndSwaps;
  }

  // --- as src/controller/gather.ts --------------------------------------------------------------------------------

  *read(snapshot: NodeSnapshot, needed: Needed): Generator<number, NodeSnapshot | undefined, undefined> {
    const { api, timeline } = this.#world;
    const { name } = snapshot.node.metadata;
    if (needed === 'Node') {
      const [read, found] = [
        yield* this.call('Read', () => api.find('partitions', name)),
        yield* this.call('Read', () => api.find('nodes', name)),
      ];
      return this.#takeIn(snapshot, found && trimNodeOnce(found), read);
    }
    const isDra = backendOf(snapshot) === 'DRA';
    // The lists are read side by side: any may be the oldest.
    const claimsFirst = isDra && this.#world.random.chance(0.5);
    const early = claimsFirst ? yield* this.#listClaims(snapshot, needed) : undefined;
    const pods = yield* this.call('Read', () => this.#world.podsOf(name));
    const needsSlices = isDra || isFoundOut(snapshot);
    const slices = needsSlices ? yield* this.call('Read', () => this.#world.slicesOf(name)) : undefined;
    const claims = isDra && !claimsFirst ? yield* this.#listClaims(snapshot, needed) : early;
    const { pluginConfigMap } = snapshot.settings;
    const files = pluginConfigMap && (yield* this.call('Read', () => this.#world.configMap.files));
    const configFiles = files && { state: 'Read' as const, files };
    const more = { ...snapshot, pods, configFiles, ...(needsSlices && { slices }) };
    if (needed === 'Pods') return { ...more, now: timeline.now };
    const read = yield* this.call('Read', () => api.find('partitions', name));
    if (read) this.#cluster.partitions.remember(read);
    else this.#cluster.partitions.drop(name);
    const found = yield* this.call('Read', () => api.find('nodes', name));
    const { winner } = snapshot.claim;
    const policy = yield* this.call('Read', () => winner && api.find('policies', winner.metadata.name));
    const node = found && trimNodeOnce(found);
    const current = this.#takeIn(more, node, read);
    if (current === undefined || read === undefined) return undefined;
    const fresh = {
      policy: policy && readGenerations(policy),
      slot: slotOf(policy?.status?.inFlight, nameSlot(current.node, current.partition)),
      resourceSlices: slices ?? this.#world.slicesOf(name),
      ...(claims && { claims }),
      ...listReportedPods(read.status?.device),
      ...(needed === 'Drain' && { drain: { budgets: [] } }),
    };
    return { ...current, fresh };
  }

  #takeIn(
    snapshot: NodeSnapshot,
    node: NodeObject | undefined,
    read: (GpuNodePartition & KubeObject) | undefined,
  ): (NodeSnapshot & { readonly node: NodeObject }) | undefined {
    if (node === undefined || node.metadata.uid !== snapshot.node.metadata.uid) return undefined;
    this.#cluster.nodes.remember(node);
    const partition = this.#cluster.partitions.get(node.metadata.name);
    if (read === undefined || partition?.metadata.resourceVersion !== read.metadata.resourceVersion) return undefined;
    return { ...snapshot, partition, now: this.#world.timeline.now, node, isCurrent: true };
  }

  *#listClaims(
    snapshot: NodeSnapshot,
    needed: Needed,
  ): Generator<number, readonly ResourceClaimView[] | undefined, undefined> {
    if (needed === 'Pods' || !asksForClaims(snapshot)) return undefined;
    return yield* this.call('Read', () => this.#world.claims());
  }

  // --- as src/controller/execute.ts -------------------------------------------------------------------------------

  *execute(
    commands: readonly Command[],
    snapshot: NodeSnapshot,
    memory: NodeMemory,
  ): Generator<number, { readonly memory: NodeMemory; readonly unanswered?: unknown }, undefined> {
    let known = memory;
    let unanswered: unknown;
    for (const command of commands) {
      if (isRemoval(command)) continue;
      if (command.name === 'AdvertiseDevices') known = yield* this.#advertise(command, snapshot, known);
      else yield* this.#carryOut(command, snapshot);
    }
    for (const command of commands.filter(isRemoval)) {
      const { uid } = command.pod;
      const { owner, round } = command.name === 'EvictPod' ? command : { ...known.evictions[uid] };
      const answer = yield* this.#remove(command);
      unanswered ??= answer.unanswered;
      known = recordEviction(known, uid, { at: this.#world.timeline.now, refusal: answer.refusal, owner, round });
    }
    return { memory: known, unanswered };
  }

  *#carryOut(
    command: Exclude<Command, Removal | Advertisement>,
    snapshot: NodeSnapshot,
  ): Generator<number, void, undefined> {
    const { api, timeline } = this.#world;
    const { node } = snapshot;
    const { name } = node.metadata;
    switch (command.name) {
      case 'CreatePartition':
        return yield* this.#create(snapshot);
      case 'DeletePartition':
        return yield* this.call('Write', () => api.delete('partitions', name, this.#by, command.uid));
      case 'WriteWish':
        return yield* this.#writeSpec(snapshot, { ...command.fields });
      case 'WriteGrant':
        return yield* this.#writeSpec(snapshot, {
          granted: command.granted,
          repairs: command.repairs,
          unregister: null,
        });
      case 'RevokeGrant':
        return yield* this.#writeSpec(snapshot, {
          granted: { ...snapshot.partition?.spec.granted, ...command.granted },
        });
      case 'WriteDrain':
        return yield* this.#writeSpec(snapshot, { drain: command.drain });
      case 'WriteMonitors':
        return yield* this.#writeSpec(snapshot, { monitors: command.claims, drain: null });
      case 'WriteUnregister':
        return yield* this.#writeSpec(snapshot, { unregister: command.unregister });
      case 'PatchNode': {
        const patch = patchNode(metadataOf(node), command.change);
        if (patch.length === 0) return;
        const { nodes } = this.#cluster;
        const written = yield* this.#write(nodes, name, () => api.patchNode(name, patch, this.#by));
        this.#cluster.nodes.expect(name, written.metadata.resourceVersion, timeline.now);
        return;
      }
      case 'PublishConfig': {
        const { configMap } = this.#world;
        const version = yield* this.call('Read', () => configMap.version);
        const isUsed = (key: string): boolean => this.#cluster.usesConfig(key);
        return yield* this.call('Write', () => configMap.publish(command.key, command.file, version, isUsed));
      }
    }
  }

  *#advertise(
    { status, change, offered }: Advertisement,
    { node }: NodeSnapshot,
    memory: NodeMemory,
  ): Generator<number, NodeMemory, undefined> {
    const { name, resourceVersion } = node.metadata;
    try {
      const written = yield* this.#write(this.#cluster.nodes, name, () => {
        this.#world.devicesAreAdvertised(this.#by, status);
        const offer = (one: NodeObject): NodeObject => mergePatch(one, { status }) as NodeObject;
        return this.#world.api.update('nodes', name, this.#by, offer, resourceVersion);
      });
      this.#cluster.nodes.expect(name, written.metadata.resourceVersion, this.#world.timeline.now);
      return recordOffer(memory, offered, this.#world.timeline.now);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 403) throw error;
      const StatusRefused = { since: this.#world.timeline.now, of: change };
      return { ...memory, waits: { ...memory.waits, StatusRefused } };
    }
  }

  *#create({ node }: NodeSnapshot): Generator<number, void, undefined> {
    const { name, uid = '' } = node.metadata;
    try {
      yield* this.call('Write', () => this.#world.createPartition(name, uid, this.#by));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  *#writeSpec({ partition, node }: NodeSnapshot, spec: object): Generator<number, void, undefined> {
    const version = this.#comparesAndSwaps() ? partition?.metadata.resourceVersion : undefined;
    const change = (one: StoredPartition): StoredPartition => ({
      ...one,
      metadata: { ...one.metadata, generation: (one.metadata.generation ?? 0) + 1 },
      spec: mergePatch(one.spec, spec) as StoredPartition['spec'],
    });
    const { name } = node.metadata;
    const written = yield* this.#write(this.#cluster.partitions, name, () =>
      this.#world.api.update('partitions', name, this.#by, change, version),
    );
    this.#cluster.partitions.remember(written);
  }

  *#write<Answer>(
    objects: Pick<Cluster['nodes'], 'markUncertain'>,
    name: string,
    act: () => Answer,
  ): Generator<number, Answer, undefined> {
    try {
      return yield* this.call('Write', act);
    } catch (error) {
      if (!isDefinite(error)) objects.markUncertain(name);
      throw error;
    }
  }

  /** @returns the API server's refusal; undefined if the pod is terminating or gone */
  *#remove(
    command: Removal,
  ): Generator<number, { readonly refusal?: string; readonly unanswered?: unknown }, undefined> {
    const { name, pod, graceSeconds } = command;
    try {
      yield* this.call('Write', () =>
        name === 'EvictPod'
          ? this.#world.evict(pod.uid, this.#by, graceSeconds)
          : this.#world.deletePod(pod.uid, this.#by, graceSeconds),
      );
      return {};
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return {};
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 0) return { unanswered: error };
      return { refusal: `default/${pod.name}: ${error.message}` };
    }
  }

  // --- as src/controller/reconcile-node.ts ---------------------------------------------------------------------------

  *report(snapshot: NodeSnapshot, verdict: Verdict, memory: NodeMemory): WorkerTask {
    const { node, partition: decidedOn } = snapshot;
    const { name, uid } = node.metadata;
    const partition = this.#cluster.partitions.get(name);
    if (!partition || partition.spec.nodeUID !== uid) return verdict.requeueAfterMs;
    const mode = writerModeFor({ node, partition });
    const { status, requeueAfterMs } = reportNode(partition, verdict, memory, mode, this.#world.timeline.now);
    if (!status) return requeueAfterMs;
    const written = yield* this.call('Write', () =>
      this.#world.api.update('partitions', name, this.#by, (one) => {
        const device = one.status?.device;
        return { ...one, status: { ...status, ...(device && { device }) } };
      }),
    );
    this.#cluster.partitions.remember(written);
    // The stores of the model keep whole objects.
    const now = trimPartitionOnce(written).status?.device;
    const before = decidedOn && trimPartitionOnce(decidedOn).status?.device;
    return deepEqual(now, before) ? requeueAfterMs : 0;
  }

  *call<Answer>(kind: 'Read' | 'Write', act: () => Answer): Generator<number, Answer, undefined> {
    return yield* this.#world.call(this.#by, kind, act);
  }
}

type Advertisement = Extract<Command, { readonly name: 'AdvertiseDevices' }>;

/** Ends a pod. */
type Removal = Extract<Command, { readonly name: 'EvictPod' | 'DeletePod' }>;

function isRemoval(command: Command): command is Removal {
  return command.name === 'EvictPod' || command.name === 'DeletePod';
}
