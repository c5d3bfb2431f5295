import { expect } from 'chai';
import { ApiError } from '../../src/kube/api-error.ts';
import { TimeTravelError, WatchCursor } from '../../src/kube/watch-cursor.ts';

function anError(code: number, fields: { reason?: string; cause?: string } = {}): ApiError {
  const details = fields.cause === undefined ? undefined : { causes: [{ reason: fields.cause }] };
  return new ApiError({ request: 'GET /', code, reason: fields.reason ?? 'Any', text: 'by the test', details });
}

function aCursorAt(version: string): WatchCursor {
  const cursor = new WatchCursor();
  cursor.takeList(version);
  return cursor;
}

describe('WatchCursor', () => {
  it('begins with a streamed list and resumes from what it saw last', () => {
    const cursor = new WatchCursor();
    expect(cursor).to.deep.include({ resumeAt: '', needsPages: false });
    cursor.takeList('10');
    expect(cursor.resumeAt).to.equal('10');
    expect(cursor.takeEvent('12')).to.equal(true);
    cursor.takeBookmark('20');
    expect(cursor).to.deep.include({ resumeAt: '20', newest: '20' });
  });

  it('ignores events from before, and takes a bookmark from before for a server that lags', () => {
    const cursor = aCursorAt('10');
    expect(cursor.takeEvent('9')).to.equal(false);
    expect(cursor.takeEvent('10')).to.equal(true);
    expect(() => cursor.takeBookmark('9')).to.throw(TimeTravelError);
    expect(cursor.newest).to.equal('10');
  });

  it('refuses an older list three times, then believes it', () => {
    const cursor = aCursorAt('10');
    for (let time = 0; time < 3; time += 1) expect(() => cursor.takeList('5')).to.throw(TimeTravelError, 'version 5');
    cursor.takeList('5');
    expect(cursor).to.deep.include({ resumeAt: '5', newest: '5' });
    expect(() => cursor.takeList('4')).to.throw(TimeTravelError);
  });

  it('lists again when the server is behind us or what changed last is not as we know it, else resumes', () => {
    const cursor = aCursorAt('10');
    cursor.takeStock('12', true);
    expect(cursor).to.deep.include({ resumeAt: '10', doubts: 0 });
    cursor.takeStock('12', false);
    expect(cursor).to.deep.include({ resumeAt: '', needsPages: false, doubts: 0 });
    const restored = aCursorAt('10');
    expect(() => restored.takeStock('9', true)).to.throw(TimeTravelError);
    expect(restored.doubts).to.equal(1);
  });

  it('lists again when its version is too old or ahead of the server, or the events make no sense', () => {
    const failures = [
      anError(410),
      anError(504, { cause: 'ResourceVersionTooLarge' }),
      anError(0, { reason: 'InvalidAnswer' }),
      new TypeError('an event without an object'),
    ];
    for (const failure of failures) {
      const cursor = aCursorAt('10');
      expect(cursor.learn(failure)).to.equal(failure === failures[0]);
      expect(cursor).to.deep.include({ resumeAt: '', needsPages: false, newest: '10' });
    }
  });

  it('resumes where it was after any other failure', () => {
    for (const failure of [anError(0, { reason: 'Unreachable' }), anError(500), anError(403), anError(422)]) {
      const cursor = aCursorAt('10');
      expect(cursor.learn(failure)).to.equal(false);
      expect(cursor.resumeAt).to.equal('10');
    }
  });

  it('reads pages forever when the server has no WatchList', () => {
    const cursor = new WatchCursor();
    expect(cursor.learn(anError(422))).to.equal(true);
    expect(cursor.needsPages).to.equal(true);
    cursor.takeList('10');
    cursor.demandList();
    expect(cursor.needsPages).to.equal(true);
    expect(cursor.learn(anError(422)), 'a second time it is no help').to.equal(false);
  });

  it('reads pages once when a streamed list failed half way', () => {
    for (const failure of [anError(500), anError(0, { reason: 'Timeout' }), new Error('ended early')]) {
      const cursor = new WatchCursor();
      cursor.learn(failure);
      expect(cursor.needsPages).to.equal(true);
      cursor.takeList('10');
      cursor.demandList();
      expect(cursor.needsPages).to.equal(false);
    }
  });

  it('keeps streaming lists when the server was not reached at all', () => {
    for (const failure of [anError(0, { reason: 'Unreachable' }), anError(401), anError(404), anError(429)]) {
      const cursor = new WatchCursor();
      cursor.learn(failure);
      expect(cursor.needsPages).to.equal(false);
    }
  });
});
