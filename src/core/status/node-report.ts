import { definedOnly } from '../text/defined-fields.ts';
import { statusBounds } from '../../api/generated/gpu-node-partition.bounds.ts';
import type { GpuNodePartition, NodePartitionStatus } from '../../api/types.ts';
import { closedStatus, lastingWaits, type NodeMemory } from '../node/memory.ts';
import type { Verdict } from '../node/outcome.ts';
import type { WriterMode } from '../nvidia/feature-discovery/writer-mode.ts';
import { sameJson } from '../text/fingerprint.ts';
import { timeText } from '../text/duration.ts';
import { setConditions } from './conditions.ts';
import { judgeDegraded } from './degraded.ts';
import { deviceText } from '../policy/layout-text.ts';
import { cutText, fitWithin } from '../text/cut-text.ts';

/** A transient state is written to the status if it lasts longer than this, in ms, and its message changes no more often. */
const transientMs = 2000;

/** The leader's part of a partition's status. */
export type NodeStatusFields = Required<Pick<NodePartitionStatus, 'phase' | 'layout' | 'writerMode'>> &
  Pick<NodePartitionStatus, 'conditions' | 'closed' | 'waits'>;

export interface NodeReport {
  /** What to write; undefined if the status already matches, or must not change yet. */
  readonly status: NodeStatusFields | undefined;
  /** When to look at the node again, in ms, if nothing happens before. */
  readonly requeueAfterMs: number | undefined;
}

/** What is reported of a node, and when. @param writtenAt when its status was last written, in ms since the epoch, if that is known */
export function reportNode(
  partition: GpuNodePartition,
  verdict: Verdict,
  memory: NodeMemory,
  writerMode: WriterMode,
  now: number,
  writtenAt = -Infinity,
): NodeReport {
  const current = partition.status;
  const lastsMs = now - (memory.waits.Reason?.since ?? now);
  const told = current?.conditions?.find(({ type }) => type === 'Ready');
  // Clients that wait for Ready must not see it while the layout is being removed. Until a new wish is planned, nothing is removed.
  const isLeaving = told?.status === 'True' && verdict.phase !== 'Ready' && verdict.reason !== 'AwaitingPlan';
  const isTold = current?.phase === verdict.phase && told?.reason === verdict.reason;
  const left = transientMs - Math.min(lastsMs, isTold ? now - writtenAt : Infinity);
  const isPending = verdict.transient === true && left > 0;
  const soon = Math.min(verdict.requeueAfterMs ?? Infinity, left + 10);
  if (isPending && !isLeaving) return { status: undefined, requeueAfterMs: soon };
  const status = describe(partition, verdict, memory, writerMode, now);
  const { phase, layout, conditions = [], writerMode: mode, waits = [], closed } = current ?? {};
  const isSame = sameJson({ phase, layout, conditions, writerMode: mode, waits, closed }, { waits: [], ...status });
  return { status: isSame ? undefined : status, requeueAfterMs: isPending ? soon : verdict.requeueAfterMs };
}

function describe(
  partition: GpuNodePartition,
  { phase, reason, message }: Verdict,
  memory: NodeMemory,
  writerMode: WriterMode,
  now: number,
): NodeStatusFields {
  const observed = definedOnly({ observedGeneration: partition.metadata.generation });
  const text = cutText(message, 4096);
  const isWaiting = phase === 'Waiting';
  const conditions = setConditions(
    partition.status?.conditions ?? [],
    [
      { type: 'Ready', status: phase === 'Ready' ? 'True' : 'False', reason, message: text, ...observed },
      {
        type: 'Waiting',
        status: isWaiting ? 'True' : 'False',
        reason: isWaiting ? reason : 'NoPodsUseGpus',
        message: isWaiting ? text : 'the node waits for no pod',
        ...observed,
      },
      ...judgeDegraded(partition.status?.device ?? {}, partition.status?.conditions ?? [], observed),
    ],
    timeText(now),
  );
  // A node that is Ready waits for nothing, whatever the decision that found it so waited for.
  const waits = phase === 'Ready' ? [] : lastingWaits(memory);
  const fields: NodeStatusFields = {
    phase,
    layout: cutText(deviceText(partition.status?.device?.gpus ?? []), 512),
    writerMode,
    conditions: [...conditions],
    ...definedOnly({ closed: closedStatus(memory) }),
    ...(waits.length > 0 && { waits }),
  };
  return fitWithin(fields, statusBounds);
}
