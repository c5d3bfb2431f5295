import { expect } from 'chai';
import { ApiError } from '../../src/kube/api-error.ts';
import { usualTiming } from '../../src/kube/reflector-options.ts';
import { RetryPace } from '../../src/kube/retry-pace.ts';

describe('the pace at which a watch is opened again', () => {
  const busy = (retryAfterMs: number): ApiError =>
    new ApiError({ request: 'GET /x', code: 503, reason: 'ServiceUnavailable', text: 'busy', retryAfterMs });
  const waitAfter = (error: unknown): number =>
    new RetryPace(usualTiming).delayAfter(error, { isExpected: false, doubts: 0 });

  it('waits as long as the server asks', () => {
    expect(waitAfter(busy(5_000))).to.be.within(5_000, 5_500);
  });

  it('waits 30 s at most, even if something in front of the server asks for an hour', () => {
    expect(waitAfter(busy(3_600_000))).to.be.within(30_000, 30_500);
  });
});
