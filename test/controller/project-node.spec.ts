import { expect } from 'chai';
import { type NodeObject, projectNode } from '../../src/controller/project.ts';
import { readKeptMemory } from '../support/kept-memory.ts';
import { fleetNode } from '../bench/fleet-objects.ts';

/** As it comes over the wire from a node that GPU Feature Discovery has labelled too. */
function arrive(name: string): NodeObject {
  const node = fleetNode(name);
  const features = Array.from({ length: 45 }, (_, at) => [`nvidia.com/feature-${at}`, `value of feature ${at}`]);
  const labels = { ...node.metadata.labels, ...Object.fromEntries(features) };
  const annotations = { 'gpupartition.dev/managed-labels': features.map(([key]) => key).join(',') };
  return JSON.parse(JSON.stringify({ ...node, metadata: { ...node.metadata, labels, annotations } })) as NodeObject;
}

describe('a Node as the controller keeps it', () => {
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

  it('is no more when it is projected again', () => {
    const once = projectNode(arrive('fleet-1'));
    expect(projectNode(once)).to.deep.equal(once);
  });

  it('takes less than 1.5 kB in a fleet whose nodes differ in their host names', () => {
    const count = 1_000;
    const keep = (): readonly NodeObject[] =>
      Array.from({ length: count }, (_, at) => projectNode(arrive(`fleet-${at}`)));
    keep();
    const before = readKeptMemory().heapUsed;
    const kept = keep();
    expect((readKeptMemory().heapUsed - before) / count, 'bytes of each node').to.be.below(1_500);
    expect(kept).to.have.length(count);
  });
});
