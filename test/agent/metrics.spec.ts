import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { GpuNodePartition } from '../../src/api/types.ts';
import { AgentMetrics } from '../../src/agent/metrics.ts';
import type { Device, WorkOptions } from '../../src/agent/open-device.ts';
import { DeviceError, type DeviceState } from '../../src/core/gpu/device-state.ts';
import { FakeClock } from '../process/fake-clock.ts';
import { rejectionOf } from '../kube/failure.ts';

const lost = new DeviceError('GpuLost', { tried: 'to read', found: 'nothing' });
const state = {} as DeviceState;
const device: Device = {
  hostProblems: () => [],
  read: async () => state,
  apply: async () => ({
    results: [{ uuid: 'GPU-1', outcome: 'Failed', operations: 1, error: lost, undoError: undefined }],
    device: state,
  }),
};
const options = {} as WorkOptions;
const noCounts = { lists: 0, reconnects: 0, events: 0, failures: 0, handlerErrors: 0 };

describe('the metrics of an agent', () => {
  it('count readings, failures by code, and tell how old the last good reading is', async () => {
    const registry = new Registry();
    const clock = new FakeClock();
    const metrics = new AgentMetrics(registry, clock);
    await metrics.measure(device).read();
    await clock.advance(3000);
    const failing = { ...device, read: async () => Promise.reject(lost) };
    expect(await rejectionOf(metrics.measure(failing).read())).to.equal(lost);
    await metrics.measure(device).apply([], [], options);
    const text = await registry.metrics();
    for (const line of [
      'gpu_partition_device_reads_total{result="success"} 1',
      'gpu_partition_device_reads_total{result="error"} 1',
      'gpu_partition_device_failures_total{code="GpuLost"} 2',
      'gpu_partition_device_read_age_seconds 3',
      'gpu_partition_device_work_duration_seconds_count{result="error"} 1',
    ]) {
      expect(text.split('\n')).to.include(line);
    }
  });

  it('count from 0 on, because the first increment of a new counter is not seen', async () => {
    const registry = new Registry();
    new AgentMetrics(registry, new FakeClock());
    const lines = (await registry.metrics()).split('\n');
    for (const line of [
      'gpu_partition_device_reads_total{result="error"} 0',
      'gpu_partition_device_failures_total{code="GpuLost"} 0',
      'gpu_partition_device_failures_total{code="Unknown"} 0',
      'gpu_partition_device_operations_total{operation="mode"} 0',
    ])
      expect(lines).to.include(line);
  });

  it('count operations by what they do', async () => {
    const registry = new Registry();
    const metrics = new AgentMetrics(registry, new FakeClock());
    for (const command of ['mig -i 0 -dci -gi 1', 'mig -i 0 -cgi 19:2 -C', '-i 0 -mig 1', '--gpu-reset -i 0']) {
      metrics.operated(command);
    }
    const text = await registry.metrics();
    for (const operation of ['destroy', 'create', 'mode', 'reset']) {
      expect(text).to.contain(`gpu_partition_device_operations_total{operation="${operation}"} 1`);
    }
  });

  it('name each MIG device of the node, its share of the GPU and the pods that hold it, only if they are asked for', async () => {
    const partition = {
      spec: { nodeUID: 'n', policy: { name: 'inference', generation: 1 } },
      status: {
        device: {
          gpus: [
            {
              uuid: 'GPU-1',
              product: 'NVIDIA A100-SXM4-40GB',
              instances: [
                { profile: '2g.10gb', gi: 3, start: 0, uuid: 'MIG-a', pods: ['team/train-0'] },
                {
                  profile: '3g.20gb',
                  gi: 1,
                  computeInstances: [
                    { profile: '1c.3g.20gb', uuid: 'MIG-b' },
                    { profile: '2c.3g.20gb', uuid: 'MIG-c' },
                  ],
                },
              ],
            },
          ],
        },
      },
    } as unknown as GpuNodePartition;
    const computeInstances = (...uuids: readonly string[]) => uuids.map((uuid, id) => ({ uuid, id }));
    const reading = {
      gpus: [
        {
          instances: [
            { computeInstances: computeInstances('MIG-a') },
            { computeInstances: computeInstances('MIG-b', 'MIG-c') },
          ],
        },
      ],
    } as unknown as DeviceState;
    const opened: Device = {
      hostProblems: () => [],
      read: async () => reading,
      apply: async () => ({ results: [], device: reading }),
    };
    const seriesOf = async (
      hasSlices: boolean,
      ask: (device: Device) => Promise<unknown> = async () => undefined,
    ): Promise<readonly string[]> => {
      const registry = new Registry();
      const metrics = new AgentMetrics(registry, new FakeClock(), hasSlices);
      await ask(metrics.measure(opened));
      const [queue, watch] = [
        { depth: 0, longestRunMs: 0 },
        { counts: noCounts, silenceMs: 0 },
      ];
      metrics.attach({ queue, watch, serverClock: { skewMs: 0 }, partition: () => partition });
      return (await registry.metrics()).split('\n').filter((line) => line.startsWith('gpu_partition_slice'));
    };
    expect(await seriesOf(false)).to.deep.equal([]);
    const info = (mig: string, profile: string, gi: number, ci: number | ''): string =>
      `gpu_partition_slice_info{gpu_uuid="GPU-1",mig_uuid="${mig}",profile="${profile}",gi="${gi}",ci="${ci}",policy="inference"} 1`;
    const share = (mig: string, profile: string, value: number): string =>
      `gpu_partition_slice_gpus{gpu_uuid="GPU-1",mig_uuid="${mig}",profile="${profile}",policy="inference"} ${value}`;
    const shares = [
      share('MIG-a', '2g.10gb', 0.25),
      share('MIG-b', '3g.20gb', 0.5 / 3),
      share('MIG-c', '3g.20gb', 1 / 3),
    ];
    const ofPod = 'gpu_partition_slice_pod{mig_uuid="MIG-a",namespace="team",pod="train-0"} 1';
    const unread = [info('MIG-a', '2g.10gb', 3, ''), info('MIG-b', '3g.20gb', 1, ''), info('MIG-c', '3g.20gb', 1, '')];
    expect(await seriesOf(true)).to.deep.equal([...unread, ...shares, ofPod]);
    // The report has no ids of compute instances; the agent's own readings have.
    const read = [info('MIG-a', '2g.10gb', 3, 0), info('MIG-b', '3g.20gb', 1, 0), info('MIG-c', '3g.20gb', 1, 1)];
    expect(await seriesOf(true, (device) => device.read())).to.deep.equal([...read, ...shares, ofPod]);
    const applied = (device: Device): Promise<unknown> => device.apply([], [], {} as WorkOptions);
    expect(await seriesOf(true, applied)).to.deep.equal([...read, ...shares, ofPod]);
  });

  it('say which loop is stuck, and none of an agent that has just started', () => {
    const metrics = new AgentMetrics(new Registry(), new FakeClock());
    expect(metrics.explainStall(0)).to.equal(undefined);
    metrics.attach({
      queue: { depth: 1, longestRunMs: 61_000 },
      watch: { counts: noCounts, silenceMs: 0 },
      serverClock: { skewMs: undefined },
      partition: () => undefined,
    });
    expect(metrics.explainStall(60_000)).to.equal('a reconcile has been running for 61 s');
    expect(metrics.explainStall(62_000)).to.equal(undefined);
  });
});
