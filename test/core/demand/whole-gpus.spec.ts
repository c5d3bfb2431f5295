import { expect } from 'chai';
import type { GpuNodePartition, GpuPartitionPolicy, GpuReport, GpuWish, PolicyDemand } from '../../../src/api/types.ts';
import { wishesOf, askFor } from '../../../src/core/demand/plan-pool.ts';
import { reportDemand } from '../../../src/core/demand/report.ts';
import { wantedSlices } from '../../../src/core/demand/wanted.ts';
import { planDemand } from '../../../src/planner/solver-process.ts';
import { aGpu, uuidOf } from '../../support/builders.ts';
import { aDemandPolicy, aNodeWith, membersOf, nobody } from '../../support/demand-builders.ts';

const uuid = uuidOf(0);
const demandOf = (whole: number, smalls = 0, more: Partial<PolicyDemand> = {}): PolicyDemand => ({
  slices: [
    { mig: 'Disabled', count: whole },
    { profiles: ['1g.5gb'], count: smalls },
  ],
  ...more,
});

/** What a plan makes of the first GPU of each node. */
async function wishesFor(
  policy: GpuPartitionPolicy,
  ...nodes: readonly GpuNodePartition[]
): Promise<Readonly<Record<string, GpuWish | undefined>>> {
  const { demand = demandOf(0) } = policy.spec;
  const members = membersOf(policy, ...nodes);
  const gpus = members.map(({ gpu }) => gpu);
  const asked = askFor(policy, wantedSlices(demand, members, nobody));
  const { layouts } = await planDemand(gpus, { ...asked, seconds: 10 });
  const found = wishesOf(members, layouts);
  return Object.fromEntries([...found].map(([node, wishes]) => [node, wishes.get(uuid)]));
}

const whole = { uuid, mig: 'Disabled', entry: 'demand' };
const held = (gpu: Parameters<typeof aGpu>[0] = {}): GpuReport => aGpu({ busy: true, pods: ['ns/train'], ...gpu });

describe('whole GPUs of a demand', () => {
  it('are those with MIG mode off, and idle partitioned ones become whole', async () => {
    const policy = aDemandPolicy(demandOf(2));
    const found = await wishesFor(
      policy,
      aNodeWith('n1', aGpu()),
      aNodeWith('n2', aGpu({ slices: ['1g.5gb@0'] })),
      aNodeWith('n3', aGpu({ slices: ['1g.5gb@0*'] })),
    );
    expect([found['n1'], found['n2']]).to.deep.equal([whole, whole]);
    expect(found['n3']?.profiles).to.deep.equal({ '1g.5gb': 1 });
  });

  it('stay whole where slices are lacking, as many as are wanted', async () => {
    const found = await wishesFor(aDemandPolicy(demandOf(1, 14)), aNodeWith('n1', aGpu()), aNodeWith('n2', aGpu()));
    expect(Object.values(found).filter((one) => one?.mig === 'Disabled')).to.have.length(1);
  });

  it('stay whole where an idle partitioned GPU serves as well, though that loses more slices', async () => {
    const policy = aDemandPolicy(demandOf(0, 7, { rest: 'Whole' }));
    const sliced = aGpu({ slices: ['2g.10gb@0', '2g.10gb@2', '3g.20gb@4'] });
    const found = await wishesFor(policy, aNodeWith('n1', aGpu()), aNodeWith('n2', sliced));
    expect(found['n1']).to.not.have.property('profiles');
    expect(found['n2']?.profiles).to.deep.equal({ '1g.5gb': 7 });
  });

  it('that pods hold are partitioned only where the policy evicts, and its demand speaks of them', async () => {
    const fate = async (demand: PolicyDemand, gpu = held()) =>
      (await wishesFor(aDemandPolicy(demand), aNodeWith('n1', gpu)))['n1']?.mig ?? 'Enabled';
    expect(await fate(demandOf(0, 7))).to.equal('Disabled');
    expect(await fate(demandOf(0, 7, { evict: 'IfNeeded' }))).to.equal('Enabled');
    const slices = [{ profiles: ['1g.5gb'], count: 7 }];
    expect(await fate({ slices, evict: 'IfNeeded' })).to.equal('Disabled');
    const [turned] = membersOf(
      aDemandPolicy(demandOf(0, 7, { evict: 'IfNeeded' })),
      aNodeWith('n1', held({ slices: [] })),
    );
    expect(turned?.gpu.isResting, 'a pod holds all of a GPU in MIG mode').to.equal(true);
    // A process outside any pod is not evicted.
    expect(await fate(demandOf(0, 7, { evict: 'IfNeeded' }), aGpu({ busy: true }))).to.equal('Disabled');
  });

  it('count GPUs that have no MIG, which stay as they are', () => {
    const gpu = aGpu({ product: 'NVIDIA L40S', migCapable: false });
    const { mig: _none, ...plain } = gpu;
    const [member] = membersOf(aDemandPolicy(demandOf(1)), aNodeWith('n1', plain));
    expect(member?.present).to.deep.equal([{ profile: 'whole', start: 0, busy: false }]);
    expect(member?.gpu.keepsMode).to.equal(true);
    const slices = [{ profiles: ['1g.5gb'], count: 7 }];
    expect(membersOf(aDemandPolicy({ slices }), aNodeWith('n1', plain))).to.deep.equal([]);
    const unknown = aGpu({ product: 'NVIDIA X1', slices: [] });
    expect(membersOf(aDemandPolicy(demandOf(1)), aNodeWith('n1', unknown)), 'in MIG mode').to.deep.equal([]);
  });

  const kept: readonly (readonly [string, GpuReport, Partial<GpuPartitionPolicy['spec']>, boolean])[] = [
    ['an A100 that may not be reset', aGpu(), { allow: { gpuReset: false } }, true],
    ['an A100 that may be reset', aGpu(), {}, false],
    [
      'an H100, which takes no reset',
      aGpu({ product: 'NVIDIA H100 80GB HBM3' }),
      { allow: { gpuReset: false } },
      false,
    ],
    ['a GPU whose driver is too old for MIG', aGpu({ product: 'NVIDIA B200' }), {}, true],
    ['a partitioned GPU whose driver is newer than it says', aGpu({ product: 'NVIDIA B200', slices: [] }), {}, false],
    ['a partitioned GPU with a process on no known instance', aGpu({ slices: ['1g.5gb@0'], busy: true }), {}, true],
  ];
  for (const [what, gpu, more, isKept] of kept)
    it(`${isKept ? 'keep' : 'may change'} the MIG mode of ${what}`, () => {
      const [member] = membersOf(aDemandPolicy(demandOf(1), more), aNodeWith('n1', gpu));
      expect(member?.gpu.keepsMode).to.equal(isKept);
    });

  it('that were chosen before count as whole while they are being made, until a pod comes onto a slice', () => {
    const policy = aDemandPolicy(demandOf(1));
    const wish: GpuWish = { uuid, mig: 'Disabled', entry: 'demand' };
    const made = { profile: 'whole', start: 0, busy: false };
    const [idle] = membersOf(policy, aNodeWith('n1', aGpu({ slices: ['1g.5gb@0'] }), wish));
    expect(idle).to.have.nested.property('gpu.instances').that.deep.equals([made]);
    expect(idle?.wish).to.equal(wish);
    const [empty] = membersOf(policy, aNodeWith('n1', aGpu({ slices: [] }), wish));
    expect(empty?.gpu.instances, 'it had no slices').to.deep.equal([made]);
    const used = aNodeWith('n1', aGpu({ slices: ['1g.5gb@0*', '1g.5gb@1'] }), wish);
    const [busy] = membersOf(policy, used);
    expect(busy?.gpu.instances[0]?.profile).to.equal('1g.5gb');
    const [evicting] = membersOf(aDemandPolicy(demandOf(1, 0, { evict: 'IfNeeded' })), used);
    expect(evicting?.gpu.instances, 'the policy evicts').to.deep.equal([made]);
  });

  it('that pods use stay in use where their MIG mode is pending, although the demand has chosen them before', () => {
    const wish: GpuWish = { uuid, mig: 'Disabled', entry: 'demand' };
    const pending = held({ mig: 'Disabled', migPending: 'Enabled' });
    const [member] = membersOf(aDemandPolicy(demandOf(1)), aNodeWith('n1', pending, wish));
    expect(member?.gpu.instances).to.deep.equal([{ profile: 'whole', start: 0, busy: true }]);
    expect(member?.gpu.isResting).to.equal(true);
  });

  it('weigh as much as the memory slices of a GPU, and are reported by name', () => {
    const demand = demandOf(3);
    const members = membersOf(aDemandPolicy(demand), aNodeWith('n1', held()), aNodeWith('n2', aGpu()));
    const wanted = wantedSlices(demand, members, nobody);
    expect(wanted[0]?.slices).to.deep.equal([{ name: 'whole', count: 3, profiles: ['whole'], weight: 8 }]);
    const { states } = reportDemand(wanted, members, { lacking: { whole: 1 }, lackingAtLeast: { whole: 1 } });
    expect(states[0]).to.include({ name: 'whole', wanted: 3, offered: 2, used: 1, unmet: 1 });
  });

  it('that cannot be made because MIG mode may not change are reported with that reason', () => {
    const demand = demandOf(1);
    const policy = aDemandPolicy(demand, { allow: { gpuReset: false } });
    const { mig: _none, ...plain } = aGpu({ product: 'NVIDIA L40S', migCapable: false });
    const members = membersOf(policy, aNodeWith('n1', aGpu({ slices: [] })), aNodeWith('n2', plain));
    const { states } = reportDemand(wantedSlices(demand, members, nobody), members, { lacking: { whole: 1 } });
    expect(states[0]?.why).to.match(
      /do(es)? not hold 1 more.*\(1 of them cannot change MIG mode: allow\.gpuReset is false/,
    );
  });

  it('follow pods that request nvidia.com/gpu', () => {
    const demand: PolicyDemand = { from: 'Pods', slices: [{ mig: 'Disabled', min: 1, spare: 1 }] };
    const members = membersOf(aDemandPolicy(demand), aNodeWith('n1', held()));
    const [one] = wantedSlices(demand, members, { ...nobody, waiting: new Map([['nvidia.com/gpu', 2]]) });
    expect(one).to.include({ count: 4, used: 1, waiting: 2 });
  });
});

describe('a slice by its memory', () => {
  const wanted = (memory: string, ...gpus: readonly GpuReport[]) => {
    const demand: PolicyDemand = { slices: [{ memory, count: 1 }] };
    const nodes = gpus.map((gpu, index) => aNodeWith(`n${index}`, gpu));
    return wantedSlices(demand, membersOf(aDemandPolicy(demand), ...nodes), nobody)[0]?.slices[0];
  };

  it('is served by every plain profile with so much usable memory, the smallest first', () => {
    expect(wanted('4.75Gi', aGpu())?.profiles).to.deep.equal([
      '1g.5gb',
      '1g.10gb',
      '2g.10gb',
      '3g.20gb',
      '4g.20gb',
      '7g.40gb',
    ]);
  });

  it('takes no 1g.5gb for 5Gi or 5G, since that has 4,864 MiB', () => {
    expect(wanted('5Gi', aGpu())?.profiles[0]).to.equal('1g.10gb');
    expect(wanted('5G', aGpu())).to.deep.include({ weight: 1 });
    expect(wanted('5G', aGpu())?.profiles[0]).to.equal('1g.5gb');
  });

  it('takes a profile only if it has the memory on every GPU of the pool, since pods request just the profile', () => {
    const small = aGpu({ product: 'NVIDIA A100-SXM4-40GB' });
    const large = aGpu({ product: 'NVIDIA H100 80GB HBM3' });
    expect(wanted('9900Mi', large)?.profiles).to.include('1g.10gb');
    expect(wanted('9900Mi', small, large)?.profiles).to.not.include('1g.10gb');
  });

  it('leaves to other slices of the demand what they name', () => {
    const demand: PolicyDemand = {
      from: 'Pods',
      slices: [
        { name: 'some', memory: '4Gi', min: 0 },
        { name: 'large', profiles: ['3g.20gb'], min: 0 },
      ],
    };
    const gpu = aGpu({ slices: ['1g.5gb@0*', '3g.20gb@4*'] });
    const members = membersOf(aDemandPolicy(demand), aNodeWith('n1', gpu));
    const used = wantedSlices(demand, members, { ...nobody, waiting: new Map() }).map((one) => one.used);
    expect(used).to.deep.equal([1, 1]);
  });
});
