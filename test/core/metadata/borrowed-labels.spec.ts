import { expect } from 'chai';
import fc from 'fast-check';
import {
  changeBorrowedLabels,
  type ReturnChoice,
  borrowedLabelsOf,
  borrowedAnnotation,
} from '../../../src/core/metadata/borrowed-labels.ts';
import type { NodeChange, NodeMetadata } from '../../../src/core/metadata/node-change.ts';

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
