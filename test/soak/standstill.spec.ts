import { expect } from 'chai';
import { Standstill } from './standstill.ts';

describe('a fleet that comes to rest', () => {
  const play = (looks: readonly (readonly [atSeconds: number, left: number])[]): readonly boolean[] => {
    const standstill = new Standstill(10_000);
    return looks.map(([at, left]) => standstill.note(left, at * 1000));
  };

  it('may take as long as it likes while fewer and fewer things are left', () => {
    const looks = Array.from({ length: 40 }, (_, at) => [at * 5, 40 - at] as const);
    expect(play(looks)).to.not.include(true);
  });

  it('stands still when nothing more settles, and when it goes round in circles', () => {
    expect(play([0, 4, 8, 12].map((at) => [at, 3] as const))).to.deep.equal([false, false, false, true]);
    const circles = [3, 4, 3, 5, 3, 4].map((left, at) => [at * 3, left] as const);
    expect(play(circles)).to.deep.equal([false, false, false, false, true, true]);
  });

  it('is not blamed for minutes in which the machine itself stood still', () => {
    expect(
      play([
        [0, 3],
        [600, 3],
        [604, 3],
        [607, 3],
      ]),
    ).to.deep.equal([false, false, false, true]);
  });
});
