import { expect } from 'chai';
import fc from 'fast-check';
import { applyNode } from '../../src/device/apply.ts';
import type { GpuTarget } from '../../src/core/smi/change.ts';
import { driverBranches } from '../../src/simulator/nvidia-smi/board.ts';
import { InProcessNode } from './simulated-node.ts';

const faults = [
  '',
  '',
  'fail DeviceCreateGpuInstance rc=999 nth=2',
  'fail DeviceCreateGpuInstance rc=23 nth=1',
  'fail DeviceCreateGpuInstance rc=999 done nth=1-2',
  'fail GpuInstanceDestroy rc=19 nth=1',
  'fail GpuInstanceDestroy rc=999 done',
  'skip GpuInstanceDestroy nth=1',
  'skip ComputeInstanceDestroy nth=1',
  'fail GpuInstanceCreateComputeInstance rc=999 nth=1',
  'skip GpuInstanceCreateComputeInstance nth=1-2',
  'output cut=100 with=-lgi nth=3',
  'output garbage=64 with=-lci nth=1',
  'output empty with=-x nth=2',
  'fail DeviceSetMigMode rc=999 nth=1',
  'fail Init rc=9 nth=9-11',
];

const wants = fc.oneof(
  { weight: 1, arbitrary: fc.constant('Disabled' as const) },
  {
    weight: 6,
    arbitrary: fc.dictionary(
      fc.constantFrom('1g.10gb', '1g.10gb+me', '1g.20gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb', '1c.3g.40gb'),
      fc.integer({ min: 1, max: 3 }),
      { maxKeys: 3 },
    ),
  },
);

const steps = fc.array(
  fc.record({
    want: wants,
    fault: fc.constantFrom(...faults),
    busy: fc.nat({ max: 7 }),
    isBusy: fc.boolean(),
    undo: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);

describe('any sequence of layouts, processes and faults, on any branch of the driver @all', () => {
  it('never harms what is busy, and converges when the faults stop', async () => {
    let applied = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...driverBranches), steps, async (branch, sequence) => {
        // MIG mode is off on every GPU, as on the first day of a node.
        const node = new InProcessNode(['H100-80GB-HBM3']);
        node.driver = branch;
        const target = (want: GpuTarget['want']) => [{ uuid: node.uuid(0), want }];
        for (const { want, fault, busy, isBusy, undo } of sequence) {
          if (isBusy && (await node.layout(0)).some((place) => place.endsWith(`@${busy}`)))
            await node.startProcess(0, busy);
          const victim = (await node.layout(0)).find((place) => isBusy && place.endsWith(`@${busy}`));
          const before = (await node.layout(0)).toSorted();
          node.faults = fault;
          const { results } = await applyNode(node.openDriver(), target(want), { undo }).catch(() => ({ results: [] }));
          node.faults = '';
          const after = await node.layout(0);
          if (victim !== undefined) expect(after, JSON.stringify(want)).to.include(victim);
          if (results[0]?.outcome === 'Refused' || results[0]?.outcome === 'Undone') {
            expect(after.toSorted()).to.deep.equal(before);
          }
          // The faults are over: now it works or is refused for good reason, and a second time there is nothing to do.
          const {
            results: [healed],
          } = await applyNode(node.openDriver(), target(want));
          expect(healed?.outcome, healed?.error?.message).to.be.oneOf(['Applied', 'Unchanged', 'Refused']);
          if (healed?.outcome !== 'Refused') {
            applied += 1;
            const {
              results: [again],
            } = await applyNode(node.openDriver(), target(want));
            expect([again?.outcome, again?.operations]).to.deep.equal(['Unchanged', 0]);
          }
          node.state = node.state.replace(/^proc.*\n/gm, '');
        }
      }),
      { numRuns: 60 },
    );
    expect(applied).to.be.greaterThan(40);
  });
});
