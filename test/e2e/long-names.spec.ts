import { expect } from 'chai';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { ownTaints, useRig } from '../support/rig.ts';

/** The longest name of an object: labels of 63 characters, 253 in all. */
const name = ['a'.repeat(63), 'b'.repeat(63), 'c'.repeat(63), 'd'.repeat(61)].join('.');
const nodes: readonly RigNode[] = [{ name, gpus: ['A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed' }];

describe('a node whose name has 253 characters @all', function () {
  const rig = useRig(nodes);

  it('is partitioned as any other, and its events can be written', async () => {
    expect(name).to.have.length(253);
    const layouts = [{ profiles: { '3g.20gb': 2 } }];
    await rig().apply('p', { nodeSelector: { matchLabels: { pool: 'p' } }, layouts });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 90_000);
    const { status } = await rig().partition(name);
    expect(status?.layout).to.equal('1 GPU: 2×3g.20gb');
    expect(ownTaints(await rig().node(name))).to.deep.equal([]);
    const regarding = await eventually(
      () => rig().kubectl('get', 'events.events.k8s.io', '-A', '-o', 'jsonpath={.items[*].regarding.name}'),
      (names) => names.split(' ').includes(name),
      { timeoutMs: 30_000, what: 'an event of the node' },
    );
    expect(regarding).to.include(name);
  });
});
