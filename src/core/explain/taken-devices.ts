import type { ResourceClaimView } from '../dra/resource-claim.ts';
import { gpuDriver } from '../dra/resource-slice.ts';
import { namespacedName } from '../text/namespaced-name.ts';
import { onceEach } from '../text/once-each.ts';

/** Devices of one node by their names, and who has each: the pod, or the claim that no pod uses. */
export type TakenDevices = ReadonlyMap<string, string>;

/** The devices that claims have, by node. A monitor takes none. Every node is asked for its own: claims are sorted once. */
export const takenByNode = onceEach((claims: readonly ResourceClaimView[]): ReadonlyMap<string, TakenDevices> => {
  const taken = new Map<string, Map<string, string>>();
  for (const { metadata, status } of claims) {
    for (const { driver, pool, device, adminAccess } of status?.allocation?.devices?.results ?? []) {
      if (driver !== gpuDriver || adminAccess === true) continue;
      const [first] = status?.reservedFor ?? [];
      const holder = first ? namespacedName({ ...metadata, name: first.name }) : `claim ${namespacedName(metadata)}`;
      taken.set(pool, (taken.get(pool) ?? new Map<string, string>()).set(device, holder));
    }
  }
  return taken;
});
