import { expect } from 'chai';
import fc from 'fast-check';
import {
  setCondition,
  setConditions,
  type ConditionDraft,
  type StatusCondition,
  judgeDegraded,
  type NodeReport,
  reportNode,
} from '../../../src/core/node/status.ts';
import type { GpuReport, GpuNodePartition } from '../../../src/api/types.ts';
import {
  type NodeMemory,
  beginByNow,
  storeMemory,
  recallMemory,
  runningTimer,
  timer,
} from '../../../src/core/node/memory.ts';
import type { Verdict } from '../../../src/core/node/commands.ts';
import { aManagedPartition, aNode, noMemory, noon, slicedGpu } from '../../support/node-builders.ts';

const monday = '2026-01-05T00:00:00Z';
const tuesday = '2026-01-06T00:00:00Z';

function aDraft(change: Partial<ConditionDraft> = {}): ConditionDraft {
  return { type: 'Ready', status: 'False', reason: 'Waiting', message: 'waits', observedGeneration: 1, ...change };
}

function aCondition(change: Partial<StatusCondition> = {}): StatusCondition {
  return { ...aDraft(), lastTransitionTime: monday, ...change };
}

describe('setCondition', () => {
  it('adds a condition that is not there at the end, since now', () => {
    const valid = aCondition({ type: 'Valid' });
    expect(setCondition([valid], aDraft(), tuesday)).to.deep.equal([
      valid,
      { ...aDraft(), lastTransitionTime: tuesday },
    ]);
  });

  it('keeps the transition time while the status stays, whatever is said about it', () => {
    const after = setCondition([aCondition()], aDraft({ reason: 'Paused', observedGeneration: 2 }), tuesday);
    expect(after).to.deep.equal([aCondition({ reason: 'Paused', observedGeneration: 2 })]);
  });

  it('moves the transition time when the status changes', () => {
    const after = setCondition([aCondition()], aDraft({ status: 'True' }), tuesday);
    expect(after).to.deep.equal([aCondition({ status: 'True', lastTransitionTime: tuesday })]);
  });

  it('returns the same array when nothing changes, so that the write can be left out', () => {
    const before = [aCondition(), aCondition({ type: 'Valid' })];
    expect(setCondition(before, aDraft(), tuesday)).to.equal(before);
    expect(setConditions(before, [aDraft(), aDraft({ type: 'Valid' })], tuesday)).to.equal(before);
  });

  it('drops the observed generation when the draft has none', () => {
    const { observedGeneration, ...draft } = aDraft();
    expect(observedGeneration).to.equal(1);
    expect(setCondition([aCondition()], draft, tuesday)[0]).not.to.have.property('observedGeneration');
  });

  it('leaves one condition of each type, in the order of their first appearance, and changes nothing the second time', () => {
    const draft = fc.record({
      type: fc.constantFrom('Ready', 'Stalled', 'Valid'),
      status: fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const),
      reason: fc.constantFrom('A', 'B'),
      message: fc.constantFrom('x', 'y'),
    });
    fc.assert(
      fc.property(fc.array(draft), (drafts) => {
        const after = setConditions([], drafts, monday);
        const types = after.map(({ type }) => type);
        expect(types).to.deep.equal([...new Set(drafts.map(({ type }) => type))]);
        const last = [...new Map(drafts.map((one) => [one.type, one])).values()];
        expect(setConditions(after, last, tuesday)).to.equal(after);
      }),
    );
  });
});

const aGpu = (index: number, more: Partial<GpuReport> = {}): GpuReport => ({
  uuid: `GPU-${index}`,
  index,
  pciBusId: `00000000:0${index}:00.0`,
  product: 'NVIDIA A100-SXM4-40GB',
  instances: [],
  ...more,
});

describe('the condition Degraded', () => {
  it('names the GPUs that do not answer or are not well, and what helps', () => {
    const health = { action: 'Reset' as const, message: 'row remapping is pending' };
    const gpus = [aGpu(0), aGpu(1, { health }), aGpu(2, { error: 'GpuLost: GPU is lost' })];
    expect(judgeDegraded({ gpus }, [], { observedGeneration: 3 })).to.deep.equal([
      {
        type: 'Degraded',
        status: 'True',
        reason: 'GpusUnhealthy',
        message:
          'GPU 1 (NVIDIA A100-SXM4-40GB, 00000000:01:00.0): row remapping is pending; drain the GPU and reset it ' +
          '(nvidia-smi --gpu-reset), or reboot the node; GPU 2 (NVIDIA A100-SXM4-40GB, 00000000:02:00.0): GpuLost: GPU is lost. ' +
          'Faulty GPUs are not repartitioned; the others are',
        observedGeneration: 3,
      },
    ]);
  });

  it('names what the host lacks since a change, beside GPUs that are not well too', () => {
    const hostProblems = ['the service nvsm.service was stopped for a change and does not start: exit code 1: x'];
    const [only] = judgeDegraded({ gpus: [aGpu(0)], hostProblems }, [], {});
    expect([only?.status, only?.reason]).to.deep.equal(['True', 'HostNotRestored']);
    expect(only?.message).to.equal(`${hostProblems[0]}. The agent tries again with each reading`);
    const [both] = judgeDegraded({ gpus: [aGpu(0, { error: 'GpuLost: GPU is lost' })], hostProblems }, [], {});
    expect(both?.reason).to.equal('GpusUnhealthy');
    expect(both?.message).to.contain('GPU is lost').and.to.contain('nvsm.service');
  });

  it('names the pods whose MIG device was destroyed, though no change of the node is due', () => {
    const lostDevices = [
      { id: 'MIG-1', pods: ['team/serve', 'team/train'] },
      { id: 'MIG-2', pods: ['team/infer'] },
    ];
    const [only] = judgeDegraded({ gpus: [aGpu(0)], lostDevices }, [], {});
    expect([only?.status, only?.reason]).to.deep.equal(['True', 'DevicesLost']);
    expect(only?.message).to.equal(
      'team/serve, team/train: it holds MIG-1, which no longer exists, and cannot work; ' +
        'team/infer: it holds MIG-2, which no longer exists, and cannot work. Delete such pods, unless a change evicts them',
    );
    const [both] = judgeDegraded({ gpus: [aGpu(0, { error: 'GpuLost: GPU is lost' })], lostDevices }, [], {});
    expect(both?.reason).to.equal('GpusUnhealthy');
    expect(both?.message).to.contain('GPU is lost').and.to.contain('team/infer: it holds MIG-2');
  });

  it('names a single pod with its device', () => {
    const [only] = judgeDegraded({ gpus: [aGpu(0)], lostDevices: [{ id: 'MIG-1', pods: ['team/serve'] }] }, [], {});
    expect(only?.message).to.contain('team/serve: it holds MIG-1');
  });

  it('is taken back, and never said of a node that was always well', () => {
    expect(judgeDegraded({ gpus: [aGpu(0)] }, [], {})).to.deep.equal([]);
    const before = { type: 'Degraded', status: 'True' as const, reason: 'GpusUnhealthy', message: 'x' };
    const current = [{ ...before, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const [takenBack] = judgeDegraded({ gpus: [aGpu(0)] }, current, { observedGeneration: 3 });
    expect(takenBack).to.include({ status: 'False', reason: 'GpusHealthy', observedGeneration: 3 });
  });
});

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
  const reported = { ...partition, metadata: { ...partition.metadata, generation: 7 } };
  return reportNode(aNode(), reported, verdict, memory, now, writtenAt);
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
    const next = reportNode(aNode(), { ...partition, metadata }, ready, noMemory, noon + 60_000);
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
    const first = timer({ memory: noMemory, now: noon }, 'Advertised', 'a');
    expect(first).to.deep.equal({ lastsMs: 0, waits: { Advertised: { since: noon, of: 'a' } } });
    const later = { memory: first, now: noon + 1000 };
    expect(timer(later, 'Advertised', 'a')).to.deep.equal({ lastsMs: 1000, waits: first.waits });
    expect(runningTimer(later, 'Advertised', 'a')).to.deep.equal({ lastsMs: 1000, waits: first.waits });
    expect(timer(later, 'Advertised', 'b').lastsMs).to.equal(0);
    expect(runningTimer(later, 'Advertised', 'b')).to.equal(undefined);
    expect(runningTimer({ memory: noMemory, now: noon }, 'Advertised')).to.equal(undefined);
  });

  it('begin now where the clock of an earlier leader was ahead: they do not last until then', () => {
    const ahead = { waits: { Labels: { since: noon + 3_600_000 }, AgentAway: { since: noon } }, evictions: {} };
    const { waits } = beginByNow(ahead, noon);
    expect(waits).to.deep.equal({ Labels: { since: noon }, AgentAway: { since: noon } });
    expect(timer({ memory: { waits }, now: noon + 1000 }, 'Labels').lastsMs).to.equal(1000);
  });

  it('of a status that cannot be read count as not begun', () => {
    const waits = [
      { name: 'Advertised', since: 'yesterday' },
      { name: 'Closed', since: '2026-01-01T12:00:00Z' },
      { name: 'Nonsense', since: '2026-01-01T12:00:00Z' },
    ];
    expect(recallMemory({ waits })).to.deep.equal(noMemory);
    expect(storeMemory(noMemory)).to.deep.equal({});
  });
});
