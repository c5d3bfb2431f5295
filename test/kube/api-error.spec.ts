import { expect } from 'chai';
import {
  type ApiError,
  describeCause,
  isAlreadyExists,
  isConflict,
  isGone,
  isNotFound,
  parseApiError,
  backoffMs,
} from '../../src/kube/api-error.ts';
import fc from 'fast-check';

function aStatus(fields: object): string {
  return JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', ...fields });
}

describe('parseApiError', () => {
  it('takes code, reason, words and details from the Status, and says what was tried', () => {
    const details = { name: 'n1', kind: 'nodes', causes: [{ reason: 'FieldManagerConflict', field: '.data.x' }] };
    const body = aStatus({ code: 409, reason: 'Conflict', message: 'one conflict', details });
    const error = parseApiError('PATCH /api/v1/nodes/n1', 409, null, body);
    expect(error.message).to.equal('PATCH /api/v1/nodes/n1: 409 Conflict: one conflict');
    expect(error).to.deep.include({ code: 409, reason: 'Conflict', details, retryAfterMs: undefined });
    expect(error.hasCause('FieldManagerConflict')).to.equal(true);
    expect(error.hasCause('DisruptionBudget')).to.equal(false);
  });

  it('takes the wait from the header, else from the Status', () => {
    const body = aStatus({ code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 10 } });
    expect(parseApiError('GET /', 429, '3', body).retryAfterMs).to.equal(3_000);
    expect(parseApiError('GET /', 429, null, body).retryAfterMs).to.equal(10_000);
    expect(parseApiError('GET /', 429, 'soon', aStatus({ code: 429 })).retryAfterMs).to.equal(undefined);
  });

  it('quotes a page of a proxy in short', () => {
    const error = parseApiError('GET /', 502, null, `<html>${'x'.repeat(1_000)}`);
    expect(error).to.deep.include({ code: 502, reason: 'HttpError' });
    expect(error.message).to.have.length.below(400);
    expect(parseApiError('GET /', 503, null, '').message).to.contain('no explanation');
  });

  it('says what failed below HTTP, even if several addresses were tried', () => {
    const refused = new AggregateError([
      new Error('connect ECONNREFUSED ::1:1'),
      new Error('connect ECONNREFUSED 127.0.0.1:1'),
    ]);
    expect(describeCause(refused)).to.equal('connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1');
    const wrapped = new TypeError('fetch failed', { cause: new Error('self-signed certificate') });
    expect(describeCause(wrapped)).to.equal('fetch failed: self-signed certificate');
    expect(describeCause(new TypeError())).to.equal('TypeError');
    expect(describeCause('gone')).to.equal('gone');
    expect(describeCause(new Error('session has expired\n'))).to.equal('session has expired');
  });

  it('tells the kinds of failure apart', () => {
    const make = (code: number, reason: string): ApiError =>
      parseApiError('GET /', code, null, aStatus({ code, reason }));
    expect(isNotFound(make(404, 'NotFound'))).to.equal(true);
    expect(isGone(make(410, 'Expired'))).to.equal(true);
    expect(isConflict(make(409, 'Conflict'))).to.equal(true);
    expect(isConflict(make(409, 'AlreadyExists'))).to.equal(false);
    expect(isAlreadyExists(make(409, 'AlreadyExists'))).to.equal(true);
    expect(isNotFound(new Error('404'))).to.equal(false);
  });
});

const options = { baseMs: 500, maxMs: 30_000 };

describe('backoffMs', () => {
  it('doubles its limit with each failure until the longest wait', () => {
    const limits = [1, 2, 3, 7, 8, 1_000].map((failures) => backoffMs(options, failures, () => 1));
    expect(limits).to.deep.equal([500, 1_000, 2_000, 30_000, 30_000, 30_000]);
  });

  it('takes anything between nothing and the limit, so that clients spread out', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, random) => {
          const wait = backoffMs(options, failures, () => random);
          expect(wait).to.be.within(0, Math.min(30_000, 500 * 2 ** Math.max(0, failures - 1)));
          expect(wait).to.be.closeTo(random * backoffMs(options, failures, () => 1), 1e-6);
        },
      ),
    );
  });
});
