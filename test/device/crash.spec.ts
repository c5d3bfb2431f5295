import { expect } from 'chai';
import { applyNode } from '../../src/device/apply.ts';
import type { GpuTarget } from '../../src/core/smi/change.ts';
import { isChange, InProcessNode } from './simulated-node.ts';

/** What the end of the process looks like from inside: an error that no code of ours expects. */
class Killed extends Error {
  override readonly name = 'Killed';
}

interface Transition {
  readonly name: string;
  readonly gpu: string;
  readonly from: GpuTarget['want'];
  readonly to: GpuTarget['want'];
  readonly faults?: string;
}

const transitions: readonly Transition[] = [
  { name: 'grow', gpu: 'A100-SXM4-40GB', from: { '1g.5gb': 2, '3g.20gb': 1 }, to: { '1g.5gb': 4, '3g.20gb': 1 } },
  { name: 'shrink', gpu: 'A100-SXM4-40GB', from: { '1g.5gb': 7 }, to: { '1g.5gb': 2 } },
  { name: 're-shape', gpu: 'A100-SXM4-40GB', from: { '1g.5gb': 7 }, to: { '3g.20gb': 1, '2g.10gb': 1, '1g.5gb': 1 } },
  { name: 'split', gpu: 'H100-80GB-HBM3', from: { '3g.40gb': 2 }, to: { '1c.3g.40gb': 3, '2c.3g.40gb': 1 } },
  { name: 'enable', gpu: 'H100-80GB-HBM3', from: 'Disabled', to: { '1g.10gb': 3 } },
  { name: 'disable', gpu: 'H100-80GB-HBM3', from: { '1g.10gb': 2, '3g.40gb': 1 }, to: 'Disabled' },
  { name: 'enable with reset', gpu: 'A30', from: 'Disabled', to: { '2g.12gb': 2 }, faults: 'migpending rc=16' },
];

async function prepare({ gpu, from }: Transition): Promise<InProcessNode> {
  const node = new InProcessNode([gpu]);
  await node.change(from);
  node.commands.length = 0;
  return node;
}

/** Runs until the process would be killed before, or after, the n-th operation. */
async function applyUntil(node: InProcessNode, want: GpuTarget['want'], nth: number, when: string): Promise<boolean> {
  let operations = 0;
  node.intercept = (args, run) => {
    if (!isChange(args)) return run();
    operations += 1;
    if (operations === nth && when === 'before') throw new Killed();
    const execution = run();
    if (operations === nth) throw new Killed();
    return execution;
  };
  try {
    await node.change(want, { allowReset: true, undo: true });
    return false;
  } catch (error) {
    if (error instanceof Killed) return true;
    throw error;
  } finally {
    node.intercept = (_args, run) => run();
  }
}

describe('being killed in the middle of an apply', () => {
  for (const transition of transitions) {
    it(`converges from every point of "${transition.name}", with no more than one operation too many`, async () => {
      const whole = await prepare(transition);
      whole.faults = transition.faults ?? '';
      const target = (node: InProcessNode) => [{ uuid: node.uuid(0), want: transition.to }];
      const {
        results: [first],
      } = await applyNode(whole.openDriver(), target(whole), { allowReset: true });
      expect(first?.outcome).to.equal('Applied');
      const wanted = (await whole.layout(0)).map((place) => place.replace(/@\d+/, '')).toSorted();
      const needed = first?.operations ?? 0;
      let points = 0;
      for (const when of ['before', 'after']) {
        for (let nth = 1; nth <= needed; nth += 1) {
          const node = await prepare(transition);
          node.faults = transition.faults ?? '';
          expect(await applyUntil(node, transition.to, nth, when)).to.equal(true);
          const {
            results: [result],
          } = await applyNode(node.openDriver(), target(node), { allowReset: true });
          expect(result?.outcome, `${when} ${nth}`).to.be.oneOf(['Applied', 'Unchanged']);
          expect((await node.layout(0)).map((place) => place.replace(/@\d+/, '')).toSorted()).to.deep.equal(wanted);
          const done = when === 'after' ? nth : nth - 1;
          expect(done + (result?.operations ?? 0), `${when} ${nth}`).to.be.at.most(needed + 1);
          const {
            results: [again],
          } = await applyNode(node.openDriver(), target(node), { allowReset: true });
          expect(again?.outcome).to.equal('Unchanged');
          points += 1;
        }
      }
      expect(points).to.be.at.least(2);
    });
  }

  it('converges when the node reboots instead, instances gone and the mode with them or not', async () => {
    for (const transition of transitions.slice(0, 5)) {
      const node = await prepare(transition);
      expect(await applyUntil(node, transition.to, 1, 'after')).to.equal(true);
      node.faults = 'reboot';
      node.run(['-L']);
      node.faults = '';
      const targets = [{ uuid: node.uuid(0), want: transition.to }];
      const {
        results: [result],
      } = await applyNode(node.openDriver(), targets);
      expect(result?.outcome, transition.name).to.equal('Applied');
    }
  });
});
