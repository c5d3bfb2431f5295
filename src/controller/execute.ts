import { omitUndefined } from '../core/text/json.ts';
import { nodePartitions, nodes, pods } from '../api/resources.ts';
import type { GpuNodePartition } from '../api/types.ts';
import { type NodeStep, patchThisNode, recordAnswer } from '../core/node/commands.ts';
import type { NodeSnapshot } from '../core/node/snapshot.ts';
import { ApiError, isAlreadyExists, isConflict, isDefinite, isNotFound } from '../kube/api-error.ts';
import type { KubeVerbs } from '../kube/client.ts';
import type { KubeObject } from '../kube/watch.ts';
import type { Logger } from '../process/log.ts';
import type { Cluster, ConfigMapFiles } from './cluster.ts';
import { cutText } from '../core/text/words.ts';

type Command = NodeStep['commands'][number];

interface Parts {
  readonly client: KubeVerbs;
  readonly cluster: Cluster;
  readonly configFiles: ConfigMapFiles | undefined;
  readonly log: Logger;
  readonly now: () => number;
}

/** The result of executing commands. */
export interface Executed {
  /** The node's memory, with what was heard of evictions. */
  readonly memory: NodeStep['memory'];
  /** Why one of them was not answered: it may have taken effect. */
  readonly unanswered?: unknown;
}

/** Executes what was decided, each command under its own precondition, and nothing else. */
export class Executor {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * @param snapshot what the decision was based on
   * @throws ApiError of the first refused command; the commands after it are not tried
   */
  async execute(commands: readonly Command[], snapshot: NodeSnapshot, memory: NodeStep['memory']): Promise<Executed> {
    let known = memory;
    for (const command of commands) {
      if (isRemoval(command)) continue;
      if (command.name === 'AdvertiseDevices') known = await this.#advertise(command, snapshot, known);
      else await this.#carryOut(command, snapshot);
    }
    // In parallel: an eviction takes the API server 0.1 s.
    const answers = await Promise.all(
      commands.filter(isRemoval).map(async (command) => ({ command, ...(await this.#remove(command, snapshot)) })),
    );
    for (const { command, refusal } of answers)
      known = recordAnswer(known, command, { at: this.#parts.now(), refusal });
    return { memory: known, unanswered: answers.find(({ unanswered }) => unanswered !== undefined)?.unanswered };
  }

  /**
   * Advertises devices in the Node's status. Without the right to do so, the kubelet's own report is waited for, as long as this change
   * lasts.
   */
  async #advertise(
    command: Advertisement,
    { node }: NodeSnapshot,
    memory: NodeStep['memory'],
  ): Promise<NodeStep['memory']> {
    const { status } = command;
    const { name, resourceVersion } = node.metadata;
    try {
      const ref = { resource: nodes, name, subresource: 'status' };
      const patch = { metadata: { resourceVersion }, status };
      const written = await this.#write(this.#parts.cluster.nodes, name, () =>
        this.#parts.client.merge<KubeObject>(ref, patch, { metadataOnly: true }),
      );
      this.#parts.cluster.nodes.expect(name, written.metadata.resourceVersion, this.#parts.now());
      this.#parts.log.info('devices advertised', { node: name, allocatable: status.allocatable });
      return recordAnswer(memory, command, { at: this.#parts.now() });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 403) throw error;
      this.#parts.log.warn('may not write the status of nodes', { node: name, error: error.message });
      return recordAnswer(memory, command, { at: this.#parts.now(), refusal: error.message });
    }
  }

  async #carryOut(command: Exclude<Command, Removal | Advertisement>, snapshot: NodeSnapshot): Promise<void> {
    const { client, cluster, configFiles, log } = this.#parts;
    const { node } = snapshot;
    const { name } = node.metadata;
    switch (command.name) {
      case 'CreatePartition':
        return this.#create(snapshot);
      case 'DeletePartition':
        await client.delete({ resource: nodePartitions, name }, { preconditions: { uid: command.uid } });
        return log.info('partition deleted', {
          node: name,
          ofNode: snapshot.partition?.spec.nodeUID,
          now: node.metadata.uid,
        });
      case 'WriteWish':
        await this.#writeSpec(snapshot, { ...command.fields });
        return log.info('wish written', { node: name, policy: command.fields.policy?.name });
      case 'WriteGrant':
        // What was seen after the previous grant says nothing of this one.
        await this.#writeSpec(snapshot, { granted: command.granted, repairs: command.repairs, unregister: null });
        return log.info('grant written', { node: name, epoch: command.granted.epoch });
      case 'RevokeGrant':
        await this.#writeSpec(snapshot, { granted: command.granted });
        return log.warn('grant taken back: not answered in time', { node: name, epoch: command.granted.epoch });
      case 'WriteDrain':
        await this.#writeSpec(snapshot, { drain: command.drain });
        return log.info(nameDrain(command), {
          node: name,
          pods: command.drain?.pods.map((pod) => `${pod.namespace}/${pod.name}`),
        });
      case 'WriteMonitors':
        await this.#writeSpec(snapshot, { monitors: command.claims, drain: null });
        return log.info('agent told of monitors', { node: name, claims: command.claims });
      case 'WriteUnregister':
        await this.#writeSpec(snapshot, { unregister: command.unregister });
        if (command.unregister === null) return undefined;
        return log.warn('the kubelet offers devices of a plugin that is gone', { node: name, ...command.unregister });
      case 'PatchNode': {
        const patch = patchThisNode(node, command.change);
        if (patch.length === 0) return undefined;
        const written = await this.#write(cluster.nodes, name, () =>
          client.patch({ resource: nodes, name }, patch, { metadataOnly: true }),
        );
        return cluster.nodes.expect(name, written.metadata.resourceVersion, this.#parts.now());
      }
      case 'PublishConfig':
        await configFiles?.publish(command.key, command.file, (key) => cluster.usesConfig(key));
        return log.info('config file of the device plugin written', { key: command.key });
    }
  }

  async #create({ node }: NodeSnapshot): Promise<void> {
    const { name, uid = '' } = node.metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name, uid }];
    try {
      const object = { metadata: { name, ownerReferences }, spec: { nodeUID: uid } };
      await this.#parts.client.create<KubeObject>(nodePartitions, object);
      this.#parts.log.info('partition created', { node: name });
    } catch (error) {
      // Created a moment ago, by us or by the previous leader; the watch will bring it.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  /** The version that the decision was based on makes this a compare-and-swap. */
  async #writeSpec({ partition, node }: NodeSnapshot, spec: object): Promise<void> {
    const { resourceVersion } = partition?.metadata ?? {};
    const { name } = node.metadata;
    const written = await this.#write(this.#parts.cluster.partitions, name, () =>
      this.#parts.client.merge<GpuNodePartition & KubeObject>(
        { resource: nodePartitions, name },
        { metadata: { resourceVersion, managedFields: untracked }, spec },
      ),
    );
    this.#parts.cluster.partitions.remember(written);
  }

  /** A write without an answer may have taken effect: the object is read before the next decision. */
  async #write<Answer>(
    objects: Pick<Cluster['nodes'], 'markUncertain'>,
    name: string,
    send: () => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await send();
    } catch (error) {
      if (!isDefinite(error)) objects.markUncertain(name);
      throw error;
    }
  }

  /** @returns the API server's refusal, or why there is no answer; neither if the pod is terminating or gone */
  async #remove(
    command: Removal,
    { node }: NodeSnapshot,
  ): Promise<{ readonly refusal?: string; readonly unanswered?: unknown }> {
    try {
      if (command.name === 'EvictPod') await this.#evict(command);
      else await this.#delete(command, node.metadata.name);
      return {};
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return {};
      if (!(error instanceof ApiError) || error.code === 0) return { unanswered: error };
      // Only the causes name a disruption budget.
      const causes = (error.details?.causes ?? []).flatMap(({ message }) => message ?? []);
      return { refusal: cutText([error.text, ...causes].join(' '), longestRefusal) };
    }
  }

  /** Respects the pod's disruption budget. */
  async #evict({ pod, graceSeconds }: Extract<Removal, { name: 'EvictPod' }>): Promise<void> {
    const { namespace, name, uid } = pod;
    const body = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
      deleteOptions: omitUndefined({ preconditions: { uid }, gracePeriodSeconds: graceSeconds }),
    };
    await this.#parts.client.createSubresource({ resource: pods, namespace, name, subresource: 'eviction' }, body);
  }

  async #delete({ pod, graceSeconds }: Extract<Removal, { name: 'DeletePod' }>, node: string): Promise<void> {
    const { namespace, name, uid } = pod;
    await this.#parts.client.delete(
      { resource: pods, namespace, name },
      omitUndefined({ preconditions: { uid }, gracePeriodSeconds: graceSeconds }),
    );
    this.#parts.log.warn('pod deleted by force', { node, pod: `${namespace}/${name}` });
  }
}

/**
 * Managed fields that end tracking. Each part of the object has one writer, by RBAC and admission. Kubernetes' record of who owns which
 * field would say no more, and tracking takes an eighth of the API server's time for a write; it ends with this value until somebody uses
 * server-side apply.
 */
const untracked = [{}];

/** The text of an API server, or of any admission webhook. */
const longestRefusal = 800;

type Advertisement = Extract<Command, { readonly name: 'AdvertiseDevices' }>;

/** Ends a pod: its owner, a disruption budget or an admission policy may object, which must not keep other pods. */
type Removal = Extract<Command, { readonly name: 'EvictPod' | 'DeletePod' }>;

function isRemoval(command: Command): command is Removal {
  return command.name === 'EvictPod' || command.name === 'DeletePod';
}

function nameDrain({ drain }: Extract<Command, { readonly name: 'WriteDrain' }>): string {
  if (drain === null) return 'drain ended';
  return drain.pods.length > 0 ? 'drain announced' : 'agent told that a reading is awaited';
}
