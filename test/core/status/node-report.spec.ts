import { expect } from 'chai';
import type { GpuNodePartition } from '../../../src/api/types.ts';
import {
  type NodeMemory,
  beginByNow,
  lastingWaits,
  recallMemory,
  resumeWait,
  waitFor,
} from '../../../src/core/node/memory.ts';
import type { Verdict } from '../../../src/core/node/outcome.ts';
import { type NodeReport, reportNode } from '../../../src/core/status/node-report.ts';
import { aManagedPartition, noMemory, noon, slicedGpu } from '../../support/node-builders.ts';

const ready: Verdict = { phase: 'Ready', reason: 'Ready', message: 'all is well' };
const applying: Verdict = { phase: 'Updating', reason: 'Applying', message: 'the agent applies', transient: true };
const waiting: Verdict = { phase: 'Waiting', reason: 'PodsUseGpus', message: 'ns/x', requeueAfterMs: 5000 };

/** What is written of a partition whose generation is 7. */
function report(
  verdict: Verdict,
  {
    partition = aManagedPartition({ device: slicedGpu }),
    memory = noMemory,
    now = noon,
    writtenAt,
  }: {
    readonly partition?: GpuNodePartition;
    readonly memory?: NodeMemory;
    readonly now?: number;
    readonly writtenAt?: number;
  } = {},
): NodeReport {
  return reportNode(
    { ...partition, metadata: { ...partition.metadata, generation: 7 } },
    verdict,
    memory,
    'Patch',
    now,
    writtenAt,
  );
}

function told(verdict: Verdict, memory = noMemory): GpuNodePartition {
  const partition = aManagedPartition({ device: slicedGpu });
  return { ...partition, status: { ...partition.status, ...report(verdict, { memory }).status } };
}

const readyOf = ({ status }: NodeReport) => status?.conditions?.find(({ type }) => type === 'Ready');

describe('the report of a node', () => {
  it('says phase, layout and conditions, once', () => {
    const { status, requeueAfterMs } = report(waiting);
    expect(status).to.include({ phase: 'Waiting', layout: '1 GPU: 1×7g.40gb', writerMode: 'Patch' });
    expect(status?.conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`)).to.deep.equal([
      'Ready False PodsUseGpus',
      'Waiting True PodsUseGpus',
    ]);
    expect(requeueAfterMs).to.equal(5000);
    expect(report(waiting, { partition: told(waiting), now: noon + 60_000 }).status).to.equal(undefined);
  });

  it('gives its conditions times in whole seconds, as metav1.Time has them', () => {
    const { status } = report(ready, { now: noon + 789 });
    for (const { lastTransitionTime } of status?.conditions ?? []) {
      expect(lastTransitionTime).to.equal('2026-01-01T12:00:00Z');
    }
  });

  it('holds back for 2 s what normally passes, and looks again when these are over', () => {
    const memory = { ...noMemory, waits: { Reason: { since: noon, of: 'Applying' } } };
    const early = report(applying, { partition: told(waiting), memory, now: noon + 500 });
    expect(early).to.deep.equal({ status: undefined, requeueAfterMs: 1510 });
    const late = report(applying, { partition: told(waiting), memory, now: noon + 2000 });
    expect(late.status?.phase).to.equal('Updating');
  });

  it('says what is new of a state that normally passes 2 s after it wrote of it, or as the state becomes another', () => {
    const memory = { ...noMemory, waits: { Reason: { since: noon - 9000, of: 'Applying' } } };
    const next: Verdict = { ...applying, message: 'the agent still applies' };
    const written = { partition: told(applying, memory), memory, writtenAt: noon };
    expect(report(next, { ...written, now: noon + 500 })).to.deep.equal({ status: undefined, requeueAfterMs: 1510 });
    expect(readyOf(report(next, { ...written, now: noon + 2000 }))?.message).to.equal('the agent still applies');
    expect(report(waiting, { ...written, now: noon + 500 }).status?.phase).to.equal('Waiting');
    expect(report(ready, { ...written, now: noon + 500 }).status?.phase).to.equal('Ready');
  });

  it('says at once that a node is no longer Ready, even if that passes', () => {
    const memory = { ...noMemory, waits: { Reason: { since: noon, of: 'Applying' } } };
    expect(readyOf(report(applying, { partition: told(ready), memory }))).to.include({
      status: 'False',
      reason: 'Applying',
      observedGeneration: 7,
    });
  });

  it('says nothing of a new wish before it is planned: until then nothing of the layout goes', () => {
    const planning: Verdict = { phase: 'Pending', reason: 'AwaitingPlan', message: 'waiting', transient: true };
    const memory = { ...noMemory, waits: { Reason: { since: noon, of: 'AwaitingPlan' } } };
    const early = report(planning, { partition: told(ready), memory, now: noon + 500 });
    expect(early).to.deep.equal({ status: undefined, requeueAfterMs: 1510 });
    const late = report(planning, { partition: told(ready), memory, now: noon + 2000 });
    expect(readyOf(late)).to.include({ status: 'False', reason: 'AwaitingPlan' });
    const next: Verdict = { ...planning, reason: 'AwaitingSlot' };
    expect(readyOf(report(next, { partition: told(ready), memory }))).to.include({ reason: 'AwaitingSlot' });
  });

  it('says of which generation it is, and says it again of the next', () => {
    expect(readyOf(report(ready))?.observedGeneration).to.equal(7);
    const partition = told(ready);
    const metadata = { ...partition.metadata, generation: 8 };
    const next = reportNode({ ...partition, metadata }, ready, noMemory, 'Patch', noon + 60_000);
    expect(readyOf(next)).to.include({ observedGeneration: 8, lastTransitionTime: '2026-01-01T12:00:00Z' });
  });

  it('keeps waits that must outlive a leader, and takes them away when they end', () => {
    const waits = { HoldersRest: { since: noon, of: 'gpu/dcgm', count: 3 }, Closed: { since: noon } };
    const memory = { ...noMemory, waits };
    const { status } = report(waiting, { memory });
    expect(status?.waits).to.deep.equal([
      { name: 'HoldersRest', since: '2026-01-01T12:00:00Z', of: 'gpu/dcgm', count: 3 },
    ]);
    expect(recallMemory(status).waits).to.deep.equal({ HoldersRest: waits.HoldersRest });
    const partition = aManagedPartition({ device: slicedGpu });
    const kept = { ...partition, status: { ...partition.status, ...status } };
    expect(report(waiting, { partition: kept, memory }).status).to.equal(undefined);
    expect(report(waiting, { partition: kept }).status)
      .to.be.an('object')
      .and.not.have.property('waits');
  });
});

describe('waits', () => {
  it('continue from when they began, and start over for another thing', () => {
    const first = waitFor({ memory: noMemory, now: noon }, 'Advertised', 'a');
    expect(first).to.deep.equal({ lastsMs: 0, waits: { Advertised: { since: noon, of: 'a' } } });
    const later = { memory: first, now: noon + 1000 };
    expect(waitFor(later, 'Advertised', 'a')).to.deep.equal({ lastsMs: 1000, waits: first.waits });
    expect(resumeWait(later, 'Advertised', 'a')).to.deep.equal({ lastsMs: 1000, waits: first.waits });
    expect(waitFor(later, 'Advertised', 'b').lastsMs).to.equal(0);
    expect(resumeWait(later, 'Advertised', 'b')).to.equal(undefined);
    expect(resumeWait({ memory: noMemory, now: noon }, 'Advertised')).to.equal(undefined);
  });

  it('begin now where the clock of an earlier leader was ahead: they do not last until then', () => {
    const ahead = { waits: { Labels: { since: noon + 3_600_000 }, AgentAway: { since: noon } }, evictions: {} };
    const { waits } = beginByNow(ahead, noon);
    expect(waits).to.deep.equal({ Labels: { since: noon }, AgentAway: { since: noon } });
    expect(waitFor({ memory: { waits }, now: noon + 1000 }, 'Labels').lastsMs).to.equal(1000);
  });

  it('of a status that cannot be read count as not begun', () => {
    const waits = [
      { name: 'Advertised', since: 'yesterday' },
      { name: 'Closed', since: '2026-01-01T12:00:00Z' },
      { name: 'Nonsense', since: '2026-01-01T12:00:00Z' },
    ];
    expect(recallMemory({ waits })).to.deep.equal(noMemory);
    expect(lastingWaits(noMemory)).to.deep.equal([]);
  });
});
