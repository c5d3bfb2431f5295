import { expect } from 'chai';
import { AgentPods, NodeNotifier } from '../../src/controller/node-notifier.ts';
import type { PodView } from '../../src/core/kubernetes/pod.ts';
import type { PlanReport } from '../../src/api/types.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import type { Command, Verdict, NodeStep } from '../../src/core/node/commands.ts';
import type { EventNote } from '../../src/kube/events.ts';
import { RecordedLog } from '../process/recorded-log.ts';
import { aDevice, aGpu, aPartition } from '../support/builders.ts';
import { aWriteGrant } from '../support/node-builders.ts';

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

const taint = { key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule' } as const;
const plan = { hash: 'h', wishHash: 'w', keep: 0, destroy: 1, create: 2, gpusChanging: 1 };
const grant = aWriteGrant({ epoch: 3, planHash: 'h' });

function aTeller(more: Partial<PlanReport> = {}) {
  const log = new RecordedLog();
  const notes: EventNote[] = [];
  const partition = aPartition({
    device: { ...aDevice(aGpu()), plan: { ...plan, ...more } },
    phase: 'Ready',
    policy: { name: 'p', generation: 1 },
    granted: { gpus: [], epoch: 3, planHash: 'h', deadline: '' },
  });
  const conditions = [{ type: 'Ready', status: 'True' as const, reason: 'Ready', message: '', lastTransitionTime: '' }];
  const node: NodeObject = { metadata: { name: 'n', uid: 'uid-n' } };
  const notifier = new NodeNotifier({
    cluster: {
      partitions: { get: () => ({ ...partition, status: { ...partition.status, conditions } }) },
      nodes: { get: () => node },
    },
    events: { record: (note) => void notes.push(note) },
    log,
  });
  const look = (
    verdict: Partial<Verdict>,
    commands: readonly Command[] = [],
    refusals: Readonly<Record<string, string>> = {},
  ): void => {
    const known = Object.entries(refusals).map(([uid, refusal]) => [uid, { at: 0, refusal }] as const);
    const step: NodeStep = {
      node: 'n',
      verdict: { phase: 'Ready', reason: 'Ready', message: 'as it should be', ...verdict },
      commands,
      memory: { waits: {}, evictions: Object.fromEntries(known) },
    };
    notifier.notify(step);
  };
  const told = (): readonly string[] => log.lines.map(({ level, message }) => `${level} ${message}`);
  return { look, notes, told, log, notifier };
}

describe('what is told of a node', () => {
  it('is a line for each decision that is another than the last, the first of a new leader included', () => {
    const { look, told, log } = aTeller();
    look({});
    look({ phase: 'Waiting', reason: 'ProcessesUseGpus', message: 'pid 1' });
    look({ phase: 'Waiting', reason: 'ProcessesUseGpus', message: 'pid 1 and pid 2' });
    look({ phase: 'Pending', reason: 'AwaitingPlan', message: '', transient: true });
    look({ phase: 'Failed', reason: 'Failed', message: 'it said no' });
    look({});
    expect(told()).to.deep.equal(['info node waiting', 'debug node pending', 'warn node failed', 'info node ready']);
    expect(log.lines[0]?.fields).to.deep.equal({ node: 'n', reason: 'ProcessesUseGpus', why: 'pid 1' });
  });

  it('names taints and pods, and a refusal once', () => {
    const { look, told } = aTeller();
    const evict: Command = { name: 'EvictPod', pod: { namespace: 'team', name: 'a', uid: 'a' }, round: 1 };
    look({}, [{ name: 'PatchNode', change: { addTaints: [taint] } }, evict], { a: 'team/a: its budget' });
    look({}, [evict], { a: 'team/a: its budget' });
    look({}, [evict]);
    look({}, [{ name: 'PatchNode', change: { removeTaints: [taint.key] } }]);
    expect(told()).to.deep.equal([
      'info node closed',
      'warn pod eviction refused',
      'info pod evicted',
      'info node opened',
    ]);
  });

  it('are Events on the node when a change begins and when it ends', () => {
    const { look, notes } = aTeller();
    look({ phase: 'Updating', reason: 'Applying', message: '' }, [grant]);
    look({ phase: 'Updating', reason: 'AdvertisePending', message: '' });
    look({});
    look({});
    expect(notes.map(({ resource, type, reason }) => `${resource.kind} ${type} ${reason}`)).to.deep.equal([
      'Node Normal Repartitioning',
      'Node Normal Repartitioned',
    ]);
    expect(notes[0]?.message).to.equal('policy p, grant 3: destroys 1 and creates 2 instances on 1 GPU');
    const mode = aTeller({ modeChanges: 1 });
    mode.look({ phase: 'Updating', reason: 'Applying', message: '' }, [grant]);
    expect(mode.notes[0]?.message).to.match(/ on 1 GPU, with a change of MIG mode or a reset of 1 GPU$/);
  });

  it('is an Event that names the pods and the work before any pod is evicted', () => {
    const { look, notes } = aTeller();
    const pods = ['a', 'b'].map((name) => ({ namespace: 'team', name, uid: name }));
    const drain = { planHash: 'h', pods };
    const going = '2 pods: team/a, team/b (GPU 0: 2g.10gb at 0)';
    look({ phase: 'Updating', reason: 'Draining', message: '' }, [{ name: 'WriteDrain', drain, going }]);
    expect(notes.map(({ resource, type, reason }) => `${resource.kind} ${type} ${reason}`)).to.deep.equal([
      'Node Normal Draining',
      'GpuNodePartition Normal Draining',
    ]);
    expect(notes[0]?.message).to.equal(
      'policy p will evict 2 pods: team/a, team/b (GPU 0: 2g.10gb at 0); then it destroys 1 and creates 2 instances on 1 GPU',
    );
    look({}, [{ name: 'WriteDrain', drain: null }]);
    expect(notes).to.have.length(2);
  });

  it('yields no Event while a reading is awaited and no pod is about to be evicted', () => {
    const { look, notes } = aTeller();
    look({ phase: 'Updating', reason: 'Draining', message: '' }, [
      { name: 'WriteDrain', drain: { planHash: 'h', pods: [] } },
    ]);
    expect(notes).to.deep.equal([]);
  });

  it('is a warning that names the disruption budget in the way, once', () => {
    const { look, notes } = aTeller();
    const blocked = {
      phase: 'Updating',
      reason: 'EvictionBlocked',
      message: 'waiting for team/a: its budget',
    } as const;
    look(blocked);
    look(blocked);
    expect(notes.map(({ resource, type, message }) => `${resource.kind} ${type}: ${message}`)).to.deep.equal([
      'Node Warning: waiting for team/a: its budget',
      'GpuNodePartition Warning: waiting for team/a: its budget',
    ]);
  });

  it('is a warning where a change fails, and nothing of a node that did not change', () => {
    const { look, notes, notifier } = aTeller();
    look({ phase: 'Failed', reason: 'DeviceUnreadable', message: 'no' });
    expect(notes).to.deep.equal([]);
    look({ phase: 'Updating', reason: 'Applying', message: '' }, [grant]);
    look({ phase: 'Failed', reason: 'Failed', message: 'it said no' });
    expect(notes.at(-1)).to.deep.include({ type: 'Warning', reason: 'Failed', message: 'it said no' });
    notifier.forget('n');
    look({});
    expect(notes).to.have.length(2);
  });
});
