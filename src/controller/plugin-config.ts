import { parse, stringify } from 'yaml';
import { configMaps } from '../api/resources.ts';
import type { GpuPartitionPolicy } from '../api/types.ts';
import { borrow } from '../core/metadata/borrowed-labels.ts';
import { parseDevicePluginConfig } from '../core/nvidia/plugin-config/device-plugin-config.ts';
import { devicePluginConfigLabel } from '../core/nvidia/labels/label-key.ts';
import { type ManagedConfig, managedConfig } from '../core/nvidia/plugin-config/managed-config.ts';
import type { DevicePluginConfig } from '../core/nvidia/plugin-config/sharing.ts';
import type { NodeChange } from '../core/metadata/node-patch.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { NodeObject } from './cluster-objects.ts';
import { metadataOf } from './node-writer.ts';
import type { World } from './world.ts';

export interface ConfigMapName {
  readonly namespace: string;
  readonly name: string;
}

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** What was there is looked at again after so many ms: somebody may have edited it. */
const trustMs = 10 * 60_000;
const ownKey = /^gpu-partition-(none|single|mixed)-[0-9a-f]{8}$/;

/**
 * Keeps the device plugin's config files: one for each strategy and sharing that policies ask for, in one ConfigMap beside whatever
 * else is in it. A file never changes under its name, since the plugin looks at it again only when the name changes.
 */
export class PluginConfig {
  readonly #client: KubeClient;
  readonly #world: World;
  readonly #place: ConfigMapName;
  readonly #seen = new Map<string, number>();

  constructor(client: KubeClient, world: World, place: ConfigMapName) {
    this.#client = client;
    this.#world = world;
    this.#place = place;
  }

  /** Makes sure that the file is there. @returns the change that has the node's plugin use it; undefined where it does */
  async prepare(node: NodeObject, policy: GpuPartitionPolicy): Promise<NodeChange | undefined> {
    const config = managedConfig(policy.spec);
    await this.#ensure(config);
    if (node.metadata.labels?.[devicePluginConfigLabel] === config.key) return undefined;
    return borrow(metadataOf(node), { [devicePluginConfigLabel]: config.key });
  }

  /** What the node's plugin runs with: the file that its label names. Undefined where it names none, or none that can be read. */
  async inUse({ metadata }: NodeObject): Promise<DevicePluginConfig | undefined> {
    const key = metadata.labels?.[devicePluginConfigLabel];
    if (key === undefined) return undefined;
    const { namespace, name } = this.#place;
    const found = await this.#client.find<ConfigMap>({ resource: configMaps, namespace, name });
    const parsed = parseDevicePluginConfig(parseYaml(found?.data?.[key] ?? ''));
    return parsed.ok ? parsed.config : undefined;
  }

  async #ensure({ key, file }: ManagedConfig): Promise<void> {
    if (performance.now() - (this.#seen.get(key) ?? -Infinity) < trustMs) return;
    const text = stringify(file);
    const { namespace, name } = this.#place;
    const ref = { resource: configMaps, namespace, name };
    const found = await this.#client.find<ConfigMap>(ref);
    // Made by somebody else meanwhile, or changed: the write is refused, and all is looked at again.
    if (!found)
      await this.#client.create<ConfigMap>(configMaps, { metadata: { namespace, name }, data: { [key]: text } });
    else if (found.data?.[key] !== text) {
      const { resourceVersion } = found.metadata;
      const data = { ...this.#unused(Object.keys(found.data ?? {})), [key]: text };
      await this.#client.merge(ref, { metadata: { resourceVersion }, data });
    }
    this.#seen.set(key, performance.now());
  }

  /** Our files that no node names and no policy asks for. A plugin whose file is gone does not start any more. */
  #unused(keys: readonly string[]): Readonly<Record<string, null>> {
    const wanted = this.#world.policies.list().map(({ spec }) => managedConfig(spec).key);
    const named = this.#world.nodes.list().map(({ metadata }) => metadata.labels?.[devicePluginConfigLabel]);
    const unused = keys.filter((key) => ownKey.test(key) && !wanted.includes(key) && !named.includes(key));
    for (const key of unused) this.#seen.delete(key);
    return Object.fromEntries(unused.map((key) => [key, null]));
  }
}

function parseYaml(text: string): unknown {
  try {
    return parse(text);
  } catch {
    // The administrator's file may be anything; its plugin says so.
    return undefined;
  }
}
