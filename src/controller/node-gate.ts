import { resourceSlices } from '../api/resources.ts';
import type { GpuPartitionPolicy } from '../api/types.ts';
import { borrow, giveBack, loansOf } from '../core/metadata/borrowed-labels.ts';
import { driverUpgrade } from '../core/nvidia/driver-upgrade.ts';
import {
  findConfigManagerGap,
  readPluginSettings,
  strategyMismatch,
} from '../core/nvidia/plugin-config/plugin-settings.ts';
import { findOwners, type ResourceSliceView } from '../core/owners/find-owners.ts';
import { foreignGpuResource } from '../core/owners/foreign-gpu.ts';
import { migManagerLabel, takeOverStep } from '../core/owners/mig-manager.ts';
import { type LabelSelector, pluginPodsOf } from '../core/pods/plugin-pods.ts';
import { isNotFound } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { NodeObject } from './cluster-objects.ts';
import { listNodePods, type NodePod } from './node-pods.ts';
import { changeNode, metadataOf } from './node-writer.ts';
import type { ConfigMapName } from './plugin-config.ts';
import type { Verdict } from './verdict.ts';
import type { World } from './world.ts';

export interface GateSettings {
  /** Labels of a device plugin's pods besides NVIDIA's own. */
  readonly pluginSelector?: LabelSelector | undefined;
  /** Where the device plugin's config files are kept; absent: they are the administrator's. */
  readonly pluginConfigMap?: ConfigMapName | undefined;
}

/** What is not watched is looked at again after so many ms. */
const lookAgainMs = 15_000;

/** Stands before a node whose GPUs are not ours to touch now: somebody else's, or a plugin's that would not understand the result. */
export class NodeGate {
  readonly #client: KubeClient;
  readonly #world: World;
  readonly #settings: GateSettings;

  constructor(client: KubeClient, world: World, settings: GateSettings) {
    this.#client = client;
    this.#world = world;
    this.#settings = settings;
  }

  /**
   * @param pods of the node; absent where they need not be looked at, since nothing of the device is going to change
   * @returns why nothing may be touched; undefined where it may
   */
  async check(node: NodeObject, policy: GpuPartitionPolicy, pods?: readonly NodePod[]): Promise<Verdict | undefined> {
    const upgrade = driverUpgrade(node.metadata.labels ?? {});
    if (upgrade !== undefined) return { phase: 'Waiting', reason: 'DriverUpgrade', message: upgrade };
    return (
      (await this.#checkOwners(node, policy, pods)) ??
      (await this.#takeOver(node, policy, pods)) ??
      this.checkPlugin(policy, pods ?? [])
    );
  }

  /** Whether the device plugin's own settings fit the policy. */
  checkPlugin(policy: GpuPartitionPolicy, pods: readonly NodePod[]): Verdict | undefined {
    const { strategy, sharing } = policy.spec;
    for (const pod of pluginPodsOf(pods, this.#settings.pluginSelector)) {
      const settings = readPluginSettings(pod);
      // What a plugin that is not NVIDIA's does without settings is not ours to know.
      if (settings.strategy === undefined && pluginPodsOf([pod]).length === 0) continue;
      const { pluginConfigMap } = this.#settings;
      const gap = sharing && pluginConfigMap ? findConfigManagerGap(settings, pluginConfigMap.name) : undefined;
      // The config file is ours, and has the policy's strategy as soon as the layout is there.
      const known = pluginConfigMap && settings.configMap?.name === pluginConfigMap.name;
      const mismatch = strategyMismatch(settings, strategy, known ? { configKeyStrategy: strategy } : {});
      const found = mismatch ?? gap;
      if (found === undefined) continue;
      const { name, namespace = 'default' } = pod.metadata;
      return {
        phase: 'Failed',
        reason: mismatch === undefined ? 'SharingRefused' : 'StrategyMismatch',
        message: `pod ${namespace}/${name}: ${found}. Nothing is touched until then`,
        again: lookAgainMs,
      };
    }
    return undefined;
  }

  async #checkOwners(
    node: NodeObject,
    policy: GpuPartitionPolicy,
    listed: readonly NodePod[] | undefined,
  ): Promise<Verdict | undefined> {
    const { name, labels = {}, annotations = {} } = node.metadata;
    const allocatable = node.status?.allocatable ?? {};
    const takeOver = policy.spec.allow?.takeOver ?? [];
    // Whether these are in use, and whether that is more than a label, only the pods tell.
    const mustLook =
      foreignGpuResource in allocatable ||
      ((labels[migManagerLabel] ?? 'false') !== 'false' && !takeOver.includes('mig-manager'));
    const pods = listed ?? (mustLook ? await listNodePods(this.#client, name) : undefined);
    const slices = listed && (await this.#listResourceSlices(name));
    const evidence = { node: name, labels, annotations, allocatable, pods, resourceSlices: slices };
    const [owner] = findOwners(evidence, takeOver);
    if (!owner) return undefined;
    return {
      phase: 'Failed',
      reason: 'ForeignManager',
      message: `${owner.evidence}: two owners would undo each other's work, so nothing is touched. To hand the GPUs over: ${owner.handOver}`,
      again: lookAgainMs,
    };
  }

  async #takeOver(
    node: NodeObject,
    policy: GpuPartitionPolicy,
    pods: readonly NodePod[] | undefined,
  ): Promise<Verdict | undefined> {
    const { name, labels = {} } = node.metadata;
    const takeOver = policy.spec.allow?.takeOver ?? [];
    const step = takeOverStep({ labels, pods }, takeOver);
    // Another policy allowed it, or this one did before: with the consent goes the loan.
    if (!takeOver.includes('mig-manager') && migManagerLabel in loansOf(metadataOf(node))) {
      const change = giveBack(metadataOf(node), [migManagerLabel]);
      this.#world.nodeWritten(name, await changeNode(this.#client, node, change));
      const message = 'mig-manager comes back: the policy does not allow to take over from it';
      return { phase: 'Updating', reason: 'TakingOver', message, passing: true, again: 500 };
    }
    if (step === undefined) return undefined;
    if (step === 'SetLabel') {
      const change = borrow(metadataOf(node), { [migManagerLabel]: 'false' });
      this.#world.nodeWritten(name, await changeNode(this.#client, node, change));
    }
    return {
      phase: 'Updating',
      reason: 'TakingOver',
      message: `mig-manager is being switched off on this node (${migManagerLabel}=false); it comes back when the policy goes`,
      passing: true,
      again: 500,
    };
  }

  /** Undefined where the cluster has no such API. */
  async #listResourceSlices(node: string): Promise<readonly ResourceSliceView[] | undefined> {
    try {
      const { items } = await this.#client.list<KubeObject & ResourceSliceView>(resourceSlices, {
        fieldSelector: `spec.nodeName=${node}`,
      });
      return items;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
