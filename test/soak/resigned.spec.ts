import { expect } from 'chai';
import { countResigned } from './resigned.ts';

describe('a controller that ends', () => {
  const line = (message: string, error: string): string => `${JSON.stringify({ level: 'error', message, error })}\n`;
  const ends = 'unhandled error, the process ends';

  it('has resigned where it could not renew its lease, and crashed where anything else ended it', () => {
    const log = [
      line(ends, 'LeadershipLostError: the lease gpu-partition-system/gpu-partition-controller was not renewed'),
      line('reconcile failed', 'LeadershipLostError: leadership lost'),
      line(ends, 'TypeError: undefined is not a function'),
    ].join('');
    expect(countResigned(log)).to.equal(1);
    expect(countResigned('')).to.equal(0);
  });
});
