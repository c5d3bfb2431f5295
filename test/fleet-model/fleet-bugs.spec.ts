import { expect } from 'chai';
import { type FleetBug, fleetBugs } from './fleet-bugs.ts';
import { drawFleetStory, findFleetViolation } from './fleet-story.ts';

/** Maximum number of seeds tried before a bug is found. */
const mostSeeds = 200;

describe('model of a fleet with a planted bug', function () {
  this.timeout(0);

  for (const bug of fleetBugs) {
    it(`is seen to break a promise when it ${bug.what} (${bug.name})`, () => {
      expect(findSeed(bug), `no seed below ${mostSeeds} finds it`).to.be.a('number');
    });
  }
});

function findSeed(bug: FleetBug): number | undefined {
  for (let seed = 0; seed < mostSeeds; seed += 1) {
    if (findFleetViolation(drawFleetStory(seed, bug.theme), bug)) return seed;
  }
  return undefined;
}
