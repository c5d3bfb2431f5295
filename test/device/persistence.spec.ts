import { expect } from 'chai';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { applyNode, type GpuResult } from '../../src/device/apply.ts';
import { HostLoans, LoanNote, PersistenceMode } from '../../src/device/host/loans.ts';
import { useScratchFolder } from './scratch-folder.ts';
import { InProcessNode } from './simulated-node.ts';

describe('a reset with persistence mode on', () => {
  const scratch = useScratchFolder();
  const bootIdPath = scratch.path('boot-id');
  const path = scratch.path('state', 'persistence-off');
  const isOff = (node: InProcessNode): boolean => node.state.includes('persistence gpu 0 off');

  beforeEach(() => {
    writeFileSync(bootIdPath, 'boot-1\n');
    rmSync(scratch.path('state'), { recursive: true, force: true });
  });

  function aNode(...faults: readonly string[]): InProcessNode {
    const node = new InProcessNode(['A30']);
    node.faults = ['migpending rc=16', ...faults].join('\n');
    return node;
  }

  function hostOf(node: InProcessNode): HostLoans {
    const note = new LoanNote({ path, bootIdPath });
    return new HostLoans({ persistence: new PersistenceMode(node.openDriver(), note), retryMs: 0 });
  }

  async function slice(node: InProcessNode, host = hostOf(node)): Promise<GpuResult | undefined> {
    const target = { uuid: node.uuid(0), want: { '2g.12gb': 2 } };
    return (await applyNode(node.openDriver(), [target], { allowReset: true, host })).results[0];
  }

  it('is done at once with it off, and it is on again after that', async () => {
    const node = aNode();
    expect((await slice(node))?.outcome).to.equal('Applied');
    const gpu = `-i ${node.busId(0)}`;
    expect(node.takeChanges().slice(0, 4)).to.deep.equal([
      `${gpu} -mig 1`,
      `${gpu} -pm 0`,
      `--gpu-reset ${gpu}`,
      `${gpu} -pm 1`,
    ]);
    expect([isOff(node), existsSync(path)]).to.deep.equal([false, false]);
  });

  it('is done for one GPU after the other, though all have their mode set by one command', async () => {
    const node = new InProcessNode(['A30', 'A30', 'A30']);
    node.faults = 'migpending rc=16';
    const targets = node.gpus.map(({ uuid }) => ({ uuid, want: { '2g.12gb': 2 } }));
    const { results } = await applyNode(node.openDriver(), targets, { allowReset: true, host: hostOf(node) });
    expect(results.map(({ outcome }) => outcome)).to.deep.equal(['Applied', 'Applied', 'Applied']);
    const [mode, ...rest] = node.takeChanges();
    expect(mode).to.equal(`-i ${node.gpus.map(({ busId }) => busId).join()} -mig 1`);
    const each = node.gpus.flatMap(({ busId }) => [
      `-i ${busId} -pm 0`,
      `--gpu-reset -i ${busId}`,
      `-i ${busId} -pm 1`,
      `mig -i ${busId} -cgi 5:0,5:2 -C`,
    ]);
    expect(rest).to.deep.equal(each);
    expect(node.state).not.to.contain('persistence');
    expect(existsSync(path)).to.equal(false);
  });

  it('needs nothing of the kind where it is off', async () => {
    const node = aNode('persistence off');
    expect((await slice(node))?.outcome).to.equal('Applied');
    expect(node.takeChanges().some((change) => change.includes('-pm'))).to.equal(false);
  });

  it('leaves it on where somebody else holds the GPU too, and says who that may be', async () => {
    const node = aNode('fail GpuReset rc=19');
    const result = await slice(node);
    expect([result?.outcome, result?.error?.code]).to.deep.equal(['Failed', 'Pending']);
    expect(result?.error?.message).to.contain('nvidia_drm').and.to.contain('Fabric Manager');
    expect([isOff(node), existsSync(path)]).to.deep.equal([false, false]);
  });

  it('has it switched on by the next program where this one was killed in between', async () => {
    const node = aNode();
    node.intercept = (args, run) => {
      if (args.includes('--gpu-reset') || args.includes('1')) throw new Error('killed');
      return run();
    };
    node.state = 'gpu 0 mig 0 pending 1\n';
    await slice(node).catch(() => undefined);
    expect([isOff(node), existsSync(path)]).to.deep.equal([true, true]);
    node.intercept = (_args, run) => run();
    const next = hostOf(node);
    await next.giveBack();
    expect([isOff(node), existsSync(path), next.problems]).to.deep.equal([false, false, []]);
  });

  it('owes nothing after a reboot', async () => {
    await new LoanNote({ path, bootIdPath }).add(['00000000:07:00.0']);
    writeFileSync(bootIdPath, 'boot-2\n');
    const node = aNode();
    await hostOf(node).giveBack();
    expect(node.takeChanges()).to.deep.equal([]);
  });

  it('says that it stays off where the driver only claims otherwise, and tries again', async () => {
    const node = aNode('skip DeviceSetPersistenceMode nth=2-3');
    const host = hostOf(node);
    expect((await slice(node, host))?.outcome).to.equal('Applied');
    const problem = `persistence mode of GPU ${node.busId(0)} was switched off for a reset and stays off: exit code 0: `;
    expect(host.problems.map((text) => text.slice(0, problem.length))).to.deep.equal([problem]);
    await host.giveBack();
    expect([host.problems.length, isOff(node), existsSync(path)]).to.deep.equal([1, true, true]);
    await host.giveBack();
    expect([host.problems.length, isOff(node), existsSync(path)]).to.deep.equal([0, false, false]);
  });

  it('says so where the GPU does not answer any more', async () => {
    const node = aNode();
    await new LoanNote({ path, bootIdPath }).add([node.busId(0)]);
    node.faults = 'lost gpu=0';
    const host = hostOf(node);
    await host.giveBack();
    expect(host.problems.join()).to.contain('GPU is lost');
  });

  it('switches nothing off where that cannot be recorded', async () => {
    const node = aNode();
    mkdirSync(scratch.path('state'));
    mkdirSync(`${path}.new/in-the-way`, { recursive: true });
    const result = await slice(node);
    expect([result?.outcome, result?.error?.code]).to.deep.equal(['Failed', 'JournalUnavailable']);
    expect(node.takeChanges().some((change) => /-pm|reset/.test(change))).to.equal(false);
  });
});
