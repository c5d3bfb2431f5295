import { expect } from 'chai';
import { viewRow } from '../../../src/core/view/fleet-status.ts';
import { groupNodes } from '../../../src/core/view/unready-nodes.ts';
import { urgencyOfNode, urgencyOfPolicy } from '../../../src/core/view/urgency.ts';
import { aPolicy } from '../../support/builders.ts';
import { aStatusNode } from './status-stories.ts';

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

  it('are blocked where nothing but somebody else can help, and failed where the phase is unknown', () => {
    expect(urgencyOfNode('Updating', 'EvictionBlocked')).to.equal('blocked');
    expect(urgencyOfNode('Pending', 'AgentNotReporting')).to.equal('blocked');
    expect(urgencyOfNode('Failed', 'EvictionBlocked')).to.equal('failed');
    expect(urgencyOfNode('Sleeping', 'Dreaming')).to.equal('failed');
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
