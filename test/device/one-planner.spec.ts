import { expect } from 'chai';
import fc from 'fast-check';
import type { GpuWish } from '../../src/api/types.ts';
import type { Step } from '../../src/core/gpu/plan.ts';
import { planTargetNow } from '../../src/core/smi/change.ts';
import { planWish } from '../../src/core/device/plan.ts';
import { applyNode } from '../../src/device/apply.ts';
import { reportDevice } from '../../src/core/device/agent.ts';
import { listPlacedStates } from '../core/gpu/placed-states.ts';
import { modelOf } from '../core/gpu/builders.ts';
import { InProcessNode } from './simulated-node.ts';

const on = 'gpu 0 mig 1 pending 1\n';
const everything = { held: new Set<string>(), mayTouch: () => true };

/** What the agent answers to a wish, and what the device would do for the same: steps, or that it is refused. */
async function planTwice(node: InProcessNode, wish: Omit<GpuWish, 'uuid'>): Promise<readonly unknown[]> {
  const device = await node.openDriver().readDevice();
  const { work, report } = planWish(reportDevice(device), { gpus: [{ uuid: node.uuid(0), ...wish }] });
  const [gpu] = device.gpus;
  if (gpu === undefined) throw new Error('the node has no GPU');
  try {
    const { steps, mode } = planTargetNow(gpu, wish.mig ?? wish.profiles ?? {}, everything, device);
    return [report.refusalCode ?? [work[0]?.mode, work[0]?.steps ?? []], [mode, steps]];
  } catch (error) {
    return [report.refusalCode, (error as { readonly code?: string }).code];
  }
}

describe('one planner', () => {
  it('makes of a report what it makes of the reading that was reported', async () => {
    const states = listPlacedStates(modelOf('a100-40gb'));
    const wants = fc.constantFrom<Omit<GpuWish, 'uuid'>>(
      { mig: 'Disabled' },
      { profiles: {} },
      { profiles: { '1g.5gb': 7 } },
      { profiles: { '7g.40gb': 1 } },
      { profiles: { '1g.5gb+me': 1, '3g.20gb': 1 } },
      { profiles: { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 } },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...states), wants, fc.option(fc.nat({ max: 7 })), async (state, wish, busy) => {
        const node = new InProcessNode(['A100-SXM4-40GB'], on);
        for (const placed of state) {
          const [profile = '', start = ''] = placed.split('@');
          const id = modelOf('a100-40gb').profiles.find(({ name }) => name === profile)?.id ?? -1;
          node.run(['mig', '-i', '0', '-cgi', `${id}:${start}`, '-C']);
        }
        if (busy !== null && state.some((placed) => placed.endsWith(`@${busy}`))) await node.startProcess(0, busy);
        const [reported, read] = await planTwice(node, wish);
        expect(reported).to.deep.equal(read);
      }),
      { numRuns: 60 },
    );
  });

  it('refuses a change of MIG mode where a process has the whole GPU, be it reported or read', async () => {
    const node = new InProcessNode(['H100-80GB-HBM3']);
    await node.startProcess(0);
    expect(await planTwice(node, { profiles: { '7g.80gb': 1 } })).to.deep.equal(['InUse', 'InUse']);
    expect(await planTwice(node, { mig: 'Disabled' })).to.deep.equal([
      [undefined, []],
      [undefined, []],
    ]);
  });

  it('creates nothing on an empty GPU that a process has whole, be it reported or read', async () => {
    const node = new InProcessNode(['H100-80GB-HBM3'], 'gpu 0 mig 1 pending 1\n');
    await node.startProcess(0);
    expect(await planTwice(node, { profiles: { '1g.10gb': 7 } })).to.deep.equal(['InUse', 'InUse']);
  });
});

describe('the steps of a granted plan', () => {
  const create = (start: number): Step => ({
    action: 'CreateInstance',
    profile: '3g.20gb',
    start,
    computeInstances: ['3g.20gb'],
  });
  const destroy = (start: number): Step => ({ ...create(start), action: 'DestroyInstance' });

  async function apply(node: InProcessNode, steps: readonly Step[], want: Readonly<Record<string, number>>) {
    const { results } = await applyNode(node.openDriver(), [{ uuid: node.uuid(0), want, steps }]);
    return results.map(({ outcome }) => outcome);
  }

  it('are carried out as they are, even if the planner would choose others now', async () => {
    for (const start of [0, 4]) {
      const node = new InProcessNode(['A100-SXM4-40GB'], on);
      expect(await apply(node, [create(start)], { '3g.20gb': 1 })).to.deep.equal(['Applied']);
      expect(await node.layout(0)).to.deep.equal([`3g.20gb@${start}`]);
    }
    for (const start of [0, 4]) {
      const node = new InProcessNode(['A100-SXM4-40GB'], on);
      await node.change({ '3g.20gb': 2 });
      expect(await apply(node, [destroy(start)], { '3g.20gb': 1 })).to.deep.equal(['Applied']);
      expect(await node.layout(0)).to.deep.equal([`3g.20gb@${4 - start}`]);
    }
  });

  it('give way to a new plan where the reading shows something else, which destroys nothing more', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], on);
    node.run(['mig', '-i', '0', '-cgi', '9:0', '-C']);
    // Granted when the GPU was empty; since then somebody made an instance at 0.
    expect(await apply(node, [create(0)], { '3g.20gb': 2 })).to.deep.equal(['Applied']);
    expect(await node.layout(0)).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
    expect(await apply(node, [create(0)], { '3g.20gb': 1 })).to.deep.equal(['Refused']);
  });

  it('are planned again after a failure of the driver', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], on);
    await node.change({ '3g.20gb': 2 });
    node.faults = 'skip GpuInstanceDestroy nth=1';
    expect(await apply(node, [destroy(0)], { '3g.20gb': 1 })).to.deep.equal(['Applied']);
    expect(await node.layout(0)).to.deep.equal(['3g.20gb@4']);
  });
});
