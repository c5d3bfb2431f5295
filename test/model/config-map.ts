import { parse, stringify } from 'yaml';
import type { KubeObject } from '../../src/kube/watch.ts';
import { refuse } from './api.ts';
import { pluginConfigMap } from './setup.ts';

type File = Readonly<Record<string, unknown>>;

/** The ConfigMap with the device plugin's config files. */
export class ModelConfigMap {
  #data: Readonly<Record<string, string>> = {};
  #files: Readonly<Record<string, File>>;
  #version = 1;

  constructor(files: Readonly<Record<string, File>>) {
    this.#files = files;
    this.#data = Object.fromEntries(Object.entries(files).map(([key, file]) => [key, stringify(file)]));
  }

  /** As the device plugin reads them. */
  get files(): Readonly<Record<string, File>> {
    return this.#files;
  }

  get object(): KubeObject & { readonly data: Readonly<Record<string, string>> } {
    return { metadata: { ...pluginConfigMap, resourceVersion: String(this.#version) }, data: this.#data };
  }

  /** @param changes null removes a key @throws ApiError if the version is another */
  merge(changes: Readonly<Record<string, string | null>>, version: string | undefined): KubeObject {
    if (version !== String(this.#version)) throw refuse(409, 'Conflict', 'the ConfigMap has changed');
    const kept = Object.entries({ ...this.#data, ...changes }).filter(([, text]) => text !== null);
    this.#data = Object.fromEntries(kept) as Readonly<Record<string, string>>;
    this.#files = Object.fromEntries(Object.entries(this.#data).map(([key, text]) => [key, parse(text) as File]));
    this.#version += 1;
    return this.object;
  }
}
