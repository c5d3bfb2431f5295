import { expect } from 'chai';
import type { ChangePlan, ClusterState } from '../../../src/core/plan/change.ts';
import type { PlannedNode } from '../../../src/core/plan/node.ts';
import { writeChangePlan } from '../../../src/core/plan/text.ts';
import { explainPod } from '../../../src/core/explain/pod.ts';
import { fillDefaults } from '../../../src/core/policy/schema.ts';
import { viewNodeStatus } from '../../../src/core/view/node.ts';
import { aGpu, uuidOf, withClaims } from '../../support/builders.ts';
import { aDriverPod } from '../../support/node-builders.ts';
import { aCluster, aFleetNode, aTeamPod, inFile, sliced, someSetup, planChange } from './cluster-builder.ts';

const halves = ['3g.20gb@0', '3g.20gb@4'];
const inSevenths = { layouts: [{ profiles: { '1g.5gb': 7 } }] };
const plan = (cluster: ClusterState, ...given: Parameters<typeof planChange>[1]): ChangePlan =>
  planChange(cluster, given, someSetup);

/** `name fate reason` of each node. */
const fatesOf = ({ nodes }: ChangePlan): readonly string[] =>
  nodes.map(({ node, fate, reason }) => `${node} ${fate} ${reason}`);
const wavesOf = ({ waves }: ChangePlan): readonly (readonly string[])[] => waves.map(({ nodes }) => nodes);
function nodeOf({ nodes }: ChangePlan, name: string): PlannedNode {
  const found = nodes.find(({ node }) => node === name);
  if (!found) throw new Error(`no node ${name} in the plan`);
  return found;
}

/** Three nodes of two halves: two pods on n1, none on n2, one on n3. */
function aBusyFleet(more: Partial<ClusterState> = {}): ClusterState {
  const nodes = [
    aFleetNode({ name: 'n1', slices: halves, pods: { '3g.20gb@0': ['a'], '3g.20gb@4': ['b'] } }),
    aFleetNode({ name: 'n2', slices: halves }),
    aFleetNode({ name: 'n3', slices: halves, pods: { '3g.20gb@4': ['c'] } }),
  ];
  return aCluster(nodes, { pods: [aTeamPod('a'), aTeamPod('b'), aTeamPod('c', { node: 'n3' })], ...more });
}

describe('the plan of a change', () => {
  it('says what each GPU keeps, loses and gets, with its pictures, and who goes', () => {
    const found = plan(aBusyFleet(), inFile({ layouts: [{ profiles: { '3g.20gb': 1, '1g.5gb': 3 } }] }));
    const { gpus, evictions, plan: counts } = nodeOf(found, 'n3');
    expect(counts).to.include({ keep: 1, destroy: 1, create: 3 });
    expect(gpus[0]?.keep).to.deep.equal([{ profile: '3g.20gb', start: 4, pods: ['team/c'] }]);
    expect(gpus[0]?.destroy).to.deep.equal([{ profile: '3g.20gb', start: 0 }]);
    expect(gpus[0]?.create.map(({ profile, start }) => `${profile}@${start}`)).to.have.length(3);
    expect(gpus[0]?.before.picture).to.match(/^\|3g\.20gb {2,}\|3g\.20gb\* +\|$/);
    expect(gpus[0]?.after.picture).to.match(/^\|1g\.5gb .*\|3g\.20gb\* +\|$/);
    expect(evictions).to.deep.equal([]);
    expect(nodeOf(found, 'n1').evictions).to.have.length(1);
    expect(found.summary).to.equal('this change evicts 1 pod and changes 3 of 3 nodes in 3 waves');
  });

  it('says of a policy that no node matches its selector: it may be misspelt', () => {
    const nowhere = inFile({ nodeSelector: { matchLabels: { pool: 'infernece' } } });
    const found = plan(aBusyFleet({ policies: [] }), nowhere);
    expect(found.policies).to.deep.equal([{ policy: 'p', change: 'New', selectsNothing: true }]);
    expect(writeChangePlan(found)[0]).to.equal('policy p: new; no node matches spec.nodeSelector');
    expect(plan(aBusyFleet(), nowhere).policies, 'an edit').to.deep.equal([
      { policy: 'p', change: 'Changed', selectsNothing: true },
    ]);
  });

  it('admits nodes as the rollout does: within the budget, and the cheap ones first', () => {
    const one = plan(aBusyFleet(), inFile(inSevenths));
    expect(wavesOf(one)).to.deep.equal([['n2'], ['n3'], ['n1']]);
    const two = plan(aBusyFleet(), inFile({ ...inSevenths, rollout: { maxUnavailable: '70%' } }));
    expect(wavesOf(two)).to.deep.equal([['n2', 'n3'], ['n1']]);
    expect(two.summary).to.equal('this change evicts 3 pods and changes 3 of 3 nodes in 2 waves');
    expect(nodeOf(two, 'n1')).to.include({ fate: 'Changes', wave: 2 });
  });

  it('holds to the cap over all policies', () => {
    const wide = inFile({ ...inSevenths, rollout: { maxUnavailable: 3 } });
    const capped = planChange(aBusyFleet(), [wide], { ...someSetup, maxConcurrentNodes: 2 });
    expect(wavesOf(capped)).to.deep.equal([['n2', 'n3'], ['n1']]);
    expect(capped.summary).to.match(/in 2 waves of at most 2 nodes \(--max-concurrent-nodes of the controller\)$/);
  });

  it('takes the cap that the controller has written where none is given, and its default where nothing is known', () => {
    const wide = inFile({ ...inSevenths, rollout: { maxUnavailable: 3 } });
    const { maxConcurrentNodes: _given, ...setup } = someSetup;
    expect(wavesOf(planChange(aBusyFleet(), [wide], setup))).to.deep.equal([['n2'], ['n3'], ['n1']]);
    const fleet = aBusyFleet();
    const limits = { nodes: 3, maxUnavailable: 1, maxConcurrentNodes: 2 };
    const policies = fleet.policies.map((policy) => ({ ...policy, status: { ...policy.status, limits } }));
    expect(wavesOf(planChange({ ...fleet, policies }, [wide], setup))).to.deep.equal([['n2', 'n3'], ['n1']]);
  });

  it('says of a cap that it does not know that it is assumed', () => {
    const wide = inFile({ ...inSevenths, rollout: { maxUnavailable: 3 } });
    const { maxConcurrentNodes: _given, ...setup } = someSetup;
    expect(planChange(aBusyFleet(), [wide], setup).summary).to.contain(
      'in 3 waves of at most 1 node (--max-concurrent-nodes, assumed to be the default of 10%',
    );
  });

  it('takes nodes of equal cost by name, whichever was looked at first, as the controller does', () => {
    const names = ['n3', 'n1', 'n4', 'n2'];
    const cluster = aCluster(names.map((name) => aFleetNode({ name, slices: halves })));
    const canary = { rollout: { maxUnavailable: 2, canary: { nodes: 1 } } };
    expect(wavesOf(plan(cluster, inFile({ ...inSevenths, ...canary })))).to.deep.equal([['n1'], ['n2', 'n3'], ['n4']]);
  });

  it('shows no canary for an edit that only resumes: the controller draws none', () => {
    const paused = { ...inSevenths, rollout: { maxUnavailable: 2, paused: true, canary: { nodes: 1 } } };
    const before = sliced({ ...paused, generation: 3 });
    const canary = { generation: 3, nodes: ['n9'], passedTime: '2026-01-01T11:00:00Z' };
    const history = [{ generation: 3, time: '2026-01-01T10:00:00Z', spec: before.spec }];
    const inForce = { generation: 3, spec: before.spec };
    const policies = [{ ...before, status: { acceptedGeneration: 3, inForce, canary, history } }];
    const cluster = aCluster(
      ['n1', 'n2', 'n3'].map((name) => aFleetNode({ name, slices: halves })),
      { policies },
    );
    const resumed = inFile({ ...paused, rollout: { ...paused.rollout, paused: false } });
    expect(wavesOf(plan(cluster, resumed))).to.deep.equal([['n1', 'n2'], ['n3']]);
    const other = inFile({ ...resumed.spec, layouts: [{ profiles: { '7g.40gb': 1 } }] });
    expect(wavesOf(plan(cluster, other))).to.deep.equal([['n1'], ['n2', 'n3']]);
  });

  it('says how long it takes at the pace of earlier changes, if any is known', () => {
    const fleet = aBusyFleet();
    expect(plan(fleet, inFile(inSevenths))).to.not.have.property('seconds');
    const pace = { generation: 1, nodes: 4, seconds: 240 };
    const policies = fleet.policies.map((policy) => ({ ...policy, status: { ...policy.status, pace } }));
    const known = plan({ ...fleet, policies }, inFile(inSevenths));
    expect(known.seconds).to.equal(180);
    expect(known.summary).to.match(/in 3 waves, in about 3 min at the pace of earlier changes$/);
  });

  it('draws the same change of a GPU once, in whichever wave it comes again', () => {
    const names = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9'];
    const found = plan(aCluster(names.map((name) => aFleetNode({ name, slices: halves }))), inFile(inSevenths));
    const lines = writeChangePlan(found);
    expect(found.waves).to.have.length(9);
    expect(lines.filter((line) => line.startsWith('now '))).to.have.length(1);
    expect(lines).to.contain('  n9 (policy p): keep 0, destroy 2, create 7, as n1');
  });

  it('counts what other policies have in flight, until that has ended', () => {
    const slot = { node: 'x', nodeUID: 'u', generation: 1, startTime: '2026-01-01T11:59:00Z' };
    const other = sliced({ name: 'other', nodeSelector: { matchLabels: { pool: 'other' } } });
    const fleet = aBusyFleet();
    const policies = [...fleet.policies, { ...other, status: { inFlight: [slot] } }];
    const wide = inFile({ ...inSevenths, rollout: { maxUnavailable: 3 } });
    const found = planChange({ ...fleet, policies }, [wide], { ...someSetup, maxConcurrentNodes: 2 });
    expect(wavesOf(found)).to.deep.equal([['n2'], ['n3', 'n1']]);
  });

  it('is held by nodes that are cordoned, which use the budget up', () => {
    const cordoned = aFleetNode({ name: 'out', slices: halves, node: { unschedulable: true } });
    const found = plan(aCluster([cordoned, aFleetNode({ name: 'n1', slices: halves })]), inFile(inSevenths));
    expect(nodeOf(found, 'n1').fate).to.equal('Held');
    expect(found.policies[0]?.held).to.include('out (cordoned)');
  });

  it('has several policies share the cap, and what one gives back goes to another', () => {
    const q = sliced({ name: 'q', nodeSelector: { matchLabels: { pool: 'q' } } });
    const inQ = { node: { labels: { pool: 'q' } } };
    const nodes = [
      aFleetNode({ name: 'n1', slices: halves }),
      aFleetNode({ name: 'n2', slices: halves }),
      aFleetNode({ name: 'm1', slices: halves, ...inQ }, q),
      aFleetNode({ name: 'm2', slices: halves, ...inQ }, q),
    ];
    const given = [inFile(inSevenths), inFile({ ...inSevenths, nodeSelector: q.spec.nodeSelector }, 'q')];
    const cluster = aCluster(nodes, { policies: [sliced(), q] });
    expect(wavesOf(planChange(cluster, given, { ...someSetup, maxConcurrentNodes: 2 }))).to.deep.equal([
      ['n1', 'm1'],
      ['n2', 'm2'],
    ]);
    expect(wavesOf(planChange(cluster, given, { ...someSetup, maxConcurrentNodes: 1 }))).to.deep.equal([
      ['n1'],
      ['n2'],
      ['m1'],
      ['m2'],
    ]);
  });

  it('plans nodes whose GPUs are handed out by claims, without reading slices or claims', () => {
    const node = { allocatable: { 'nvidia.com/gpu': '0' } };
    const driver = aDriverPod();
    const namespace = 'nvidia-dra-driver-gpu';
    const fleet = aCluster([aFleetNode({ name: 'n1', slices: halves, node })], {
      policies: [sliced({ backend: 'DRA' })],
      pods: [{ ...driver, metadata: { ...driver.metadata, namespace }, spec: { ...driver.spec, nodeName: 'n1' } }],
    });
    const found = plan(fleet, inFile({ ...inSevenths, backend: 'DRA' }));
    expect(fatesOf(found)).to.deep.equal(['n1 Changes AwaitingSlot']);
  });

  it('plans nodes of a policy that finds the backend out by what is on each, and names one on which neither is there', () => {
    const empty = { allocatable: { 'nvidia.com/gpu': '0' } };
    const namespace = 'nvidia-dra-driver-gpu';
    const driver = aDriverPod();
    const nodes = [
      aFleetNode({ name: 'claims', slices: halves, node: empty }),
      aFleetNode({ name: 'neither', slices: halves, node: empty }),
    ];
    const fleet = aCluster(nodes, {
      policies: [sliced({ backend: 'Auto' })],
      pods: [{ ...driver, metadata: { ...driver.metadata, namespace }, spec: { ...driver.spec, nodeName: 'claims' } }],
    });
    const found = fatesOf(plan(fleet, inFile({ ...inSevenths, backend: 'Auto' })));
    expect(found).to.include('claims Changes AwaitingSlot');
    expect(found.join()).to.include('BackendUnknown');
  });

  it('begins with the canary, and says when the rest may follow', () => {
    const rollout = { maxUnavailable: 3, canary: { nodes: 1, soak: '1h' } };
    const { waves } = plan(aBusyFleet(), inFile({ ...inSevenths, rollout }));
    expect(waves).to.deep.equal([{ nodes: ['n2'] }, { nodes: ['n3', 'n1'], notBefore: '2026-01-01T13:00:00Z' }]);
  });

  it('waits for a window, and tells when it opens', () => {
    const windows = [{ schedule: '0 22 * * *', duration: '4h' }];
    const { waves } = plan(aBusyFleet(), inFile({ ...inSevenths, rollout: { maxUnavailable: 3, windows } }));
    expect(waves).to.deep.equal([{ nodes: ['n2', 'n3', 'n1'], notBefore: '2026-01-01T22:00:00Z' }]);
  });

  it('holds what is paused or held, and still says what it would do', () => {
    const held = plan(aBusyFleet(), inFile({ ...inSevenths, rollout: { maxUnavailable: 0 } }));
    expect(fatesOf(held)[0]).to.equal('n1 Held AwaitingSlot');
    expect(held.policies[0]?.held).to.match(/maxUnavailable is 0/);
    expect(nodeOf(held, 'n1').evictions).to.have.length(2);
    const paused = plan(aBusyFleet(), inFile({ ...inSevenths, rollout: { paused: true } }));
    expect(fatesOf(paused)[0]).to.equal('n1 Held Paused');
    expect(nodeOf(paused, 'n1').gpus[0]?.isChanging).to.equal(true);
    expect(paused.summary).to.equal('this change affects no nodes; 3 nodes held');
  });

  it('changes nothing in mode Plan, and still says what it would do', () => {
    const found = plan(aBusyFleet(), inFile({ ...inSevenths, mode: 'Plan' }));
    expect(fatesOf(found)).to.deep.equal(['n1 PlanOnly PlanOnly', 'n2 PlanOnly PlanOnly', 'n3 PlanOnly PlanOnly']);
    expect(found.waves).to.deep.equal([]);
    expect(nodeOf(found, 'n3').gpus[0]?.create).to.have.length(7);
  });

  it('finds nodes done that are as the policy says already, whoever filled in the defaults', () => {
    const { spec } = sliced();
    const found = plan(aBusyFleet({ policies: [{ ...sliced(), spec: fillDefaults(spec) }] }), inFile(spec));
    expect(found.policies).to.deep.equal([{ policy: 'p', change: 'Unchanged' }]);
    expect(found.nodes.map(({ fate }) => fate)).to.deep.equal(['Done', 'Done', 'Done']);
    expect(found.summary).to.equal('this change affects no nodes');
  });

  it('takes nothing of a change of the rollout alone for a change of nodes', () => {
    const found = plan(aBusyFleet(), inFile({ layouts: sliced().spec.layouts ?? [], rollout: { maxUnavailable: 2 } }));
    expect(found.policies[0]?.change).to.equal('Changed');
    expect(found.nodes.map(({ fate }) => fate)).to.deep.equal(['Done', 'Done', 'Done']);
  });

  it('says of a policy that is not accepted which nodes cannot take it, and what it would do without them', () => {
    const a30 = aGpu({ product: 'NVIDIA A30', slices: [] });
    const { nodes, partitions } = aCluster([aFleetNode({ name: 'n4', gpus: [a30] })]);
    const fleet = aBusyFleet();
    const cluster = { ...fleet, nodes: [...fleet.nodes, ...nodes], partitions: [...fleet.partitions, ...partitions] };
    const found = plan(cluster, inFile(inSevenths));
    expect(fatesOf(found)[3]).to.equal('n4 Refused UnknownProfile');
    expect(found.findings.map(({ code }) => code)).to.deep.equal(['PolicyNotAccepted', 'NodeRefused']);
    expect(found.findings[0]?.message).to.match(/none of it starts, while it selects nodes .*: n4$/);
    expect(found.summary).to.equal(
      'nothing starts now; once that is fixed, this change evicts 3 pods and changes 3 of 4 nodes in 3 waves; 1 node cannot take it',
    );
  });

  it('leaves a node to the policy that has won it, and says so', () => {
    const stronger = sliced({ name: 'q', priority: 1, nodeSelector: { matchLabels: { pool: 'p', rack: '1' } } });
    const nodes = [
      aFleetNode({ name: 'n1', slices: halves, node: { labels: { rack: '1' } } }, stronger),
      aFleetNode({ name: 'n2', slices: halves }),
    ];
    const found = plan(aCluster(nodes, { policies: [sliced(), stronger] }), inFile(inSevenths));
    expect(fatesOf(found)).to.deep.equal(['n1 OtherPolicy Ready', 'n2 Changes AwaitingSlot']);
    expect(nodeOf(found, 'n1')).to.include({ policy: 'q' });
    expect(nodeOf(found, 'n1').message).to.match(/^policy q applies to this node/);
  });

  it('tells of nodes that a policy leaves: those of nobody keep their layout, those of another get its', () => {
    const weaker = sliced({ name: 'q', priority: -1, ...inSevenths, nodeSelector: { matchLabels: { rack: '1' } } });
    const nodes = [
      aFleetNode({ name: 'n1', slices: halves }),
      aFleetNode({ name: 'n2', slices: halves, node: { labels: { rack: '1' } } }),
    ];
    const narrowed = inFile({ layouts: sliced().spec.layouts ?? [], nodeSelector: { matchLabels: { pool: 'none' } } });
    const found = plan(aCluster(nodes, { policies: [sliced(), weaker] }), narrowed);
    expect(fatesOf(found)).to.deep.equal(['n1 Released NoPolicy', 'n2 Changes AwaitingSlot']);
    expect(nodeOf(found, 'n2').policy).to.equal('q');
  });

  it('takes what was made since the driver was loaded again for somebody else’s, though it is where ours was', () => {
    const { node, partition } = aFleetNode({ name: 'n1', slices: halves });
    const { lastGood, ...device } = partition.status?.device ?? {};
    const reloaded = { ...device, driverLoad: '2', lastGood: { ...lastGood, bootID: 'boot-a+1' } };
    const cluster = aCluster([{ node, partition: { ...partition, status: { device: reloaded } } }]);
    expect(fatesOf(plan(cluster, inFile(inSevenths)))).to.deep.equal(['n1 Refused ForeignInstances']);
    const containers = [{ resources: { limits: { 'nvidia.com/mig-1g.5gb': 1 } } }];
    const { suggestions } = explainPod({ metadata: { name: 'a' }, spec: { containers } }, cluster);
    expect(suggestions.map(({ kind }) => kind)).to.not.include('EditPolicy');
    const wish = { gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 7 }, entry: '0' }] };
    const status = { device: reloaded };
    const [gpu] = viewNodeStatus({ ...partition, spec: { ...partition.spec, wish }, status }).gpus;
    expect(gpu?.after).to.have.property('refusal');
  });

  it('plans a policy that is new, with the defaults of the API server', () => {
    const cluster = { ...aBusyFleet(), policies: [] };
    const found = plan(cluster, inFile(inSevenths, 'fresh'));
    expect(found.policies).to.deep.equal([{ policy: 'fresh', change: 'New' }]);
    expect(wavesOf(found)).to.deep.equal([['n2'], ['n3'], ['n1']]);
  });

  it('finds fault with instances that somebody else made', () => {
    const foreign = aFleetNode({ name: 'n1', slices: halves });
    const device = { ...foreign.partition.status?.device, lastGood: { bootID: 'boot-a', gpus: [] } };
    const partition = { ...foreign.partition, status: { device } };
    const found = plan(aCluster([{ ...foreign, partition }]), inFile(inSevenths));
    expect(fatesOf(found)).to.deep.equal(['n1 Refused ForeignInstances']);
    expect(found.findings.map(({ code, node }) => [code, node])).to.deep.equal([['NodeRefused', 'n1']]);
  });

  it('has a node wait that a process uses, that is cordoned or that is not Ready, without finding fault', () => {
    const nodes = [
      aFleetNode({ name: 'n1', slices: ['3g.20gb@0*', '3g.20gb@4'] }),
      aFleetNode({ name: 'n2', slices: halves, node: { unschedulable: true } }),
      aFleetNode({ name: 'n3', slices: halves, node: { ready: 'False' } }),
    ];
    const found = plan(aCluster(nodes), inFile({ layouts: [{ profiles: { '7g.40gb': 1 } }] }));
    expect(fatesOf(found)).to.deep.equal([
      'n1 Waits ProcessesUseGpus',
      'n2 Waits ForeignCordon',
      'n3 Waits NodeNotReady',
    ]);
    expect(found.findings).to.deep.equal([]);
    expect(found.summary).to.equal('this change affects no nodes; 3 nodes waiting');
  });

  it('does not count on a node that is changing already', () => {
    const { partition } = aFleetNode({ name: 'n1', slices: halves });
    const gpus = partition.spec.wish?.gpus ?? [];
    const granted = { gpus: [...gpus], epoch: 1, planHash: 'x', deadline: '2026-01-01T12:10:00Z' };
    const nodes = [
      aFleetNode({ name: 'n1', slices: halves, spec: { granted } }),
      aFleetNode({ name: 'n2', slices: halves }),
    ];
    const found = plan(aCluster(nodes), inFile(inSevenths));
    expect(fatesOf(found)).to.deep.equal(['n1 UnderWay Applying', 'n2 Changes AwaitingSlot']);
  });

  it('tries again with a new generation what has failed', () => {
    const { bootID, gpus } = { bootID: 'boot-a', gpus: [aGpu({ slices: halves })] };
    const policy = { uid: 'uid-p', generation: 1 };
    const granted = { gpus: [], epoch: 1, policy, planHash: 'x', deadline: '2026-01-01T11:00:00Z' };
    const failed = aFleetNode({
      name: 'n1',
      gpus,
      spec: { granted },
    });
    const { device } = failed.partition.status ?? {};
    const error = { code: 'DestroyFailed', message: 'no', gpu: uuidOf(0) };
    const status = { device: { ...device, bootID, observedEpoch: 1, step: 'Failed' as const, error } };
    const found = plan(aCluster([{ ...failed, partition: { ...failed.partition, status } }]), inFile(inSevenths));
    expect(fatesOf(found)).to.deep.equal(['n1 Changes AwaitingSlot']);
  });

  it('says that the GPUs of a node without a report are unknown', () => {
    const { node } = aFleetNode({ name: 'n1' });
    const found = plan({ ...aCluster([]), nodes: [node] }, inFile(inSevenths));
    expect(fatesOf(found)).to.deep.equal(['n1 Waits AgentNotReporting']);
  });

  it('finds no fault with what was wrong before and is not about this change', () => {
    const a30 = aFleetNode({ name: 'n4', gpus: [aGpu({ product: 'NVIDIA A30', slices: [] })] });
    const found = plan(aCluster([a30]), inFile({ layouts: sliced().spec.layouts ?? [] }));
    expect(fatesOf(found)).to.deep.equal(['n4 Refused UnknownProfile']);
    expect(found.nodes[0]?.isAffected).to.equal(false);
    expect(found.findings).to.deep.equal([]);
  });

  it('counts what is still to be done for policies that are as before beside the change', () => {
    const one = aFleetNode({ name: 'n1', slices: ['3g.20gb@4'] });
    const found = plan(aCluster([one]), inFile({ layouts: sliced().spec.layouts ?? [] }));
    expect(fatesOf(found)).to.deep.equal(['n1 Changes AwaitingSlot']);
    expect(found.summary).to.equal('this change affects no nodes; 1 node still to change for unchanged policies');
  });

  it('says why a policy is valid nowhere, once', () => {
    const sharing = { timeSlicing: [{ resource: 'nvidia.com/mig-1g.5gb', replicas: 2 }] };
    const found = plan(aBusyFleet(), inFile({ ...inSevenths, sharing }));
    expect(found.findings.map(({ code }) => code)).to.deep.equal(['PolicyInvalid']);
    expect(found.findings[0]?.message).to.match(/--device-plugin-config-map/);
  });
});

describe('the pods that a plan evicts', () => {
  const one = (more: Parameters<typeof aTeamPod>[1], spec: object = {}, budgets: ClusterState['budgets'] = []) => {
    const nodes = [aFleetNode({ name: 'n1', slices: halves, pods: { '3g.20gb@0': ['a'] } })];
    const pods = [aTeamPod('a', more)];
    const found = plan(aCluster(nodes, { pods, budgets }), inFile({ ...inSevenths, ...spec }));
    return { ...found, evictions: found.nodes.flatMap(({ evictions }) => evictions) };
  };
  const budget = {
    metadata: { name: 'pdb', namespace: 'team' },
    spec: { selector: { matchLabels: { app: 'train' } } },
    status: { disruptionsAllowed: 0 },
  };

  it('are named with what they hold', () => {
    expect(one({}).evictions).to.deep.equal([{ pod: 'team/a', fate: 'Evicted', holds: ['GPU 0: 3g.20gb at 0'] }]);
  });

  it('are named with the claim by which they hold it', () => {
    const gpu = withClaims(aGpu({ slices: halves }), { '3g.20gb@0': { 'team/a-gpu': 'team/a' } });
    const nodes = [aFleetNode({ name: 'n1', gpus: [gpu] })];
    const { nodes: planned } = plan(aCluster(nodes, { pods: [aTeamPod('a', {})] }), inFile(inSevenths));
    expect(planned.flatMap(({ evictions }) => evictions.map(({ holds }) => holds))).to.deep.equal([
      ['GPU 0: 3g.20gb at 0 by claim team/a-gpu'],
    ]);
  });

  it('are a finding where their budget allows no disruption', () => {
    const { evictions, findings, summary } = one({}, {}, [budget]);
    expect(evictions[0]?.fate).to.equal('Blocked');
    expect(findings).to.deep.equal([
      {
        code: 'EvictionBlocked',
        node: 'n1',
        pod: 'team/a',
        message: 'pod team/a is not evicted now: PodDisruptionBudget team/pdb allows 0 disruptions',
      },
    ]);
    expect(summary).to.match(/; 1 pod blocked by PodDisruptionBudgets$/);
  });

  it('are a finding where no eviction moves them', () => {
    for (const [more, words] of [
      [{ owner: '' }, 'has no controller'],
      [{ owner: 'DaemonSet' }, 'belongs to a DaemonSet'],
      [{ annotations: { 'gpupartition.dev/evict': 'false' } }, 'is annotated gpupartition.dev/evict'],
      [{ annotations: { 'kubernetes.io/config.mirror': 'x' } }, 'is a static pod'],
    ] as const) {
      const { findings, nodes } = one(more);
      expect(findings.map(({ code }) => code)).to.deep.equal(['PodStays']);
      expect(findings[0]?.message.startsWith(`pod team/a cannot be evicted: it ${words}`), words).to.equal(true);
      expect(nodes[0]).to.include({ fate: 'Waits', reason: 'PodsUseGpus' });
    }
  });

  it('are a finding where their budget never allows a disruption', () => {
    const never = { ...budget, status: { ...budget.status, expectedPods: 2, currentHealthy: 2, desiredHealthy: 2 } };
    const { evictions, findings } = one({}, {}, [never]);
    expect(evictions[0]?.fate).to.equal('Stays');
    expect(findings.map(({ message }) => message)).to.deep.equal([
      'pod team/a cannot be evicted: PodDisruptionBudget team/pdb never allows a disruption: it needs 2 healthy pods and covers 2',
    ]);
  });

  it('are deleted where the policy says Force, but those that would come back at once', () => {
    const drain = { onTimeout: 'Force', timeout: '5m' };
    const forced = one({ owner: '' }, { drain });
    expect(forced.evictions[0]).to.include({ fate: 'Deleted' });
    expect(forced.evictions[0]?.message).to.match(/it is deleted after 5m/);
    expect(forced.findings).to.deep.equal([]);
    expect(one({ owner: 'DaemonSet' }, { drain }).findings).to.have.length(1);
  });

  it('are awaited under scope None, and all that use GPUs under scope Node', () => {
    expect(one({}, { drain: { scope: 'None' } }).evictions[0]?.fate).to.equal('Awaited');
    const nodes = [aFleetNode({ name: 'n1', slices: halves, pods: { '3g.20gb@0': ['a'], '3g.20gb@4': ['b'] } })];
    const cluster = aCluster(nodes, { pods: [aTeamPod('a'), aTeamPod('b')] });
    const layouts = [{ profiles: { '3g.20gb': 1, '1g.5gb': 3 } }];
    expect(nodeOf(plan(cluster, inFile({ layouts })), 'n1').evictions).to.have.length(1);
    const whole = plan(cluster, inFile({ layouts, drain: { scope: 'Node' } }));
    expect(nodeOf(whole, 'n1').evictions.map(({ pod }) => pod)).to.deep.equal(['team/a', 'team/b']);
  });

  it('are not evicted where they have ended since the agent saw them', () => {
    const nodes = [aFleetNode({ name: 'n1', slices: halves, pods: { '3g.20gb@0': ['a'] } })];
    const found = plan(aCluster(nodes), inFile(inSevenths));
    expect(nodeOf(found, 'n1').evictions[0]).to.include({ pod: 'team/a', fate: 'Gone' });
    expect(found.summary).to.match(/evicts no pod/);
  });
});
