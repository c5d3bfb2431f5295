import { expect } from 'chai';
import { applyNode, type GpuResult } from '../../src/device/apply.ts';
import { reportDevice } from '../../src/core/device/agent.ts';
import { toInstances } from '../../src/core/smi/change.ts';
import { InProcessNode } from './simulated-node.ts';

async function aNode(): Promise<InProcessNode> {
  const node = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\n');
  await node.change({ '3g.20gb': 2 });
  node.takeChanges();
  return node;
}

async function listBusy(node: InProcessNode): Promise<readonly boolean[]> {
  const device = await node.openDriver().readDevice();
  const told = reportDevice(device).gpus?.[0]?.instances.map(({ busy = false }) => busy);
  const busy = device.gpus.flatMap((gpu) => toInstances(gpu).map((instance) => instance.busy));
  expect(told).to.deep.equal(busy);
  return busy;
}

async function clear(node: InProcessNode): Promise<GpuResult | undefined> {
  const { results } = await applyNode(node.openDriver(), [{ uuid: node.uuid(0), want: {} }]);
  return results[0];
}

describe('an empty GPU in MIG mode', () => {
  const aGpu = (): InProcessNode => new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\n');
  const fill = async (node: InProcessNode, listOpeners?: () => readonly string[]): Promise<GpuResult | undefined> => {
    const target = { uuid: node.uuid(0), want: { '1g.5gb': 7 } };
    return (await applyNode(node.openDriver(), [target], { ...(listOpeners && { listOpeners }) })).results[0];
  };

  it('gets no instance while a process has it whole, as the driver would say', async () => {
    const node = aGpu();
    await node.startProcess(0);
    expect(node.run(['mig', '-i', '0', '-cgi', '19', '-C'])).to.include({
      rc: 19,
      stdout:
        'Unable to create a GPU instance on GPU  0 using profile 19: In use by another client\n' +
        'Failed to create GPU instances: In use by another client\n',
    });
    const result = await fill(node);
    expect([result?.outcome, result?.error?.code]).to.deep.equal(['Refused', 'InUse']);
    expect(result?.error?.holders).to.deep.equal(['pid 4200 (python3 train.py)']);
    expect(node.takeChanges()).to.deep.equal([]);
  });

  it('names the process that came after the plan, or who has the GPU open without one', async () => {
    const node = aGpu();
    node.intercept = (args, run) => {
      if (args.includes('-cgi') && !node.state.includes('proc')) node.state += 'proc gpu 0 pid 77 mem 0 name nsys\n';
      return run();
    };
    const result = await fill(node);
    expect([result?.outcome, result?.error?.code]).to.deep.equal(['Failed', 'InUse']);
    expect(result?.error?.holders).to.deep.equal(['pid 77 (nsys)']);
    const held = aGpu();
    held.faults = 'fail DeviceCreateGpuInstance rc=19';
    expect((await fill(held, () => ['Xorg (pid 9)']))?.error?.holders).to.deep.equal(['Xorg (pid 9)']);
  });
});

describe('an instance that looks idle', () => {
  it('is idle with nothing but the driver’s own memory on it', async () => {
    expect(await listBusy(await aNode())).to.deep.equal([false, false]);
  });

  it('is busy where memory is in use on it, though no process is listed', async () => {
    const node = await aNode();
    await node.startProcess(0, 4);
    node.faults = 'skip DeviceGetComputeRunningProcesses';
    expect(await listBusy(node)).to.deep.equal([false, true]);
    const result = await clear(node);
    expect([result?.outcome, result?.error?.code]).to.deep.equal(['Refused', 'InUse']);
    expect(result?.error?.holders).to.deep.equal(['an unlisted user, with 1212 MiB of memory in use on 3g.20gb at 4']);
    expect(node.takeChanges()).to.deep.equal([]);
  });

  it('is not known where the driver tells neither a process nor the memory in use, and may be destroyed manually', async () => {
    for (const untold of ['N/A', '[Unknown Error]', '']) {
      const node = await aNode();
      node.intercept = (_args, run) => {
        const { stdout, ...rest } = run();
        const [head = '', devices = '', tail = ''] = stdout.split(/(<mig_devices>[^]*<\/mig_devices>)/);
        return { ...rest, stdout: head + devices.replaceAll(/(<used>)[^<]*/g, `$1${untold}`) + tail };
      };
      expect(await listBusy(node), untold).to.deep.equal([true, true]);
      const result = await clear(node);
      expect([result?.outcome, result?.error?.code]).to.deep.equal(['Refused', 'InUse']);
      expect(result?.error?.holders[0]).to.match(/^somebody, perhaps.* manually .*-dci.*-dgi.* on 3g\.20gb at 0$/);
      expect(node.takeChanges()).to.deep.equal([]);
    }
  });

  it('is known by a listed process where the driver does not tell the memory in use', async () => {
    const node = await aNode();
    await node.startProcess(0, 4);
    node.intercept = (_args, run) => {
      const { stdout, ...rest } = run();
      return { ...rest, stdout: stdout.replace('<used>1212 MiB', '<used>N/A') };
    };
    expect(await listBusy(node)).to.deep.equal([false, true]);
    expect((await clear(node))?.error?.holders).to.deep.equal(['pid 4200 (python3 train.py) on 3g.20gb at 4']);
  });

  it('is busy where a process runs on the GPU and the driver does not tell on which instance', async () => {
    const node = await aNode();
    await node.startProcess(0);
    expect(await listBusy(node)).to.deep.equal([true, true]);
    expect((await clear(node))?.error?.holders).to.deep.equal(['pid 4200 (python3 train.py)']);
    expect(node.takeChanges()).to.deep.equal([]);
  });

  it('is looked at again right before it goes: somebody unlisted who has come since stays', async () => {
    const node = await aNode();
    const driver = node.openDriver();
    const device = await driver.readDevice();
    await node.startProcess(0, 4);
    node.faults = 'skip DeviceGetComputeRunningProcesses';
    const target = { uuid: node.uuid(0), want: { '3g.20gb': 1 } };
    const steps = [{ action: 'DestroyInstance' as const, profile: '3g.20gb', start: 4, computeInstances: ['3g.20gb'] }];
    const { results } = await applyNode(driver, [{ ...target, steps }], { device });
    expect(results[0]?.error?.code).to.equal('InUse');
    expect(node.takeChanges()).to.deep.equal([]);
  });

  it('is not known while a pod holds a slice that no reading has: the same place may have another UUID', async () => {
    for (const held of ['MIG-00000000-0000-5000-8000-000000000001', 'team/claims']) {
      const node = await aNode();
      const target = { uuid: node.uuid(0), want: {} };
      const listHeld = () => Promise.resolve(new Set([held]));
      const { results } = await applyNode(node.openDriver(), [target], { listHeld });
      expect(results[0]?.error?.code).to.equal('InUse');
      expect(results[0]?.error?.holders.join()).to.contain(held);
      expect(node.takeChanges()).to.deep.equal([]);
    }
  });

  it('is idle beside a pod that holds another GPU, or a slice of one that is lost', async () => {
    const node = new InProcessNode(
      ['A100-SXM4-40GB', 'A100-SXM4-40GB'],
      'gpu 0 mig 1 pending 1\ngpu 1 mig 1 pending 1\n',
    );
    const driver = node.openDriver();
    await applyNode(
      driver,
      node.gpus.map(({ uuid }) => ({ uuid, want: { '3g.20gb': 2 } })),
    );
    const held = (await driver.readDevice()).gpus[1]?.instances[0]?.computeInstances[0]?.uuid ?? '';
    for (const fault of ['lost gpu=1', 'fail DeviceGetGpuInstances rc=999 gpu=1']) {
      node.faults = fault;
      const listHeld = () => Promise.resolve(new Set([held, node.uuid(1), 'GPU-of-another-node']));
      const device = await driver.readDevice();
      expect(JSON.stringify(reportDevice(device).gpus?.[1]?.instances), fault).to.contain(held);
      const want = fault.startsWith('lost') ? { '3g.20gb': 1 } : {};
      const { results } = await applyNode(driver, [{ uuid: node.uuid(0), want }], { listHeld, device });
      expect(results[0]?.outcome, fault).to.equal('Applied');
    }
  });

  it('is not known where an error stands in place of the processes', async () => {
    const node = await aNode();
    node.faults = 'fail DeviceGetComputeRunningProcesses rc=4';
    const [gpu] = (await node.openDriver().readDevice()).gpus;
    expect(gpu?.fault).to.deep.equal({
      code: 'ParseError',
      message: 'its users are not reported: Insufficient Permissions',
    });
    expect((await clear(node))?.outcome).to.equal('Refused');
    expect(node.takeChanges()).to.deep.equal([]);
  });
});
