import { listServed } from '../../kube/served.ts';
import { ApiError } from '../../kube/api-error.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { ListOptions, Selection } from '../../kube/call-options.ts';
import type { KubeObject, Resource } from '../../kube/resource.ts';
import { CliError } from '../exit.ts';

/** Reads what its user may read, and records what was refused. An API server that does not answer ends it. */
export class LenientReader {
  readonly client: KubeClient;
  readonly #notRead: string[] = [];

  constructor(client: KubeClient) {
    this.client = client;
  }

  /** What was refused or does not exist, one sentence each. */
  get notRead(): readonly string[] {
    return this.#notRead;
  }

  /** Undefined if the API server refuses it, or has no such resource. @throws CliError with code 3 if it does not answer */
  async list<T extends KubeObject>(
    resource: Resource,
    selection: Selection = {},
    options: ListOptions = {},
  ): Promise<readonly T[] | undefined> {
    const what = selection.namespace === undefined ? resource.plural : `${resource.plural} of ${selection.namespace}`;
    return this.ask(what, async () => (await this.client.list<T>(resource, selection, options)).items);
  }

  /** As {@link list}; a cluster that does not serve it has none. */
  async listServed<T extends KubeObject>(resource: Resource, selection: Selection = {}): Promise<readonly T[]> {
    const found = await this.ask(resource.plural, () => listServed<T>(this.client, resource, selection));
    return found ?? [];
  }

  /** As {@link list}, for anything else. */
  async ask<Result>(what: string, request: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isRefused = [400, 401, 403, 404].includes(error.code);
      // The API server answers on behalf of a kubelet that it cannot reach.
      const isOfKubelet = error.code >= 500 && what.startsWith('log ');
      if (!isRefused && !isOfKubelet) throw new CliError(`cannot read ${what}: ${error.message}`, 3, { cause: error });
      this.#notRead.push(`${what}: ${error.message}`);
      return undefined;
    }
  }
}
