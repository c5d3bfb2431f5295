import { expect } from 'chai';
import { Registry } from 'prom-client';
import { nodeReasons } from '../../src/api/names.ts';
import { ControllerMetrics, type ControllerSources, type WatchFigures } from '../../src/controller/metrics.ts';
import type { Command } from '../../src/core/node/commands.ts';
import type { NodeMemory } from '../../src/core/node/memory.ts';
import { MODELS } from '../../src/core/gpu/geometry.ts';
import { DeviceError } from '../../src/core/gpu/device-state.ts';
import { createRegistry } from '../../src/process/health.ts';
import { aDevice, aGpu, aPartition, aPolicy } from '../support/builders.ts';
import { aPolicyRecord } from '../support/node-builders.ts';

const idle = { depth: 0, longestRunMs: 0 };
const watch = {
  counts: { lists: 1, reconnects: 2, events: 3, failures: 4, handlerErrors: 0 },
  silenceMs: 1500,
  synced: true,
};
const watches: ReadonlyMap<string, WatchFigures> = new Map(
  ['gpupartitionpolicies', 'nodes', 'gpunodepartitions', 'pods'].map((name) => [name, watch]),
);
const memory = { waits: {}, evictions: {} };
const phases = ['Unmanaged', 'Pending', 'Waiting', 'Updating', 'Ready', 'Failed', 'Invalid'] as const;

function aLeader(parts: Partial<ControllerSources> = {}): ControllerSources {
  return {
    queues: new Map([
      ['nodes', idle],
      ['policies', idle],
    ]),
    fleet: { policies: [][Symbol.iterator]() },
    partitions: { list: () => [] },
    nodes: { get: () => undefined },
    ...parts,
  };
}

function metricsOf(registry: Registry, now = (): number => 0): ControllerMetrics {
  return new ControllerMetrics(registry, now, () => watches);
}

/** Lines of a metric, without its help. */
async function linesOf(registry: Registry, name: string): Promise<readonly string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith(name));
}

describe('the metrics of the controller', () => {
  it('tell who leads, and nothing of the fleet where another does', async () => {
    const registry = new Registry();
    const metrics = metricsOf(registry);
    metrics.attach(aLeader({ partitions: { list: () => [aPartition()] } }));
    expect(await linesOf(registry, 'gpu_partition_leader')).to.deep.equal(['gpu_partition_leader 1']);
    expect(await linesOf(registry, 'gpu_partition_nodes')).to.have.length(1);
    metrics.detach();
    expect(await linesOf(registry, 'gpu_partition_leader')).to.deep.equal(['gpu_partition_leader 0']);
    expect(await linesOf(registry, 'gpu_partition_nodes')).to.deep.equal([]);
    // What a standby does itself.
    expect(await linesOf(registry, 'gpu_partition_watch_silence_seconds')).to.have.length(4);
  });

  it('tell of no queue once the term is over', async () => {
    const registry = new Registry();
    const metrics = metricsOf(registry);
    metrics.attach(aLeader({ queues: new Map([['nodes', { depth: 40, longestRunMs: 310_000 }]]) }));
    expect(await linesOf(registry, 'gpu_partition_queue_depth')).to.deep.equal([
      'gpu_partition_queue_depth{queue="nodes"} 40',
    ]);
    expect(await linesOf(registry, 'gpu_partition_queue_longest_run_seconds')).to.have.length(1);
    metrics.detach();
    expect(await linesOf(registry, 'gpu_partition_queue_depth')).to.deep.equal([]);
    expect(await linesOf(registry, 'gpu_partition_queue_longest_run_seconds')).to.deep.equal([]);
  });

  it('count grants, evictions and failures of what was done, and the time that a change took', async () => {
    const registry = new Registry();
    let now = 0;
    const metrics = metricsOf(registry, () => now);
    const step = (phase: (typeof phases)[number], reason: (typeof nodeReasons)[number], ...commands: Command[]): void =>
      metrics.record({
        node: 'n',
        verdict: { phase, reason, message: '' },
        commands,
        memory: { ...memory, evictions },
      });
    const evictions = { blocked: { at: 0, refusal: 'its budget' }, gone: { at: 0, refusal: undefined } };
    const pod = (uid: string) => ({ name: 'EvictPod' as const, pod: { namespace: 'd', name: uid, uid }, round: 1 });
    const fields = {
      policy: null,
      strategy: null,
      wish: { gpus: [], replaceForeignInstances: null, allowGpuReset: null },
      drain: null,
      repairs: null,
    };
    step('Pending', 'AwaitingPlan', { name: 'WriteWish', fields });
    now = 2000;
    step('Waiting', 'PodsUseGpus', pod('blocked'), pod('gone'));
    now = 5000;
    const granted = {
      gpus: [],
      epoch: 1,
      policy: null,
      planHash: '',
      deadline: '',
      seconds: null,
      allowGpuReset: null,
    };
    const rest = { allowReboot: null, replaceForeignInstances: null, rollback: null, signalPods: null };
    step('Updating', 'Applying', { name: 'WriteGrant', granted: { ...granted, ...rest }, repairs: null });
    step('Failed', 'Failed');
    step('Failed', 'Failed');
    now = 6000;
    step('Ready', 'Ready');
    const text = await registry.metrics();
    for (const line of [
      'gpu_partition_grants_total 1',
      'gpu_partition_evictions_total{result="blocked"} 1',
      'gpu_partition_evictions_total{result="evicted"} 1',
      'gpu_partition_node_failures_total{reason="Failed"} 1',
      'gpu_partition_change_duration_seconds_sum 6',
      'gpu_partition_change_step_duration_seconds_sum{step="drain"} 3',
    ]) {
      expect(text.split('\n')).to.include(line);
    }
  });

  it('count what alerts look at from 0 on, because the first increment of a new counter is not seen', async () => {
    const registry = new Registry();
    metricsOf(registry).observeQueue('nodes');
    for (const line of [
      'gpu_partition_evictions_total{result="evicted"} 0',
      'gpu_partition_evictions_total{result="blocked"} 0',
      'gpu_partition_node_failures_total{reason="Failed"} 0',
      'gpu_partition_node_failures_total{reason="ForeignManager"} 0',
      'gpu_partition_reconciles_total{queue="nodes",result="success"} 0',
      'gpu_partition_reconciles_total{queue="nodes",result="error"} 0',
    ]) {
      expect((await registry.metrics()).split('\n')).to.include(line);
    }
  });

  it('tell the age of the oldest change, and forget nodes that are gone', async () => {
    const registry = new Registry();
    let now = 1000;
    const metrics = metricsOf(registry, () => now);
    const fields = {
      policy: null,
      strategy: null,
      wish: { gpus: [], replaceForeignInstances: null, allowGpuReset: null },
      drain: null,
      repairs: null,
    };
    const verdict = { phase: 'Pending', reason: 'AwaitingPlan', message: '' } as const;
    metrics.record({ node: 'n', verdict, commands: [{ name: 'WriteWish', fields }], memory });
    now = 8000;
    expect(await linesOf(registry, 'gpu_partition_oldest')).to.deep.equal(['gpu_partition_oldest_change_seconds 7']);
    // In a large fleet nodes wait for a slot for days: none of them is stuck.
    metrics.record({ node: 'n', verdict: { ...verdict, reason: 'AwaitingSlot' }, commands: [], memory });
    expect(await linesOf(registry, 'gpu_partition_oldest')).to.deep.equal(['gpu_partition_oldest_change_seconds 0']);
    metrics.record({ node: 'n', verdict: { ...verdict, reason: 'AwaitingGrant' }, commands: [], memory });
    expect(await linesOf(registry, 'gpu_partition_oldest')).to.deep.equal(['gpu_partition_oldest_change_seconds 7']);
    metrics.forget('n');
    expect(await linesOf(registry, 'gpu_partition_oldest')).to.deep.equal(['gpu_partition_oldest_change_seconds 0']);
  });

  it('tell for how long nodes were closed, once for each time, and how long the longest is that is closed now', async () => {
    const registry = new Registry();
    let now = 0;
    const metrics = metricsOf(registry, () => now);
    const look = (node: string, closed: NodeMemory['closed']): void =>
      metrics.record({
        node,
        verdict: { phase: 'Updating', reason: 'Applying', message: '' },
        commands: [],
        memory: { ...memory, ...(closed && { closed }) },
      });
    const closed = 'gpu_partition_node_closed_seconds';
    // What an earlier leader has counted is not counted again.
    look('n', { lastSeconds: 100 });
    look('n', { lastSeconds: 100, since: 1000 });
    look('m', { since: 5000 });
    now = 8000;
    expect(await linesOf(registry, 'gpu_partition_longest_closed')).to.deep.equal([
      'gpu_partition_longest_closed_seconds 7',
    ]);
    look('n', { lastSeconds: 9 });
    look('n', { lastSeconds: 9 });
    const lines = await linesOf(registry, closed);
    expect(lines).to.include.members([`${closed}_sum 9`, `${closed}_count 1`]);
    expect(await linesOf(registry, 'gpu_partition_longest_closed')).to.deep.equal([
      'gpu_partition_longest_closed_seconds 3',
    ]);
    metrics.forget('m');
    expect(await linesOf(registry, 'gpu_partition_longest_closed')).to.deep.equal([
      'gpu_partition_longest_closed_seconds 0',
    ]);
  });

  it('tell the budget of a policy as its status does: percentages are of the nodes with GPUs over which it decides', async () => {
    const registry = new Registry();
    const limits = { nodes: 50, maxUnavailable: 5, maxConcurrentNodes: 20 };
    const policy = { ...aPolicy({ rollout: { maxUnavailable: '10%' } }), status: { limits } };
    const record = aPolicyRecord(policy);
    for (let at = 0; at < 100; at += 1) record.tally.expect(`n${at}`);
    const fleet = {
      get policies() {
        return [record][Symbol.iterator]();
      },
    };
    metricsOf(registry).attach(aLeader({ fleet }));
    expect(await linesOf(registry, 'gpu_partition_policy_max_unavailable')).to.deep.equal([
      'gpu_partition_policy_max_unavailable{policy="p"} 5',
    ]);
  });

  it('say which lists are missing, and which loop is stuck', () => {
    let synced = false;
    const figures = (): ReadonlyMap<string, WatchFigures> => new Map([['nodes', { ...watch, synced }]]);
    const metrics = new ControllerMetrics(new Registry(), () => 0, figures);
    const stalled = new Map([['nodes', { depth: 1, longestRunMs: 61_000 }]]);
    // In a standby too: it takes over with what it has.
    expect(metrics.unsynced).to.deep.equal(['nodes']);
    expect(metrics.explainStall(60_000)).to.equal(undefined);
    metrics.attach(aLeader({ queues: stalled }));
    expect(metrics.unsynced).to.deep.equal(['nodes']);
    synced = true;
    expect(metrics.unsynced).to.deep.equal([]);
    expect(metrics.explainStall(60_000)).to.equal('a reconcile of nodes has been running for 61 s');
    expect(metrics.explainStall(62_000)).to.equal(undefined);
  });

  it('are at most 5,000 series at 10,000 nodes of 24 models, 20 pools and 50 policies, whatever they are at', async () => {
    const registry = createRegistry({ program: 'controller' });
    const metrics = metricsOf(registry);
    const devices = MODELS.map(({ products, profiles }) => {
      const product = products[0]?.name ?? '';
      const instances = profiles.flatMap(({ name, starts }) =>
        [true, false].map((busy, gi) => ({ profile: name, gi, start: starts[0] ?? 0, busy, computeInstances: [] })),
      );
      return aDevice(...[0, 1].map((index) => ({ ...aGpu({ index, product, slices: [] }), instances })));
    });
    const partitions = Array.from({ length: 10_000 }, (_, at) => {
      const reason = nodeReasons[at % nodeReasons.length] ?? '';
      const code = DeviceError.codes[at % DeviceError.codes.length] ?? '';
      const ready = { type: 'Ready', status: 'False' as const, reason, message: '', lastTransitionTime: '' };
      const device = { ...devices[at % devices.length], ...(at % 9 === 0 && { error: { code, message: '' } }) };
      const base = aPartition({ policy: { name: `policy-${at % 50}`, generation: 1 } });
      // A reason goes with one phase.
      const phase =
        phases[nodeReasons.indexOf(nodeReasons[at % nodeReasons.length] ?? 'Ready') % phases.length] ?? 'Ready';
      return { ...base, metadata: { name: `n-${at}` }, status: { phase, device, conditions: [ready] } };
    });
    const policies = Array.from({ length: 50 }, (_, at) => aPolicyRecord(aPolicy({ name: `policy-${at}` })));
    // A pool has nodes of one model, as clouds make them.
    const pool = (name: string): string => `pool-${Number(name.slice(2)) % 20}`;
    metrics.attach(
      aLeader({
        partitions: { list: () => partitions },
        nodes: { get: (name) => ({ metadata: { name, labels: { pool: pool(name) } } }) },
        fleet: { policies: policies[Symbol.iterator]() },
      }),
    );
    for (const queue of ['nodes', 'policies']) {
      metrics.observeQueue(queue).started(1);
      for (const result of ['success', 'error'] as const) metrics.observeQueue(queue).ended(result, 1);
    }
    const before = process.threadCpuUsage();
    const series = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1000).to.be.below(2000);
    expect(series.filter((line) => /\bn-\d/.test(line))).to.deep.equal([]);
    expect(series.length).to.be.above(1000).and.at.most(5000);
  });
});
