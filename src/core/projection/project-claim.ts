import type { ResourceClaimView } from '../dra/resource-claim.ts';
import { definedOnly } from '../text/defined-fields.ts';

/** What is kept of a claim: anybody may create any number. */
export function projectClaim({ metadata, status }: ResourceClaimView): ResourceClaimView {
  const { allocation, reservedFor } = status ?? {};
  const results = allocation?.devices?.results?.map(({ driver, pool, device, adminAccess }) =>
    definedOnly({ driver, pool, device, adminAccess }),
  );
  return {
    metadata: definedOnly({ name: metadata.name, namespace: metadata.namespace }),
    ...(results && { status: { allocation: { devices: { results } }, ...(reservedFor && { reservedFor }) } }),
  };
}
