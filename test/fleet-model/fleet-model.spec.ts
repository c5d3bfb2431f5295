import { expect } from 'chai';
import { Tellers } from '../model/tellers.ts';
import { drawFleetStory, type FleetTheme, fleetThemes, runFleetStory } from '../model/fleet-story.ts';

/** `make test-models SEEDS=20000` plays more: whoever changes what the model tests does so. `make test` plays the first part. */
const seeds = Number(process.env['MODEL_SEEDS'] ?? 360);
const firstSeed = Number(process.env['MODEL_FIRST_SEED'] ?? 0);
const parts = 14;
/** Those of the others take longer, and find what they can find early. */
const quickThemes: readonly FleetTheme[] = ['Leaders', 'Rollout', 'Pods', 'Churn'];

/** Seeds that have found a bug, with the bug: they run first. */
const regressions: readonly (readonly [seed: number, what: string, theme?: FleetTheme])[] = [
  [557, 'a policy that was deleted waited without end for a node that waited for its pods'],
  [867, 'a policy that was deleted and selected no node any more was never looked at again, and kept its finalizer'],
  [870, 'percentages were of nodes that an edit had just left out, too'],
  [
    20_992,
    'an old leader opened a node with its layout while the new one wrote another wish: nobody can know',
    'Leaders',
  ],
  [
    20_910,
    'a new leader that had read a Node anew decided by its lagging watch again, and took the slot of a closed node',
    'Leaders',
  ],
  [
    21_511,
    'a leader whose write got no answer decided by its lagging watch, and took the slot of a closed node',
    'Leaders',
  ],
  [
    22_697,
    'the onlooker took it amiss that an old leader whose watch of policies had stopped closed a node',
    'Leaders',
  ],
  [22_884, 'the same, with a slot that the new leader had given back', 'Leaders'],
  [1021, 'the onlooker forgot that a canary had passed once another policy had its nodes for a while', 'Users'],
  [3014, 'the onlooker forgot that a canary had passed which was replaced before another node followed', 'Demand'],
  [4790, 'the onlooker missed a canary that kept its slot at an edit within one second', 'Dead'],
  [4421, 'the onlooker counted the time that a plugin took against a node that restarted in the end', 'Stuck'],
  [4018, 'a demand that followed pods again went by what they had asked for before it followed none', 'Demand'],
  [4187, 'the onlooker did not expect that one more slice may re-lay two GPUs', 'Demand'],
  [99, 'a node was closed with a slot whose deadline had passed, and which was given back at that moment', 'Clocks'],
  [635, 'a node that was released in the middle of a change waited for the strategy of its labels', 'Dead'],
  [791, 'the same in another story', 'Dead'],
  [846, 'the onlooker took a dead machine for one whose pods stay', 'Stuck'],
  [846, 'the onlooker compared what a demand wanted with the next edit of it', 'Demand'],
  [717, 'the onlooker forgot how many pods there had been when none had changed for a while', 'Demand'],
  [619, 'the onlooker added up the waiting pods of pools that were read before and after a slice was taken', 'Demand'],
  [
    6221,
    'nodes that refused a generation were named in another order each time, and each time all were woken',
    'Stuck',
  ],
  [6293, 'a pod waited for a pool of a higher priority without room, and another had idle GPUs', 'Demand'],
  [6599, 'the onlooker took a tide of pods for one of a pool that another pool served now and then', 'Demand'],
  [649, 'an edit of the cooldown and back let a GPU be laid anew at once', 'Demand'],
  [21, 'the onlooker missed that a pod had come onto a slice while its GPU was planned anew', 'Demand'],
  [59, 'the onlooker took the GPU of a machine that was replaced for one that had rested', 'Unusable'],
  [
    7012,
    'slices that no waiting pod could use counted for no spare ones, and as many were told to be missing',
    'Demand',
  ],
  [16, 'a demand fell to what was in use where pods could not be counted for a while', 'Demand'],
  [16, 'the model had pods evict each other that rank alike', 'Tenants'],
  [98, 'the onlooker missed a generation that was in force for a moment', 'Leaders'],
  [29, 'the onlooker took nodes to which a pod does not go for room', 'Unusable'],
  [8, 'the onlooker took what follows a rest for unrest', 'Unusable'],
  [
    8314,
    'the onlooker missed that a node which does not change goes back once others have made what it was to',
    'Demand',
  ],
  [8505, 'two GPUs that rested were laid anew, although one of them and an idle one would have done', 'Demand'],
  [8508, 'the model looked at a demand no more once its GPUs had rested', 'Demand'],
  [506, 'the onlooker took a policy that lost its nodes at that moment for one that has none', 'Remediator'],
  [850_013, 'the start-up taint was taken off a node whose kubelet was away: its machine was restarting', 'Churn'],
];

describe('model of a fleet', function () {
  this.timeout(0);
  let tellers: Tellers;

  before(() => {
    tellers = new Tellers(new URL('../model/fleet-tell-worker.ts', import.meta.url));
  });

  after(() => tellers.stop());

  it('tells the same story for the same seed, down to each version of each object', async () => {
    for (const theme of ['Leaders', 'Demand'] as const) {
      const story = drawFleetStory(1, theme);
      const [one, other] = [await runFleetStory(story), await runFleetStory(story)];
      expect(JSON.stringify(one.api.log)).to.equal(JSON.stringify(other.api.log));
    }
  });

  for (const [seed, what, theme] of regressions) {
    it(`seed ${seed}: ${what}`, () => tellers.tell({ from: seed, to: seed + 1, theme }));
  }

  // Half of the seeds have no fixed topic.
  for (let part = 0; part < parts; part += 1) {
    const from = firstSeed + Math.floor((part * seeds) / 2 / parts);
    const to = firstSeed + Math.floor(((part + 1) * seeds) / 2 / parts);
    it(`keeps every promise, and comes to rest when faults end: seeds ${from} to ${to - 1}${part > 0 ? ' @all' : ''}`, () =>
      tellers.tell({ from, to }));
  }

  for (const theme of fleetThemes) {
    const part = theme === 'Dead' ? 60 : quickThemes.includes(theme) ? 9 : 30;
    const end = firstSeed + Math.ceil(seeds / part);
    it(`keeps every promise in stories of one theme: ${theme}`, () =>
      tellers.tell({ from: firstSeed, to: firstSeed + 1, theme }));
    it(`keeps every promise in stories of one theme: ${theme} @all`, () =>
      tellers.tell({ from: firstSeed + 1, to: end, theme }));
  }
});
