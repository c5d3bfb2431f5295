import { expect } from 'chai';
import { deviceOf } from '../../src/agent/open-device.ts';
import type { WorkOptions } from '../../src/agent/device.ts';
import { silentLogger } from '../../src/process/logger.ts';
import { InProcessNode } from '../device/simulated-node.ts';

const options: WorkOptions = {
  state: undefined,
  allowGpuReset: false,
  undo: true,
  allOrNothing: false,
  explainStop: () => undefined,
  confirm: () => Promise.resolve(),
  listHeld: () => Promise.resolve(new Set()),
  signal: new AbortController().signal,
};

describe('device nodes and CDI specs', () => {
  it('follow a change, and only a change, before anybody hears of it', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB']);
    const seen: number[] = [];
    const device = deviceOf(node.openDriver(), {
      journal: { begin: () => Promise.resolve(), finish: () => undefined },
      lock: { explainLoss: () => undefined },
      logger: silentLogger,
      afterChange: async () => void seen.push(node.takeChanges().length),
    });
    const wish = { uuid: node.uuid(0), profiles: { '3g.20gb': 2 } };
    const create = { action: 'CreateInstance' as const, profile: '3g.20gb', computeInstances: ['3g.20gb'] };
    const steps = [0, 4].map((start) => ({ ...create, start }));
    await device.apply([wish], [{ uuid: wish.uuid, mode: 'Enable', steps }], options);
    expect(seen).to.deep.equal([2]);
    await device.apply([wish], [{ uuid: wish.uuid, steps: [] }], options);
    expect(seen).to.deep.equal([2]);
  });
});
