import { expect } from 'chai';
import { situations } from '../../support/node-situations.ts';
import { NodeWorld } from '../../support/node-world.ts';

const hour = 3600_000;

/** Each attempt names the next one. */
const gistOf = (message: string): string => message.replace(/the next attempt is at [^ ,]+/, 'the next attempt comes');

describe('what is said of a node that waits', () => {
  for (const [name, start] of Object.entries(situations)) {
    it(`does not change only because time passes: ${name}`, () => {
      // Minute by minute; a state that ends in a failure, or in a step of its own, is another state.
      const world = new NodeWorld(start());
      const said = new Map<string, Set<string>>();
      for (let minute = 0; minute < 30; minute += 1) {
        const { verdict } = world.step(minute === 0 ? 0 : 61_234);
        const state = `${verdict.phase} ${verdict.reason}`;
        const messages = said.get(state) ?? new Set();
        said.set(state, messages.add(gistOf(verdict.message)));
      }
      for (const [state, messages] of said) {
        // Before and after what is done once at the beginning; the fence tells its steps.
        const isFence = [...messages].some((message) =>
          /still advertises|the layout is applied|no GPU changes now|stays closed/.test(message),
        );
        const most = isFence ? 4 : 2;
        expect([...messages], state).to.have.lengthOf.at.most(most);
      }
      const before = world.step(61_234).verdict;
      const after = world.step(hour / 4).verdict;
      if (after.reason === before.reason && after.phase === before.phase) {
        expect(gistOf(after.message)).to.equal(gistOf(before.message));
      }
    });
  }

  it('does not flap between sentences', () => {
    for (const [name, start] of Object.entries(situations)) {
      const world = new NodeWorld(start());
      const said: string[] = [];
      for (let second = 0; second < 120; second += 1) {
        const message = gistOf(world.step(3000).verdict.message);
        if (said.at(-1) !== message) said.push(message);
      }
      // What was said of a closed node in between may end with what was said before; a second attempt says it all again.
      const { size } = new Set(said);
      const most = said.some((message) => message.includes('next attempt')) ? 2 * size : size + 1;
      expect(said.length, `${name}: ${said.join(' | ')}`).to.be.at.most(most);
    }
  });
});
