import { expect } from 'chai';
import { applyNode } from '../../src/device/apply.ts';
import { reportDevice } from '../../src/core/device/agent.ts';
import { InProcessNode } from './simulated-node.ts';

const A100 = 'A100-SXM4-40GB';

/** Three GPUs in MIG mode with two instances each; the second one suffers. */
async function aNode(): Promise<InProcessNode> {
  const node = new InProcessNode([A100, A100, A100], [0, 1, 2].map((gpu) => `gpu ${gpu} mig 1 pending 1\n`).join(''));
  await node.changeAll({ '3g.20gb': 2 });
  return node;
}

describe('a node with one sick GPU', () => {
  const faults: Readonly<Record<string, string>> = {
    'does not list its instances: GPU requires reset': 'fail DeviceGetGpuInstances rc=16 gpu=1',
    'does not list its instances: Unknown Error': 'fail DeviceGetGpuInstances rc=999 gpu=1',
    'does not tell its profiles': 'fail DeviceGetGpuInstanceProfileInfo rc=999 gpu=1',
    'says `GPU requires reset` in place of its memory': 'fail DeviceGetMemoryInfo rc=16 gpu=1',
    'does not tell its MIG mode': 'fail DeviceGetMigMode rc=999 gpu=1',
  };
  for (const [name, fault] of Object.entries(faults)) {
    it(`is read: one ${name}, and the others are as they are`, async () => {
      const node = await aNode();
      node.faults = fault;
      const { gpus, lost } = await node.openDriver().readDevice();
      const healthy = gpus.filter((gpu) => gpu.fault === undefined);
      expect(healthy.map(({ index, instances }) => [index, instances.length])).to.deep.equal([
        [0, 2],
        [2, 2],
      ]);
      const [sick] = [...gpus.filter((gpu) => gpu.fault !== undefined), ...lost];
      expect([sick?.uuid, sick?.pciBusId]).to.deep.equal([node.uuid(1), node.busId(1)]);
      expect(reportDevice({ driverVersion: '550', cudaVersion: undefined, gpus, lost }).gpus?.[1]?.error).to.match(
        fault.includes('rc=16') ? /^(?:ResetRequired|DriverFailed): .*GPU requires reset/ : /Unknown Error/,
      );
    });

    it(`is changed where it is well: one ${name}`, async () => {
      const node = await aNode();
      const before = await node.layout(1);
      node.faults = fault;
      const targets = node.gpus.map(({ uuid }) => ({ uuid, want: { '7g.40gb': 1 } }));
      const { results } = await applyNode(node.openDriver(), targets);
      expect(results.map(({ outcome }) => outcome)).to.deep.equal(['Applied', 'Refused', 'Applied']);
      expect(await node.layout(1)).to.deep.equal(before);
    });
  }

  for (const fault of [
    'fail DeviceGetMemoryInfo rc=16 gpu=1',
    'fail DeviceGetMigMode rc=999 gpu=1',
    'fail DeviceGetComputeRunningProcesses rc=999 gpu=1',
  ]) {
    it(`costs what a healthy one costs, every time it is read: ${fault}`, async () => {
      const node = await aNode();
      node.faults = fault;
      const driver = node.openDriver();
      const { gpus } = await driver.readDevice();
      node.commands.length = 0;
      expect(await driver.readDevice()).to.deep.include({ gpus });
      expect(node.commands.map((args) => args.join(' '))).to.deep.equal(['-q -x', 'mig -lgi', '-L']);
    });
  }

  it('names a GPU whose report is damaged by what -L and the rest say of it', async () => {
    const node = await aNode();
    node.intercept = (args, run) => {
      const isReport = args.includes('-x') && (!args.includes('-i') || args.includes('1'));
      const { stdout, ...rest } = run();
      return { ...rest, stdout: isReport ? stdout.replace(/<uuid>(?!.*<uuid>)/s, '<uuid') : stdout };
    };
    const { gpus, lost } = await node.openDriver().readDevice();
    expect(gpus.map(({ index }) => index)).to.deep.equal([0, 2]);
    expect(lost).to.have.length(1);
    expect(lost[0]).to.deep.include({ uuid: node.uuid(1), index: 1, pciBusId: node.busId(1) });
    expect(lost[0]?.fault.code).to.equal('ParseError');
  });

  for (const word of ['Unknown Error', 'System is not in ready state', 'ERR!']) {
    it(`is no other model while a GPU says \`${word}\` in place of its name`, async () => {
      const node = await aNode();
      const driver = node.openDriver();
      const [, before] = (await driver.readDevice()).gpus;
      const name = new RegExp(`(<gpu id="${node.busId(1)}">\\s*<product_name>)[^<]+`);
      node.intercept = (_args, run) => {
        const { stdout, ...rest } = run();
        return { ...rest, stdout: stdout.replace(name, `$1${word}`) };
      };
      const [, sick] = (await driver.readDevice()).gpus;
      expect(sick?.fault?.message).to.equal(`nvidia-smi -q -x: ${word}`);
      expect(sick).to.deep.include({ product: before?.product, pciDeviceId: before?.pciDeviceId, uuid: before?.uuid });
    });
  }

  const contradicted: Readonly<Record<string, readonly [string, RegExp, string]>> = {
    'its instances': ['-lgi', /^(\| {3}1 .* )4:4/m, '$10:4'],
    'its name': ['-L', /^GPU 1: [^(]+/m, 'GPU 1: NVIDIA A30 '],
    'that it is there': ['-L', /^GPU 1: .*\n(?: .*\n)*/m, ''],
  };
  for (const [what, [command, from, to]] of Object.entries(contradicted)) {
    it(`pins on a GPU what it keeps contradicting, and only after a second look: ${what}`, async () => {
      const node = await aNode();
      node.intercept = (args, run) => {
        const { stdout, ...rest } = run();
        return { ...rest, stdout: args.includes(command) ? stdout.replace(from, to) : stdout };
      };
      const { gpus } = await node.openDriver().readDevice();
      expect(gpus.map(({ fault }) => fault?.code)).to.deep.equal([undefined, 'Unstable', undefined]);
    });
  }

  it('waits for two GPUs that hang, no longer: then the driver as a whole is silent', async () => {
    const node = await aNode();
    let asked = 0;
    node.intercept = (args, run) => {
      if (args.includes('-L')) return run();
      asked += 1;
      return { rc: 255, stdout: '', end: 'TimedOut' };
    };
    const error: unknown = await node
      .openDriver()
      .readDevice()
      .catch((reason: unknown) => reason);
    expect(error).to.be.an('error').with.property('code', 'TimedOut');
    expect(asked).to.equal(3);
  });

  it('is read beside a GPU that hangs', async () => {
    const node = await aNode();
    node.intercept = (args, run) => {
      const isSick = args.includes('-lgi') && (!args.includes('-i') || args.includes(node.busId(1)));
      return isSick ? { rc: 255, stdout: '', end: 'TimedOut' } : run();
    };
    const { gpus } = await node.openDriver().readDevice();
    expect(gpus.map(({ fault }) => fault?.code)).to.deep.equal([undefined, 'TimedOut', undefined]);
  });

  it('does not take a GPU that moved to another slot for the one that is lost at its old address', async () => {
    const node = new InProcessNode(['A30', 'A30']);
    const { gpus: both = [] } = reportDevice(await node.openDriver().readDevice());
    const before = both.slice(0, 1).map((gpu) => ({ ...gpu, pciBusId: node.busId(1), index: 1 }));
    node.faults = 'lost gpu=1';
    const { gpus = [] } = reportDevice(await node.openDriver().readDevice(), before);
    expect(gpus.map(({ uuid }) => uuid)).to.deep.equal([node.uuid(0), node.busId(1)]);
  });
});
