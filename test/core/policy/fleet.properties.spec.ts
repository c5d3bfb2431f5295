import { expect } from 'chai';
import fc from 'fast-check';
import type { GpuPartitionPolicy } from '../../../src/api/types.ts';
import { Fleet } from '../../../src/core/policy/fleet.ts';
import { selectsNode, byPrecedence } from '../../../src/core/policy/spec.ts';
import { storeVersions } from '../../../src/core/policy/record.ts';
import { fullSupport } from '../../../src/core/policy/check.ts';
import { aPartition, aPolicy } from '../../support/builders.ts';

type Labels = Readonly<Record<string, string>>;

/** A policy as its author and the controller have left it, without any index. */
interface Known {
  readonly newest: GpuPartitionPolicy;
  readonly inForce: GpuPartitionPolicy | undefined;
  readonly isAccepted: boolean;
}

const pool = fc.constantFrom('p', 'q', 'r');
const name = fc.constantFrom('x', 'y', 'z');
const node = fc.constantFrom('a', 'b', 'c');
const selector = fc.oneof(
  pool.map((value) => ({ matchLabels: { pool: value } })),
  pool.map((value) => ({ matchExpressions: [{ key: 'pool', operator: 'NotIn' as const, values: [value] }] })),
  fc.constant({ matchExpressions: [{ key: 'pool', operator: 'In' as const, values: ['p', 'q'] }] }),
  fc.constant({ matchExpressions: [{ key: 'zone', operator: 'Exists' as const }] }),
);
const labels = fc.record({ pool, zone: fc.constantFrom('a', 'b') }, { requiredKeys: [] });
const change = fc.oneof(
  fc.record({
    kind: fc.constant('policy' as const),
    name,
    selector,
    priority: fc.nat(2),
    mode: fc.constantFrom('Enforce' as const, 'Enforce' as const, 'Plan' as const),
    broken: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('accept' as const), name }),
  fc.record({ kind: fc.constant('accept' as const), name }),
  fc.record({ kind: fc.constant('noPolicy' as const), name }),
  fc.record({ kind: fc.constant('node' as const), name: node, labels }),
  fc.record({ kind: fc.constant('noNode' as const), name: node }),
  fc.record({ kind: fc.constant('restart' as const) }),
);

function meets(policy: GpuPartitionPolicy | undefined, own: Labels): boolean {
  return policy !== undefined && selectsNode(policy.spec.nodeSelector, own);
}

function inOrder(policies: Iterable<Known>): readonly Known[] {
  return [...policies].toSorted((a, b) => byPrecedence(a.inForce ?? a.newest, b.inForce ?? b.newest));
}

/** The policy that decides over a node, worked out by a look at all of them. */
function decider(policies: Iterable<Known>, own: Labels): string | undefined {
  const ordered = inOrder(policies);
  const staked = ordered.find(({ inForce }) => meets(inForce, own));
  const planning = ordered.find(({ newest, isAccepted }) => isAccepted && meets(newest, own));
  return (staked ?? planning)?.newest.metadata.name;
}

/** Whether a node is one of a policy's. */
function owns({ newest, inForce, isAccepted }: Known, own: Labels): boolean {
  return meets(inForce, own) || ((isAccepted || inForce === undefined) && meets(newest, own));
}

function deciderOf(fleet: Fleet, of: string): string | undefined {
  const { winner, isInForce } = fleet.claimOf(of, aPartition());
  return isInForce ? winner?.metadata.name : undefined;
}

describe('a fleet after any changes', () => {
  it('says of each node what a look at all policies would say, names each node whose policy has changed, and says the same after a restart', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        let fleet = new Fleet(fullSupport);
        const policies = new Map<string, Known>();
        const nodes = new Map<string, Labels>();
        const deciders = () => new Map([...nodes.keys()].map((one) => [one, deciderOf(fleet, one)]));
        for (const [index, one] of changes.entries()) {
          const before = deciders();
          let affected: readonly string[] = [];
          if (one.kind === 'policy') {
            const { mode, priority } = one;
            const layouts = [{ profiles: one.broken ? { '9g.999gb': 1 } : { '1g.5gb': 7 } }];
            const spec = { nodeSelector: one.selector, mode, priority, layouts };
            const newest = aPolicy({ name: one.name, generation: index + 1, ...spec });
            policies.set(one.name, { newest, inForce: policies.get(one.name)?.inForce, isAccepted: false });
            affected = fleet.setPolicy(newest) ?? [];
            const isInForce = ([, decides]: readonly [string, string | undefined]) =>
              decides !== undefined && policies.get(decides)?.inForce !== undefined;
            expect([...deciders()].filter(isInForce), 'an edit').to.deep.equal([...before].filter(isInForce));
          } else if (one.kind === 'accept') {
            const known = policies.get(one.name);
            const record = fleet.policy(one.name);
            if (!known || record?.awaitsAcceptance !== true) continue;
            affected = fleet.accept(record);
            const inForce = known.newest.spec.mode === 'Plan' ? known.inForce : known.newest;
            policies.set(one.name, { ...known, inForce, isAccepted: true });
          } else if (one.kind === 'noPolicy') {
            policies.delete(one.name);
            affected = fleet.removePolicy(one.name);
          } else if (one.kind === 'node') {
            nodes.set(one.name, one.labels);
            fleet.setNode(one.name, one.labels);
            affected = [one.name];
          } else if (one.kind === 'noNode') {
            nodes.delete(one.name);
            fleet.removeNode(one.name);
            affected = [one.name];
          } else {
            const stored = [...fleet.policies].map(({ newest, versions }) => ({
              ...newest,
              status: storeVersions(versions),
            }));
            fleet = new Fleet(fullSupport);
            for (const policy of stored.toReversed()) fleet.setPolicy(policy);
            for (const [of, own] of nodes) fleet.setNode(of, own);
            expect(deciders(), 'a restart').to.deep.equal(before);
          }
          for (const [of, winner] of deciders()) {
            if (before.has(of) && before.get(of) !== winner) expect(affected).to.include(of);
          }
        }
        for (const [of, own] of nodes) {
          expect(deciderOf(fleet, of)).to.equal(decider(policies.values(), own));
          const others = inOrder(policies.values()).filter((one) => owns(one, own));
          const { winner, outranked, planning } = fleet.claimOf(of, aPartition());
          const told = [winner, ...outranked.map(({ policy }) => policy), ...planning].map((one) => one?.metadata.name);
          expect(told).to.include.members(others.map(({ newest }) => newest.metadata.name));
        }
        for (const { name: policy, tally } of fleet.policies) {
          const known = policies.get(policy);
          const own = [...nodes].filter(([, one]) => known !== undefined && owns(known, one));
          expect(tally.matched).to.equal(own.length);
        }
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
