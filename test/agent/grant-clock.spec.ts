import { expect } from 'chai';
import { GrantClock } from '../../src/agent/grant-clock.ts';
import type { Partition } from '../../src/agent/partition.ts';
import type { Grant } from '../../src/api/types.ts';
import { FakeClock } from '../process/fake-clock.ts';

const hourMs = 3_600_000;

describe('the time of a grant', () => {
  let clock: FakeClock;
  let grants: GrantClock;
  /** How far the node's clock is ahead of the API server's. */
  let skewMs: number;

  beforeEach(() => {
    clock = new FakeClock();
    skewMs = 0;
    grants = new GrantClock(clock, () => skewMs);
  });

  /** A grant whose deadline is so far away by the API server's clock. */
  function aGrant(deadlineInMs: number, rest: Partial<Grant> = {}): Grant {
    const deadline = new Date(clock.wallMs() - skewMs + deadlineInMs).toISOString();
    return { gpus: [], epoch: 1, planHash: 'x', deadline, ...rest };
  }

  function see(granted: Grant | undefined, uid = 'uid'): void {
    const partition = { metadata: { name: 'n', uid }, spec: { nodeUID: 'n', ...(granted && { granted }) } };
    grants.see(partition as Partition);
  }

  it('is counted from when the grant was seen, wrong as the clock of the node may be', async () => {
    for (const clockErrorMs of [-hourMs, 0, hourMs]) {
      const grant = aGrant(60_000, { seconds: 60, epoch: 1 + clockErrorMs });
      see(grant);
      clock.shiftWall(clockErrorMs);
      skewMs += clockErrorMs;
      await clock.advance(60_000);
      expect(grants.explainEnd(grant)).to.equal(undefined);
      await clock.advance(1);
      expect(grants.explainEnd(grant)).to.match(/its 60 s are over/);
    }
  });

  it('does not start over when the same grant is seen again', async () => {
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

  it('is over when the deadline has passed by its whole length, however late the grant is seen', () => {
    const recent = aGrant(-59_000, { seconds: 60 });
    see(recent);
    expect(grants.explainEnd(recent)).to.equal(undefined);
    const old = aGrant(-61_000, { seconds: 60, epoch: 2 });
    see(old);
    expect(grants.explainEnd(old)).to.match(/its deadline .* passed 61 s ago by the API server's clock/);
  });

  it('is the deadline’s for a grant without seconds', () => {
    see(undefined);
    expect(grants.explainEnd(aGrant(1))).to.equal(undefined);
    expect(grants.explainEnd(aGrant(-1))).to.match(/its deadline .* passed/);
  });
});
