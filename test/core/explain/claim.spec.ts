import { expect } from 'chai';
import type { ClusterFacts } from '../../../src/core/cluster/facts.ts';
import { explainClaim, type ClaimExplanation, explainPod } from '../../../src/core/explain/pod.ts';
import { userKey } from '../../../src/core/gpu/device-state.ts';
import {
  aClaimCluster,
  aHeldClaim,
  aSlicedGpu,
  attribute,
  deviceNames,
  policy,
  type RequestedClaim,
} from '../cluster/claim-cluster.ts';
import { aPod, type StoryPod } from '../kubernetes/cluster-builder.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';

const [first = '', , , third = ''] = deviceNames;

function aPendingClaim(profile: string, name = 'wanted'): RequestedClaim {
  const selectors = [{ cel: { expression: `${attribute('profile')} == '${profile}'` } }];
  const requests = [{ name: 'one', exactly: { deviceClassName: 'mig.nvidia.com', selectors } }];
  return { metadata: { name, namespace: 'team' }, spec: { devices: { requests } } };
}

/** A pod with a claim by its own name. */
function aUser(claim: string, more: StoryPod = {}): PodView {
  const resourceClaims = [{ name: 'gpu', resourceClaimName: claim }];
  return aPod({ ...more, spec: { resourceClaims, ...more.spec } });
}

const explain = (claim: RequestedClaim, facts: ClusterFacts): ClaimExplanation =>
  explainClaim(claim, { ...facts, claims: [claim, ...(facts.claims ?? [])] });

describe('explain claim', () => {
  it('says which slice of which GPU and node it has, and which pod uses it', () => {
    const claim = aHeldClaim([third], { pod: 'train' });
    const user = aUser('held', { node: 'n' });
    const told = explain(claim, aClaimCluster([{}], [user]));
    expect(told).to.deep.include({ claim: 'team/held', code: 'Allocated', isPending: false, pods: ['team/train'] });
    expect(told.devices).to.deep.equal([{ node: 'n', device: third, place: 'GPU 0: 3g.20gb at 4' }]);
    expect(told.message).to.equal(`it has ${third} of node n (GPU 0: 3g.20gb at 4); used by team/train (Running)`);
  });

  it('says that a slice of it must go, and that a monitor only looks on', () => {
    const gpu = aSlicedGpu();
    const drains = [userKey(gpu.uuid, { profile: '3g.20gb', start: 4 })];
    const cluster = aClaimCluster([{ plan: { hash: 'h', wishHash: 'w', keep: 3, destroy: 1, create: 1, drains } }]);
    const { message } = explain(aHeldClaim([third]), cluster);
    expect(message).to.contain('(GPU 0: 3g.20gb at 4), which the plan of the node destroys; used by team/other');
    const watching = explain(aHeldClaim([first], { adminAccess: true }), cluster);
    expect(watching.message).to.contain('(GPU 0: 1g.5gb at 0), with admin access; ');
  });

  it('of no pod says that it keeps its slice from others', () => {
    const { code, isPending, message } = explain(aHeldClaim([first], { pod: '' }), aClaimCluster());
    expect({ code, isPending }).to.deep.equal({ code: 'Allocated', isPending: false });
    expect(message).to.match(
      /used by no pod, though it keeps it from others: delete the claim if no pod is to use it$/,
    );
  });

  it('finds a device that its node does not have: the pod would wait forever', () => {
    const { code, isPending, message } = explain(aHeldClaim(['gpu-0-mig-7g40gb-0-0']), aClaimCluster());
    expect({ code, isPending }).to.deep.equal({ code: 'DeviceGone', isPending: true });
    expect(message).to.contain(
      'node n does not have gpu-0-mig-7g40gb-0-0: no pod that uses it can start; delete its pods',
    );
  });

  it('does not take a device for gone on a node whose agent has not reported', () => {
    const { code, devices } = explain(aHeldClaim([first], { node: 'elsewhere' }), aClaimCluster());
    expect(code).to.equal('Allocated');
    expect(devices).to.deep.equal([{ node: 'elsewhere', device: first }]);
  });

  it('names devices of other drivers no GPU', () => {
    const claim: RequestedClaim = {
      metadata: { name: 'nic', namespace: 'team' },
      status: { allocation: { devices: { results: [{ driver: 'dra.net', pool: 'n', device: 'eth1' }] } } },
    };
    const { code, isPending, message } = explain(claim, aClaimCluster());
    expect({ code, isPending }).to.deep.equal({ code: 'OtherDriver', isPending: false });
    expect(message).to.equal('it is allocated, without a GPU: its devices are of dra.net');
  });

  it('waits with its pod, and is explained like it: what each node lacks, by the pod’s own selector', () => {
    const user = aUser('wanted', { spec: { nodeSelector: { pool: 'p' } } });
    const facts = aClaimCluster([{ name: 'a' }, { name: 'b', labels: { pool: 'other' } }], [user], {
      claims: [aHeldClaim([deviceNames[2] ?? ''], { node: 'a' })],
    });
    const told = explain(aPendingClaim('2g.10gb'), facts);
    expect(told).to.deep.include({ code: 'Full', isPending: true, pods: ['team/train'], devices: [] });
    expect(told.message).to.match(/^it waits with pod team\/train: it requests 1 device of .* by claim team\/wanted; /);
    expect(told.message).to.contain('are in use, held by team/other');
    expect(told.nodes).to.deep.equal([
      {
        node: 'a',
        blockers: [
          '1 of 1 devices that meet DeviceClass mig.nvidia.com with selectors of its own are in use, held by team/other',
        ],
      },
      { node: 'b', blockers: ['pool is other, and the pod wants p'] },
    ]);
  });

  it('finds the pod for whose template the claim was made', () => {
    const status = { phase: 'Pending', resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'train-gpu-x7k2p' }] };
    const resourceClaims = [{ name: 'gpu', resourceClaimTemplateName: 'small' }];
    const pod = aPod({ spec: { resourceClaims }, status });
    const { message } = explain(aPendingClaim('7g.40gb', 'train-gpu-x7k2p'), aClaimCluster([{}], [pod]));
    expect(message).to.match(/^it waits with pod team\/train: .* by claim team\/train-gpu-x7k2p; /);
  });

  it('without a pod says that the scheduler waits for one, and which nodes could serve it', () => {
    const told = explain(aPendingClaim('2g.10gb'), aClaimCluster([{ name: 'a' }, { name: 'b', isDra: false }]));
    expect(told).to.deep.include({ code: 'Unused', isPending: true, pods: [] });
    expect(told.message).to.equal(
      'no pod asks for it, and the scheduler allocates a claim only for a pod; node a could serve it',
    );
    expect(told.nodes.map(({ node, blockers }) => [node, blockers.length])).to.deep.equal([
      ['a', 0],
      ['b', 1],
    ]);
  });

  it('without a pod and without a node that could serve it says why none could', () => {
    const { message } = explain(aPendingClaim('2g.10gb'), aClaimCluster([{ isDra: false }]));
    expect(message).to.match(/ only for a pod; it requests 1 device of .*its device plugin hands its GPUs out/);
  });

  it('without a pod names no node where it is not known what devices it wants', () => {
    const requests = [{ name: 'one', exactly: { deviceClassName: 'gone' } }];
    const claim = { metadata: { name: 'wanted', namespace: 'team' }, spec: { devices: { requests } } };
    const { message } = explain(claim, aClaimCluster());
    expect(message).to.contain('only for a pod; it requests devices by claim: ');
    expect(message).not.to.contain('could serve it');
  });

  it('names the pods for which it is reserved, though they cannot be read', () => {
    const told = explain(aHeldClaim([third]), aClaimCluster());
    expect(told.pods).to.deep.equal(['team/other']);
  });

  it('suggests what a policy would have to offer', () => {
    const busy = aClaimCluster([{}], [aUser('wanted')], { claims: [aHeldClaim(deviceNames.slice(2, 3))] });
    const { suggestions } = explain(aPendingClaim('2g.10gb'), busy);
    const edit = suggestions.find(({ kind }) => kind === 'EditPolicy');
    expect(edit?.message).to.match(
      new RegExp(`^set spec\\.layouts\\[0\\]\\.profiles of policy ${policy.metadata.name} to `),
    );
  });
});

describe('explain pod: a claim that has its devices', () => {
  const explained = (user: PodView, claim: RequestedClaim, facts: Partial<ClusterFacts> = {}) =>
    explainPod(user, aClaimCluster([{ name: 'a' }, { name: 'b' }], [user], { claims: [claim], ...facts }));

  it('keeps its pod from other nodes, by name', () => {
    const { nodes, code, message } = explained(aUser('held'), aHeldClaim([first], { node: 'b' }));
    expect(nodes).to.deep.equal([
      { node: 'b', blockers: [] },
      { node: 'a', blockers: [`claim team/held has ${first} of node b`] },
    ]);
    expect({ code, message }).to.deep.equal({
      code: 'SchedulerSays',
      message: 'node b has its GPUs free; the scheduler reports: 0/1 nodes are available',
    });
    const absent = explained(aUser('held'), aHeldClaim([first], { node: 'gone' }));
    expect(absent.code).to.equal('ClaimElsewhere');
    expect(absent.message).to.contain(
      `it requests what claim team/held has (${first} of node gone); the nearest is node `,
    );
  });

  it('keeps its pod from no node if it has no GPU', () => {
    const nic: RequestedClaim = {
      metadata: { name: 'nic', namespace: 'team' },
      status: { allocation: { devices: { results: [{ driver: 'dra.net', pool: 'a', device: 'eth1' }] } } },
    };
    const { nodes } = explained(aUser('nic'), nic);
    expect(nodes.map(({ blockers }) => blockers)).to.deep.equal([[], []]);
  });

  it('is not confused with one of the same name in another namespace', () => {
    const held = aHeldClaim([first], { node: 'b' });
    const elsewhere = { ...held, metadata: { name: 'held', namespace: 'other' } };
    expect(explained(aUser('held'), elsewhere).message).to.contain('there is no ResourceClaim held');
  });

  it('is named with its slice where the pod runs, whichever way it asked', () => {
    const claim = aHeldClaim([first], { node: 'a' });
    const says = `it is on node a (Running), with ${first} of node a by claim team/held`;
    expect(explained(aUser('held', { node: 'a' }), claim).message).to.equal(says);
    const byResource = aPod({
      node: 'a',
      status: { phase: 'Running', extendedResourceClaimStatus: { resourceClaimName: 'held' } },
    });
    expect(explained(byResource, claim).message).to.equal(says);
    expect(explained(aPod({ node: 'a' }), claim).message).to.equal('it is on node a (Running)');
  });
});
