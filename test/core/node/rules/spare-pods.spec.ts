import { expect } from 'chai';
import { cleanupFinalizer } from '../../../../src/api/names.ts';
import type { PolicyDemand } from '../../../../src/api/types.ts';
import { demandEntry, restEntry } from '../../../../src/core/policy/demand-wish.ts';
import { retire } from '../../../../src/core/policy/retirement.ts';
import { userKey } from '../../../../src/core/gpu/state/device-users.ts';
import { sparePods } from '../../../../src/core/node/rules/spare-pods.ts';
import { uuidOf } from '../../../support/builders.ts';
import {
  aDrain,
  close,
  drainProfiles,
  evictionsOf,
  goes,
  heldDevice,
  stays,
  stepUntil,
  withHolders,
} from '../../../support/drain-world.ts';
import { aManagedPartition, aSlicingPolicy, aSituation } from '../../../support/node-builders.ts';
import type { NodeWorld } from '../../../support/node-world.ts';

const wish = { gpus: [{ uuid: uuidOf(0), profiles: drainProfiles, entry: demandEntry }] };
const restWish = { gpus: [{ uuid: uuidOf(0), profiles: drainProfiles, entry: restEntry }] };
const slices = [{ profiles: ['1g.5gb'], count: 3 }];

/** A node with a slot whose plan gives up a slice that `ns/goes` holds, or nobody. */
function aDemandWorld(demand: Partial<PolicyDemand> = {}, device = heldDevice): NodeWorld {
  const world = aDrain();
  const { spec, ...policy } = aSlicingPolicy();
  const { layouts: _none, ...rest } = spec;
  world.policy = { ...policy, spec: { ...rest, demand: { slices, ...demand } } };
  world.partition = aManagedPartition({ device, wish });
  return world;
}

describe('a pod on a slice that a demand gives up', () => {
  it('stays where the policy evicts nobody, and the node stays open', () => {
    const world = aDemandWorld();
    const { verdict } = stepUntil(world, 'PodsUseGpus');
    expect(verdict.phase).to.equal('Waiting');
    expect(verdict.message).to.match(/^ns\/goes uses what .*demand\.evict: Never.*other layouts are being chosen$/);
    expect([world.taintKeys, evictionsOf(world)]).to.deep.equal([[], []]);
  });

  it('opens the node again if it has come after that was closed', () => {
    const world = aDemandWorld({}, withHolders({ '3g.20gb@4': ['ns/stays'] }));
    world.pods = [stays];
    close(world);
    world.partition = aManagedPartition({ device: heldDevice, wish });
    world.pods = [goes, stays];
    stepUntil(world, 'PodsUseGpus');
    expect([world.taintKeys, evictionsOf(world)]).to.deep.equal([[], []]);
  });

  it('stays where the demand does not need the GPU, though the policy evicts if needed', () => {
    const world = aDemandWorld({ evict: 'IfNeeded', rest: 'Whole' });
    world.partition = aManagedPartition({ device: heldDevice, wish: restWish });
    const { verdict } = stepUntil(world, 'PodsUseGpus');
    expect(verdict.message).to.match(/^ns\/goes uses what .*demand\.rest, for which no pod goes.*other layouts/);
    expect([world.taintKeys, evictionsOf(world)]).to.deep.equal([[], []]);
  });

  it('stays where another one would go from a GPU that the demand needs', () => {
    const gpus = [...restWish.gpus, { uuid: uuidOf(1), profiles: drainProfiles, entry: demandEntry }];
    const drains = [userKey(uuidOf(1)), userKey(uuidOf(0))];
    const report = { ...heldDevice, plan: { ...heldDevice.plan, drains } };
    const partition = aManagedPartition({ device: report, wish: { gpus } });
    const { policy } = aDemandWorld({ evict: 'IfNeeded', rest: 'Whole' });
    const situation = aSituation({ partition, policy });
    expect(sparePods(situation, [goes])?.verdict.reason).to.equal('PodsUseGpus');
    expect(sparePods(situation, [])).to.equal(undefined);
  });

  it('stays where a policy with demand.evict Never is deleted, and wants whole GPUs', () => {
    for (const evict of ['Never', 'IfNeeded'] as const) {
      const { policy, partition } = aDemandWorld({ evict });
      if (policy === undefined) throw new Error('no policy');
      const metadata = {
        ...policy.metadata,
        deletionTimestamp: '2026-01-01T00:00:00Z',
        finalizers: [cleanupFinalizer],
      };
      const spec = { ...policy.spec, onDelete: 'DisableMig' as const };
      const inForce = { generation: 1, spec };
      const retired = retire({ ...policy, metadata, spec, status: { acceptedGeneration: 1, inForce } });
      const ruling = sparePods(aSituation({ partition, policy: retired }), [goes]);
      if (evict === 'IfNeeded') expect(ruling).to.equal(undefined);
      else
        expect(ruling?.verdict.message).to.match(/demand\.evict: Never.*the policy waits until they end, and at its/);
    }
  });

  it('is evicted where the policy evicts if needed', () => {
    const world = aDemandWorld({ evict: 'IfNeeded' });
    stepUntil(world, 'Draining');
    world.step(1000);
    expect(evictionsOf(world)).to.have.lengthOf(1);
  });
});
