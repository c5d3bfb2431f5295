import { expect } from 'chai';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { useRig } from '../support/rig.ts';

const nodes: readonly RigNode[] = [{ name: 'n', gpus: ['A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed' }];
const controller = 'controller-0';
const hourMs = 3_600_000;

describe('a controller whose machine has another time than the API server @all', function () {
  const rig = useRig(nodes, { proxied: [controller] });

  it('writes deadlines and times of conditions by the API server’s clock', async () => {
    rig().proxy(controller).aheadMs = hourMs;
    await rig().apply('p', { nodeSelector: { matchLabels: { pool: 'p' } }, layouts: [{ profiles: { '1g.5gb': 7 } }] });
    const { status } = await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    const { granted } = (await rig().partition('n')).spec;
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
    for (const time of [granted?.deadline, ready]) {
      expect(Date.parse(time ?? '') - Date.now(), time).to.be.within(hourMs - 60_000, hourMs + 600_000);
    }
  });
});
