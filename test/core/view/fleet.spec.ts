import { expect } from 'chai';
import type { GpuPartitionPolicy } from '../../../src/api/types.ts';
import { withDemand } from '../../support/demand-builders.ts';
import { urgencyOfNode, viewFleet, viewPage } from '../../../src/core/view/fleet.ts';
import { findWaiting } from '../../../src/core/explain/pod.ts';
import { plainText } from '../../../src/core/view/lines.ts';
import { aPolicy, aGpu } from '../../support/builders.ts';
import { drawStatus, aStatusNode, drawNode } from './status-stories.ts';
import { aClaimCluster, aHeldClaim, attribute, type ClaimTemplate, deviceNames } from '../cluster/claim-cluster.ts';
import { aCluster, aPod } from '../kubernetes/cluster-builder.ts';

const findingKeys = ['code', 'node', 'evidence', 'remedy'];
const storyTimeText = '2026-01-01T12:00:00Z';

const groupNodes = (nodes: Parameters<typeof viewPage>[1]) =>
  viewPage([], nodes, { source: { files: [] }, poolOf: () => '' }, 0).groups;

describe('nodes that are not Ready', () => {
  it('are joined by what keeps them, the most urgent first, each message once', () => {
    const paused = Array.from({ length: 12 }, (_, at) =>
      aStatusNode({ name: `n-${at}`, phase: 'Pending', reason: 'Paused', message: 'the rollout is paused' }),
    );
    const failed = ['x', 'y'].map((name) => aStatusNode({ name, phase: 'Failed', message: `GPU 0 of ${name}` }));
    const groups = groupNodes([...paused, ...failed, aStatusNode({ name: 'fine' })]);
    expect(groups.map(({ urgency, count, reason }) => `${count} ${urgency} ${reason}`)).to.deep.equal([
      '2 failed Failed',
      '12 waiting Paused',
    ]);
    expect(groups[1]).to.deep.include({
      nodes: ['n-0', 'n-1', 'n-10', 'n-11', 'n-2'],
      messages: [{ message: 'the rollout is paused', count: 12 }],
    });
    expect(groups[0]?.messages.map(({ message }) => message)).to.deep.equal(['GPU 0 of x', 'GPU 0 of y']);
  });

  it('are told once where they wait in the same words for different pods, or until different times', () => {
    const waits = (node: string, pods: string, at: string) =>
      aStatusNode({
        name: node,
        phase: 'Waiting',
        reason: 'PodsUseGpus',
        message: `waiting for pods to go: ${pods}; the next attempt is at 2026-01-01T12:0${at}:00Z`,
      });
    const nodes = [waits('a', 'team/train-0', '1'), waits('b', 'team/x, other/y-1', '2'), waits('c', 'team/z', '3')];
    expect(groupNodes(nodes)[0]?.messages).to.deep.equal([
      { message: 'waiting for pods to go: …; the next attempt is at …', count: 3 },
    ]);
    expect(groupNodes(nodes.slice(0, 1))[0]?.messages[0]?.message).to.contain('team/train-0');
  });

  it('are blocked where nothing but somebody else can help, and failed where the phase is unknown', () => {
    expect(urgencyOfNode('Updating', 'EvictionBlocked')).to.equal('blocked');
    expect(urgencyOfNode('Pending', 'AgentNotReporting')).to.equal('blocked');
    expect(urgencyOfNode('Failed', 'EvictionBlocked')).to.equal('failed');
    expect(urgencyOfNode('Sleeping', 'Dreaming')).to.equal('failed');
  });
});

describe('a node with a sick GPU', () => {
  const sick = (phase: 'Ready' | 'Failed') => {
    const node = aStatusNode({ name: 'sick', phase, message: 'as the policy says' });
    const degraded = {
      type: 'Degraded',
      status: 'True' as const,
      reason: 'GpusUnhealthy',
      message: 'GPU 3 does not respond',
      lastTransitionTime: storyTimeText,
    };
    const conditions = [...(node.status?.conditions ?? []), degraded];
    return { ...node, status: { ...node.status, conditions } };
  };

  it('does not count as plain Ready: in the list of what needs somebody, in the table and in the figures', () => {
    const nodes = [aStatusNode({ name: 'a-fine' }), sick('Ready')];
    expect(groupNodes(nodes)).to.deep.equal([
      {
        urgency: 'blocked',
        phase: 'Ready',
        reason: 'GpusUnhealthy',
        count: 1,
        nodes: ['sick'],
        messages: [{ message: 'GPU 3 does not respond', count: 1 }],
      },
    ]);
    const screen = (isWide: boolean): string =>
      drawStatus([], nodes, { columns: 200, now: Date.parse(storyTimeText), isWide })
        .map(plainText)
        .join('\n');
    expect(screen(false)).to.match(/NODE .*\nsick .*GpusUnhealthy: GPU 3 does not respond/);
    expect(screen(true)).to.match(/sick .*GpusUnhealthy .*GPU 3 does not respond/);
    expect(viewPage([], nodes, { source: { files: [] }, poolOf: () => '' }, 0).totals.byUrgency).to.deep.equal([
      { urgency: 'blocked', count: 1 },
      { urgency: 'ready', count: 1 },
    ]);
    const detail = drawNode(sick('Ready'), 120).map(plainText);
    expect(detail).to.include('  degraded GpusUnhealthy: GPU 3 does not respond');
  });

  it('says so beside what else keeps it', () => {
    expect(viewFleet([], [sick('Failed')], 0).nodes[0]).to.deep.include({
      urgency: 'failed',
      reason: 'Failed',
      message: 'as the policy says; GpusUnhealthy: GPU 3 does not respond',
    });
  });
});

describe('what the doctor finds, on the page', () => {
  const frame = { source: { files: [] }, poolOf: () => '' };
  const lost = (name: string) => aStatusNode({ name, gpus: [aGpu({ error: 'GpuLost: Xid 79' })] });

  it('stands at its node and for the fleet, five of a kind, without Nodes and pods', () => {
    const names = Array.from({ length: 7 }, (_, at) => `n-${at}`);
    const { nodes, doctor } = viewPage([], [...names.map(lost), aStatusNode({ name: 'well' })], frame, 0);
    const found = nodes.map(({ node, findings }) => [node, findings.map(({ code }) => code)]);
    expect(found).to.deep.equal([...names.map((name) => [name, ['GpuFault']]), ['well', []]]);
    expect(doctor.count).to.equal(7);
    expect(doctor.findings.map(({ code, count, first }) => [code, count, first.length])).to.deep.equal([
      ['GpuFault', 7, 5],
    ]);
    expect(doctor.findings[0]?.first[0]).to.include({ node: 'n-0' }).and.to.have.all.keys(findingKeys);
  });

  it('says which checks need what the page does not read', () => {
    const { notChecked } = viewPage([], [], frame, 0).doctor;
    expect(notChecked.map(({ why }) => why)).to.deep.equal([
      'Nodes and pods are not read here: gpu-partition doctor',
      'only the machine shows it: gpu-partition doctor --host',
    ]);
    expect(notChecked[0]?.codes).to.include.members(['TwoOwners', 'VersionSkew']).and.not.include('GpuFault');
  });

  it('is all that a saved cluster shows, if it is one', () => {
    const diagnosis = {
      findings: [
        { code: 'TwoOwners', node: 'a', evidence: 'e', remedy: 'r' },
        { code: 'NoScaleTemplate', evidence: 'e', remedy: 'r' },
      ],
      notChecked: [],
    } as const;
    const { nodes, doctor } = viewPage([], [aStatusNode({ name: 'a' })], { ...frame, diagnosis }, 0);
    expect(nodes[0]?.findings).to.deep.equal([diagnosis.findings[0]]);
    expect(doctor.findings.map(({ code }) => code)).to.deep.equal(['TwoOwners', 'NoScaleTemplate']);
  });

  it('leaves a node its view as long as neither it nor its findings change', () => {
    const partitions = [lost('a'), aStatusNode({ name: 'b' })];
    const first = viewPage([], partitions, frame, 0).nodes;
    const second = viewPage([], [...partitions], frame, 1).nodes;
    for (const [at, node] of first.entries()) expect(second[at]).to.equal(node);
  });
});

describe('the nodes of the page', () => {
  const frame = { source: { files: [] }, poolOf: () => '' };
  const named = (name: string, phase: 'Ready' | 'Failed') => aStatusNode({ name, phase });

  it('are in the same order, whatever the last view was', () => {
    const before = viewPage(
      [],
      ['a', 'b', 'c', 'gone'].map((name) => named(name, 'Ready')),
      frame,
      0,
    ).nodes;
    const news = [named('new', 'Failed'), named('c', 'Failed'), named('b', 'Ready'), named('a', 'Ready')];
    const fresh = viewPage([], news, frame, 0).nodes.map(({ node }) => node);
    expect(fresh).to.deep.equal(['c', 'new', 'a', 'b']);
    expect(viewPage([], news, { ...frame, before }, 0).nodes.map(({ node }) => node)).to.deep.equal(fresh);
  });
});

describe('the last edits of a policy', () => {
  it('say who changed what, and when', () => {
    const { spec } = aPolicy();
    const history = [
      { generation: 3, time: '2026-01-01T12:00:00Z', spec: { ...spec, rollout: { paused: true } } },
      { generation: 2, time: '2026-01-01T11:00:00Z', manager: 'argocd', spec: { ...spec, priority: 5 } },
    ];
    const [view] = viewFleet([{ ...aPolicy({ generation: 3 }), status: { history } }], [], 0).policies;
    expect(view?.edits).to.deep.equal([
      {
        generation: 3,
        at: '2026-01-01T12:00:00Z',
        by: undefined,
        differences: ['priority: 5 → none', 'rollout: none → {"paused":true}'],
      },
      { generation: 2, at: '2026-01-01T11:00:00Z', by: 'argocd', differences: undefined },
    ]);
  });
});

describe('a policy', () => {
  const withConditions = (...list: readonly (readonly [string, 'True' | 'False', string])[]) => ({
    ...aPolicy(),
    status: {
      conditions: list.map(([type, status, reason]) => ({ type, status, reason, message: '', lastTransitionTime: '' })),
    },
  });

  const urgencyOfPolicy = (policy: GpuPartitionPolicy) => viewFleet([policy], [], 0).policies[0]?.urgency;

  it('is failed if its newest generation is not valid, or it is stalled, whatever else it says', () => {
    expect(
      urgencyOfPolicy(withConditions(['Ready', 'False', 'DoesNotFit'], ['Valid', 'False', 'DoesNotFit'])),
    ).to.equal('failed');
    expect(urgencyOfPolicy(withConditions(['Ready', 'False', 'Halted'], ['Stalled', 'True', 'Halted']))).to.equal(
      'failed',
    );
    expect(urgencyOfPolicy(withConditions(['Ready', 'False', 'Paused']))).to.equal('waiting');
    expect(urgencyOfPolicy(withConditions(['Ready', 'True', 'PlanOnly']))).to.equal('ready');
    expect(urgencyOfPolicy(aPolicy())).to.equal('waiting');
  });
});

const half = { 'nvidia.com/mig-3g.20gb': '1' };
const nodes = [{ policy: aPolicy(), gpus: [aGpu({ slices: ['1g.5gb@0'] })] }];

describe('pods that wait for GPUs', () => {
  it('are explained, those that ask alike once, the most numerous first', () => {
    const pods = [
      aPod({ name: 'other', asks: { 'nvidia.com/mig-1g.5gb': '9' } }),
      ...[1, 2, 3].map((at) => aPod({ name: `train-${at}`, asks: half })),
      aPod({ name: 'web' }),
      aPod({ name: 'runs', asks: half, node: 'n' }),
    ];
    const groups = findWaiting(aCluster(nodes, pods))?.explain();
    expect(groups?.map(({ count, pods: names, asks, code }) => ({ count, names, asks, code }))).to.deep.equal([
      {
        count: 3,
        names: ['team/train-1', 'team/train-2', 'team/train-3'],
        asks: '1 nvidia.com/mig-3g.20gb',
        code: 'NotOffered',
      },
      { count: 1, names: ['team/other'], asks: '9 nvidia.com/mig-1g.5gb', code: 'TooMany' },
    ]);
  });

  it('are told what a demand makes of them', () => {
    const demanding = withDemand(aPolicy(), { from: 'Pods', slices: [{ name: 'large', profiles: ['3g.20gb'] }] });
    const groups = findWaiting(
      aCluster([{ policy: demanding, gpus: [aGpu({ slices: ['1g.5gb@0'] })] }], [aPod({ asks: half })]),
    )?.explain();
    expect(groups?.map(({ demands }) => demands.map(({ code, message }) => `${code} ${message}`))).to.deep.equal([
      ['Planned policy p: the planner will offer a 3g.20gb on node n, GPU 0'],
    ]);
  });

  it('include those with claims, if what a claim asks for is a GPU', () => {
    const byTemplate = (name: string, template: string) =>
      aPod({ name, spec: { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: template }] } });
    const requesting = (name: string, expression: string): ClaimTemplate => {
      const exactly = { deviceClassName: 'any', selectors: [{ cel: { expression } }] };
      return {
        metadata: { name, namespace: 'team' },
        spec: { spec: { devices: { requests: [{ name: 'one', exactly }] } } },
      };
    };
    const pods = [
      byTemplate('one', 'small'),
      byTemplate('two', 'small'),
      byTemplate('nic', 'network'),
      aPod({ name: 'held', spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: 'held' }] } }),
      byTemplate('vague', 'none'),
      aPod({ name: 'plain', asks: { 'deviceclass.resource.kubernetes.io/any': '2' } }),
    ];
    const [device = ''] = deviceNames;
    const facts = aClaimCluster([{}], pods, {
      classes: [{ metadata: { name: 'any' } }],
      templates: [
        requesting('small', `${attribute('profile')} == '1g.5gb'`),
        requesting('network', "device.driver == 'dra.net'"),
      ],
      claims: [aHeldClaim([device], { pod: '' })],
    });
    const groups = findWaiting(facts)?.explain();
    const words = '1 device of DeviceClass any with selectors of its own by ResourceClaimTemplate small';
    expect(groups?.map(({ pods: names, asks }) => ({ names, asks }))).to.deep.equal([
      { names: ['team/one', 'team/two'], asks: words },
      { names: ['team/held'], asks: `what claim team/held has (${device} of node n)` },
      {
        names: ['team/plain'],
        asks: '2 devices of DeviceClass any by resource deviceclass.resource.kubernetes.io/any',
      },
    ]);
    expect(groups?.[0]?.message).to.equal('node n has its GPUs free; the scheduler reports: 0/1 nodes are available');
  });

  it('are unknown to a user who may not list pods', () => {
    expect(findWaiting({ ...aCluster(nodes), pods: undefined })).to.equal(undefined);
  });
});
