import { expect } from 'chai';
import { drawFleet } from '../../../src/core/view/fleet-picture.ts';
import { viewPolicies, viewRow } from '../../../src/core/view/fleet-status.ts';
import { countTotals } from '../../../src/core/view/fleet-totals.ts';
import { plainText } from '../../../src/core/view/line.ts';
import { drawNodeStatus } from '../../../src/core/view/node-status.ts';
import { groupNodes } from '../../../src/core/view/unready-nodes.ts';
import { urgencyOfNode, urgencyOfPolicy } from '../../../src/core/view/urgency.ts';
import { aPolicy } from '../../support/builders.ts';
import { aStatusNode } from './status-stories.ts';

const storyTimeText = '2026-01-01T12:00:00Z';

describe('nodes that are not Ready', () => {
  it('are joined by what keeps them, the most urgent first, each message once', () => {
    const paused = Array.from({ length: 12 }, (_, at) =>
      aStatusNode({ name: `n-${at}`, phase: 'Pending', reason: 'Paused', message: 'the rollout is paused' }),
    );
    const failed = ['x', 'y'].map((name) => aStatusNode({ name, phase: 'Failed', message: `GPU 0 of ${name}` }));
    const groups = groupNodes([...paused, ...failed, aStatusNode({ name: 'fine' })].map(viewRow));
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
    expect(groupNodes(nodes.map(viewRow))[0]?.messages).to.deep.equal([
      { message: 'waiting for pods to go: …; the next attempt is at …', count: 3 },
    ]);
    expect(groupNodes(nodes.slice(0, 1).map(viewRow))[0]?.messages[0]?.message).to.contain('team/train-0');
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
    expect(groupNodes(nodes.map(viewRow))).to.deep.equal([
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
      drawFleet([], nodes, { columns: 200, now: Date.parse(storyTimeText), isWide })
        .map(plainText)
        .join('\n');
    expect(screen(false)).to.match(/NODE .*\nsick .*GpusUnhealthy: GPU 3 does not respond/);
    expect(screen(true)).to.match(/sick .*GpusUnhealthy .*GPU 3 does not respond/);
    expect(countTotals([], nodes, 0).byUrgency).to.deep.equal([
      { urgency: 'blocked', count: 1 },
      { urgency: 'ready', count: 1 },
    ]);
    const detail = drawNodeStatus(sick('Ready'), 120).map(plainText);
    expect(detail).to.include('  degraded GpusUnhealthy: GPU 3 does not respond');
  });

  it('says so beside what else keeps it', () => {
    expect(viewRow(sick('Failed'))).to.deep.include({
      urgency: 'failed',
      reason: 'Failed',
      message: 'as the policy says; GpusUnhealthy: GPU 3 does not respond',
    });
  });
});

describe('the last edits of a policy', () => {
  it('say who changed what, and when', () => {
    const { spec } = aPolicy();
    const history = [
      { generation: 3, time: '2026-01-01T12:00:00Z', spec: { ...spec, rollout: { paused: true } } },
      { generation: 2, time: '2026-01-01T11:00:00Z', manager: 'argocd', spec: { ...spec, priority: 5 } },
    ];
    const [view] = viewPolicies([{ ...aPolicy({ generation: 3 }), status: { history } }], [], 0);
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
