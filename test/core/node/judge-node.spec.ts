import { expect } from 'chai';
import { type Judgement, judgeNode, type NodeSituation } from '../../../src/core/node/judge-node.ts';
import { planWish } from '../../../src/core/policy/plan-wish.ts';
import type { DeviceReport, Wish } from '../../../src/api/types.ts';
import { aDevice, aGpu, aPartition, aPolicy, uuidOf } from '../../support/builders.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const wish: Wish = { gpus: [{ uuid: uuidOf(0), profiles: { '7g.40gb': 1 } }] };
const managed = { policy: { name: 'p', generation: 1 }, strategy: 'mixed' as const, wish };
const whole = aDevice(aGpu());
const done = aDevice(aGpu({ slices: ['7g.40gb@0'] }));
const granted = { gpus: wish.gpus, epoch: 3, planHash: 'x', deadline: '2026-01-01T12:10:00Z' };

function withPlan(device: DeviceReport): DeviceReport {
  return { ...device, plan: planWish(device, wish).report };
}

function judge(situation: Partial<NodeSituation>): Judgement {
  return judgeNode({
    partition: aPartition({ ...managed, device: withPlan(whole) }),
    policy: aPolicy(),
    refusal: undefined,
    wish,
    now,
    ...situation,
  });
}

describe('judgeNode', () => {
  it('grants when the agent has planned the wish', () => {
    expect(judge({})).to.include({ next: 'Grant', phase: 'Pending' });
  });

  it('writes the wish first, once: generation alone is no reason', () => {
    expect(judge({ partition: aPartition({ device: whole }) })).to.include({ next: 'WriteWish' });
    expect(judge({ policy: aPolicy({ generation: 9 }) })).to.include({ next: 'Grant' });
  });

  it('waits for the plan of this wish', () => {
    const stale = { ...whole, plan: planWish(whole, { gpus: [{ uuid: uuidOf(0), mig: 'Disabled' }] }).report };
    expect(judge({ partition: aPartition({ ...managed, device: stale }) })).to.include({
      next: 'Wait',
      reason: 'AwaitingPlan',
    });
  });

  it('finishes when the device is as wished', () => {
    expect(judge({ partition: aPartition({ ...managed, device: done }) })).to.include({
      next: 'Finish',
      phase: 'Ready',
    });
  });

  it('lets a grant in flight end before anything else, until its deadline', () => {
    const partition = aPartition({ ...managed, granted, device: { ...withPlan(whole), observedEpoch: 2 } });
    for (const situation of [{}, { policy: undefined }, { refusal: { reason: 'DoesNotFit' as const, message: '' } }]) {
      expect(judge({ partition, ...situation })).to.include({ next: 'Wait', phase: 'Updating' });
    }
    const late = judge({ partition, now: Date.parse('2026-01-01T12:11:00Z') });
    expect(late).to.include({ next: 'Wait', phase: 'Failed' });
    expect(late.message).to.include('2026-01-01T12:10:00Z');
  });

  it('touches nothing while the policy is refused, and says why', () => {
    const judgement = judge({ refusal: { reason: 'DoesNotFit', message: 'needs 9 of 8' } });
    expect(judgement).to.include({ next: 'Wait', phase: 'Invalid' });
    expect(judgement.message).to.include('needs 9 of 8');
  });

  it('changes nothing in mode Plan, and tells what would be done', () => {
    const judgement = judge({ policy: aPolicy({ mode: 'Plan' }) });
    expect(judgement).to.include({ next: 'Wait', reason: 'PlanOnly' });
    expect(judgement.message).to.include('create 1');
  });

  it('does not grant while the rollout is paused', () => {
    expect(judge({ policy: aPolicy({ rollout: { paused: true } }) })).to.include({ next: 'Wait', reason: 'Paused' });
  });

  it('tries again after a failure when its time has come, not before', () => {
    const device: DeviceReport = {
      ...withPlan(whole),
      step: 'Failed',
      observedEpoch: 3,
      error: { code: 'InUse', message: 'pid 42' },
      nextRetryTime: '2026-01-01T12:00:30Z',
    };
    const partition = aPartition({ ...managed, granted, device });
    expect(judge({ partition })).to.deep.include({
      next: 'Wait',
      phase: 'Failed',
      message: 'InUse: pid 42',
      again: 30_000,
    });
    expect(judge({ partition, now: now + 30_000 })).to.include({ next: 'Grant' });
  });

  it('does not grant what the agent refuses: it waits for processes, and fails for good on what cannot be', () => {
    const busy = withPlan(aDevice(aGpu({ slices: ['1g.5gb@0*'] })));
    expect(judge({ partition: aPartition({ ...managed, device: busy }) })).to.include({
      next: 'NamePods',
      phase: 'Waiting',
    });
    const lost = withPlan(aDevice(aGpu({ error: 'GpuLost: off the bus' })));
    expect(judge({ partition: aPartition({ ...managed, device: lost }) })).to.include({
      next: 'Wait',
      reason: 'Refused',
    });
  });

  it('never takes a missing wish for a wish: a node that leaves its policy keeps its layout', () => {
    const left = judge({ policy: undefined, wish: undefined });
    expect(left).to.include({ next: 'WriteWish', phase: 'Unmanaged' });
    const released = judge({ policy: undefined, wish: undefined, partition: aPartition({ device: done }) });
    expect(released).to.include({ next: 'Wait', phase: 'Unmanaged' });
  });

  it('says that the agent is silent, or what it cannot read', () => {
    expect(judge({ wish: undefined, partition: aPartition() })).to.include({
      next: 'Wait',
      reason: 'AgentNotReporting',
    });
    const blind = aPartition({
      device: { step: 'Unknown', error: { code: 'DriverUnavailable', message: 'no driver' } },
    });
    expect(judge({ wish: undefined, partition: blind }).message).to.include('DriverUnavailable: no driver');
  });

  it('puts a layout right that something else changed, three times an hour and no more', () => {
    const grant = { ...granted, deadline: '2026-01-01T10:00:00Z' };
    const device = { ...withPlan(whole), observedEpoch: 3, bootID: 'b', lastGood: { bootID: 'b' } };
    const at = (...minutes: readonly number[]) =>
      judge({
        partition: aPartition({
          ...managed,
          granted: grant,
          device,
          repairs: minutes.map((minute) => new Date(now - minute * 60_000).toISOString()),
        }),
      });
    expect(at()).to.include({ next: 'Grant' });
    expect(at(50, 40)).to.include({ next: 'Grant' });
    expect(at(90, 40, 20)).to.include({ next: 'Grant' });
    const stopped = at(50, 40, 20);
    expect(stopped).to.include({ next: 'Wait', phase: 'Failed', reason: 'Drifting', again: 10 * 60_000 + 1000 });
    expect(stopped.message).to.match(/3 times within an hour.*tried again at 2026-01-01T12:10:00/);
  });

  it('does not take a new wish, a failure or a reboot for drift', () => {
    const repairs = [3, 2, 1].map((minute) => new Date(now - minute * 60_000).toISOString());
    const device: DeviceReport = { ...withPlan(whole), observedEpoch: 3, bootID: 'b', lastGood: { bootID: 'b' } };
    const other = { ...granted, gpus: [{ uuid: uuidOf(0), mig: 'Disabled' as const }] };
    const rebooted = { ...device, bootID: 'c' };
    expect(judge({ partition: aPartition({ ...managed, granted: other, device, repairs }) }).next).to.equal('Grant');
    expect(judge({ partition: aPartition({ ...managed, granted, device: rebooted, repairs }) }).next).to.equal('Grant');
  });

  it('says whose instances are in the way', () => {
    const plan = { ...withPlan(whole).plan, refusalCode: 'Foreign' as const, refusal: '3g.20gb at 0 is not ours' };
    const partition = aPartition({ ...managed, device: { ...whole, plan: plan as never } });
    expect(judge({ partition })).to.include({ phase: 'Failed', reason: 'ForeignInstances', next: 'Wait' });
  });

  it('closes a node that was restarted until its agent has looked at the GPUs', () => {
    const partition = aPartition({ ...managed, device: { ...done, bootID: 'before' } });
    expect(judge({ partition, nodeBootID: 'after' })).to.include({ next: 'Close', reason: 'NodeRestarted' });
    expect(judge({ partition, nodeBootID: 'before' })).to.include({ next: 'Finish' });
  });

  it('does not close it where there is nothing to make again, or where the boot is not known', () => {
    const of = (bootID: string) => aPartition({ ...managed, device: { ...done, bootID } });
    expect(judge({ partition: of('before'), nodeBootID: undefined }).next).to.equal('Finish');
    expect(judge({ partition: of('unknown'), nodeBootID: 'after' }).next).to.equal('Finish');
    const plan = aPolicy({ mode: 'Plan' });
    expect(judge({ partition: of('before'), nodeBootID: 'after', policy: plan }).next).to.not.equal('Close');
    const whole: Wish = { gpus: [{ uuid: uuidOf(0), mig: 'Disabled' }] };
    expect(judge({ partition: of('before'), nodeBootID: 'after', wish: whole }).reason).to.not.equal('NodeRestarted');
  });
});
