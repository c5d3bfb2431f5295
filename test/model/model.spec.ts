import { expect } from 'chai';
import { drawStory, runStory, type Theme } from './story.ts';
import { Tellers } from './tellers.ts';

/** `make test-models SEEDS=20000` plays more: whoever changes what the model tests does so. `make test` plays the first part. */
const seeds = Number(process.env['MODEL_SEEDS'] ?? 600);
const firstSeed = Number(process.env['MODEL_FIRST_SEED'] ?? 1_000_000);
const parts = 30;

/** Seeds that have found a bug, with the bug: they run first. */
const regressions: readonly (readonly [seed: number, what: string, theme?: Theme])[] = [
  [11, 'zero at the API server was taken for a fence while the kubelet still offered the devices of before'],
  [12, 'the agent tried to make the layout again without end, on an open node, after a restart'],
  [13, 'holders of the GPUs were never sent away, since the agent’s own tries kept the controller waiting'],
  [14, 'after a restart the agent changed a MIG mode again and again that the driver had refused'],
  [21, 'a GPU that came back left its node closed for ever: the plugin counted as restarted'],
  [38, 'a device that had changed without a grant was never advertised'],
  [59, 'the plugin that had been restarted for one device was not for the next'],
  [104, 'the start-up taint went with the policy, before any layout was there'],
  [309, 'two leaders lost each other’s note of a borrowed label'],
  [1178, 'the agent acted once more on a grant that it had answered, on a node that was open by then'],
  [214, 'a node with nothing to offer waited for a plugin that waited for its taint to go'],
  [1_000_721, 'labels of slices that a reboot had taken stayed on a node that was open, until it was changed again'],
  [1_000_261, 'an old leader took the slot of a node away that another policy had won since it last looked'],
  [1_000_662, 'a node was opened beside the plugin of before, which a disruption budget kept there'],
  [1_001_101, 'a ledger that had gone with its policy since it was read counted as one that had never been'],
  [1_001_318, 'labels of before a restart stayed on a node that was closed and opened again without a change'],
  [1_001_635, 'a node was taken for untouched though a grant had failed since it was closed'],
  [1_000_294, 'an old leader took a slot away for what it had found of a policy that was made anew since'],
  [1_003_120, 'a controller that had hung opened a node by what its agent had said before'],
  [1_002_009, 'labels of slices that were gone stayed on a node that was open and waited for its pods'],
  [1_002_129, 'labels that had to follow a GPU which was lost were asked for in the very moment'],
  [1_002_658, 'what was offered of a GPU that was lost was taken for a second share of another'],
  [
    1_002_811,
    'nobody believed what a plugin without a known pod offered once the controller had forgotten that nothing was before',
  ],
  [1_002_814, 'the model’s plugins that follow by themselves did not see what a failed change had unmade'],
  [1_002_849, 'a GPU that was lost and came back before anybody had looked, but for the plugin, left that waiting'],
  [1_004_205, 'a mark of the plugin’s pods that was written on an open node counted as tolerating once it was closed'],
  [1_004_799, 'an old leader whose watch of partitions had stopped opened a node that another had closed'],
  [
    1_004_296,
    'what a policy was, read before its newest edit, was taken for newer than the node that served that edit',
  ],
  [1_003_318, 'the onlooker compared what a plugin had found after a reboot with what the agent had told before'],
  [
    1_004_236,
    'a person’s taking our taint off was forgotten before the pods that had come through were given their slices',
  ],
  [
    1_003_755,
    'a node was taken for untouched by what the API server had heard of its offer, and the kubelet offered more',
  ],
  [1_001_324, 'a node that was right waited, paused, for a slot in which its exporters could be replaced'],
  [1_001_551, 'the onlooker took a plugin for one of strategy mixed when the policy was gone'],
  [1_002_390, 'a node began with a slot whose release was being written'],
  [
    1_002_671,
    'a node without an agent was opened by what the plugin of before had offered, as the kubelet reported late',
  ],
  [118, 'a drain that was given up said that its node was open, which still waited for its GPU holders', 'Drains'],
  [80, 'pods on slices that stay were evicted though the policy drained the whole node no more', 'Drains'],
  [42, 'a node that was closed for an earlier wish waited forever for a slot', 'Slow'],
  [110, 'the onlooker took a paused change of the plugin’s settings for one that is stuck', 'Users'],
  [14, 'a machine that died while it was restarted kept its slot', 'Dead'],
  [5, 'a machine that died while it waited for its plugin alone kept its slot', 'Dead'],
  [2130, 'a node without an agent was opened before its DRA driver had published what it found', 'Claims'],
  [
    742,
    'pods with claims on slices that the DRA driver no longer published were left out of a drain of the node',
    'Claims',
  ],
  [1739, 'a node that had given a drain up was closed again at once, as the answer to its opening was lost', 'Claims'],
  [1794, 'a node waited forever for a plan that its agent had made for another policy of the same layouts', 'Claims'],
  [3747, 'a policy had the acceptance of an earlier one of its name', 'Claims'],
  [4868, 'the onlooker took what the agent said while the node was opened for known before', 'Claims'],
  [5031, 'an empty node waited forever for the slices of a DRA driver that its taint kept away', 'Claims'],
  [5, 'the DRA driver was evicted from a closed node though it made slices itself', 'Monitors'],
  [66, 'a node waited closed for a pod that only looks on, of whom its agent was told', 'Monitors'],
  [212, 'a node waited closed for a pod that only looks on, and whose claim could not be prepared', 'Monitors'],
  [6, 'a node was opened after a second failure beside a DRA driver that had read it after the first', 'Again'],
  [218, 'the onlooker took each edit’s new attempt for one more of the same', 'Drains'],
  [
    10,
    'a registration of a plugin that was gone stayed where all its devices existed, and others were missing',
    'Registrations',
  ],
  [66, 'the registration of a plugin was ended that was back, since another of its resources was not', 'Registrations'],
  [
    65,
    'an agent that had restarted ended registrations of a plugin that served them, for a request of before',
    'Registrations',
  ],
  [550, 'the onlooker counted for how long a slot was held from before it was given', 'Deletions'],
  [610, 'the onlooker held a policy that had only planned to what its GPUs were', 'Deletions'],
  [383, 'the onlooker had forgotten what a policy said of the backend until a moment ago', 'SecondDriver'],
  [266, 'the onlooker had forgotten a device plugin that was there when the node was looked at', 'SecondPlugin'],
  [
    35,
    'an edit of the backend in the middle of a change opened a node whose DRA driver offered what was gone',
    'SecondPlugin',
  ],
  [51, 'the same after a change that had failed', 'SecondPlugin'],
  [4131, 'an edit that left the layout as it was let a drifting node be repaired six times an hour', 'Force'],
  [
    4090,
    'a node was Ready by its DRA driver, without its agent, while a device plugin offered the same GPUs',
    'SecondPlugin',
  ],
  [
    24,
    'a node without a policy waited for the slices of a DRA driver that had left it to a device plugin',
    'SecondDriver',
  ],
  [
    289,
    'a registration of a plugin that was gone stayed where it had exactly its devices, and another resource was missing',
    'Registrations',
  ],
  [4462, 'the onlooker held a drain to the time that its policy gave when the node was admitted', 'Force'],
  [4479, 'a node waited without end for a generation that only planned, after an edit that was not accepted', 'Dead'],
  [
    4513,
    'a node that was closed for nothing opened with as many devices as before, of which somebody had destroyed one',
    'Force',
  ],
  [
    4605,
    'a paused node stayed closed: its agent judged what an earlier strategy offered by that of the policy',
    'Users',
  ],
  [4731, 'the onlooker forgot that a leader’s clock may be an hour ahead, for which a machine is long dead', 'Clocks'],
  [4778, 'a node was opened beside a DRA driver that was about to publish what it had read before', 'Auto'],
  [4828, 'the onlooker took it amiss that a machine which had died was opened, to hold no others up', 'Dead'],
  [
    4589,
    'a node whose policy was deleted while its plugin was away opened with what an earlier plugin had registered',
    'Registrations',
  ],
  [
    4515,
    'a policy that turned to the device plugin while the DRA driver restarted took GPUs that claims had',
    'SecondPlugin',
  ],
  [
    4056,
    'a policy that turned to the device plugin opened a node whose DRA driver still published what a reboot had taken',
    'SecondPlugin',
  ],
  [
    4926,
    'a DRA node was opened for its driver while a plugin beside it offered what was gone, and Auto then took it for the plugin’s',
    'SecondPlugin',
  ],
  [
    5015,
    'a DRA node opened after a deadline with slices of a driver from before a restart of the machine',
    'SecondPlugin',
  ],
  [5117, 'the same, and the API server did not know yet what the plugin offered', 'SecondPlugin'],
  [
    1_000_016,
    'a DRA driver that had read the devices of before passed for the new one, as a mark was left of the device plugin',
    'SecondPlugin',
  ],
  [
    4895,
    'a node stayed closed as the kubelet had missed the end of a plugin that had read the right devices, and our taint kept the next away',
    'Registrations',
  ],
  [
    5092,
    'the onlooker expected somebody to know what a pod holds whose claim no driver can prepare any more',
    'SecondPlugin',
  ],
  [5008, 'the onlooker took the backend of a policy for a wrong one that was deleted at that moment', 'SecondDriver'],
  [
    5019,
    'the onlooker expected exporters to go before pods on a node that its policy hands out by claims',
    'SecondDriver',
  ],
  [4140, 'without a policy an agent left what an earlier plugin had registered on offer', 'Registrations'],
  [
    4354,
    'an agent without the strategy of a policy that was deleted took what the plugin had read before for another strategy’s',
    'Deletions',
  ],
  [4303, 'a plugin that was back with its default settings was expected to have those of the policy', 'Users'],
  [4276, 'a plan of before a restart was granted where no slice was there to be lost', 'Dead'],
  [4194, 'a drain that was given up on a node that stayed closed kept its pods announced', 'Auto'],
  [11, 'a gate let pods come to GPUs that differed otherwise than when their node was verified', 'Gates'],
  [240, 'a plugin that had restarted in the middle of a retry passed for the one that has read its result', 'Gates'],
];

describe('model of a node', function () {
  this.timeout(0);
  let tellers: Tellers;

  before(() => {
    tellers = new Tellers(new URL('./tell-worker.ts', import.meta.url));
  });

  after(() => tellers.stop());

  it('tells the same story for the same seed, down to each version of each object', async () => {
    for (const theme of ['Usual', 'Leaders', 'Claims'] as const) {
      const story = drawStory(1, theme);
      const [one, other] = [await runStory(story), await runStory(story)];
      expect(JSON.stringify(one.api.log)).to.equal(JSON.stringify(other.api.log));
    }
  });

  for (const [seed, what, theme] of regressions) {
    it(`seed ${seed}${theme ? ` of ${theme}` : ''}: ${what}`, () => tellers.tell({ from: seed, to: seed + 1, theme }));
  }

  for (let part = 0; part < parts; part += 1) {
    const from = firstSeed + Math.floor((part * seeds) / parts);
    const to = firstSeed + Math.floor(((part + 1) * seeds) / parts);
    it(`keeps every promise, and comes to rest when faults end: seeds ${from} to ${to - 1}${part > 0 ? ' @all' : ''}`, () =>
      tellers.tell({ from, to }));
  }

  /** Tests the stories of a theme in two parts, of which `make test` plays the first. */
  const tellInParts = (promise: string, theme: Theme, first: number, count: number): void => {
    it(promise, () => tellers.tell({ from: 0, to: first, theme }));
    it(`${promise} @all`, () => tellers.tell({ from: first, to: Math.max(first, count), theme }));
  };

  for (const theme of [
    'Users',
    'Edits',
    'Drift',
    'Holders',
    'Held',
    'Rush',
    'Drains',
    'Force',
    'Slow',
    'Late',
    'Dead',
    'Failures',
    'Broken',
    'Leaders',
    'Schedules',
    'Clocks',
    'Deletions',
    'Registrations',
    'Auto',
    'AutoPlugin',
    'SecondDriver',
    'SecondPlugin',
    'ClaimDrift',
    'Boots',
    'Debris',
    'Remediator',
    'Gates',
  ] as const)
    tellInParts(`keeps every promise in stories of one theme: ${theme}`, theme, 1, Math.ceil(seeds / 57));

  for (const [promise, theme, part] of [
    ['keeps every promise where the DRA driver hands the slices out', 'Claims', 15],
    [
      'keeps every promise beside pods that only look on, and a DRA driver that makes slices itself for a while',
      'Monitors',
      15,
    ],
    ['keeps every promise where the DRA driver has to read again what has the same UUID', 'Again', 30],
  ] as const)
    tellInParts(promise, theme, 5, Math.ceil(seeds / part));
});
