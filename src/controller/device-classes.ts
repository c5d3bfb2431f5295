import { listServed } from '../kube/served.ts';
import { controllerManager } from '../api/names.ts';
import { deviceClasses, policies } from '../api/resources.ts';
import type { GpuPartitionPolicy } from '../api/types.ts';
import { type DeviceClassObject, isKept, listMissingClasses } from '../core/classes/class-objects.ts';
import { mayUseClaims } from '../core/policy/rules.ts';
import { listSliceKinds } from '../core/classes/slice-kind.ts';
import type { PolicyRecord } from '../core/policy/policy-record.ts';
import { currentOf, enforces } from '../core/policy/versions.ts';
import { ApiError, isConflict } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { ReconcileResult } from '../kube/queue.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Logger } from '../process/logger.ts';
import type { Fleet } from '../core/policy/fleet.ts';
import { sameJson } from '../core/text/fingerprint.ts';
import type { SliceWatch } from './slice-watch.ts';

/** How often the classes are looked at, in ms: they are not watched, and somebody may delete one. */
const lookAgainMs = 60_000;
/** How often an API server is tried again that does not keep a field, in ms: it may have been upgraded. */
const tryAgainMs = 3_600_000;

interface Parts {
  readonly client: KubeClient;
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
  /** For which policies they were found right, and when. */
  #checked: { readonly policies: readonly GpuPartitionPolicy[]; readonly at: number } | undefined;

  /** What was written of classes that the API server keeps in part, by name, and when. */
  readonly #partly = new Map<string, { readonly spec: object | undefined; readonly at: number }>();

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
    const inForce = records.map(({ versions }) => currentOf(versions));
    const known = this.#checked;
    const restMs = known && sameItems(known.policies, inForce) ? known.at + lookAgainMs - this.#parts.now() : 0;
    if (restMs > 0) return { requeueAfterMs: restMs };
    const kinds = listSliceKinds(inForce);
    const present = await listServed<KubeObject & DeviceClassObject>(this.#parts.client, deviceClasses);
    const names = new Set(present.map(({ metadata }) => metadata.name));
    for (const wanted of listMissingClasses(kinds, present)) {
      const { name } = wanted.metadata;
      if (names.has(name) && this.#isKeptInPart(wanted)) continue;
      const problem = await this.#apply(wanted);
      if (problem !== undefined) this.#tell(records, problem);
    }
    this.#checked = { policies: inForce, at: this.#parts.now() };
    return { requeueAfterMs: lookAgainMs };
  }

  #isKeptInPart({ metadata, spec }: DeviceClassObject): boolean {
    const before = this.#partly.get(metadata.name);
    return before !== undefined && sameJson(before.spec, spec) && this.#parts.now() - before.at < tryAgainMs;
  }

  /** Without force: what somebody else has set otherwise is a conflict. @returns what is wrong with it */
  async #apply(wanted: DeviceClassObject): Promise<string | undefined> {
    const { spec, metadata } = wanted;
    const { name } = metadata;
    const fields = { metadata: {}, spec };
    const options = { fieldManager: controllerManager };
    try {
      const kept = await this.#parts.client.apply<KubeObject & DeviceClassObject>(
        { resource: deviceClasses, name },
        fields,
        options,
      );
      this.#parts.log.info('a DeviceClass is written', { name });
      if (isKept(wanted, kept.spec)) return undefined;
    } catch (error) {
      if (error instanceof ApiError) return describeRefusal(name, error);
      throw error;
    }
    this.#partly.set(name, { spec, at: this.#parts.now() });
    return (
      `DeviceClass ${name} is there without extendedResourceName, which the API server does not keep (feature gate DRAExtendedResource, ` +
      'on by default in Kubernetes 1.36): pods get these slices by claims alone'
    );
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
    (isAccepted || inForce !== undefined) && enforces(policy) && metadata.deletionTimestamp === undefined;
  return isInForce && mayUseClaims(spec) && spec.dra?.deviceClasses === 'Managed';
}
