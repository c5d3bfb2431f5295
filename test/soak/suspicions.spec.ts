import { expect } from 'chai';
import { Suspicions } from './suspicions.ts';

describe('what may be so for a while', () => {
  it('is told once when it has lasted too long, and again only after it has ended', () => {
    const suspicions = new Suspicions(100);
    const told = [0, 50, 101, 200].map((at) => suspicions.note('n', true, at));
    expect(told).to.deep.equal([false, false, true, false]);
    expect(suspicions.note('n', false, 201)).to.equal(false);
    expect([300, 401].map((at) => suspicions.note('n', true, at))).to.deep.equal([false, true]);
  });

  it('starts again where no program could act', () => {
    const suspicions = new Suspicions(100);
    suspicions.note('n', true, 0);
    suspicions.forgive();
    expect([150, 260].map((at) => suspicions.note('n', true, at))).to.deep.equal([false, true]);
  });
});
