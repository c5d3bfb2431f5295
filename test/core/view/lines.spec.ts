import { expect } from 'chai';
import { judgeLeases, type LeaseView, plainText } from '../../../src/core/view/lines.ts';
import { drawStatus } from './status-stories.ts';

const now = Date.parse('2026-01-01T12:00:45Z');

function aLease(renewTime: string, namespace = 'gpu-partition-system'): LeaseView {
  return { metadata: { namespace }, spec: { holderIdentity: 'one', leaseDurationSeconds: 15, renewTime } };
}

/** What stands above a picture. */
function tell(...leases: readonly LeaseView[]): string {
  const lines = drawStatus([], [], { now, columns: 400, interruption: judgeLeases(leases, now) }).map(plainText);
  return lines.slice(0, lines.indexOf('')).join('\n');
}

describe('a Lease', () => {
  it('is held for its duration after it was renewed, and by nobody once it was released', () => {
    const lease = aLease('2026-01-01T12:00:30.000000Z');
    const isHeld = (one: LeaseView, at: number): boolean => judgeLeases([one], at) === undefined;
    expect(isHeld(lease, now)).to.equal(true);
    expect(isHeld(lease, now + 1)).to.equal(false);
    expect(isHeld({ ...lease, spec: { ...lease.spec, holderIdentity: '' } }, now)).to.equal(false);
    expect(isHeld({ metadata: {} }, now)).to.equal(false);
  });
});

describe('a picture that no controller writes any more', () => {
  it('says for how long, and whose Lease it looked at', () => {
    expect(tell(aLease('2026-01-01T12:00:00.000000Z'))).to.equal(
      'NO CONTROLLER for 45 s: since 12:00:00 UTC no controller renews its Lease gpu-partition-system/gpu-partition-controller. What follows is the last state that a controller wrote.',
    );
  });

  it('counts from the newest of several, and knows of none that it was never started', () => {
    const two = [aLease('2026-01-01T11:00:00Z', 'old'), aLease('2026-01-01T12:00:15Z')];
    expect(tell(...two)).to.match(/^NO CONTROLLER for 30 s: since 12:00:15 UTC no controller renews its Leases\./);
    expect(tell()).to.match(/^NO CONTROLLER: no namespace has a Lease gpu-partition-controller: .*--no-leader-elect\./);
  });
});
