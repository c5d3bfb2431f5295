import type { ResourceClaimView } from '../dra/resource-claim.ts';

/** What is kept of a claim: anybody may create any number. */
export function projectClaim({ metadata, status }: ResourceClaimView): ResourceClaimView {
  const { name, namespace } = metadata;
  const { allocation, reservedFor } = status ?? {};
  const results = allocation?.devices?.results?.map(({ driver, pool, device, adminAccess }) => ({
    driver,
    pool,
    device,
    ...(adminAccess !== undefined && { adminAccess }),
  }));
  return {
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    ...(results && { status: { allocation: { devices: { results } }, ...(reservedFor && { reservedFor }) } }),
  };
}
