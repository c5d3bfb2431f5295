import type { AuditedWrite } from '../../src/simulator/control-plane/components.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { isEvent } from './audited-writes.ts';

/** Not of one node: leases, policies' status, and what any new API client or namespace brings with it. */
const ofNoNode = /^(leases\.|gpupartitionpolicies\.|serviceaccounts$|tokenreviews|subjectaccessreviews)/;

/** Writes since then that the change of one node brings with it, whoever makes them; Events are left out. */
export async function listChangeWrites(controlPlane: ControlPlane, sinceMs: number): Promise<readonly AuditedWrite[]> {
  const writes = await controlPlane.auditedWrites();
  return writes.filter(
    (write) =>
      Date.parse(write.time) >= sinceMs && write.user !== 'admin' && !isEvent(write) && !ofNoNode.test(write.resource),
  );
}

export function isByController({ user }: AuditedWrite): boolean {
  return user.endsWith(':gpu-partition-controller');
}

export function isByAgent({ user }: AuditedWrite): boolean {
  return user.endsWith(':gpu-partition-agent');
}

export function isByMigManager({ user }: AuditedWrite): boolean {
  return user.endsWith(':mig-manager');
}

/** `gpu-partition-controller create pods/eviction` */
export function describeAccountWrite({ user, verb, resource, subresource }: AuditedWrite): string {
  const what = `${resource.replace(/\..*$/, '')}${subresource === '' ? '' : `/${subresource}`}`;
  return `${user.split(':').at(-1)} ${verb} ${what}`;
}

/** `3 × mig-manager delete pods, …` */
export function countByAccount(writes: readonly AuditedWrite[]): string {
  const kinds = Map.groupBy(writes, describeAccountWrite);
  return [...kinds]
    .map(([kind, list]) => `${list.length} × ${kind}`)
    .sort()
    .join(', ');
}
