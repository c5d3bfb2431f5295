import type { KubeClient } from '../../src/kube/client.ts';
import { Reflector, type ReflectorOptions, type ReflectorTiming } from '../../src/kube/reflector.ts';
import type { Change } from '../../src/kube/watch.ts';
import { eventually } from '../support/eventually.ts';
import { RecordedLog } from '../process/recorded-log.ts';
import { configMaps, type ConfigMap } from './connection.ts';

/** Waits that are short enough for a test. */
export const quick: Partial<ReflectorTiming> = { floorMs: 20, backoffBaseMs: 20, backoffMaxMs: 200 };

/** A reflector of the ConfigMaps of a namespace that keeps what it reports. */
export class Follower implements AsyncDisposable {
  readonly reflector: Reflector<ConfigMap>;
  readonly log = new RecordedLog();
  readonly changes: Change<ConfigMap>[] = [];

  constructor(client: KubeClient, namespace: string, options: Partial<ReflectorOptions<ConfigMap>> = {}) {
    const { onChange, timing, ...rest } = options;
    this.reflector = new Reflector<ConfigMap>({
      client,
      resource: configMaps,
      namespace,
      fieldSelector: 'metadata.name!=kube-root-ca.crt',
      logger: this.log,
      timing: { ...quick, ...timing },
      ...rest,
      onChange: (change) => {
        this.changes.push(change);
        onChange?.(change);
      },
    });
    this.reflector.start();
  }

  /** What was reported, as `apply NAME` and `delete NAME`. */
  get story(): readonly string[] {
    return this.changes.map(({ type, object }) => `${type} ${object.metadata.name}`);
  }

  /** What its connections failed of, as it logs that. */
  get troubles(): readonly string[] {
    const messages = ['watch interrupted', 'watch restarts from a list'];
    return this.log.lines.flatMap(({ message, fields }) =>
      messages.includes(message) ? [String(fields['error'])] : [],
    );
  }

  /** Names in the store, in order. */
  get names(): readonly string[] {
    return this.reflector.store
      .list()
      .map(({ metadata }) => metadata.name)
      .toSorted();
  }

  /** Waits until the store holds these names. */
  async holds(...names: readonly string[]): Promise<void> {
    const wanted = names.toSorted().join();
    await eventually(
      () => this.names,
      (seen) => seen.join() === wanted,
      { what: 'the store', timeoutMs: 10_000 },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.reflector.stop();
  }
}
