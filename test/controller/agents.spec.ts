import { expect } from 'chai';
import { AgentPods } from '../../src/controller/agents.ts';
import type { PodView } from '../../src/core/pods/pod-view.ts';

interface Parts {
  readonly name?: string;
  readonly ready?: boolean;
  readonly isGoing?: boolean;
  readonly waiting?: string;
}

function anAgentPod({ name = 'a', ready = true, isGoing = false, waiting }: Parts = {}): PodView {
  return {
    metadata: { name, namespace: 'agents', ...(isGoing && { deletionTimestamp: '2026-01-01T12:00:00Z' }) },
    spec: { nodeName: 'n' },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      ...(waiting !== undefined && { containerStatuses: [{ name: 'agent', state: { waiting: { reason: waiting } } }] }),
    },
  };
}

function takeAll(...pods: readonly PodView[]): AgentPods {
  const agents = new AgentPods();
  for (const object of pods) {
    agents.update({ type: 'apply', key: `agents/${object.metadata.name}`, object, previous: undefined });
  }
  return agents;
}

describe('the sign of life of an agent', () => {
  it('is a pod of it that is ready, and names the node whose agent has changed', () => {
    const agents = new AgentPods();
    const object = anAgentPod();
    expect(agents.update({ type: 'apply', key: 'agents/a', object, previous: undefined })).to.equal('n');
    expect(agents.viewOf('n')).to.deep.equal({ state: 'Ready' });
    expect(agents.viewOf('other')).to.deep.equal({ state: 'Missing' });
  });

  it('is missing where no pod is left, or the last one is going', () => {
    const agents = takeAll(anAgentPod());
    agents.update({ type: 'delete', key: 'agents/a', object: anAgentPod() });
    expect(agents.viewOf('n')).to.deep.equal({ state: 'Missing' });
    expect(takeAll(anAgentPod({ isGoing: true })).viewOf('n')).to.deep.equal({ state: 'Missing' });
  });

  it('is not there where its pod is not ready, and says which pod and why', () => {
    const crashing = anAgentPod({ ready: false, waiting: 'CrashLoopBackOff' });
    expect(takeAll(crashing).viewOf('n')).to.deep.equal({ state: 'NotReady', why: 'pod agents/a (CrashLoopBackOff)' });
    expect(takeAll(anAgentPod({ ready: false })).viewOf('n')).to.deep.equal({
      state: 'NotReady',
      why: 'pod agents/a (phase Running)',
    });
  });

  it('is that of the new pod while its DaemonSet replaces the old one', () => {
    const old = anAgentPod({ name: 'old', isGoing: true });
    expect(takeAll(old, anAgentPod({ name: 'new' })).viewOf('n')).to.deep.equal({ state: 'Ready' });
    expect(takeAll(old, anAgentPod({ name: 'new', ready: false })).viewOf('n').state).to.equal('NotReady');
  });
});
