import { expect } from 'chai';
import type { GpuPartitionPolicy, GpuWish, PolicySpec } from '../../../src/api/types.ts';
import { type GpuModel, findModel } from '../../../src/core/gpu/geometry.ts';
import { checkPolicy } from '../../../src/core/policy/check.ts';
import {
  profilesServingAll,
  demandEntry,
  evictsNever,
  restEntry,
  wishForDemand,
} from '../../../src/core/policy/spec.ts';
import { Fleet } from '../../../src/core/policy/fleet.ts';
import { asDeleted } from '../../../src/core/policy/record.ts';
import { aDevice, aGpu, aPartition, aPolicy, uuidOf } from '../../support/builders.ts';

const uuid = uuidOf(0);
const wish: GpuWish = { uuid, profiles: { '1g.5gb': 7 }, entry: demandEntry };
const device = aDevice(aGpu({ slices: ['3g.20gb@0'] }));

function aDemandPolicy(count: number, generation = 1, more: Partial<PolicySpec> = {}): GpuPartitionPolicy {
  const { spec, ...policy } = aPolicy({ generation });
  const { layouts: _none, ...rest } = spec;
  return { ...policy, spec: { ...rest, ...more, demand: { slices: [{ profiles: ['1g.5gb'], count }] } } };
}

/** A fleet of node `n` with the policy, accepted. */
function aFleetWith(policy: GpuPartitionPolicy): Fleet {
  const fleet = new Fleet({ sharing: true });
  fleet.setPolicy(policy);
  fleet.setNode('n', { pool: 'p' });
  accept(fleet);
  return fleet;
}

function accept(fleet: Fleet): void {
  const record = fleet.policy('p');
  if (!record) throw new Error('there is no policy p');
  for (const node of record.unchecked) fleet.check(record, node, aPartition({ device }));
  fleet.accept(record);
}

const chosen = (fleet: Fleet, partition = aPartition({ device })) => {
  const found = fleet.claimOf('n', partition).wish;
  return found && 'wish' in found ? found.wish.gpus : undefined;
};

const other = (index: number, more: Partial<GpuWish> = {}): GpuWish => ({
  uuid: uuidOf(index),
  profiles: { '3g.20gb': 2 },
  ...more,
});

describe('the wish of a policy with a demand', () => {
  const gpus = [aGpu(), aGpu({ index: 1 }), aGpu({ index: 2 })];

  it('is what the last plan chose, else what an earlier plan did, and nothing of what layouts asked for', () => {
    const earlier = [other(0, { entry: demandEntry }), other(1, { entry: restEntry }), other(2, { entry: 'abc' })];
    expect(wishForDemand(gpus, { gpus: earlier }, new Map([[uuid, wish]]))).to.deep.equal([wish, earlier[1]]);
    expect(wishForDemand(gpus, undefined)).to.deep.equal([]);
  });
});

describe('the profiles that serve a memory', () => {
  const geometryOf = (name: string): GpuModel => {
    const model = findModel(name);
    if (!model) throw new Error(`no model ${name}`);
    return model;
  };

  it('are those that have it on every GPU of the pool, as pods request just the profile', () => {
    const [gh200, h100] = [geometryOf('GH200-96GB'), geometryOf('H100-94GB')];
    const serving = (...models: readonly GpuModel[]) =>
      profilesServingAll({ memory: '22.5Gi', count: 1 }, new Map(models.map((model) => [model, model.id])));
    // Of a GH200 with 23,552 MiB, of an H100 with 22,144.
    expect(serving(gh200)).to.include.members(['1g.24gb', '2g.24gb', '3g.48gb']);
    expect(serving(gh200, h100)).to.include.members(['3g.48gb', '3g.47gb']);
    expect(serving(gh200, h100)).to.not.include.members(['1g.24gb', '2g.24gb']);
  });
});

describe('what a demand makes of a node', () => {
  it('is known of a policy beside others only once a plan was made for it', () => {
    const policy = aDemandPolicy(7, 1, { mode: 'Plan' });
    const fleet = aFleetWith(policy);
    const beside = () => fleet.previewClaim(policy, aPartition({ device })).wish;
    expect(beside()).to.equal(undefined);
    fleet.choose(policy, new Map([['n', new Map([[uuid, wish]])]]));
    expect(beside()).to.have.nested.property('wish.gpus').that.deep.equals([wish]);
  });

  it('is not known before a plan was made', () => {
    expect(chosen(aFleetWith(aDemandPolicy(7)))).to.equal(undefined);
  });

  it('is what the plan chose, and nodes are named whose part has changed', () => {
    const policy = aDemandPolicy(7);
    const fleet = aFleetWith(policy);
    const plan = () => new Map([['n', new Map([[uuid, { ...wish }]])]]);
    expect(fleet.choose(policy, plan())).to.deep.equal(['n']);
    expect(chosen(fleet)).to.deep.equal([wish]);
    expect(fleet.choose(policy, plan())).to.deep.equal([]);
    const partition = aPartition({ device });
    const { wish: before } = fleet.claimOf('n', partition);
    expect(fleet.claimOf('n', partition).wish, 'worked out once').to.equal(before);
    fleet.choose(policy, new Map([['n', new Map([[uuid, other(0)]])]]));
    expect(chosen(fleet, partition)).to.deep.equal([other(0)]);
  });

  it('is shown by a policy that only plans', () => {
    const policy = aDemandPolicy(7, 1, { mode: 'Plan' });
    const fleet = aFleetWith(policy);
    fleet.choose(policy, new Map([['n', new Map([[uuid, wish]])]]));
    expect(chosen(fleet)).to.deep.equal([wish]);
  });

  it('is what an earlier leader chose, until this one has planned', () => {
    const policy = { name: 'p', uid: 'uid-p', generation: 1 };
    const fleet = aFleetWith(aDemandPolicy(7));
    expect(chosen(fleet, aPartition({ device, policy, wish: { gpus: [wish] } }))).to.deep.equal([wish]);
    const ofLayouts: GpuWish = { uuid: uuidOf(1), mig: 'Disabled' };
    expect(chosen(fleet, aPartition({ device, policy, wish: { gpus: [ofLayouts, wish] } }))).to.deep.equal([wish]);
    const other = { ...policy, uid: 'uid-of-another' };
    expect(chosen(fleet, aPartition({ device, policy: other, wish: { gpus: [wish] } }))).to.equal(undefined);
  });

  it('is still known of a policy that only plans, once that is accepted', () => {
    const fleet = new Fleet({ sharing: true });
    fleet.setPolicy(aDemandPolicy(7, 1, { mode: 'Plan' }));
    const record = fleet.policy('p');
    if (!record) throw new Error('there is no policy p');
    const demand = { states: [], condition: { status: 'True' as const, reason: 'DemandMet', message: '' } };
    record.demand = demand as unknown as NonNullable<typeof record.demand>;
    fleet.accept(record);
    expect(record.demand).to.equal(demand);
  });

  it('is chosen again for an edit', () => {
    const policy = aDemandPolicy(7);
    const fleet = aFleetWith(policy);
    fleet.choose(policy, new Map([['n', new Map([[uuid, wish]])]]));
    fleet.setPolicy(aDemandPolicy(3, 2));
    accept(fleet);
    expect(chosen(fleet)).to.equal(undefined);
  });
});

describe('a policy with a demand', () => {
  it('starts without a choice when it is created again under the same name', () => {
    const policy = aDemandPolicy(7);
    const fleet = aFleetWith(policy);
    fleet.choose(policy, new Map([['n', new Map([[uuid, wish]])]]));
    fleet.removePolicy('p');
    fleet.setPolicy(policy);
    expect(fleet.chosenFor(policy, 'n')).to.equal(undefined);
  });

  it('may evict only if it says so', () => {
    const { spec, ...policy } = aDemandPolicy(7);
    const { demand } = spec;
    if (!demand) throw new Error('it has no demand');
    expect(evictsNever({ ...policy, spec })).to.equal(true);
    expect(evictsNever({ ...policy, spec: { ...spec, demand: { ...demand, evict: 'Never' } } })).to.equal(true);
    expect(evictsNever({ ...policy, spec: { ...spec, demand: { ...demand, evict: 'IfNeeded' } } })).to.equal(false);
    expect([evictsNever(aPolicy()), evictsNever(undefined)], 'layouts').to.deep.equal([false, false]);
  });

  it('is refused for a profile that no reported GPU has, with those that they have', () => {
    const refusal = checkPolicy(aDemandPolicy(7).spec, undefined, ['NVIDIA A30']);
    expect(refusal?.reason).to.equal('UnknownProfile');
    expect(refusal?.message).to.match(
      /^spec\.demand\.slices\[0\]: slice 1g\.5gb: no GPU that nodes have reported has a profile 1g\.5gb: A30 has 1g\.6gb/,
    );
    expect(checkPolicy(aDemandPolicy(7).spec, undefined, ['NVIDIA A30', 'NVIDIA A100-SXM4-40GB'])).to.equal(undefined);
    expect(checkPolicy(aDemandPolicy(7).spec, undefined, ['NVIDIA A30', 'NVIDIA X9000']), 'a new model').to.equal(
      undefined,
    );
    const { spec } = aDemandPolicy(7);
    const anywhere = checkPolicy({ ...spec, demand: { slices: [{ profiles: ['1g.99gb'], count: 1 }] } });
    expect(anywhere?.message).to.match(/no GPU model has a profile 1g\.99gb$/);
  });

  it('is refused for a memory that no reported GPU has, with the most that they have, and never for whole GPUs', () => {
    const { spec } = aDemandPolicy(7);
    const check = (slice: NonNullable<typeof spec.demand>['slices'][number]) =>
      checkPolicy({ ...spec, demand: { slices: [slice] } }, undefined, ['NVIDIA A30']);
    expect(check({ memory: '30Gi', count: 1 })?.message).to.equal(
      'spec.demand.slices[0]: slice 30Gi: no GPU that nodes have reported has a plain profile with 30Gi of usable memory: ' +
        'A30 has 24,064 MiB in its largest, 4g.24gb',
    );
    expect(check({ memory: '20Gi', count: 1 })).to.equal(undefined);
    expect(check({ mig: 'Disabled', count: 1 })).to.equal(undefined);
  });

  it('makes all of its GPUs whole when it goes', () => {
    const { demand, layouts } = asDeleted(aDemandPolicy(7, 1, { onDelete: 'DisableMig' })).spec;
    expect([demand, layouts]).to.deep.equal([undefined, [{ mig: 'Disabled' }]]);
  });
});
