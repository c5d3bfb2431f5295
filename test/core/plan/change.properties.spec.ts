import { expect } from 'chai';
import fc from 'fast-check';
import { planWish } from '../../../src/core/device/plan.ts';
import { resolveNode } from '../../../src/core/policy/resolve-node.ts';
import { countLimit } from '../../../src/core/rollout/budget.ts';
import { aCluster, aFleetNode, aTeamPod, inFile, sliced, someSetup, planChange } from './cluster-builder.ts';

const layouts = [{ '1g.5gb': 7 }, { '3g.20gb': 2 }, { '3g.20gb': 1, '1g.5gb': 2 }, { '7g.40gb': 1 }];
const someNode = fc.record({
  slices: fc.constantFrom(['3g.20gb@0', '3g.20gb@4'], ['3g.20gb@4'], [], ['1g.5gb@0', '1g.5gb@1', '3g.20gb@4']),
  isHeld: fc.boolean(),
  isCordoned: fc.boolean(),
});
const someChange = fc.record({
  nodes: fc.array(someNode, { minLength: 1, maxLength: 12 }),
  profiles: fc.constantFrom(...layouts),
  maxUnavailable: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom('10%', '30%', '100%')),
  cap: fc.constantFrom('10%', '50%', '100%'),
  canary: fc.option(fc.record({ nodes: fc.integer({ min: 1, max: 3 }) }), { nil: undefined }),
});

describe('the plan of any change', () => {
  it('is for each node the plan that its agent makes of the same wish, and keeps the budget in every wave', function () {
    fc.assert(
      fc.property(someChange, ({ nodes, profiles, maxUnavailable, cap, canary }) => {
        const fleet = nodes.map(({ slices, isHeld, isCordoned }, index) => {
          const [first] = slices;
          const pods = isHeld && first !== undefined ? { [first]: [`pod-${index}`] } : {};
          return aFleetNode({ name: `n${index}`, slices, pods, ...(isCordoned && { node: { unschedulable: true } }) });
        });
        const pods = nodes.map((_node, index) => aTeamPod(`pod-${index}`, { node: `n${index}` }));
        const policy = inFile({ layouts: [{ profiles }], rollout: { maxUnavailable, ...(canary && { canary }) } });
        const plan = planChange(aCluster(fleet, { pods, policies: [sliced()] }), [policy], {
          ...someSetup,
          maxConcurrentNodes: cap,
        });
        for (const { partition } of fleet) {
          const device = partition.status?.device ?? {};
          const resolved = resolveNode(policy.spec, device, partition.spec.wish);
          const wish = 'wish' in resolved ? resolved.wish : { gpus: [] };
          const found = plan.nodes.find(({ node }) => node === partition.metadata.name);
          expect(found?.plan?.hash).to.equal(planWish(device, wish).report.hash);
        }
        const cordoned = nodes.filter(({ isCordoned }) => isCordoned).length;
        const budget = Math.max(0, countLimit(maxUnavailable, nodes.length) - cordoned);
        const most = Math.min(budget, countLimit(cap, nodes.length));
        const changing = plan.nodes.filter(({ fate }) => fate === 'Changes').map(({ node }) => node);
        expect(plan.waves.flatMap((wave) => wave.nodes)).to.have.members(changing);
        expect(Math.max(0, ...plan.waves.map((wave) => wave.nodes.length))).to.be.at.most(most);
        const isLeft = plan.nodes.filter(({ gpus }) => gpus.some(({ isChanging }) => isChanging));
        const held = plan.nodes.flatMap(({ node, fate }) => (fate === 'Held' ? [node] : []));
        expect(isLeft.map(({ node }) => node)).to.have.members([...changing, ...held]);
        if (budget > 0) expect(held).to.deep.equal([]);
      }),
      { numRuns: 150 },
    );
  });
});
