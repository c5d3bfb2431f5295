import { expect } from 'chai';
import { awaitClaims, awaitReading } from '../../../../src/core/node/rules/grant.ts';
import { aDevice, aGpu } from '../../../support/builders.ts';
import {
  aDriverPod,
  aFreshRead,
  aGpuPod,
  aManagedPartition,
  aNode,
  aSituation,
  aSlicingPolicy,
  aWish,
  changeOf,
  judge,
  namesOf,
  noon,
  slicesOf,
  taints,
  wholeGpu,
} from '../../../support/node-builders.ts';
import { planWish } from '../../../../src/core/device/plan.ts';
import type { PodView, ResourceClaimView } from '../../../../src/core/kubernetes/pod.ts';

const policy = aSlicingPolicy({ backend: 'DRA' });
const closed = aNode({ taints: taints.closed, allocatable: { 'nvidia.com/gpu': '0' } });
const open = aNode({ allocatable: { 'nvidia.com/gpu': '0' } });

function aClaim(...users: readonly string[]): ResourceClaimView {
  const results = [{ driver: 'gpu.nvidia.com', pool: 'n', device: 'gpu-0' }];
  const reservedFor = users.map((name) => ({ resource: 'pods', name, uid: `uid-${name}` }));
  return { metadata: { name: 'c', namespace: 'ns' }, status: { allocation: { devices: { results } }, reservedFor } };
}

describe('claims that have devices before their pods are there', () => {
  const partition = aManagedPartition({ backend: 'DRA' });
  const ask = (claims: readonly ResourceClaimView[] | undefined, node = closed, pods: readonly PodView[] = []) =>
    awaitClaims(aSituation({ policy, partition, node }, { fresh: aFreshRead({ ...(claims && { claims }) }) }), pods);

  it('are listed first, where the plan destroys or changes anything', () => {
    expect(ask(undefined)).to.deep.equal({ needs: 'All' });
  });

  it('keep a closed node closed with the GPU clients away, and are waited for', () => {
    const outcome = ask([aClaim('job')]);
    expect(outcome).to.include({ ifClosed: 'Stays', clientsPaused: true });
    expect(outcome).to.have.nested.property('waits.Claims.since', noon);
    const waits = { Claims: { since: noon - 121_000 } };
    const late = awaitClaims(
      aSituation(
        { policy, partition, node: closed },
        { fresh: aFreshRead({ claims: [aClaim('job')] }), memory: { waits, evictions: {} } },
      ),
      [],
    );
    expect(late).to.deep.include({ ifClosed: 'Opens', waits });
  });

  it('leave an open node open, and no wait begins', () => {
    const outcome = ask([aClaim('job')], open);
    expect(outcome).to.include({ ifClosed: 'Opens' });
    expect(outcome).to.not.have.property('waits');
  });

  it('count even if no pod has them, and no more when all of their pods are there', () => {
    expect(ask([aClaim()]))
      .to.have.nested.property('verdict.message')
      .that.includes('claim ns/c has gpu-0 for no pod');
    expect(ask([aClaim('job', 'late')], closed, [aGpuPod()]))
      .to.have.nested.property('verdict.message')
      .that.includes('for pod ns/late');
    expect(ask([aClaim('job')], closed, [aGpuPod()])).to.equal(undefined);
  });

  it('do not keep a node closed that has lost its slot', () => {
    const found = {
      pods: [aDriverPod()],
      slices: slicesOf(wholeGpu),
      fresh: { claims: [aClaim('job')], slot: undefined },
    };
    const settled = { waits: { Closed: { since: 0 } }, evictions: {} };
    const { verdict } = judge({ policy, partition, node: closed, slot: undefined }, found, settled);
    expect(verdict).to.include({ phase: 'Pending', reason: 'AwaitingSlot' });
  });
});

describe('pods of which the agent does not know yet what they use', () => {
  const created = (name: string, creationTimestamp: string): PodView => {
    const pod = aGpuPod(name);
    return { ...pod, metadata: { ...pod.metadata, creationTimestamp } };
  };
  const told = (
    pods: readonly PodView[],
    drain?: NonNullable<ReturnType<typeof aManagedPartition>['spec']['drain']>,
  ) => {
    const device = { ...wholeGpu, readTime: '2026-01-01T11:50:00Z' };
    const partition = aManagedPartition({ device, ...(drain && { drain }) });
    const ruling = awaitReading(aSituation({ partition }, { fresh: aFreshRead() }), pods);
    return ruling?.commands?.flatMap((command) => (command.name === 'WriteDrain' ? [command.drain] : []))[0];
  };

  it('are to be read after the last of them came', () => {
    const pods = [created('b', '2026-01-01T11:55:00Z'), created('a', '2026-01-01T11:54:00Z')];
    expect(told(pods)?.readAfter).to.equal('2026-01-01T11:55:03Z');
    expect(told(pods.toReversed())?.readAfter).to.equal('2026-01-01T11:55:03Z');
  });

  it('are asked for with the pods that go for this plan, and with none that went for another', () => {
    const { hash } = planWish(wholeGpu, aWish).report;
    const pods = [{ namespace: 'ns', name: 'goes', uid: 'uid-goes' }];
    expect(told([created('b', '2026-01-01T11:55:00Z')], { planHash: hash, readAfter: 'x', pods })).to.deep.include({
      planHash: hash,
      pods,
    });
    expect(told([created('b', '2026-01-01T11:55:00Z')], { planHash: 'another', pods })).to.deep.include({
      planHash: hash,
      pods: [],
    });
  });
});

describe('pods with claims that hold what a change of mode destroys', () => {
  it('go before the GPU clients do: the DRA driver has to be there for them to end', () => {
    const device = aDevice({ ...aGpu(), busy: true, pods: ['ns/job'] });
    const plan = { ...planWish(device, aWish).report, modeChanges: 1 };
    const partition = aManagedPartition({ backend: 'DRA', device: { ...device, plan } });
    const labels = { 'nvidia.com/gpu.deploy.dcgm': 'true', 'gpupartition.dev/state': 'updating' };
    const node = aNode({ taints: taints.closed, labels, allocatable: { 'nvidia.com/gpu': '0' } });
    const job: PodView = { ...aGpuPod(), spec: { containers: [{}], resourceClaims: [{ name: 'gpu' }] } };
    const found = { pods: [aDriverPod(), job], slices: slicesOf(device), fresh: { claims: [aClaim('job')] } };
    const settled = { waits: { Closed: { since: 0 } }, evictions: {} };
    const answer = judge({ policy, partition, node }, found, settled);
    expect(namesOf(answer)).to.deep.equal(['WriteDrain']);
    expect(changeOf(answer)).to.deep.equal({});
  });
});
