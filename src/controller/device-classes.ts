import { listServed, type KubeVerbs } from '../kube/client.ts';
import { controllerManager } from '../api/names.ts';
import { deviceClasses, policies } from '../api/resources.ts';
import type { GpuPartitionPolicy } from '../api/types.ts';
import { listMissingClasses } from '../core/policy/device-classes.ts';
import type { PolicyRecord } from '../core/policy/record.ts';
import { isPlanned, mayUseClaims } from '../core/policy/spec.ts';
import { ApiError, isConflict } from '../kube/api-error.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import type { KubeObject } from '../kube/watch.ts';
import type { Logger } from '../process/log.ts';
import type { Fleet } from '../core/policy/fleet.ts';
import { deepEqual } from '../core/text/json.ts';
import type { SliceWatch } from './slice-watch.ts';

/** How often the classes are looked at, in ms: they are not watched, and somebody may delete one. */
const lookAgainMs = 60_000;
/** How often an API server is tried again that does not keep a field, in ms: it may have been upgraded. */
const tryAgainMs = 3_600_000;

type MissingClass = ReturnType<typeof listMissingClasses>[number];
type PresentClass = Parameters<typeof listMissingClasses>[1][number];

interface Parts {
  readonly client: KubeVerbs;
  readonly cluster: { readonly fleet: Pick<Fleet, 'policy'> & { readonly policies: Iterable<PolicyRecord> } };
  readonly events: Pick<EventRecorder, 'record'>;
  readonly slices: Pick<SliceWatch, 'api'>;
  readonly log: Logger;
  readonly now: () => number;
}

/**
 * Keeps a DeviceClass for each profile of policies with `spec.dra.deviceClasses: Managed`. None is ever deleted: pods that wait may ask
 * for it, and a class without devices disturbs nothing.
 */
export class DeviceClassReconciler {
  readonly #parts: Parts;
  /** The policies for which the classes were last found right, and when, in ms. */
  #checked: { readonly policies: readonly GpuPartitionPolicy[]; readonly at: number } | undefined;

  /** Classes that did not become as wanted, by name: what was asked for, onto what, and when. It is not repeated until one of them differs. */
  readonly #failed = new Map<string, { readonly asked: readonly unknown[]; readonly at: number }>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether a policy asks for classes. */
  isAsked(name: string): boolean {
    const record = this.#parts.cluster.fleet.policy(name);
    return record !== undefined && asksForClasses(record);
  }

  async reconcile(): Promise<ReconcileResult | void> {
    const records = [...this.#parts.cluster.fleet.policies].filter(asksForClasses);
    if (records.length === 0) return;
    // The nodes report that.
    if (this.#parts.slices.api === 'Missing') return { requeueAfterMs: lookAgainMs };
    // Of all their schedules: a pod that waits for the night may be created by day.
    const inForce = records.map(({ written }) => written);
    const known = this.#checked;
    const restMs = known && sameItems(known.policies, inForce) ? known.at + lookAgainMs - this.#parts.now() : 0;
    if (restMs > 0) return { requeueAfterMs: restMs };
    const present = await listServed<KubeObject & PresentClass>(this.#parts.client, deviceClasses);
    const specs = new Map(present.map(({ metadata, spec }) => [metadata.name, spec]));
    for (const missing of listMissingClasses(inForce, present)) {
      const { wanted } = missing;
      const { name } = wanted.metadata;
      const found = specs.get(name);
      if (this.#hasFailed(wanted, found)) continue;
      const { problem, kept = found } = await this.#apply(missing);
      if (problem === undefined) continue;
      this.#tell(records, problem);
      this.#failed.set(name, { asked: [wanted.spec, kept ?? null], at: this.#parts.now() });
    }
    this.#checked = { policies: inForce, at: this.#parts.now() };
    return { requeueAfterMs: lookAgainMs };
  }

  #hasFailed({ metadata, spec }: MissingClass['wanted'], found: object | undefined): boolean {
    const { asked, at } = this.#failed.get(metadata.name) ?? {};
    return at !== undefined && deepEqual(asked, [spec, found ?? null]) && this.#parts.now() - at < tryAgainMs;
  }

  /**
   * Applies a class without force: what somebody else has set otherwise is a conflict. @returns what is wrong with it, and what the API
   * server keeps
   */
  async #apply({
    wanted,
    explain,
  }: MissingClass): Promise<{ readonly problem: string | undefined; readonly kept?: object }> {
    const { spec, metadata } = wanted;
    const { name } = metadata;
    const ref = { resource: deviceClasses, name };
    const fields = { metadata: {}, spec };
    try {
      const { spec: kept = {} } = await this.#parts.client.apply<KubeObject & PresentClass>(ref, fields, {
        fieldManager: controllerManager,
      });
      this.#parts.log.info('a DeviceClass is written', { name });
      return { problem: explain(kept), kept };
    } catch (error) {
      if (error instanceof ApiError) return { problem: describeRefusal(name, error) };
      throw error;
    }
  }

  #tell(records: readonly PolicyRecord[], message: string): void {
    this.#parts.log.warn(message, {});
    const note = { type: 'Warning', reason: 'DeviceClassNotWritten', action: 'Reconcile', message } as const;
    for (const { newest } of records) this.#parts.events.record({ ...note, object: newest, resource: policies });
  }
}

function describeRefusal(name: string, error: ApiError): string {
  const { message: answer } = error;
  return isConflict(error)
    ? `DeviceClass ${name} is not as this policy asks, and somebody else has set it: it is left alone. Delete it, or take spec.dra.deviceClasses back`
    : `DeviceClass ${name} cannot be written: ${answer}`;
}

/** A watch gives an object that has changed as another one. */
function sameItems<Item>(one: readonly Item[], other: readonly Item[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}

/** A policy that is in force. One that is going asks for nothing. */
function asksForClasses({ policy, isAccepted, inForce }: PolicyRecord): boolean {
  const { spec, metadata } = policy;
  const isInForce =
    (isAccepted || inForce !== undefined) && !isPlanned(policy) && metadata.deletionTimestamp === undefined;
  return isInForce && mayUseClaims(spec) && spec.dra?.deviceClasses === 'Managed';
}
