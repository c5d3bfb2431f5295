import { expect } from 'chai';
import { nodeReasons } from '../../../src/api/names.ts';
import {
  advanceChange,
  type ChangeAdvance,
  type ChangeLook,
  timeUnderWay,
} from '../../../src/core/status/change-steps.ts';

const look = (reason: string, more: Partial<ChangeLook> = {}): ChangeLook => ({
  phase: 'Updating',
  reason,
  hasWish: false,
  hasGrant: false,
  ...more,
});

/** Looks at one node, each at its time in ms. */
function follow(looks: readonly (readonly [number, ChangeLook])[]): ChangeAdvance {
  return looks.reduce<ChangeAdvance>((before, [now, one]) => advanceChange(before.clock, one, now), {
    clock: undefined,
  });
}

const begin = look('AwaitingPlan', { hasWish: true });
const granted = look('Applying', { hasGrant: true });
const ready = look('Ready', { phase: 'Ready' });

describe('the steps of a change', () => {
  it('share its time from the wish until the node is Ready', () => {
    const { clock, ended } = follow([
      [1000, begin],
      [1500, look('PodsUseGpus')],
      [4500, granted],
      [6500, look('AdvertisePending')],
      [9500, ready],
    ]);
    expect(clock).to.equal(undefined);
    expect(ended).to.deep.equal({ totalMs: 8500, spent: { plan: 500, drain: 3000, device: 2000, refresh: 3000 } });
  });

  it('count a step that comes again in one', () => {
    const { ended } = follow([
      [0, begin],
      [10, granted],
      [30, look('Failed', { phase: 'Failed' })],
      [100, granted],
      [150, ready],
    ]);
    expect(ended?.spent).to.deep.equal({ plan: 10, device: 70, other: 70 });
  });

  it('start over with a new wish', () => {
    const { ended } = follow([
      [0, begin],
      [100, begin],
      [110, granted],
      [120, ready],
    ]);
    expect(ended?.totalMs).to.equal(20);
  });

  it('do not exist if the device matches the wish, or no policy decides any more', () => {
    expect(
      follow([
        [0, begin],
        [10, ready],
      ]),
    ).to.deep.equal({ clock: undefined });
    expect(
      follow([
        [0, begin],
        [5, granted],
        [10, look('NoPolicy', { phase: 'Unmanaged' })],
      ]),
    ).to.deep.equal({
      clock: undefined,
    });
  });

  it('take a reason that they do not know as some other wait', () => {
    const { clock } = follow([
      [0, begin],
      [10, look('SomethingNew')],
    ]);
    expect(clock?.step).to.equal('other');
    for (const reason of nodeReasons)
      expect(() =>
        follow([
          [0, begin],
          [1, look(reason)],
        ]),
      ).not.to.throw();
  });

  const underWay = (looks: Parameters<typeof follow>[0], now: number): number | undefined => {
    const { clock } = follow(looks);
    return clock && timeUnderWay(clock, now);
  };

  for (const [phase, reason] of [
    ['Pending', 'AwaitingSlot'],
    ['Pending', 'Paused'],
    ['Pending', 'PlanOnly'],
    ['Pending', 'PolicyInvalid'],
    ['Invalid', 'DoesNotFit'],
  ] as const) {
    it(`are not under way while nothing may change: ${reason}`, () => {
      const looks = [
        [0, begin],
        [10, look(reason, { phase })],
      ] as const;
      expect(underWay(looks, 1000)).to.equal(undefined);
      expect(underWay([...looks, [2000, granted]], 2500)).to.equal(510);
    });
  }

  it('are under way for a leader that did not see them begin, which does not measure them', () => {
    for (const phase of ['Updating', 'Waiting'] as const) {
      const looks = [[1000, look('PodsUseGpus', { phase })]] as const;
      expect(underWay(looks, 5000), phase).to.equal(4000);
      expect(follow([...looks, [6000, granted], [7000, ready]]), phase).to.deep.equal({ clock: undefined });
    }
    expect(underWay([[1000, look('AwaitingSlot', { phase: 'Pending' })]], 5000)).to.equal(undefined);
  });
});
