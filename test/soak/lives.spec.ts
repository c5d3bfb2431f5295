import { expect } from 'chai';
import type { Sample } from './gauges.ts';
import { growthOf, listLives } from './lives.ts';

describe('what was seen of a process', () => {
  const sample = (part: Partial<Sample>): Sample => ({
    program: 'agent n',
    pid: 1,
    ageSeconds: 0,
    rssMB: 50,
    files: 20,
    resources: 10,
    restRound: undefined,
    ...part,
  });

  it('begins again with each process of a program', () => {
    const lives = listLives([sample({}), sample({ pid: 2, rssMB: 60 }), sample({ program: 'controller-0' })], 0);
    expect(lives.map(({ who, last }) => [who, last.rssMB])).to.deep.equal([
      ['agents', 50],
      ['agents', 60],
      ['controller', 50],
    ]);
  });

  it('has its memory after the warm-up, in hours', () => {
    const [life] = listLives([sample({ ageSeconds: 10, rssMB: 99 }), sample({ ageSeconds: 1800 })], 60);
    expect(life?.memory).to.deep.equal([{ x: 0.5, y: 50 }]);
  });

  it('has the least files and handles of each round at rest: work in between holds more for a moment', () => {
    const [life] = listLives(
      [
        sample({ files: 90 }),
        sample({ restRound: 1, files: 24, resources: 12 }),
        sample({ restRound: 1, files: 21, resources: undefined }),
        sample({ restRound: 2, files: 23, resources: 15 }),
      ],
      0,
    );
    expect([life?.filesAtRest, life?.handlesAtRest]).to.deep.equal([
      [21, 23],
      [12, 15],
    ]);
    expect(growthOf(life?.filesAtRest ?? [])).to.equal(2);
  });

  it('has the promises of the rounds in which they were counted', () => {
    const [life] = listLives(
      [sample({ restRound: 1, promises: 40 }), sample({ restRound: 2 }), sample({ restRound: 3, promises: 43 })],
      0,
    );
    expect(life?.promisesAtRest).to.deep.equal([40, 43]);
  });

  it('has no growth within a single round', () => {
    expect(growthOf([20])).to.equal(undefined);
    expect(growthOf([])).to.equal(undefined);
  });
});
