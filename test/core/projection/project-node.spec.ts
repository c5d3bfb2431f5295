import { expect } from 'chai';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import { projectNode } from '../../../src/core/projection/project-node.ts';
import { fleetNode } from '../../bench/fleet-objects.ts';
import { readKeptMemory } from '../../support/kept-memory.ts';

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
    const kept = projectNode(aFullNode({ 'example.com/long': 'x' }));
    expect(projectNode(kept)).to.equal(kept);
  });

  it('has what decisions read, and nothing else of what a kubelet writes', () => {
    const own = { 'gpupartition.dev/on-loan': '{}', 'hami.io/node-handshake': 'x' };
    const { metadata, ...rest } = projectNode(aFullNode({ ...own, 'example.com/long': 'x'.repeat(1000) }));
    expect({ metadata, ...rest }).to.deep.equal({
      ...projected,
      metadata: { ...projected.metadata, annotations: own },
    });
  });

  it('keeps one annotation where none is of use: a patch of a map that is not there would take the others away', () => {
    const { metadata } = projectNode(aFullNode({ 'example.com/a': '1', 'example.com/b': '2' }));
    expect(metadata.annotations).to.deep.equal({ 'example.com/a': '1' });
    expect(projectNode(aFullNode({})).metadata.annotations).to.deep.equal({});
  });

  it('says why it is not Ready, and that it is going or cordoned', () => {
    const node = aFullNode({});
    const lost: NodeView = {
      ...node,
      metadata: { ...node.metadata, deletionTimestamp: '2026-01-01T12:00:00Z' },
      spec: { ...node.spec, unschedulable: true },
      status: { ...node.status, conditions: [{ type: 'Ready', status: 'Unknown', message: 'it is silent' }] },
    };
    const { metadata, spec, status } = projectNode(lost);
    expect(metadata.deletionTimestamp).to.equal('2026-01-01T12:00:00Z');
    expect(spec?.unschedulable).to.equal(true);
    expect(status?.conditions).to.deep.equal([{ type: 'Ready', status: 'Unknown', message: 'it is silent' }]);
  });

  it('has all its labels, copies of its metadata too', () => {
    const { labels } = arrive('fleet-1').metadata;
    const { metadata } = projectNode(arrive('fleet-1'));
    expect(metadata.labels).to.deep.equal(labels);
    const { resourceVersion: _version, ...copy } = metadata;
    expect(copy.labels).to.deep.equal(labels);
    expect(JSON.parse(JSON.stringify(metadata))).to.deep.include({ labels });
  });

  it('has no field for what is absent', () => {
    const { metadata } = projectNode({ metadata: { name: 'n' } });
    expect(metadata).to.deep.equal({ name: 'n', labels: {}, annotations: {} });
  });

  it('says of some labels which there are', () => {
    const { metadata } = projectNode(arrive('fleet-1'));
    const keys = ['kubernetes.io/hostname', 'nvidia.com/feature-7', 'nvidia.com/none'];
    const found = { 'kubernetes.io/hostname': 'fleet-1', 'nvidia.com/feature-7': 'value of feature 7' };
    expect(metadata.pick?.(keys)).to.deep.equal(found);
  });

  it('is no more when it is projected again', () => {
    const once = projectNode(arrive('fleet-1'));
    expect(projectNode(once)).to.deep.equal(once);
  });

  it('takes less than 1.5 kB in a fleet whose nodes differ in their host names @slow', () => {
    const count = 4_000;
    const keep = (pool: string): readonly NodeView[] =>
      Array.from({ length: count }, (_, at) => projectNode(arrive(`${pool}-${at}`)));
    // What nodes share is kept in tables of a fixed size: they are full now, whatever was projected before, and of other nodes.
    keep('others');
    const before = readKeptMemory().heapUsed;
    const kept = keep('fleet');
    expect((readKeptMemory().heapUsed - before) / count, 'bytes of each node').to.be.below(1_500);
    expect(kept).to.have.length(count);
  });
});
