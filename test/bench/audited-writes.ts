import type { AuditedWrite } from '../../src/simulator/control-plane/components.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { eventually } from '../support/eventually.ts';

const ours = /^system:serviceaccount:gpu-partition-(?:system|agents):gpu-partition-(controller|agent)$/;

/** A write of one of our programs. */
export interface OwnWrite extends AuditedWrite {
  readonly program: string;
  readonly atMs: number;
}

/** What the controller and the agents wrote at `sinceMs` or later, without the renewals of the leader's Lease. */
export async function listOwnWrites(controlPlane: ControlPlane, sinceMs = 0): Promise<readonly OwnWrite[]> {
  const writes = await controlPlane.auditedWrites();
  return writes.flatMap((write) => {
    const program = ours.exec(write.user)?.[1];
    const atMs = Date.parse(write.time);
    if (program === undefined || atMs < sinceMs || write.resource === 'leases.coordination.k8s.io') return [];
    return [{ ...write, program, atMs }];
  });
}

/** `controller patch gpunodepartitions/status`. */
export function describeWrite({ program, verb, resource, subresource, code }: OwnWrite): string {
  const what = subresource === '' ? shorten(resource) : `${shorten(resource)}/${subresource}`;
  return `${program} ${verb} ${what}${code < 300 ? '' : ` (${code})`}`;
}

export function isEvent({ resource }: AuditedWrite): boolean {
  return resource.startsWith('events');
}

/** Whether it concerns one node: its Node, its GpuNodePartition, or an Event about that. */
export function concernsNode(write: AuditedWrite, node: string): boolean {
  if (isEvent(write)) return write.name.startsWith(`${node}.`);
  return write.name === node && /^(nodes|gpunodepartitions\b.*)$/.test(write.resource);
}

/**
 * Waits until none of our programs has written anything for a while, and returns when the last write was. Events do not
 * count: a rate limit spreads those of a big fleet over minutes.
 */
export async function waitForQuiet(controlPlane: ControlPlane, forMs: number): Promise<number> {
  const startedMs = Date.now();
  const lastMs = await eventually(
    async () => (await listOwnWrites(controlPlane, startedMs)).findLast((write) => !isEvent(write))?.atMs ?? startedMs,
    (at) => Date.now() - at > forMs,
    { timeoutMs: 120_000, intervalMs: 200, what: 'last write' },
  );
  return lastMs;
}

function shorten(resource: string): string {
  return resource.replace(/\..*$/, '');
}
