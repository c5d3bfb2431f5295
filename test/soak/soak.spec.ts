import { expect } from 'chai';
import { growthOf, listLives } from './lives.ts';
import { drawSoak } from './report.ts';
import type { SoakResult } from './soak-options.ts';
import { soak } from './soak.ts';

/**
 * A leak grows with each of some twenty changes and faults of two rounds. Connections to the API server are kept for a while: without a leak the
 * controller had from 5 files fewer to 4 more, and no timer or handle more.
 */
const most = { filesAtRest: 12, handlesAtRest: 6, promisesAtRest: 50 } as const;

describe('a small fleet among people and faults, for minutes @all', () => {
  let result: SoakResult;

  before(async function () {
    // What stands still ends it, never the time it takes.
    this.timeout(0);
    const { EVIDENCE } = process.env;
    result = await soak({
      nodes: 4,
      minutes: Infinity,
      rounds: 3,
      seed: 7,
      stormSeconds: 30,
      standstillSeconds: 300,
      quietSeconds: 10,
      sampleSeconds: 10,
      readSeconds: 5,
      warmUpMinutes: 0.5,
      ...(EVIDENCE !== undefined && { evidenceFolder: EVIDENCE }),
    });
    console.log(drawSoak(result));
  });

  const growths = (of: keyof typeof most): readonly (readonly [string, number])[] =>
    listLives(result.samples, 0).flatMap((life) => {
      const growth = growthOf(life[of]);
      return growth === undefined ? [] : [[life.program, growth] as const];
    });

  it('sees people and faults act in each round', () => {
    const { rounds, completeRounds, deeds, faults, revisions } = result;
    expect(rounds).to.equal(3);
    expect(completeRounds, 'rounds of which each revision was seen').to.be.greaterThanOrEqual(1);
    expect(deeds.size, 'kinds of deeds').to.be.greaterThan(4);
    expect(faults.size, 'kinds of faults').to.be.greaterThan(2);
    expect(revisions).to.be.greaterThan(100);
  });

  it('keeps every promise, and comes to rest after each storm', () => {
    expect(result.violations).to.deep.equal([]);
  });

  it('writes nothing once it is at rest', () => {
    expect(result.quietSeconds).to.be.greaterThan(0);
    expect(result.quietWrites).to.deep.equal([]);
  });

  it('holds no more files after the last storm than after the first', () => {
    const found = growths('filesAtRest');
    expect(found.map(([program]) => program)).to.include('controller-0');
    expect(found.filter(([, growth]) => growth > most.filesAtRest)).to.deep.equal([]);
  });

  it('holds no more timers, sockets and children after the last storm than after the first', () => {
    const found = growths('handlesAtRest');
    expect(found.map(([program]) => program)).to.include('controller-0');
    expect(found.filter(([, growth]) => growth > most.handlesAtRest)).to.deep.equal([]);
  });

  it('holds no more promises after the last storm than after the first', () => {
    const found = growths('promisesAtRest');
    expect(found.map(([program]) => program)).to.include('controller-0');
    expect(found.filter(([, growth]) => growth > most.promisesAtRest)).to.deep.equal([]);
  });
});
