import { expect } from 'chai';
import { Tellers } from '../model/tellers.ts';
import { fleetBugs } from './fleet-bugs.ts';

/** Maximum number of seeds tried before a bug is found. */
const mostSeeds = 200;

describe('model of a fleet with a planted bug', function () {
  this.timeout(0);
  let tellers: Tellers;

  before(() => {
    tellers = new Tellers(new URL('./fleet-tell-worker.ts', import.meta.url));
  });

  after(() => tellers.stop());

  for (const { name, what, theme } of fleetBugs) {
    it(`is seen to break a promise when it ${what} (${name})`, async function () {
      const found = await tellers.find({ from: 0, to: mostSeeds, theme, bug: name });
      expect(found, `no seed below ${mostSeeds} finds it`).to.be.a('string');
      // Whoever wants to see the story needs its seed.
      if (this.test) this.test.title += `: ${theme ?? 'Usual'}, ${found}`;
    });
  }
});
