import type { AuditedWrite } from '../../src/simulator/control-plane/components.ts';
import type { Disturbance } from './fault-maker.ts';

interface LogLine {
  readonly event: string;
  readonly rc?: number;
  readonly argv: readonly string[];
  readonly time: string;
  readonly processes?: readonly string[];
}

/** A destroy that the device refused as in use. */
export interface Refused {
  readonly node: string;
  readonly time: string;
  readonly argv: readonly string[];
  /** `NAMESPACE/POD/CONTAINER` of what ran on the node's GPUs. */
  readonly processes: readonly string[];
}

/** Destroys that were refused on a node that nobody disturbed at the time. @param lines of the node's log of operations */
export function findRefused(
  node: string,
  lines: readonly string[],
  disturbances: readonly Disturbance[],
): readonly Refused[] {
  return lines.flatMap((line) => {
    const { event, rc, argv, time, processes = [] } = JSON.parse(line) as LogLine;
    if (event !== 'end' || rc !== 19 || !argv.some((word) => word === '-dci' || word === '-dgi')) return [];
    const atMs = Date.parse(time);
    const isDisturbed = disturbances.some((one) => one.node === node && one.fromMs <= atMs && atMs <= one.untilMs);
    return isDisturbed ? [] : [{ node, time, argv, processes }];
  });
}

/** With when each pod of these processes was bound, deleted or evicted, and what was written of the node: a pod may have come late. */
export function explainRefused({ node, time, argv, processes }: Refused, writes: readonly AuditedWrite[]): string {
  const pods = new Set(processes.map((name) => name.split('/')[1]));
  const tell = ({ time: at, user, verb, resource, subresource, name }: AuditedWrite): string =>
    `${at} ${user.split(':').at(-1)} ${verb} ${subresource === '' ? resource : `${resource}/${subresource}`} ${name}`;
  const told = writes.filter(
    ({ resource, subresource, name }) =>
      (resource === 'pods' && subresource !== 'status' && pods.has(name)) ||
      (resource === 'nodes' && subresource === '' && name === node),
  );
  const before = told.filter(
    ({ time: at }) => Date.parse(at) <= Date.parse(time) && Date.parse(at) > Date.parse(time) - 60_000,
  );
  const ran = processes.length === 0 ? 'no process ran' : `${processes.join(', ')} ran`;
  return [`${node} tried to destroy what is in use, at ${time}: ${argv.join(' ')}; ${ran}`, ...before.map(tell)].join(
    '; ',
  );
}
