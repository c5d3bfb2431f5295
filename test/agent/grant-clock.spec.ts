import { expect } from 'chai';
import { GrantClock } from '../../src/agent/grant-clock.ts';
import type { Partition } from '../../src/agent/partition.ts';
import type { Grant } from '../../src/api/types.ts';
import { FakeClock } from '../process/fake-clock.ts';

const hourMs = 3_600_000;

describe('the time of a grant', () => {
  let clock: FakeClock;
  let grants: GrantClock;

  beforeEach(() => {
    clock = new FakeClock();
    grants = new GrantClock(clock);
  });

  /** A grant whose deadline is so far away by the clock of the node. */
  function aGrant(deadlineInMs: number, rest: Partial<Grant> = {}): Grant {
    const deadline = new Date(clock.wallMs() + deadlineInMs).toISOString();
    return { gpus: [], epoch: 1, planHash: 'x', deadline, ...rest };
  }

  function see(granted: Grant | undefined, uid = 'uid'): void {
    const partition = { metadata: { name: 'n', uid }, spec: { nodeUID: 'n', ...(granted && { granted }) } };
    grants.see(partition as Partition);
  }

  it('is counted from when the grant was seen, wrong as the clock of the node may be', async () => {
    see(undefined);
    for (const clockErrorMs of [-hourMs, hourMs]) {
      const grant = aGrant(clockErrorMs, { seconds: 60, epoch: clockErrorMs });
      see(grant);
      await clock.advance(60_000);
      clock.shiftWall(hourMs);
      expect(grants.explainEnd(grant)).to.equal(undefined);
      await clock.advance(1);
      expect(grants.explainEnd(grant)).to.match(/its 60 s are over/);
    }
  });

  it('does not begin anew when the same grant is seen again', async () => {
    see(undefined);
    const grant = aGrant(hourMs, { seconds: 60 });
    see(grant);
    await clock.advance(50_000);
    see(grant);
    await clock.advance(11_000);
    expect(grants.explainEnd(grant)).to.match(/over/);
  });

  it('begins with each grant, and with each object of the name', async () => {
    see(undefined);
    const grant = aGrant(hourMs, { seconds: 60 });
    see(grant);
    await clock.advance(61_000);
    see({ ...grant, epoch: 2 });
    expect(grants.explainEnd({ ...grant, epoch: 2 })).to.equal(undefined);
    await clock.advance(61_000);
    see({ ...grant, epoch: 2 }, 'another');
    expect(grants.explainEnd({ ...grant, epoch: 2 })).to.equal(undefined);
  });

  it('begins anew for an agent that has been restarted, unless the grant should have been over for as long again', () => {
    const recent = aGrant(-59_000, { seconds: 60 });
    see(recent);
    expect(grants.explainEnd(recent)).to.equal(undefined);
    grants = new GrantClock(clock);
    const old = aGrant(-61_000, { seconds: 60 });
    see(old);
    expect(grants.explainEnd(old)).to.match(/the agent started after its deadline/);
  });

  it('is the deadline’s, by the clock of the node, for a grant without seconds', () => {
    see(undefined);
    expect(grants.explainEnd(aGrant(1))).to.equal(undefined);
    expect(grants.explainEnd(aGrant(-1))).to.match(/deadline .* has passed/);
  });
});
