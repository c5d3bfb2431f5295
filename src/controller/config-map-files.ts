import { parse, stringify } from 'yaml';
import { configMaps } from '../api/resources.ts';
import type { ConfigFiles } from '../core/node/snapshot.ts';
import { ApiError } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject, ObjectRef } from '../kube/resource.ts';

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** What was read is good for so many ms: many nodes ask at a time. */
const trustMs = 5000;
const ownKey = /^gpu-partition-(none|single|mixed)-[0-9a-f]{8}$/;

/**
 * The ConfigMap of the device plugin's config files: one for each strategy and sharing that policies ask for, beside whatever else
 * is in it. A file never changes under its name, since the plugin looks at it again only when the name changes.
 */
export class ConfigMapFiles {
  readonly #client: KubeClient;
  readonly #ref: ObjectRef & { readonly namespace: string };
  readonly #now: () => number;
  #last: { readonly at: number; readonly files: Promise<ConfigFiles> } | undefined;

  constructor(client: KubeClient, place: { readonly namespace: string; readonly name: string }, now: () => number) {
    this.#client = client;
    this.#ref = { resource: configMaps, ...place };
    this.#now = now;
  }

  read(): Promise<ConfigFiles> {
    const at = this.#now();
    if (this.#last === undefined || at - this.#last.at > trustMs) this.#last = { at, files: this.#read() };
    return this.#last.files;
  }

  /** @param isUsed whether a file of ours is needed; those that are not go in the same write. A plugin whose file is gone does not start any more */
  async publish(key: string, file: Readonly<Record<string, unknown>>, isUsed: (key: string) => boolean): Promise<void> {
    this.#last = undefined;
    const data = { [key]: stringify(file) };
    const { namespace, name } = this.#ref;
    const found = await this.#client.find<ConfigMap>(this.#ref);
    // Made by somebody else meanwhile, or changed: the write is refused, and all is looked at again.
    if (!found) {
      await this.#client.create<ConfigMap>(configMaps, { metadata: { namespace, name }, data });
      return;
    }
    const unused = Object.keys(found.data ?? {}).filter((one) => ownKey.test(one) && !isUsed(one));
    const { resourceVersion } = found.metadata;
    const changes = { ...Object.fromEntries(unused.map((one) => [one, null])), ...data };
    await this.#client.merge(this.#ref, { metadata: { resourceVersion }, data: changes });
  }

  async #read(): Promise<ConfigFiles> {
    try {
      const { data = {} } = (await this.#client.find<ConfigMap>(this.#ref)) ?? {};
      const files = Object.entries(data).map(([key, text]) => [key, parseYaml(text)] as const);
      return { state: 'Read', files: Object.fromEntries(files) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 403) throw error;
      return { state: 'Unreadable', why: error.message };
    }
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
