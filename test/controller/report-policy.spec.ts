import { expect } from 'chai';
import type { PolicyReason } from '../../src/api/names.ts';
import type { GpuPartitionPolicy } from '../../src/api/types.ts';
import { AgentPods } from '../../src/controller/agents.ts';
import { Cluster } from '../../src/controller/cluster.ts';
import { PolicyReporter } from '../../src/controller/report-policy.ts';
import { Fleet } from '../../src/core/policy/fleet.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { type EventNote, EventRecorder } from '../../src/kube/events.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { ObjectStore } from '../../src/kube/store.ts';
import { silentLogger } from '../../src/process/logger.ts';
import { aPolicy } from '../support/builders.ts';
import { aPolicyRecord } from '../support/node-builders.ts';

class StatusClient extends KubeClient {
  readonly versions: unknown[] = [];

  override async applyStatus<T extends KubeObject>(_ref: unknown, status: unknown, options?: object): Promise<T> {
    this.versions.push(options);
    return { ...aPolicy(), metadata: { name: 'p', resourceVersion: '9' }, status } as unknown as T;
  }
}

function aReporter(record?: (note: EventNote) => void) {
  const client = new StatusClient(new PooledKubeConfig(), 'test');
  const policies = new ObjectStore<GpuPartitionPolicy & KubeObject>();
  const policy = { ...aPolicy(), metadata: { ...aPolicy().metadata, resourceVersion: '4' } };
  policies.upsert(policy);
  const cluster = new Cluster({
    policies,
    nodes: new ObjectStore(),
    partitions: new ObjectStore(),
    fleet: new Fleet({ sharing: false }),
    agents: new AgentPods(),
  });
  const events = new EventRecorder({ client, logger: silentLogger, controller: 'test', instance: 'test' });
  if (record) events.record = record;
  return { client, policies, policy, reporter: new PolicyReporter({ client, cluster, events, now: () => 0 }) };
}

describe('PolicyReporter', () => {
  // A policy was deleted and made again under a watch that had stopped: the new one had the acceptance of the old one.
  it('writes only to the version of the policy that it knows, which is of no other policy of that name', async () => {
    const { client, policies, policy, reporter } = aReporter();
    const draft = { acceptedGeneration: 1, conditions: [] };
    await reporter.tell(aPolicyRecord(policy), policy, draft);
    expect(client.versions).to.deep.equal([{ resourceVersion: '4' }]);
    policies.upsert({ ...policy, metadata: { ...policy.metadata, resourceVersion: '12' } });
    await reporter.tell(aPolicyRecord(policy), policy, { ...draft, acceptedGeneration: 2 });
    expect(client.versions.at(-1), 'though the look at its nodes began before').to.deep.equal({
      resourceVersion: '12',
    });
  });

  it('warns of what needs somebody, and not of a rollout that takes its course', async () => {
    const typeOf = async (reason: PolicyReason, isStalled: boolean): Promise<string | undefined> => {
      const notes: EventNote[] = [];
      const { reporter, policy } = aReporter((note) => notes.push(note));
      const condition = (type: 'Ready' | 'Stalled', holds: boolean) =>
        ({ type, status: holds ? 'True' : 'False', reason, message: 'x' }) as const;
      const conditions = [condition('Ready', reason === 'Ready'), condition('Stalled', isStalled)];
      await reporter.tell(aPolicyRecord(policy), policy, { conditions });
      return notes.map(({ type }) => type).join();
    };
    for (const reason of ['Ready', 'CanarySoak', 'WindowClosed', 'Paused', 'Capped', 'Deleting'] as const)
      expect(await typeOf(reason, false), reason).to.equal('Normal');
    for (const reason of ['Waiting', 'NodesUnavailable'] as const)
      expect(await typeOf(reason, false), reason).to.equal('Warning');
    for (const reason of ['Halted', 'DoesNotFit'] as const)
      expect(await typeOf(reason, true), reason).to.equal('Warning');
  });
});
