import { expect } from 'chai';
import { bugs } from './bugs.ts';
import { Tellers } from './tellers.ts';

/** Maximum number of seeds tried before a bug is found. */
const mostSeeds = 400;

describe('model of a node with a planted bug', function () {
  this.timeout(0);
  let tellers: Tellers;

  before(() => {
    tellers = new Tellers(new URL('./tell-worker.ts', import.meta.url));
  });

  after(() => tellers.stop());

  for (const { name, what, theme } of bugs) {
    it(`is seen to break a promise when it ${what} (${name})`, async function () {
      const found = await tellers.find({ from: 0, to: mostSeeds, theme, bug: name });
      expect(found, `no seed below ${mostSeeds} finds it`).to.be.a('string');
      // Whoever wants to see the story needs its seed.
      if (this.test) this.test.title += `: ${theme ?? 'Usual'}, ${found}`;
    });
  }
});
