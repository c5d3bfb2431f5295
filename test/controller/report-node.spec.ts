import { expect } from 'chai';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import { AgentPods } from '../../src/controller/agents.ts';
import { Cluster } from '../../src/controller/cluster.ts';
import type { NodeObject } from '../../src/controller/node-object.ts';
import { NodeReporter } from '../../src/controller/report-node.ts';
import { Fleet } from '../../src/core/policy/fleet.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { type EventNote, EventRecorder } from '../../src/kube/events.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { ObjectStore } from '../../src/kube/store.ts';
import { silentLogger } from '../../src/process/logger.ts';
import { aPartition, aPolicy } from '../support/builders.ts';
import { noMemory, slicedGpu, someSettings } from '../support/node-builders.ts';

type Partition = GpuNodePartition & KubeObject;

const node: NodeObject = { metadata: { name: 'n', uid: 'uid-n', resourceVersion: '1' } };
const metadata = { name: 'n', uid: 'uid-gpn', resourceVersion: '1' };

/** The API server, which has this of the agent by now. */
class StatusClient extends KubeClient {
  readonly #device: NonNullable<GpuNodePartition['status']>['device'];

  constructor(device: NonNullable<GpuNodePartition['status']>['device']) {
    super(new PooledKubeConfig(), 'test');
    this.#device = device;
  }

  override async merge<T extends KubeObject>(_ref: unknown, patch: { readonly status: object }): Promise<T> {
    const device = this.#device && { device: this.#device };
    const written = { ...aPartition({}), metadata: { ...metadata, resourceVersion: '3' } };
    return { ...written, status: { ...patch.status, ...device } } as unknown as T;
  }
}

/** A reporter of one node that policy p selects. */
function aScene(client: KubeClient) {
  const partitions = new ObjectStore<Partition>();
  const known = aPartition({});
  const partition: Partition = { ...known, metadata, spec: { ...known.spec, nodeUID: 'uid-n' }, status: {} };
  partitions.upsert(partition);
  const policies = new ObjectStore<GpuPartitionPolicy & KubeObject>();
  const fleet = new Fleet({ sharing: false });
  const nodes = new ObjectStore<NodeObject>();
  const cluster = new Cluster({ policies, nodes, partitions, fleet, agents: new AgentPods() });
  const policy = aPolicy();
  const stored = { ...policy, metadata: { ...policy.metadata, resourceVersion: '1' } };
  policies.upsert(stored);
  fleet.setNode('n', { pool: 'p' });
  fleet.setPolicy(stored);
  const events = new EventRecorder({ client, logger: silentLogger, controller: 'test', instance: 'test' });
  const notes: EventNote[] = [];
  events.record = (note) => void notes.push(note);
  const reporter = new NodeReporter({ client, cluster, events, onNews: () => undefined, now: () => 0 });
  const claim = fleet.claimOf('n', partition);
  const agent = { state: 'Ready' as const };
  const snapshot = { now: 0, node, partition, claim, slot: undefined, agent, settings: someSettings };
  return { reporter, snapshot, fleet, notes };
}

/** Says of a node that its agent has not reported. @returns when the node is looked at again */
async function report(device: NonNullable<GpuNodePartition['status']>['device']): Promise<number | undefined> {
  const { reporter, snapshot } = aScene(new StatusClient(device));
  const verdict = { phase: 'Pending', reason: 'AgentNotReporting', message: 'nothing yet' } as const;
  return reporter.report(snapshot, verdict, noMemory);
}

describe('NodeReporter', () => {
  it('has a node looked at again whose agent turns out to have reported meanwhile: no event may come of that', async () => {
    expect(await report(slicedGpu)).to.equal(0);
    const device = undefined;
    expect(await report(device)).to.equal(undefined);
  });

  it('lets a node proceed whose status the API server does not take, and counts it as Ready only once that is written', async () => {
    const client = new StatusClient(undefined);
    const { reporter, snapshot, fleet, notes } = aScene(client);
    client.merge = async () => {
      throw new ApiError({ request: 'PATCH status', code: 422, reason: 'Invalid', text: 'too long' });
    };
    const verdict = { phase: 'Ready', reason: 'Ready', message: '' } as const;
    expect(await reporter.report(snapshot, verdict, noMemory)).to.equal(60_000);
    expect(notes.map(({ reason, message }) => [reason, message])).to.deep.equal([
      ['StatusRefused', 'status not written, and the node proceeds as before: PATCH status: 422 Invalid: too long'],
    ]);
    expect(fleet.policy('p')?.tally.inPhase('Ready')).to.equal(0);
  });

  it('counts a node as Ready for its policy once its own object says so, not before', async () => {
    const client = new StatusClient(undefined);
    const { reporter, snapshot, fleet } = aScene(client);
    const ready = (): number | undefined => fleet.policy('p')?.tally.inPhase('Ready');
    const write = client.merge.bind(client);
    const before: unknown[] = [];
    client.merge = async (ref, patch) => {
      before.push(ready());
      return write(ref, patch);
    };
    const verdict = { phase: 'Ready', reason: 'Ready', message: '' } as const;
    const rolloutState = {
      isReady: true,
      isCordoned: false,
      hasGpus: true,
      hasFailed: false,
      isVerified: true,
      isClosedAnyway: false,
      isUnderWay: false,
    };
    reporter.note(snapshot, verdict, { ...rolloutState, wishGeneration: 1, seen: [] });
    await reporter.report(snapshot, verdict, noMemory);
    expect(before).to.deep.equal([0]);
    expect(ready()).to.equal(1);
  });
});
