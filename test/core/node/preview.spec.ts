import { expect } from 'chai';
import { planPreview } from '../../../src/core/node/decide.ts';
import { Fleet } from '../../../src/core/policy/fleet.ts';
import { fullSupport } from '../../../src/core/policy/check.ts';
import { aDevice, aGpu, aPartition, aPolicy, withPods } from '../../support/builders.ts';

const fleet = new Fleet(fullSupport);
const gpu = withPods(aGpu({ slices: ['3g.20gb@0*', '3g.20gb@4'] }), { '3g.20gb@0': ['team/a'] });
const lastGood = { gpus: [{ uuid: gpu.uuid, placements: ['3g.20gb@0', '3g.20gb@4'] }], bootID: '' };
const partition = aPartition({ device: { ...aDevice(gpu), lastGood } });

describe('what a policy of mode Plan would do to a node of another policy', () => {
  const outcomeOf = (profiles: Readonly<Record<string, number>>, of = partition) => {
    const policy = aPolicy({ name: 'plan', mode: 'Plan', layouts: [{ profiles }] });
    return planPreview('n', fleet.previewClaim(policy, of), of);
  };

  it('is planned as if it decided, pods included', () => {
    const { phase, reason, message, plan } = outcomeOf({ '1g.5gb': 7 });
    expect([phase, reason]).to.deep.equal(['Pending', 'PlanOnly']);
    expect(message).to.equal(
      'mode Plan, nothing changes: would keep 0, destroy 2 and create 7 instances, evict team/a',
    );
    expect(plan).to.deep.include({ gpusChanging: 1, destroy: 2, create: 7, affectedPods: ['team/a'] });
  });

  it('says that a MIG mode changes, which may be all that is done', () => {
    const whole = aPartition({ device: aDevice(aGpu(), aGpu({ index: 1 })) });
    const messageOf = (preset: string, of: typeof whole): string =>
      planPreview('n', fleet.previewClaim(aPolicy({ name: 'plan', mode: 'Plan', layouts: [{ preset }] }), of), of)
        .message;
    expect(messageOf('all-enabled', whole)).to.equal(
      'mode Plan, nothing changes: would keep 0, destroy 0 and create 0 instances, with a change of MIG mode or a reset of 2 GPUs',
    );
    expect(messageOf('all-disabled', partition)).to.match(
      /destroy 2 and create 0 instances, with a change of MIG mode or a reset of 1 GPU, evict team\/a$/,
    );
  });

  it('waits for pods where the policy evicts none', () => {
    const policy = aPolicy({ name: 'plan', mode: 'Plan', drain: { scope: 'None' } });
    const { message } = planPreview('n', fleet.previewClaim(policy, partition), partition);
    expect(message).to.match(/, wait for team\/a to end$/);
  });

  it('says why the node cannot take it, or that its GPUs are not known', () => {
    expect(outcomeOf({ '1g.6gb': 1 })).to.include({ phase: 'Invalid', reason: 'UnknownProfile' });
    expect(outcomeOf({ '1g.5gb': 7 }, aPartition())).to.include({ phase: 'Pending', reason: 'AgentNotReporting' });
  });

  it('says what the plan would be refused for', () => {
    const { lastGood: _ours, ...foreign } = partition.status?.device ?? {};
    const { message, plan } = outcomeOf({ '1g.5gb': 7 }, aPartition({ device: foreign }));
    expect(plan?.refusalCode).to.equal('Foreign');
    expect(message).to.match(/^mode Plan, nothing changes: GPU 0 .* did not create/);
  });
});
