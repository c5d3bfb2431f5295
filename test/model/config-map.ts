import { refuse } from './api.ts';

type File = Readonly<Record<string, unknown>>;

const ownKey = /^gpu-partition-(none|single|mixed)-[0-9a-f]{8}$/;

/** The ConfigMap with the device plugin's config files. */
export class ModelConfigMap {
  #files: ReadonlyMap<string, File>;
  #version = 0;

  constructor(files: Readonly<Record<string, File>>) {
    this.#files = new Map(Object.entries(files));
  }

  get version(): number {
    return this.#version;
  }

  get files(): Readonly<Record<string, File>> {
    return Object.fromEntries(this.#files);
  }

  /** @throws ApiError if the version is another @param isUsed whether a file of the controller is needed: others are removed */
  publish(key: string, file: File, version: number, isUsed: (key: string) => boolean): void {
    if (version !== this.#version) throw refuse(409, 'Conflict', 'the ConfigMap has changed');
    const kept = [...this.#files].filter(([one]) => !ownKey.test(one) || isUsed(one));
    this.#files = new Map([...kept, [key, file]]);
    this.#version += 1;
  }
}
