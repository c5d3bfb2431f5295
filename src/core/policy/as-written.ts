import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import { definedOnly } from '../text/defined-fields.ts';
import { compareText } from '../text/fingerprint.ts';

/** What an author would write to get this spec: without what the API server and the controller add. */
export function asWritten({ apiVersion, kind, metadata }: GpuPartitionPolicy, spec: PolicySpec): GpuPartitionPolicy {
  return { apiVersion, kind, metadata: { name: metadata.name }, spec };
}

/** An entry of `metadata.managedFields`. */
interface ManagedFields {
  readonly manager?: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/** Who wrote a spec last, and when, by the field managers that the API server knows; empty if it knows none. */
export function writerOf({ metadata }: Pick<GpuPartitionPolicy, 'metadata'>): Pick<ManagedFields, 'manager' | 'time'> {
  const writers = ((metadata['managedFields'] ?? []) as readonly ManagedFields[])
    .filter(({ fieldsV1 = {}, subresource = '' }) => subresource === '' && 'f:spec' in fieldsV1)
    .toSorted((a, b) => compareText(b.time ?? '', a.time ?? ''));
  const { manager, time } = writers[0] ?? {};
  return definedOnly({ manager, time });
}

/** Of its managed fields, which are half of an object, only who wrote its spec is kept. */
export function keepWriter<Policy extends GpuPartitionPolicy>(policy: Policy): Policy {
  const writer = writerOf(policy);
  const managedFields = writer.manager === undefined ? [] : [{ ...writer, fieldsV1: { 'f:spec': {} } }];
  return { ...policy, metadata: { ...policy.metadata, managedFields } };
}
