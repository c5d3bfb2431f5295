import { expect } from 'chai';
import type { EventView } from '../../../src/core/kubernetes/pod.ts';
import { viewHistory } from '../../../src/core/view/status.ts';
import { aPolicy } from '../../support/builders.ts';
import { aStatusNode } from './status-stories.ts';

const at = (minute: number): string => `2026-01-01T12:${String(minute).padStart(2, '0')}:00Z`;
const event = (reason: string, minute: number, rest: Partial<EventView> = {}): EventView => ({
  type: 'Normal',
  reason,
  message: `${reason} it is`,
  lastTimestamp: at(minute),
  metadata: {},
  ...rest,
});

describe('the history of a node', () => {
  it('has the steps of its last change with what each took, and its Events, the newest first', () => {
    const node = aStatusNode({ name: 'n' });
    const ready = node.status?.conditions?.map((one) => ({ ...one, lastTransitionTime: at(9) })) ?? [];
    const slot = { node: 'n', nodeUID: 'u', startTime: at(3) };
    const policy = { ...aPolicy(), status: { inFlight: [slot] } };
    const partition = {
      ...node,
      status: { ...node.status, conditions: ready, waits: [{ name: 'Advertised', since: at(7) }] },
    };
    const earlier = [event('Repartitioning', 1)];
    const { timeline, events } = viewHistory(partition, policy, [
      ...earlier,
      event('Draining', 4),
      // On the Node, and again on its partition.
      event('Draining', 4),
      event('Repartitioning', 6, { lastTimestamp: null, eventTime: `${at(6).slice(0, -1)}.123456Z` }),
      event('Kept', 8, { count: 3, type: 'Warning' }),
    ]);
    expect(timeline.map(({ step, seconds }) => [step, seconds])).to.deep.equal([
      ['asked', undefined],
      ['draining', 60],
      ['granted', 120],
      ['device done', 60],
      ['ready', 120],
    ]);
    expect(events.map(({ reason, count, isWarning }) => [reason, count, isWarning])).to.deep.equal([
      ['Kept', 3, true],
      ['Repartitioning', 1, false],
      ['Draining', 1, false],
      ['Repartitioning', 1, false],
    ]);
  });

  it('still has the steps of a change that is over: when it was closed, the device done, its slices offered', () => {
    const node = aStatusNode({ name: 'n' });
    const conditions = node.status?.conditions?.map((one) => ({ ...one, lastTransitionTime: at(9) })) ?? [];
    const closed = { lastSeconds: 240, deviceDoneTime: at(7), offeredTime: at(9) };
    const partition = { ...node, status: { ...node.status, conditions, closed } };
    const steps = ({ timeline }: ReturnType<typeof viewHistory>) =>
      timeline.map(({ step, seconds }) => [step, seconds]);
    expect(steps(viewHistory(partition, undefined, [event('Repartitioning', 6)]))).to.deep.equal([
      ['closed', undefined],
      ['granted', 60],
      ['device done', 60],
      ['offered', 120],
      ['ready', 0],
    ]);
    // Closed again, for another change: what was done and offered then is not of this one.
    const again = { ...partition, status: { ...node.status, closed: { ...closed, since: at(20) } } };
    const slot = { node: 'n', nodeUID: 'u', startTime: at(19) };
    expect(steps(viewHistory(again, { ...aPolicy(), status: { inFlight: [slot] } }, []))).to.deep.equal([
      ['asked', undefined],
      ['closed', 60],
    ]);
  });

  it('ends a change when it ended, though the node was not Ready for a while since', () => {
    const node = aStatusNode({ name: 'n' });
    const conditions = node.status?.conditions?.map((one) => ({ ...one, lastTransitionTime: at(30) })) ?? [];
    const closed = { lastSeconds: 60, deviceDoneTime: at(7), offeredTime: at(7) };
    const partition = { ...node, status: { ...node.status, conditions, closed } };
    const readyAt = (...events: readonly EventView[]) =>
      viewHistory(partition, undefined, events).timeline.find(({ step }) => step === 'ready')?.at;
    expect(readyAt(event('Repartitioning', 6), event('Repartitioned', 8))).to.equal(at(8));
    expect(readyAt(event('Repartitioned', 2), event('Repartitioning', 6)), 'of an earlier change').to.equal(at(30));
  });

  it('has the words of an Event in one line, whoever wrote it', () => {
    const message = 'exit 1:\n  no space left\r\n\n  phase    Ready\n';
    const { events } = viewHistory(aStatusNode({ name: 'n' }), undefined, [event('Bad\nReason', 1, { message })]);
    expect(events.map((one) => [one.reason, one.message])).to.deep.equal([
      ['Bad Reason', 'exit 1: no space left phase Ready'],
    ]);
  });

  it('is empty where nothing is known', () => {
    expect(viewHistory(aStatusNode({ name: 'n', phase: 'Pending' }), undefined, [])).to.deep.equal({
      timeline: [],
      events: [],
    });
  });
});
