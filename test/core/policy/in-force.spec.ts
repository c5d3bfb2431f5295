import { expect } from 'chai';
import type { GpuPartitionPolicy, PolicySpec } from '../../../src/api/types.ts';
import { Fleet } from '../../../src/core/policy/fleet.ts';
import { hasWorkLeft, readVersions, storeVersions } from '../../../src/core/policy/record.ts';
import { aDevice, aGpu, aPartition, aPolicy } from '../../support/builders.ts';

const a100 = aPartition({ device: aDevice(aGpu()) });
const windows = [{ schedule: '0 22 * * *', duration: '6h', timeZone: 'Europe/Berlim' }];
const tooMuch = [{ profiles: { '3g.20gb': 3 } }];
const timeSlicing = [{ resource: 'nvidia.com/mig-1g.5gb', replicas: 4 }];

/** An inference policy that outranks a fallback, which would make all GPUs whole. */
class TwoPolicies {
  fleet: Fleet;
  #generation = 1;
  inference: GpuPartitionPolicy;
  readonly fallback = this.#accepted(aPolicy({ name: 'fallback', layouts: [{ mig: 'Disabled' }] }));

  constructor(spec: Partial<PolicySpec> = {}) {
    this.inference = this.#accepted(aPolicy({ name: 'inference', priority: 100, ...spec }));
    this.fleet = this.start();
  }

  /** The next generation, as the API server stores it. @returns the nodes that the fleet names */
  edit(spec: Partial<PolicySpec>): readonly string[] {
    this.#generation += 1;
    const { inference: before } = this;
    const metadata = { ...before.metadata, generation: this.#generation };
    this.inference = { ...before, metadata, spec: { ...before.spec, ...spec } };
    return this.fleet.setPolicy(this.inference) ?? [];
  }

  /** As the controller does; what is accepted is in the status. */
  check(): boolean {
    const record = this.fleet.policy('inference');
    if (!record?.awaitsAcceptance) return false;
    for (const node of record.unchecked) this.fleet.check(record, node, a100);
    if (record.refused.size === 0) this.fleet.accept(record);
    this.inference = { ...this.inference, status: storeVersions(record.versions) };
    return record.isAccepted;
  }

  start(sharing = true): Fleet {
    const fleet = new Fleet({ sharing });
    fleet.setNode('n', { pool: 'p' });
    fleet.setNode('other', { pool: 'q' });
    for (const policy of [this.fallback, this.inference]) fleet.setPolicy(policy);
    return fleet;
  }

  restart(sharing = true): void {
    this.fleet = this.start(sharing);
  }

  get claim() {
    return this.fleet.claimOf('n', a100);
  }

  #accepted(policy: GpuPartitionPolicy): GpuPartitionPolicy {
    const inForce = { generation: 1, spec: policy.spec };
    return { ...policy, status: { acceptedGeneration: 1, inForce } };
  }
}

describe('a generation that is not accepted', () => {
  const edits: Readonly<Record<string, Partial<PolicySpec>>> = {
    'does not fit any GPU': { layouts: tooMuch },
    'does not fit the GPUs of a node': { layouts: [{ profiles: { '1g.10gb': 7 } }] },
    'names an unknown time zone': { rollout: { windows } },
    'has a lower priority as well': { layouts: tooMuch, priority: -1 },
    'selects other nodes as well': { layouts: tooMuch, nodeSelector: { matchLabels: { pool: 'q' } } },
    'would only plan': { layouts: tooMuch, mode: 'Plan' },
    'shares what it does not have': { sharing: { timeSlicing: [{ resource: 'nvidia.com/mig-2g.10gb', replicas: 2 }] } },
  };
  for (const [what, spec] of Object.entries(edits)) {
    it(`changes nothing of what decides over a node: it ${what}`, () => {
      const world = new TwoPolicies();
      const { wish } = world.claim;
      world.edit(spec);
      const isSame = (when: string): void => {
        const { claim } = world;
        expect(claim.winner?.metadata, when).to.include({ name: 'inference', generation: 1 });
        expect(claim.isInForce, when).to.equal(true);
        expect(claim.wish, when).to.deep.equal(wish);
        expect(claim.hold?.kind, when).to.be.oneOf(['Checking', 'Refused']);
        expect(world.fleet.claimOf('other', a100).isInForce, when).to.equal(false);
      };
      isSame('at once');
      expect(world.check()).to.equal(false);
      isSame('when it is refused');
      world.restart();
      isSame('after a restart of the controller');
      expect(world.check()).to.equal(false);
      isSame('when it is refused again');
    });
  }

  it('counts with the priority that is in force against policies of any other', () => {
    const world = new TwoPolicies();
    world.edit({ layouts: tooMuch, priority: -1 });
    const strong = aPolicy({ name: 'strong', priority: 50 });
    world.fleet.setPolicy({ ...strong, status: { acceptedGeneration: 1 } });
    expect(world.claim.winner?.metadata.name).to.equal('inference');
    const stronger = aPolicy({ name: 'stronger', priority: 200 });
    world.fleet.setPolicy({ ...stronger, status: { acceptedGeneration: 1 } });
    expect(world.claim.winner?.metadata.name).to.equal('stronger');
  });

  it('takes no node from another policy, whatever its priority, but is named where no other policy wants the node', () => {
    for (const layouts of [tooMuch, [{ profiles: { '1g.10gb': 7 } }], [{ profiles: { '1g.5gb': 7 } }]]) {
      const world = new TwoPolicies();
      const nodeSelector = { matchExpressions: [{ key: 'pool', operator: 'Exists' as const }] };
      world.fleet.setPolicy(aPolicy({ name: 'new', priority: 1000, layouts, nodeSelector }));
      expect(world.claim.winner?.metadata.name).to.equal('inference');
      const { winner, isInForce, hold, wish } = world.fleet.claimOf('other', a100);
      expect([winner?.metadata.name, isInForce, wish]).to.deep.equal(['new', false, undefined]);
      expect(hold).to.not.equal(undefined);
    }
  });

  it('is not named beside the policy that decides over a node which the generation in force does not select', () => {
    const world = new TwoPolicies();
    const owner = aPolicy({ name: 'owner', nodeSelector: { matchLabels: { pool: 'q' } } });
    world.fleet.setPolicy({ ...owner, status: { acceptedGeneration: 1 } });
    world.edit({ layouts: tooMuch, nodeSelector: { matchLabels: { pool: 'q' } } });
    const { winner, outranked } = world.fleet.claimOf('other', a100);
    expect([winner?.metadata.name, outranked]).to.deep.equal(['owner', []]);
  });

  it('is replaced by the next one that is accepted', () => {
    const world = new TwoPolicies();
    world.edit({ layouts: tooMuch });
    world.edit({ layouts: [{ profiles: { '3g.20gb': 2 } }], priority: -1 });
    expect(world.claim.winner?.metadata).to.include({ name: 'inference', generation: 1 });
    expect(world.check()).to.equal(true);
    expect(world.claim.winner?.metadata.name, 'as the author meant it').to.equal('fallback');
  });

  it('releases its nodes when the policy is deleted', () => {
    const world = new TwoPolicies();
    world.edit({ layouts: tooMuch });
    const { inference } = world;
    const metadata = { ...inference.metadata, generation: 3, deletionTimestamp: '2026-01-02T00:00:00Z' };
    expect(world.fleet.setPolicy({ ...inference, metadata })).to.deep.equal(['n']);
    expect(world.claim.winner?.metadata.name).to.equal('fallback');
  });

  it('makes those GPUs whole at its deletion over which the policy decided, and no others', () => {
    const world = new TwoPolicies({ onDelete: 'DisableMig' });
    world.fleet.removePolicy('fallback');
    world.edit({ layouts: tooMuch, nodeSelector: { matchLabels: { pool: 'q' } } });
    const { inference } = world;
    const metadata = {
      ...inference.metadata,
      generation: 3,
      deletionTimestamp: '2026-01-02T00:00:00Z',
      finalizers: ['gpupartition.dev/cleanup'],
    };
    world.inference = { ...inference, metadata };
    world.fleet.setPolicy(world.inference);
    expect(world.check()).to.equal(true);
    for (const when of ['at once', 'after a restart']) {
      expect(world.claim.winner?.spec.layouts, when).to.deep.equal([{ mig: 'Disabled' }]);
      expect(world.fleet.claimOf('other', a100).winner, when).to.equal(undefined);
      world.restart();
      world.fleet.removePolicy('fallback');
    }
  });

  it('is carried out at its deletion as its author last said: an edit may hurry it, and cannot change what becomes whole', () => {
    const world = new TwoPolicies({ onDelete: 'DisableMig' });
    world.fleet.removePolicy('fallback');
    const deletion = { deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['gpupartition.dev/cleanup'] };
    const goOn = (generation: number, spec: Partial<PolicySpec>): PolicySpec | undefined => {
      const { inference } = world;
      const metadata = { ...inference.metadata, ...deletion, generation };
      world.inference = { ...inference, metadata, spec: { ...inference.spec, ...spec } };
      world.fleet.setPolicy(world.inference);
      expect(world.check()).to.equal(true);
      return world.claim.winner?.spec;
    };
    expect(goOn(2, { rollout: { maxUnavailable: 1 } })?.rollout?.maxUnavailable).to.equal(1);
    const edited = {
      rollout: { maxUnavailable: '50%' },
      drain: { onTimeout: 'Force' },
      allow: { gpuReset: true },
    } as const;
    const spec = goOn(3, { ...edited, layouts: [{ profiles: { '1g.5gb': 7 } }], nodeSelector: {} });
    expect(spec).to.deep.include({ drain: edited.drain, allow: edited.allow, layouts: [{ mig: 'Disabled' }] });
    expect(spec?.rollout?.maxUnavailable).to.equal('50%');
    expect(spec?.nodeSelector).not.to.deep.equal({});
    const { drain: _noMore, ...rest } = world.inference.spec;
    world.inference = { ...world.inference, spec: rest };
    expect(goOn(4, {})).to.not.have.property('drain');
  });

  it('is always accepted if it is the deletion: no node keeps its policy from going', () => {
    const world = new TwoPolicies({
      onDelete: 'DisableMig',
      strategy: 'single',
      layouts: [{ gpus: { indices: [0] }, profiles: { '1g.5gb': 7 } }],
    });
    world.fleet.removePolicy('fallback');
    const { inference } = world;
    const deletion = { deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['gpupartition.dev/cleanup'] };
    world.fleet.setPolicy({ ...inference, metadata: { ...inference.metadata, generation: 2, ...deletion } });
    const record = world.fleet.policy('inference');
    // Beside a GPU that somebody has sliced by hand, strategy single allows no whole one.
    const besideForeign = aPartition({ device: aDevice(aGpu(), aGpu({ index: 1, slices: ['1g.5gb@0'] })) });
    if (record) world.fleet.check(record, 'n', besideForeign);
    expect(record?.refused.size).to.equal(0);
  });

  it('of a policy that is new and being deleted keeps nothing from going', () => {
    const fleet = new Fleet({ sharing: true });
    fleet.setNode('n', { pool: 'p' });
    const policy = aPolicy({ layouts: tooMuch, onDelete: 'DisableMig', generation: 2 });
    const finalizers = ['gpupartition.dev/cleanup'];
    const metadata = { ...policy.metadata, deletionTimestamp: '2026-01-02T00:00:00Z', finalizers };
    fleet.setPolicy({ ...policy, metadata });
    expect(fleet.policy('p')).to.equal(undefined);
  });

  it('is not taken for accepted because the watch brings it before our own write about the generation before', () => {
    const world = new TwoPolicies();
    world.edit({ priority: 90, layouts: [{ profiles: { '3g.20gb': 2 } }] });
    const second = world.inference;
    const record = world.fleet.policy('inference');
    world.edit({ layouts: tooMuch });
    // The write is on its way: the record was replaced.
    expect(record && world.fleet.accept(record)).to.deep.equal([]);
    expect(world.claim.winner?.metadata.generation).to.equal(1);
    const inForce = { generation: 2, spec: second.spec };
    expect(world.fleet.setPolicy({ ...world.inference, status: { acceptedGeneration: 2, inForce } })).to.include('n');
    expect(world.claim.winner?.metadata.generation).to.equal(2);
  });
});

describe('a policy that the controller can no longer carry out', () => {
  it('keeps its nodes as they are: a controller was restarted without its option for sharing', () => {
    const world = new TwoPolicies({ sharing: { timeSlicing } });
    const { wish } = world.claim;
    world.restart(false);
    const { winner, isInForce, hold, wish: after } = world.claim;
    expect(winner?.metadata).to.include({ name: 'inference', generation: 1 });
    expect(isInForce).to.equal(true);
    expect(after).to.deep.equal(wish);
    expect(hold).to.include({ kind: 'Refused' });
    expect(hold?.message).to.match(/^policy inference cannot be carried out: .*--device-plugin-config-map/);
  });
});

describe('a policy of mode Plan', () => {
  it('takes no node from a policy that enforces, whatever its priority, and is shown beside it', () => {
    const world = new TwoPolicies();
    const plan = aPolicy({ name: 'plan', priority: 1000, mode: 'Plan', layouts: [{ profiles: { '3g.20gb': 2 } }] });
    world.fleet.setPolicy({ ...plan, status: { acceptedGeneration: 1 } });
    const { winner, outranked, planning } = world.claim;
    expect(winner?.metadata.name).to.equal('inference');
    expect(outranked.map(({ policy }) => policy.metadata.name)).to.deep.equal(['fallback']);
    expect(planning.map(({ metadata }) => metadata.name)).to.deep.equal(['plan']);
  });

  it('takes none by an edit that enforces before that is accepted, and makes no GPU whole when it is deleted', () => {
    const world = new TwoPolicies();
    const edited = aPolicy({ name: 'plan', priority: 1000, generation: 2, layouts: tooMuch, onDelete: 'DisableMig' });
    const policy = { ...edited, status: { acceptedGeneration: 1 } };
    world.fleet.setPolicy(policy);
    expect(world.claim.winner?.metadata.name).to.equal('inference');
    const deletionTimestamp = '2026-01-02T00:00:00Z';
    const finalizers = ['gpupartition.dev/cleanup'];
    const versions = readVersions({ ...policy, metadata: { ...policy.metadata, deletionTimestamp, finalizers } });
    expect(versions.newest.spec).to.equal(policy.spec);
    expect(hasWorkLeft(versions)).to.equal(false);
  });

  it('has a node before a policy of which no generation was ever accepted, whatever its priority', () => {
    const fleet = new Fleet({ sharing: true });
    fleet.setNode('n', { pool: 'p' });
    fleet.setPolicy(aPolicy({ name: 'new', priority: 1000 }));
    fleet.setPolicy({ ...aPolicy({ name: 'plan', mode: 'Plan' }), status: { acceptedGeneration: 1 } });
    expect(fleet.claimOf('n', a100).winner?.metadata.name).to.equal('plan');
  });

  it('has a node for itself that no other policy wants', () => {
    const fleet = new Fleet({ sharing: true });
    fleet.setNode('n', { pool: 'p' });
    const names = ['one', 'two'];
    for (const name of names)
      fleet.setPolicy({ ...aPolicy({ name, mode: 'Plan' }), status: { acceptedGeneration: 1 } });
    const { winner, outranked, planning } = fleet.claimOf('n', a100);
    expect([winner?.metadata.name, planning.map(({ metadata }) => metadata.name)]).to.deep.equal(['one', ['two']]);
    expect(outranked).to.deep.equal([]);
  });

  it('counts the nodes for which it plans planning those that it had decided over', () => {
    const fleet = new Fleet({ sharing: true });
    fleet.setNode('n', { pool: 'p' });
    fleet.setNode('m', { pool: 'q' });
    const enforcing = { ...aPolicy(), status: { acceptedGeneration: 1 } };
    fleet.setPolicy(enforcing);
    const status = { acceptedGeneration: 2, inForce: { generation: 1, spec: enforcing.spec } };
    const plan = aPolicy({ generation: 2, mode: 'Plan', nodeSelector: { matchLabels: { pool: 'q' } } });
    fleet.setPolicy({ ...plan, status });
    const counts = (node: string): boolean | undefined => fleet.policy('p')?.tally.has(node);
    expect([counts('n'), counts('m')]).to.deep.equal([true, true]);
  });

  it('keeps the nodes that it had decided over, and shows what it would do', () => {
    const world = new TwoPolicies();
    world.edit({ mode: 'Plan', layouts: [{ profiles: { '3g.20gb': 2 } }], priority: -1 });
    expect(world.check()).to.equal(true);
    for (const when of ['at once', 'after a restart']) {
      const { winner, isInForce, hold } = world.claim;
      expect(winner?.metadata, when).to.include({ name: 'inference', generation: 2 });
      expect([isInForce, hold], when).to.deep.equal([true, undefined]);
      world.restart();
    }
    world.edit({ mode: 'Plan', nodeSelector: { matchLabels: { pool: 'q' } } });
    expect(world.check()).to.equal(true);
    expect(world.claim.winner?.metadata).to.include({ name: 'inference', generation: 1 });
    expect(world.claim.hold).to.include({ kind: 'Plan' });
  });
});
