import { expect } from 'chai';
import type { PolicyLayout } from '../../src/api/types.ts';
import { applyPolicy } from './policies.ts';
import type { Setup } from './setup.ts';
import { comeToRest } from './story.ts';
import type { Mishap } from './cluster.ts';
import { ModelWorld } from './world.ts';

const usual: Setup = {
  backend: 'DevicePlugin',
  product: 'NVIDIA A100-SXM4-40GB',
  gpus: 2,
  strategy: 'mixed',
  plugin: 'Stock',
  hasDiscovery: false,
  exporter: 'None',
  hasClient: false,
  kubeletTells: true,
  hasStartupTaint: false,
  modeSurvivesReboot: true,
  hasConfigState: true,
  hasConfigMap: false,
  repeatsUuids: false,
  hasAllPods: false,
};

interface Transition {
  readonly name: string;
  readonly setup: Setup;
  readonly from: readonly PolicyLayout[] | undefined;
  readonly to: readonly PolicyLayout[] | undefined;
}

const sevenSlices: readonly PolicyLayout[] = [{ profiles: { '1g.5gb': 7 } }];
const twoSlices: readonly PolicyLayout[] = [{ profiles: { '3g.20gb': 2 } }];

const transitions: readonly Transition[] = [
  {
    name: 'a new node behind its start-up taint gets its first layout',
    setup: { ...usual, hasStartupTaint: true, exporter: 'ByEviction' },
    from: undefined,
    to: sevenSlices,
  },
  { name: 'a layout follows another', setup: usual, from: twoSlices, to: sevenSlices },
  {
    name: 'MIG is switched off under gpu-operator',
    setup: { ...usual, plugin: 'Operator', exporter: 'ByLabel', hasDiscovery: true },
    from: sevenSlices,
    to: [{ mig: 'Disabled' }],
  },
  { name: 'the policy goes', setup: { ...usual, plugin: 'Operator' }, from: sevenSlices, to: undefined },
];

describe('model of a node whose controller is interrupted', function () {
  this.timeout(0);

  for (const transition of transitions) {
    it(`comes to rest wherever the controller dies, and whichever answer is lost: ${transition.name}`, async () => {
      const { calls, writes } = await run(transition, undefined);
      expect(writes.length).to.be.greaterThan(1);
      for (let call = 1; call <= calls; call += 1) {
        await run(transition, { call, what: 'CrashBefore' });
        await run(transition, { call, what: 'CrashAfter' });
      }
      for (const call of writes) await run(transition, { call, what: 'LoseAnswer' });
    });
  }
});

/** @returns calls since the policy was changed, and which of them are writes */
async function run({ name, setup, from, to }: Transition, mishap: Mishap | undefined) {
  const world = new ModelWorld(setup, 1);
  await world.run(5000);
  if (from) {
    applyPolicy(world, 'a', specOf(setup, from));
    await comeToRest(world, 'Enforce', 0);
  }
  const before = world.calls;
  world.writes = [];
  if (mishap) world.mishap = { ...mishap, call: before + mishap.call };
  if (to) applyPolicy(world, 'a', specOf(setup, to));
  else world.api.delete('policies', 'a', 'user');
  try {
    await comeToRest(world, to ? 'Enforce' : 'Delete', 60_000);
  } catch (error) {
    throw new Error(`${name}, ${mishap?.what} at call ${mishap?.call}: ${String(error)}`, { cause: error });
  }
  return { calls: world.calls - before, writes: world.writes.map((call) => call - before) };
}

function specOf({ strategy }: Setup, layouts: readonly PolicyLayout[]) {
  return { nodeSelector: { matchLabels: { pool: 'p' } }, strategy, layouts: [...layouts] };
}
