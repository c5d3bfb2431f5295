import { expect } from 'chai';
import { bugs } from './bugs.ts';
import { drawStory, findViolation } from './story.ts';

/** Maximum number of seeds tried before a bug is found. */
const mostSeeds = 400;

describe('model of a node with a planted bug', function () {
  this.timeout(0);

  for (const bug of bugs) {
    it(`is seen to break a promise when it ${bug.what} (${bug.name})`, () => {
      expect(findSeed(bug), `no seed below ${mostSeeds} finds it`).to.be.a('number');
    });
  }
});

function findSeed(bug: (typeof bugs)[number]): number | undefined {
  for (let seed = 0; seed < mostSeeds; seed += 1) {
    if (findViolation(drawStory(seed, bug.theme), bug)) return seed;
  }
  return undefined;
}
