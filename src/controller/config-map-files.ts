import { parse, stringify } from 'yaml';
import { configMaps } from '../api/resources.ts';
import type { ConfigFiles } from '../core/node/snapshot.ts';
import { ApiError } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeObject, ObjectRef } from '../kube/resource.ts';

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** How long a read stays valid, in ms: many nodes ask at the same time. */
const trustMs = 5000;
const ownKey = /^gpu-partition-(none|single|mixed)-[0-9a-f]{8}$/;

/**
 * The ConfigMap with the device plugin's config files: one per strategy and sharing that policies ask for, next to any other keys.
 * A file never changes under its name, since the plugin reads it again only when the name changes.
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
    if (this.#last && at - this.#last.at <= trustMs) return this.#last.files;
    const last = { at, files: this.#read() };
    this.#last = last;
    // A failure is not kept: three in a row set a node aside.
    last.files.catch(() => {
      if (this.#last === last) this.#last = undefined;
    });
    return last.files;
  }

  /** @param isUsed whether a file of ours is needed; unused ones are removed in the same write. A plugin without its file does not start */
  async publish(key: string, file: Readonly<Record<string, unknown>>, isUsed: (key: string) => boolean): Promise<void> {
    try {
      await this.#write(key, file, isUsed);
    } finally {
      // Who has read it meanwhile may have read what was there before.
      this.#last = undefined;
    }
  }

  async #write(key: string, file: Readonly<Record<string, unknown>>, isUsed: (key: string) => boolean): Promise<void> {
    const data = { [key]: stringify(file) };
    const { namespace, name } = this.#ref;
    const found = await this.#client.find<ConfigMap>(this.#ref);
    // If somebody else created or changed it meanwhile, the write is refused, and everything is checked again.
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
    return parse(text, { logLevel: 'error' });
  } catch {
    // The administrator's file may contain anything; its plugin reports errors.
    return undefined;
  }
}
