import { expect } from 'chai';
import type { NodeView } from '../../src/core/kubernetes/node.ts';
import { trimNode, trimPartition, trimPolicy } from '../../src/controller/watched-objects.ts';
import { writerOf } from '../../src/core/policy/record.ts';
import { fleetNode, fleetDevice, fleetLayout, fleetPartition, fleetPool } from '../bench/fleet-objects.ts';
import { readKeptMemory } from '../support/kept-memory.ts';
import type { GpuNodePartition } from '../../src/api/types.ts';
import { aDevice, aGpu, aPartition, aPolicy, withClaims } from '../support/builders.ts';
import { aManagedPartition, aNode } from '../support/node-builders.ts';
import { situations } from '../support/node-situations.ts';
import { NodeWorld } from '../support/node-world.ts';

/** A Node as a kubelet writes it, of which most is images, addresses and conditions. */
function aFullNode(annotations: Readonly<Record<string, string>>): NodeView {
  const heartbeat = { lastHeartbeatTime: '2026-01-01T12:00:00Z', reason: 'KubeletReady' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'n',
      uid: 'u',
      resourceVersion: '7',
      labels: { pool: 'p' },
      annotations,
      managedFields: [{ manager: 'kubelet' }],
      finalizers: ['example.com/f'],
    },
    spec: { taints: [{ key: 'k', effect: 'NoSchedule' }], podCIDR: '10.0.0.0/24' },
    status: {
      allocatable: { cpu: '8', memory: '64Gi', 'nvidia.com/gpu': '1', 'k8s.amazonaws.com/vgpu': '10' },
      capacity: { cpu: '8', 'nvidia.com/gpu': '1' },
      conditions: [
        { type: 'DiskPressure', status: 'False', ...heartbeat },
        { type: 'Ready', status: 'True', message: 'kubelet is posting ready status', ...heartbeat },
      ],
      nodeInfo: { bootID: 'boot-a', kernelVersion: '6.8' },
      images: Array.from({ length: 50 }, (_, index) => ({ names: [`registry/image-${index}`], sizeBytes: 1 })),
    },
  } as unknown as NodeView;
}

/** As it comes over the wire from a node that GPU Feature Discovery has labelled too. */
function arrive(name: string): NodeView {
  const node = fleetNode(name);
  const features = Array.from({ length: 45 }, (_, at) => [`nvidia.com/feature-${at}`, `value of feature ${at}`]);
  const labels = { ...node.metadata.labels, ...Object.fromEntries(features) };
  const annotations = { 'gpupartition.dev/managed-labels': features.map(([key]) => key).join(',') };
  return JSON.parse(JSON.stringify({ ...node, metadata: { ...node.metadata, labels, annotations } })) as NodeView;
}

const projected = {
  metadata: { name: 'n', uid: 'u', resourceVersion: '7', labels: { pool: 'p' } },
  spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] },
  status: {
    allocatable: { cpu: '8', memory: '64Gi', 'nvidia.com/gpu': '1', 'k8s.amazonaws.com/vgpu': '10' },
    capacity: { 'nvidia.com/gpu': '1' },
    nodeInfo: { bootID: 'boot-a' },
    conditions: [{ type: 'Ready', status: 'True' }],
  },
};

describe('a Node as the controller keeps it', () => {
  it('is kept as it is when it is projected again', () => {
    const kept = trimNode(aFullNode({ 'example.com/long': 'x' }));
    expect(trimNode(kept)).to.equal(kept);
  });

  it('has what decisions read, and nothing else of what a kubelet writes', () => {
    const own = { 'gpupartition.dev/on-loan': '{}', 'hami.io/node-handshake': 'x' };
    const { metadata, ...rest } = trimNode(aFullNode({ ...own, 'example.com/long': 'x'.repeat(1000) }));
    expect({ metadata, ...rest }).to.deep.equal({
      ...projected,
      metadata: { ...projected.metadata, annotations: own },
    });
  });

  it('keeps one annotation where none is of use: a patch of a map that is not there would take the others away', () => {
    const { metadata } = trimNode(aFullNode({ 'example.com/a': '1', 'example.com/b': '2' }));
    expect(metadata.annotations).to.deep.equal({ 'example.com/a': '1' });
    expect(trimNode(aFullNode({})).metadata.annotations).to.deep.equal({});
  });

  it('says why it is not Ready, and that it is going or cordoned', () => {
    const node = aFullNode({});
    const lost: NodeView = {
      ...node,
      metadata: { ...node.metadata, deletionTimestamp: '2026-01-01T12:00:00Z' },
      spec: { ...node.spec, unschedulable: true },
      status: { ...node.status, conditions: [{ type: 'Ready', status: 'Unknown', message: 'it is silent' }] },
    };
    const { metadata, spec, status } = trimNode(lost);
    expect(metadata.deletionTimestamp).to.equal('2026-01-01T12:00:00Z');
    expect(spec?.unschedulable).to.equal(true);
    expect(status?.conditions).to.deep.equal([{ type: 'Ready', status: 'Unknown', message: 'it is silent' }]);
  });

  it('has our own condition beside the kubelet’s, without its times, and no other', () => {
    const others = [{ type: 'XidProblem', status: 'False' }];
    const own = { type: 'GpuPartitionReady', status: 'False', reason: 'Applying', message: 'GPU 0 changes' };
    const times = { lastHeartbeatTime: '2026-01-01T12:00:00Z', lastTransitionTime: '2026-01-01T12:00:00Z' };
    const node = aFullNode({});
    const conditions = [...others, { ...own, ...times }, { type: 'Ready', status: 'True' }];
    const { status } = trimNode({ ...node, status: { ...node.status, conditions } });
    expect(status?.conditions).to.deep.equal([{ type: 'Ready', status: 'True' }, own]);
  });

  it('has all its labels, copies of its metadata too', () => {
    const { labels } = arrive('fleet-1').metadata;
    const { metadata } = trimNode(arrive('fleet-1'));
    expect(metadata.labels).to.deep.equal(labels);
    const { resourceVersion: _version, ...copy } = metadata;
    expect(copy.labels).to.deep.equal(labels);
    expect(JSON.parse(JSON.stringify(metadata))).to.deep.include({ labels });
  });

  it('has no field for what is absent', () => {
    const { metadata } = trimNode({ metadata: { name: 'n' } });
    expect(metadata).to.deep.equal({ name: 'n', labels: {}, annotations: {} });
  });

  it('says of some labels which there are', () => {
    const { metadata } = trimNode(arrive('fleet-1'));
    const keys = ['kubernetes.io/hostname', 'nvidia.com/feature-7', 'nvidia.com/none'];
    const found = { 'kubernetes.io/hostname': 'fleet-1', 'nvidia.com/feature-7': 'value of feature 7' };
    expect(metadata.pick?.(keys)).to.deep.equal(found);
  });

  it('is no more when it is projected again', () => {
    const once = trimNode(arrive('fleet-1'));
    expect(trimNode(once)).to.deep.equal(once);
  });

  it('takes less than 1.5 kB in a fleet whose nodes differ in their host names @slow', () => {
    const count = 4_000;
    const keep = (pool: string): readonly NodeView[] =>
      Array.from({ length: count }, (_, at) => trimNode(arrive(`${pool}-${at}`)));
    // What nodes share is kept in tables of a fixed size: they are full now, whatever was projected before, and of other nodes.
    keep('others');
    const before = readKeptMemory().heapUsed;
    const kept = keep('fleet');
    expect((readKeptMemory().heapUsed - before) / count, 'bytes of each node').to.be.below(1_500);
    expect(kept).to.have.length(count);
  });
});

/** As it comes over the wire: no two objects share anything. */
function arriveOfProjectPartition(partition: GpuNodePartition): GpuNodePartition {
  return JSON.parse(JSON.stringify(partition)) as GpuNodePartition;
}

function trim(partition: GpuNodePartition): GpuNodePartition {
  return trimPartition(arriveOfProjectPartition(partition));
}

function aFleetPartition(name: string): GpuNodePartition {
  const device = fleetDevice(name);
  return aPartition({
    device,
    wish: { gpus: (device.gpus ?? []).map(({ uuid }) => ({ uuid, profiles: fleetLayout })) },
  });
}

describe('a GpuNodePartition as the controller keeps it', () => {
  const layouts = {
    'as it is': [{ profiles: fleetLayout }],
    'another one': [{ profiles: { '3g.20gb': 2 } }],
    'some by count': [{ gpus: { count: 3 }, profiles: { '3g.20gb': 2 } }, { profiles: fleetLayout }],
    'one that does not fit': [{ profiles: { '3g.20gb': 3 } }],
  };
  const starts = {
    ...situations,
    ...Object.fromEntries(
      Object.entries(layouts).map(([name, entries]) => [
        `8 GPUs, ${name}`,
        () => ({
          policy: aPolicy({ layouts: entries }),
          node: aNode({ labels: fleetPool, nodeInfo: { bootID: fleetDevice('fleet-1').bootID ?? '' } }),
          partition: aManagedPartition({ device: fleetDevice('fleet-1'), ...aFleetPartition('fleet-1').spec }),
        }),
      ]),
    ),
  };
  for (const [name, start] of Object.entries(starts)) {
    it(`holds all that is decided on: ${name}`, () => {
      const { partition = aManagedPartition(), ...rest } = start();
      const whole = new NodeWorld({ ...rest, partition: arriveOfProjectPartition(partition) });
      const kept = new NodeWorld({ ...rest, partition: trim(partition) });
      for (let steps = 0; steps < 8; steps += 1) {
        // A change of a Node has functions in it; what they do is seen on the node.
        expect(JSON.stringify(kept.step(500))).to.equal(JSON.stringify(whole.step(500)));
        expect(kept.partition.spec).to.deep.equal(whole.partition.spec);
        expect(kept.partition.status).to.deep.equal(trim(whole.partition).status);
        expect(kept.node).to.deep.equal(whole.node);
      }
    });
  }

  it('has neither pods nor claims of its instances: being busy says enough', () => {
    const gpu = withClaims(aGpu({ slices: ['1g.5gb@0'] }), { '1g.5gb@0': { 'team/a-gpu': 'team/a' } });
    const kept = trim(aPartition({ device: aDevice(gpu), backend: 'DRA' }));
    const [instance] = kept.status?.device?.gpus?.[0]?.instances ?? [];
    expect(instance).to.include({ profile: '1g.5gb', busy: true });
    expect(instance).not.to.have.any.keys('pods', 'claims');
  });

  it('shares profile tables and instances with all others, and a grant with its wish', () => {
    const [one, other] = [trim(aFleetPartition('fleet-1')), trim(aFleetPartition('fleet-2'))];
    expect(one.status?.device?.models?.[0]).to.equal(other.status?.device?.models?.[0]);
    expect(one.status?.device?.gpus?.[0]?.instances).to.equal(other.status?.device?.gpus?.[5]?.instances);
    expect(one.spec.wish?.gpus[0]?.profiles).to.equal(other.spec.wish?.gpus[7]?.profiles);
    const { wish } = aFleetPartition('fleet-1').spec;
    const { spec } = trim(
      aPartition({ ...(wish && { wish, granted: { ...wish, epoch: 1, planHash: 'x', deadline: '' } }) }),
    );
    expect(spec.granted?.gpus).to.equal(spec.wish?.gpus);
  });

  it('leaves out owners and unused names', () => {
    const text = JSON.stringify(
      trimPartition({
        ...aFleetPartition('fleet-1'),
        metadata: { ...fleetPartition('fleet-1', 'u').metadata, managedFields: [{ manager: 'agent' }] },
      }),
    );
    expect(text).not.to.match(/managedFields|ownerReferences|MIG-/);
  });

  it('holds the UUIDs of instances where ResourceSlices have to show them', () => {
    const text = JSON.stringify(
      trim(aPartition({ ...aFleetPartition('fleet-1').spec, backend: 'DRA', device: fleetDevice('fleet-1') })),
    );
    expect(new Set(text.match(/MIG-[0-9a-f-]+/g))).to.deep.equal(
      new Set(JSON.stringify(fleetDevice('fleet-1')).match(/MIG-[0-9a-f-]+/g)),
    );
  });

  it('takes less than 6 kB with 8 GPUs of 7 instances each', () => {
    const count = 1_000;
    const keep = (): readonly GpuNodePartition[] =>
      Array.from({ length: count }, (_, at) => trim(aFleetPartition(`fleet-${at}`)));
    keep();
    const before = readKeptMemory().heapUsed;
    const kept = keep();
    expect((readKeptMemory().heapUsed - before) / count, 'bytes of each partition').to.be.below(6_000);
    expect(kept).to.have.length(count);
  });

  it('is no more when it is projected again', () => {
    const once = trim(aFleetPartition('fleet-1'));
    expect(trimPartition(once)).to.deep.equal(once);
  });
});

describe('a policy that is watched', () => {
  it('tells who wrote its spec, and of no field who manages it', () => {
    const fieldsV1 = { 'f:spec': { 'f:layouts': {} }, 'f:metadata': { 'f:labels': {} } };
    const managedFields = [
      { manager: 'kubectl', time: '2026-01-01T09:00:00Z', fieldsV1 },
      { manager: 'argocd', time: '2026-01-01T10:00:00Z', fieldsV1 },
      { manager: 'controller', time: '2026-01-01T11:00:00Z', subresource: 'status', fieldsV1: { 'f:status': {} } },
    ];
    const policy = aPolicy();
    const kept = trimPolicy({ ...policy, metadata: { ...policy.metadata, managedFields } });
    expect(writerOf(kept)).to.deep.equal({ manager: 'argocd', time: '2026-01-01T10:00:00Z' });
    expect(JSON.stringify(kept.metadata)).not.to.match(/f:layouts|f:labels/);
    expect(trimPolicy(kept)).to.deep.equal(kept);
  });
});
