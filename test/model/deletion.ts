import { timeText } from '../../src/core/text/syntax.ts';
import type { Api, Policy } from './api.ts';

/** A user deletes a policy: it stays as long as it has a finalizer. */
export function deletePolicy(api: Api, name: string, now: number): void {
  const policy = api.find('policies', name);
  if (!policy || policy.metadata.deletionTimestamp !== undefined) return;
  if ((policy.metadata.finalizers ?? []).length === 0) return api.delete('policies', name, 'user');
  // The API server counts a deletion as a change of the spec.
  const generation = (policy.metadata.generation ?? 0) + 1;
  const deletionTimestamp = timeText(now);
  api.update('policies', name, 'user', (one) => ({
    ...one,
    metadata: { ...one.metadata, generation, deletionTimestamp },
  }));
}

/** A policy that is being deleted disappears with its last finalizer. @returns as it was at last */
export function setFinalizers(
  api: Api,
  name: string,
  finalizers: readonly string[],
  version: string | undefined,
  by: string,
): Policy {
  const written = api.update(
    'policies',
    name,
    by,
    (one) => ({ ...one, metadata: { ...one.metadata, finalizers: [...finalizers] } }),
    version,
  );
  if (finalizers.length > 0 || written.metadata.deletionTimestamp === undefined) return written;
  api.delete('policies', name, by);
  return written;
}
