import { expect } from 'chai';
import fc from 'fast-check';
import { deepEqual } from '../../../src/core/text/json.ts';
import {
  changeBorrowedLabels,
  type ReturnChoice,
  borrowedLabelsOf,
  borrowedAnnotation,
  type NodeChange,
  type NodeMetadata,
  combine,
  patchNode,
} from '../../../src/core/node/node-patch.ts';
import { gpuLabels, managedLabelsAnnotation } from '../../../src/core/node/rules/labels.ts';
import { releaseNode } from '../../../src/core/node/marks.ts';
import { readyNode } from '../../../src/core/node/rules/verify-and-open.ts';
import { aGpu } from '../../support/builders.ts';
import { PackedLabels } from '../../../src/core/kubernetes/node.ts';

const plugin = 'nvidia.com/gpu.deploy.device-plugin';
const config = 'nvidia.com/device-plugin.config';

const borrow = (node: NodeMetadata, labels: Readonly<Record<string, string>>): NodeChange =>
  changeBorrowedLabels(node, labels, []);
const giveBack = (node: NodeMetadata, choice: ReturnChoice): NodeChange => changeBorrowedLabels(node, {}, choice);

function aNode(labels: Readonly<Record<string, string>>, annotation?: string): NodeMetadata {
  return { labels, annotations: annotation === undefined ? {} : { [borrowedAnnotation]: annotation }, taints: [] };
}

function apply(node: NodeMetadata, change: NodeChange): NodeMetadata {
  return {
    ...node,
    labels: merge(node.labels, change.labels ?? {}),
    annotations: merge(node.annotations, change.annotations ?? {}),
  };
}

function merge(
  map: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const merged = { ...map, ...change };
  return Object.fromEntries(
    Object.entries(merged).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );
}

describe('labels on loan', () => {
  it('are set, and their earlier values are kept in the annotation, null for a label that was not there', () => {
    expect(borrow(aNode({ [plugin]: 'true' }), { [plugin]: 'paused-for-mig-change', [config]: 'mine' })).to.deep.equal({
      labels: { [plugin]: 'paused-for-mig-change', [config]: 'mine' },
      annotations: {
        [borrowedAnnotation]: `{"${config}":{"was":null,"set":"mine"},"${plugin}":{"was":"true","set":"paused-for-mig-change"}}`,
      },
    });
  });

  it('keep the first earlier value when they are borrowed again', () => {
    const once = apply(aNode({ [config]: 'theirs' }), borrow(aNode({ [config]: 'theirs' }), { [config]: 'one' }));
    const twice = apply(once, borrow(once, { [config]: 'two' }));
    expect(borrowedLabelsOf(twice)).to.deep.equal({ [config]: { was: 'theirs', set: 'two' } });
    expect(apply(twice, giveBack(twice, [config]))).to.deep.equal(aNode({ [config]: 'theirs' }));
  });

  it('are removed when they were not there before, and the annotation goes with the last of them', () => {
    const lent = apply(aNode({ a: '1' }), borrow(aNode({ a: '1' }), { [config]: 'mine' }));
    expect(giveBack(lent, [config])).to.deep.equal({
      labels: { [config]: undefined },
      annotations: { [borrowedAnnotation]: undefined },
    });
  });

  it('stay as somebody else has set them meanwhile, and only the loan is forgotten', () => {
    const lent = apply(aNode({ [plugin]: 'true' }), borrow(aNode({ [plugin]: 'true' }), { [plugin]: 'paused' }));
    const taken = { ...lent, labels: { [plugin]: 'false' } };
    expect(giveBack(taken, [plugin])).to.deep.equal({ labels: {}, annotations: { [borrowedAnnotation]: undefined } });
  });

  it('stay away when somebody else has removed them meanwhile', () => {
    const lent = apply(aNode({ [plugin]: 'true' }), borrow(aNode({ [plugin]: 'true' }), { [plugin]: 'paused' }));
    expect(giveBack({ ...lent, labels: {} }, [plugin]).labels).to.deep.equal({});
  });

  it('that somebody else has changed meanwhile are borrowed again with that value as the earlier one', () => {
    const lent = apply(aNode({ [plugin]: 'true' }), borrow(aNode({ [plugin]: 'true' }), { [plugin]: 'paused' }));
    const taken = { ...lent, labels: { [plugin]: 'false' } };
    expect(borrowedLabelsOf(apply(taken, borrow(taken, { [plugin]: 'paused' })))).to.deep.equal({
      [plugin]: { was: 'false', set: 'paused' },
    });
  });

  it('do not include a label that had the wanted value anyway', () => {
    const node = aNode({ [plugin]: 'false' });
    expect(borrowedLabelsOf(apply(node, borrow(node, { [plugin]: 'false' })))).to.deep.equal({});
  });

  it('are given back by key, or by a question asked of each', () => {
    const lent = apply(aNode({}), borrow(aNode({}), { [plugin]: 'paused', [config]: 'mine' }));
    expect(giveBack(lent, [config]).labels).to.deep.equal({ [config]: undefined });
    expect(giveBack(lent, (_key, { set }) => set === 'paused').labels).to.deep.equal({ [plugin]: undefined });
  });

  it('do not change if nothing of the choice is on loan', () => {
    expect(giveBack(aNode({ [plugin]: 'true' }), [plugin])).to.deep.equal({});
    expect(borrow(aNode({}), {})).to.deep.equal({});
  });

  it('are borrowed and given back in one write', () => {
    const lent = apply(aNode({}), borrow(aNode({}), { [plugin]: 'paused' }));
    const next = apply(lent, changeBorrowedLabels(lent, { [config]: 'mine' }, [plugin]));
    expect(next.labels).to.deep.equal({ [config]: 'mine' });
    expect(borrowedLabelsOf(next)).to.deep.equal({ [config]: { was: null, set: 'mine' } });
  });

  it('stay on loan where a label is to be borrowed and given back at once', () => {
    const lent = apply(aNode({}), borrow(aNode({}), { [plugin]: 'paused' }));
    const next = apply(lent, changeBorrowedLabels(lent, { [plugin]: 'paused' }, [plugin]));
    expect(next).to.deep.equal(lent);
  });

  it('do not exist in an annotation that cannot be read; in a damaged one the readable ones count', () => {
    for (const text of [
      '',
      '{',
      '[]',
      'null',
      '"x"',
      '7',
      `{"${plugin}":"true"}`,
      `{"${plugin}":{"was":1,"set":"x"}}`,
    ]) {
      expect(borrowedLabelsOf(aNode({}, text)), text).to.deep.equal({});
      expect(giveBack(aNode({ [plugin]: 'x' }, text), [plugin]), text).to.deep.equal({});
    }
    const damaged = `{"${plugin}":null,"${config}":{"was":null,"set":"mine"}}`;
    expect(borrowedLabelsOf(aNode({}, damaged))).to.deep.equal({ [config]: { was: null, set: 'mine' } });
  });

  it('are never labels of Kubernetes, whatever the annotation says, since a kubelet may write it', () => {
    const key = 'example.node-restriction.kubernetes.io/trusted';
    const forged = aNode({ [key]: 'x' }, JSON.stringify({ [key]: { was: 'yes', set: 'x' } }));
    expect(giveBack(forged, () => true)).to.deep.equal({});
    expect(borrow(aNode({}), { [key]: 'yes' })).to.deep.equal({});
  });

  it('leave every label as its last owner but us wanted it, after any history', () => {
    const key = fc.constantFrom(plugin, config, 'nvidia.com/gpu.deploy.mig-manager');
    const ours = fc.constantFrom('paused', 'mine', 'other');
    const theirs = fc.constantFrom('true', 'false', 'paused-for-driver-upgrade', undefined);
    const step = fc.oneof(
      fc.record({ kind: fc.constant('borrow' as const), labels: fc.dictionary(key, ours, { maxKeys: 3 }) }),
      fc.record({ kind: fc.constant('giveBack' as const), keys: fc.subarray([plugin, config]) }),
      fc.record({ kind: fc.constant('edit' as const), key, value: theirs }),
    );
    const start = fc.dictionary(key, fc.constantFrom('true', 'false'), { maxKeys: 3 });
    fc.assert(
      fc.property(start, fc.array(step, { maxLength: 12 }), (labels, steps) => {
        let node = aNode(labels);
        let wanted: Readonly<Record<string, string>> = labels;
        for (const one of steps) {
          switch (one.kind) {
            case 'borrow':
              node = apply(node, borrow(node, one.labels));
              break;
            case 'giveBack':
              node = apply(node, giveBack(node, one.keys));
              break;
            case 'edit':
              node = { ...node, labels: merge(node.labels, { [one.key]: one.value }) };
              wanted = merge(wanted, { [one.key]: one.value });
          }
        }
        node = apply(
          node,
          giveBack(node, () => true),
        );
        expect(node.labels).to.deep.equal(wanted);
        expect(node.annotations).to.deep.equal({});
      }),
    );
  });
});

const foreign = { key: 'team', effect: 'NoSchedule', value: 'a' };
const ours = { key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule' };
const node = { labels: { a: '1' }, annotations: {}, taints: [foreign] };

describe('patchNode', () => {
  it('is empty where nothing has to change', () => {
    expect(patchNode(node, { labels: { a: '1', b: undefined }, removeTaints: ['x'] })).to.deep.equal([]);
  });

  it('keeps foreign taints, and fails rather than lose one that came meanwhile', () => {
    expect(patchNode(node, { addTaints: [ours] })).to.deep.equal([
      { op: 'test', path: '/spec/taints', value: [foreign] },
      { op: 'replace', path: '/spec/taints', value: [foreign, ours] },
    ]);
    expect(patchNode({ ...node, taints: [ours] }, { removeTaints: [ours.key] })).to.deep.equal([
      { op: 'test', path: '/spec/taints', value: [ours] },
      { op: 'remove', path: '/spec/taints' },
    ]);
  });

  it('escapes keys and makes a map that is not there', () => {
    expect(patchNode({ ...node, labels: {} }, { labels: { 'nvidia.com/a~b': 'x' } })).to.deep.equal([
      { op: 'test', path: '/metadata/labels', value: null },
      { op: 'add', path: '/metadata/labels', value: {} },
      { op: 'add', path: '/metadata/labels/nvidia.com~1a~0b', value: 'x' },
    ]);
  });

  it('fails rather than empty a map whose first entry somebody else has made meanwhile', () => {
    const [first] = patchNode(node, { annotations: { 'gpupartition.dev/x': '1' } });
    expect(first).to.deep.equal({ op: 'test', path: '/metadata/annotations', value: null });
  });

  it('fails rather than overwrite a label to be borrowed that somebody else has set meanwhile', () => {
    const key = 'nvidia.com/gpu.deploy.dcgm';
    const path = '/metadata/labels/nvidia.com~1gpu.deploy.dcgm';
    const patch = patchNode(node, { borrow: { [key]: 'paused' } });
    expect(patch).to.deep.include({ op: 'test', path, value: null });
    const other = 'example.com/driver';
    expect(patchNode(node, { borrow: { [other]: 'off' } })).to.deep.include({
      op: 'test',
      path: '/metadata/labels/example.com~1driver',
      value: null,
    });
  });
});

describe('gpuLabels', () => {
  const labelled = (labels: Readonly<Record<string, string>>, managed = '') => ({
    labels,
    annotations: { [managedLabelsAnnotation]: managed },
    taints: [],
  });

  it('takes away the labels that it wrote before and are not wanted any more', () => {
    const before = labelled(
      { 'nvidia.com/gpu.count': '1', 'nvidia.com/mig-1g.5gb.count': '7', 'nvidia.com/gpu.present': 'true' },
      'gpu.count,mig-1g.5gb.count,gpu.mode',
    );
    const change = gpuLabels(before, { 'nvidia.com/gpu.count': '2' });
    expect(change.labels).to.deep.equal({ 'nvidia.com/gpu.count': '2', 'nvidia.com/mig-1g.5gb.count': undefined });
    expect(change.annotations).to.deep.equal({ [managedLabelsAnnotation]: 'gpu.count' });
  });

  it('takes away what tells of slices that are not there, whoever wrote it', () => {
    const left = {
      'nvidia.com/mig-2g.10gb.count': '3',
      'nvidia.com/mig-1g.10gb.me.product': 'x',
      'nvidia.com/mig-3g.21gb.engines.copy': '3',
      'nvidia.com/gpu.slices.gi': '1',
      'nvidia.com/mig.strategy': 'single',
    };
    const change = gpuLabels(labelled({ ...left, 'nvidia.com/gpu.count': '2' }), { 'nvidia.com/gpu.count': '2' });
    expect(change.labels).to.deep.equal(Object.fromEntries(Object.keys(left).map((key) => [key, undefined])));
  });

  it('leaves alone what is others’, and what no layout decides', () => {
    const others = {
      'nvidia.com/mig.config': 'all-1g.5gb',
      'nvidia.com/mig.config.state': 'success',
      'nvidia.com/mig-mine.count': '2',
      'nvidia.com/gpu.present': 'true',
      'nvidia.com/gpu.deploy.dcgm': 'true',
      'nvidia.com/gpu.family': 'ampere',
      'nvidia.com/gfd.timestamp': '1',
      'example.com/mig-1g.5gb.count': '7',
      team: 'a',
    };
    expect(gpuLabels(labelled(others), { 'nvidia.com/gpu.count': '2' }).labels).to.deep.equal({
      'nvidia.com/gpu.count': '2',
    });
  });

  it('keeps the recorded memory of a GPU that could not be read', () => {
    const found = { 'nvidia.com/gpu.memory': '40960' };
    expect(gpuLabels(labelled(found), {}).labels).to.deep.equal({});
  });
});

describe('marks of a node', () => {
  it('open it for pods, the start-up taint too, when it is ready', () => {
    const closed = {
      ...node,
      taints: [foreign, ours, { key: 'gpupartition.dev/uninitialized', effect: 'NoSchedule' }],
    };
    const patch = patchNode(closed, combine(readyNode('p', [aGpu({ slices: ['3g.20gb@0', '1g.5gb@4', '1g.5gb@5'] })])));
    expect(patch).to.deep.include({ op: 'replace', path: '/spec/taints', value: [foreign] });
    expect(patch).to.deep.include({
      op: 'add',
      path: '/metadata/labels/gpupartition.dev~1layout',
      value: '2x1g.5gb_1x3g.20gb',
    });
  });

  it('leave nothing of ours behind on a node that leaves its policy', () => {
    const { labels } = readyNode('p', []);
    const marked = { ...node, labels: { ...node.labels, ...(labels as Record<string, string>) }, taints: [ours] };
    const paths = patchNode(marked, releaseNode()).map(({ op, path }) => `${op} ${path}`);
    expect(paths).to.include.members(['remove /spec/taints', 'remove /metadata/labels/gpupartition.dev~1policy']);
  });
});

describe('packed labels', () => {
  // Kubernetes has no label `__proto__`: names begin and end with a letter or digit.
  const key = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('pool', 'constructor', 'a.b/c'));
  const anyLabels = fc.dictionary(key, fc.string({ maxLength: 3 }), { maxKeys: 200 });

  it('are the labels, even when those of other nodes were read in between', () => {
    fc.assert(
      fc.property(anyLabels, anyLabels, (one, other) => {
        const [these, those] = [new PackedLabels(one), new PackedLabels(other)];
        for (const [packed, labels] of [
          [these, one],
          [those, other],
          [these, one],
        ] as const) {
          expect(sorted(packed.unpack())).to.deep.equal(sorted(labels));
        }
      }),
    );
  });

  it('equal others with the same labels, however those were packed', () => {
    fc.assert(
      fc.property(anyLabels, anyLabels, (one, other) => {
        const packed = new PackedLabels(one);
        expect(packed.equals(new PackedLabels(Object.fromEntries(Object.entries(one).toReversed())))).to.equal(true);
        expect(packed.equals(PackedLabels.of(packed.unpack()))).to.equal(true);
        expect(packed.equals(new PackedLabels(other))).to.equal(deepEqual(one, other));
      }),
    );
  });

  it('give a few of them by name, and none that is not there', () => {
    fc.assert(
      fc.property(anyLabels, fc.array(key), (labels, keys) => {
        const wanted = Object.entries(labels).filter(([name]) => keys.includes(name));
        expect(sorted(new PackedLabels(labels).pick(keys))).to.deep.equal(sorted(Object.fromEntries(wanted)));
      }),
    );
  });
});

function sorted(labels: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
