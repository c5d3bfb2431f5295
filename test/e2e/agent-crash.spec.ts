import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { listDeviceRuns } from '../bench/device-log.ts';
import { listDeviceCommands } from '../../src/simulator/rig/workloads.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const nodes: readonly RigNode[] = [{ name: 'n', gpus: ['A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed' }];

const layouts = {
  small: { profiles: { '1g.5gb': 7 }, text: '1 GPU: 7×1g.5gb' },
  large: { profiles: { '3g.20gb': 2 }, text: '1 GPU: 2×3g.20gb' },
} as const;
type Name = keyof typeof layouts;

describe('an agent that is killed in the middle of a change @all', function () {
  const rig = useRig(nodes);
  /** Operations of a change that nobody disturbs. */
  const usual = new Map<Name, number>();

  async function ask(name: Name): Promise<void> {
    const { profiles } = layouts[name];
    await rig().apply('p', { nodeSelector: { matchLabels: { pool: 'p' } }, layouts: [{ profiles }] });
  }

  /** What has come and gone on the GPUs: a command changes several instances, and may be cut off between two. */
  const changes = async (): Promise<number> =>
    (await listDeviceRuns(rig().rig, 'n')).reduce((sum, { added, removed }) => sum + added.length + removed.length, 0);

  async function untilDone(name: Name): Promise<void> {
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    expect((await rig().partition('n')).status?.layout).to.equal(layouts[name].text);
    const node = await rig().node('n');
    expect(ownTaints(node)).to.deep.equal([]);
    const [profile, count] = Object.entries(layouts[name].profiles)[0] ?? [];
    expect(node.status.allocatable).to.include({ [`nvidia.com/mig-${profile}`]: String(count) });
  }

  before(async function () {
    await ask('small');
    await untilDone('small');
    for (const name of ['large', 'small'] as const) {
      const before = await changes();
      await ask(name);
      await untilDone(name);
      usual.set(name, (await changes()) - before);
    }
  });

  it('ends in the wished layout, rebooted while a command of it hangs in the driver', async () => {
    const node = rig().rig;
    const commands = (): readonly number[] => listDeviceCommands(node.stateFile('n'));
    const listHung = async (): Promise<readonly number[]> => {
      const before = commands();
      await pause(3_000);
      return commands().filter((pid) => before.includes(pid));
    };
    await writeFile(node.faultsFile('n'), 'hang GpuInstanceDestroy nth=1\n');
    await ask('large');
    await eventually(listHung, ({ length }) => length === 1, { timeoutMs: 60_000, what: 'commands that hang' });
    await node.agent('n').stop('SIGKILL');
    await writeFile(node.faultsFile('n'), '');
    expect(commands(), 'it outlives its agent').to.have.length(1);
    await node.rebootNode('n');
    await untilDone('large');
    await ask('small');
    await untilDone('small');
  });

  /** The first change, some between, and one of the last; destroys come before creates. */
  const kills: readonly (readonly [to: Name, after: number, how: 'restarted' | 'rebooted'])[] = [
    ['large', 1, 'restarted'],
    ['small', 2, 'restarted'],
    ['large', 8, 'restarted'],
    ['small', 6, 'restarted'],
    ['large', 15, 'restarted'],
    ['small', 10, 'rebooted'],
    ['large', 5, 'rebooted'],
  ];
  for (const [to, after, how] of kills) {
    it(`ends in the wished layout, ${how} after change ${after} on the way to ${to}`, async () => {
      const before = await changes();
      await ask(to);
      await eventually(changes, (count) => count >= before + after, {
        timeoutMs: 20_000,
        intervalMs: 2,
        what: `change ${after}`,
      });
      await rig().rig.agent('n').stop('SIGKILL');
      if (how === 'rebooted') await rig().rig.rebootNode('n');
      else rig().rig.agent('n').start();
      await untilDone(to);
      // After a reboot everything is recreated; otherwise what was done stays done.
      const made = 2 * (Object.values(layouts[to].profiles)[0] ?? 0);
      const most = (usual.get(to) ?? 0) * (how === 'rebooted' ? 2 : 1) + (how === 'rebooted' ? made : 1);
      expect((await changes()) - before).to.be.at.most(most);
    });
  }
});
