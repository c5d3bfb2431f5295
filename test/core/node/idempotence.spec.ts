import { expect } from 'chai';
import { situations } from '../../support/node-situations.ts';
import { NodeWorld } from '../../support/node-world.ts';

/** Invariant S9: the same reconcile twice writes nothing, where the world has nothing to do. */
describe('what was done for a node', () => {
  for (const [name, start] of Object.entries(situations)) {
    it(`is not done again: ${name}`, () => {
      const world = new NodeWorld(start());
      // What has begun continues until it depends on the world alone: evictions are asked for again only where they were refused.
      for (let steps = 0; steps < 20; steps += 1) world.step(400);
      const before = world.done.length;
      const { waits } = world.memory;
      // Not even a command that would change nothing: people are told of each.
      for (let steps = 0; steps < 4; steps += 1) expect(world.step().commands).to.deep.equal([]);
      expect(world.done.slice(before)).to.deep.equal([]);
      expect(world.memory.waits).to.deep.equal(waits);
    });

    it(`is not done again by another leader: ${name}`, () => {
      const world = new NodeWorld(start());
      for (let steps = 0; steps < 20; steps += 1) world.step(400);
      const before = world.done.filter((what) => what !== 'PatchNode').length;
      world.failOver();
      world.step();
      world.step();
      expect(world.done.filter((what) => what !== 'PatchNode').slice(before)).to.deep.equal([]);
    });
  }
});
