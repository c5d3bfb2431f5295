import { expect } from 'chai';
import { MODELS } from '../../src/core/gpu/geometry.ts';
import type { GpuInstanceState } from '../../src/core/gpu/device-state.ts';
import { toInstances } from '../../src/core/smi/change.ts';
import type { Execution } from '../../src/core/smi/command.ts';
import { NvidiaSmi } from '../../src/device/nvidia-smi.ts';
import { recordNode } from './recorded-readings.ts';
import { readStateLines, recordedBranches, recordedRuns, type RecordedBranch } from './recorded-runs.ts';
import { codeOf, InProcessNode } from './simulated-node.ts';
import { readGpuInstances } from '../../src/core/smi/reader.ts';

const threeSlices = `gpu 0 mig 1 pending 1
gi 0 1 profile 9 place 0:4
ci 0 1 0 profile 2 place 0:3
gi 0 5 profile 14 place 4:2
ci 0 5 0 profile 1 place 0:2
gi 0 13 profile 19 place 6:1
ci 0 13 0 profile 0 place 0:1
proc gpu 0 gi 5 ci 0 pid 42 mem 1200 name python3
`;

/** States of one GPU on which the real nvidia-smi of a branch was asked what is there. */
const statesOf = (branch: RecordedBranch, command: string) => [
  ...new Map(
    recordedRuns
      .filter((run) => {
        const isPlain = !run.gpus.includes(',') && run.uid === 0 && run.fault === null && run.rc === 0;
        return isPlain && run.branch === branch && run.argv.join(' ') === command;
      })
      .map(({ gpus, before, name }) => [gpus + before, { gpus, state: before, name }]),
  ).values(),
];

const recordedStates = statesOf('550', '-L').filter(({ state }) => state.includes('ci 0'));

describe('reading the device', () => {
  it('joins what no single command tells: places, UUIDs, attributes, processes', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], threeSlices);
    const { gpus, driverVersion } = await node.openDriver().readDevice();
    expect(driverVersion).to.equal('550.163.01');
    expect(gpus[0]).to.deep.include({ computeCapability: '8.0', pciClass: '0x030200', migCapable: true });
    const [half, quarter, eighth] = gpus[0]?.instances ?? [];
    expect(half).to.deep.include({ profile: '3g.20gb', profileId: 9, id: 1, start: 0, size: 4, processes: [] });
    expect(quarter?.processes).to.deep.equal([{ pid: 42, name: 'python3', computeInstance: 0 }]);
    const [device] = eighth?.computeInstances ?? [];
    expect(device?.uuid).to.match(/^MIG-/);
    expect(device?.attributes).to.deep.equal({
      memoryMiB: 4864,
      multiprocessors: 14,
      engines: { copy: 1, decoder: 0, encoder: 0, jpeg: 0, ofa: 0 },
      slices: { gpuInstance: 1, computeInstance: 1 },
    });
  });

  for (const branch of ['470', '525', '535', '550', '555'] as const)
    it(`reads each state of which the real nvidia-smi of driver ${branch} made a report`, async () => {
      const states = statesOf(branch, '-q -x');
      for (const { gpus, state, name } of states) {
        const { answer } = recordNode(name, [gpus], state, branch);
        const device = await new NvidiaSmi(async (args) => answer(args)).readDevice();
        const [gpu] = device.gpus;
        expect([device.driverVersion, gpu?.fault], name).to.deep.equal([recordedBranches[branch], undefined]);
        const [[, current, pending] = [0, 0, 0]] = readStateLines(state, 'gpu');
        const word = (mode: number | undefined): string => (mode === 1 ? 'Enabled' : 'Disabled');
        expect(gpu?.mig, name).to.deep.equal({ current: word(current), pending: word(pending) });
        const instances = gpu?.instances ?? [];
        const rows = instances.map(({ id, profileId, start, size }) => [0, id, profileId, start, size]);
        expect(rows, name).to.have.deep.members(readStateLines(state, 'gi'));
        const parts = instances.flatMap((one) => one.computeInstances.map((part) => [0, one.id, part.id]));
        expect(parts, name).to.have.deep.members(readStateLines(state, 'ci').map((line) => line.slice(0, 3)));
        const isUsed = instances.some(({ processes }) => processes.length > 0);
        expect(isUsed, name).to.equal(/^proc gpu 0 gi/m.test(state));
      }
      expect(states.length).to.be.greaterThan(branch === '550' ? 15 : 10);
    });

  it('costs three processes when nothing has changed, one with MIG off', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB', 'A30'], threeSlices);
    const driver = node.openDriver();
    const first = await driver.readDevice();
    node.commands.length = 0;
    expect(await driver.readDevice()).to.deep.equal(first);
    expect(node.commands).to.deep.equal([['-q', '-x'], ['mig', '-lgi'], ['-L']]);

    const off = new InProcessNode(['A100-SXM4-40GB', 'T4']);
    const offDriver = off.openDriver();
    await offDriver.readDevice();
    off.commands.length = 0;
    await offDriver.readDevice();
    expect(off.commands).to.deep.equal([['-q', '-x']]);
  });

  it('asks again for compute capabilities where the question failed, and not where the driver does not know it', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB']);
    const driver = node.openDriver();
    const asked = (): number => node.commands.filter((args) => args.some((arg) => arg.includes('compute_cap'))).length;
    const read = async (answer?: Execution) => {
      node.intercept = (args, run) => (answer && args.some((arg) => arg.includes('compute_cap')) ? answer : run());
      const { gpus } = await driver.readDevice();
      return gpus.map(({ computeCapability, fault }) => computeCapability ?? fault);
    };
    expect(await read({ rc: 255, stdout: '', end: 'TimedOut' }), 'only a label is missing').to.deep.equal([undefined]);
    expect(await read()).to.deep.equal(['8.0']);
    expect(await read()).to.deep.equal(['8.0']);
    expect(asked()).to.equal(2);

    const words = 'Field "compute_cap" is not a valid field to query.\n\n';
    const old = new InProcessNode(['A100-SXM4-40GB']);
    old.intercept = (args, run) =>
      args.some((arg) => arg.includes('compute_cap')) ? { rc: 2, stdout: words, end: 'Exited' } : run();
    const oldDriver = old.openDriver();
    await oldDriver.readDevice();
    old.commands.length = 0;
    await oldDriver.readDevice();
    expect(old.commands).to.deep.equal([['-q', '-x']]);
  });

  it('sees a process come and an instance go without being told', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], threeSlices);
    const driver = node.openDriver();
    await driver.readDevice();
    await node.startProcess(0, 6);
    const busy = (await driver.readDevice()).gpus.flatMap((gpu) => toInstances(gpu).map((instance) => instance.busy));
    expect(busy).to.deep.equal([false, true, true]);
    node.state = threeSlices.replace(/gi 0 13.*\nci 0 13.*\n/, '');
    expect((await driver.readDevice()).gpus[0]?.instances.map(({ start }) => start)).to.deep.equal([0, 4]);
  });

  it('counts an instance as busy when a pod holds its UUID, or the whole GPU, without a process', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], threeSlices);
    const [gpu] = (await node.openDriver().readDevice()).gpus;
    if (gpu === undefined) throw new Error('no GPU');
    const uuid = gpu.instances[0]?.computeInstances[0]?.uuid ?? '';
    expect(toInstances(gpu, new Set([uuid])).map(({ busy }) => busy)).to.deep.equal([true, true, false]);
    expect(toInstances(gpu, new Set([gpu.uuid])).every(({ busy }) => busy)).to.equal(true);
  });

  it('keeps one geometry object per model, so that the planner prepares it once', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB', 'A100-SXM4-40GB', 'A30']);
    const { gpus } = await node.openDriver().readDevice();
    expect(gpus[0]?.geometry).to.equal(gpus[1]?.geometry);
    expect(gpus[2]?.geometry).not.to.equal(gpus[1]?.geometry);
  });

  it('reads the geometry of every model that the simulator knows as the built-in table has it', async () => {
    for (const model of MODELS.filter(({ memorySlices, superseded }) => memorySlices > 0 && superseded !== true)) {
      let node: InProcessNode;
      try {
        node = new InProcessNode([model.id]);
      } catch {
        continue; // The simulator has no such board.
      }
      const [gpu] = (await node.openDriver().readDevice()).gpus;
      const shape = ({ name, starts }: { name: string; starts: readonly number[] }) => `${name}@${starts.join()}`;
      expect(gpu?.geometry?.profiles.map(shape), model.id).to.include.members(model.profiles.map(shape));
    }
  });

  it('reads the healthy GPUs beside a lost one, and remembers who is lost', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB', 'A30', 'H100-80GB-HBM3'], threeSlices);
    const driver = node.openDriver();
    await driver.readDevice();
    node.faults = 'lost gpu=1';
    const { gpus, lost } = await driver.readDevice();
    expect(gpus.map(({ index, instances }) => [index, instances.length])).to.deep.equal([
      [0, 3],
      [2, 0],
    ]);
    expect(lost).to.have.length(1);
    expect(lost[0]).to.deep.include({ pciBusId: node.busId(1), uuid: node.uuid(1), product: 'NVIDIA A30' });
    // An agent that starts after the loss knows the bus id only, and which index the others leave.
    const [unknown] = (await node.openDriver().readDevice()).lost;
    expect(unknown).to.deep.include({ pciBusId: node.busId(1), index: 1, uuid: undefined });
    node.faults = 'lost gpu=2\nlost gpu=0';
    const both = (await node.openDriver().readDevice()).lost;
    expect(both.map(({ pciBusId, index }) => [pciBusId, index])).to.have.deep.members([
      [node.busId(0), 0],
      [node.busId(2), 2],
    ]);
  });

  it('reads the healthy GPUs even if a later driver reports them below a word about the lost one', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB', 'A30'], threeSlices);
    node.intercept = (args, run) => {
      if (args.includes('-i')) return run();
      const { stdout } = args.includes('-x') ? node.run(['-i', '0', ...args]) : run();
      const listed = args.includes('-L') ? stdout.replace(/^GPU 1.*\n/m, '') : stdout;
      const word = 'Unable to determine the device handle for GPU1: 0000:0F:00.0: Unknown Error\n';
      return { rc: 0, stdout: word + listed, end: 'Exited' };
    };
    const { gpus, lost } = await node.openDriver().readDevice();
    expect(gpus.map(({ index, instances }) => [index, instances.length])).to.deep.equal([[0, 3]]);
    expect(lost.map(({ pciBusId }) => pciBusId)).to.deep.equal([node.busId(1)]);
  });

  it('reads again when the device changed between two commands, and says so when it keeps changing', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], threeSlices);
    let changes = 1;
    const fewer = threeSlices.replace(/gi 0 13.*\nci 0 13.*\n/, '');
    node.intercept = (args, run) => {
      if (args.includes('-lgi') && changes > 0) {
        changes -= 1;
        node.state = node.state === threeSlices ? fewer : threeSlices;
      }
      return run();
    };
    expect((await node.openDriver().readDevice()).gpus[0]?.instances).to.have.length(2);
    changes = 100;
    expect(await codeOf(node.openDriver().readDevice())).to.equal('Unstable');
  });

  it('says what is wrong with the driver as a whole', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], threeSlices);
    const faults = {
      nodriver: 'DriverUnavailable',
      'fail Init rc=18': 'DriverMismatch',
      'output garbage=300': 'ParseError',
    };
    for (const [fault, code] of Object.entries(faults)) {
      node.faults = fault;
      expect(await codeOf(node.openDriver().readDevice()), fault).to.equal(code);
    }
    node.faults = '';
    node.uid = 1000;
    expect(await codeOf(node.openDriver().readDevice())).to.equal('NotPermitted');
  });

  it('sees that an instance at the same place has another UUID', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], threeSlices);
    const driver = node.openDriver();
    const uuidOf = async (): Promise<string | undefined> =>
      (await driver.readDevice()).gpus[0]?.instances[2]?.computeInstances[0]?.uuid;
    const before = await uuidOf();
    const anew = 'MIG-00000000-0000-5000-8000-000000000001';
    node.intercept = (args, run) => {
      const execution = run();
      return args.includes('-L') ? { ...execution, stdout: execution.stdout.replace(before ?? '', anew) } : execution;
    };
    expect([before === anew, await uuidOf()]).to.deep.equal([false, anew]);
  });

  it('knows compute instances by -L as by -lci, parts and attributes of a profile included', async () => {
    for (const [index, before] of recordedStates.entries()) {
      const node = new InProcessNode([before.gpus], before.state);
      const driver = node.openDriver();
      const names = (instances: readonly GpuInstanceState[] = []) =>
        instances.map(({ id, computeInstances }) => [id, computeInstances.map((part) => [part.id, part.profile])]);
      const listed = names((await driver.readDevice()).gpus[0]?.instances);
      expect(node.commands.flat(), `state ${index}`).not.to.include('-lci');
      expect(names(await driver.read(readGpuInstances(node.busId(0))))).to.deep.equal(listed);
    }
    expect(recordedStates.some(({ state }) => state.includes('profile 20 '))).to.equal(true);
  });

  it('asks -lci where -L has another name than the GPU instance, and takes that', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], threeSlices);
    node.intercept = (args, run) => {
      const execution = run();
      return args.includes('-L') ? { ...execution, stdout: execution.stdout.replace('MIG 2g', 'MIG 9g') } : execution;
    };
    const [gpu] = (await node.openDriver().readDevice()).gpus;
    expect(node.commands.at(-1)).to.deep.equal(['mig', '-lci']);
    expect(gpu?.instances[1]?.computeInstances.map(({ profile }) => profile)).to.deep.equal(['2g.10gb']);
    for (const damage of ['empty', 'garbage=200', 'cut=120']) {
      node.faults = `output ${damage} with=-lci`;
      expect(await codeOf(node.openDriver().readDevice()), damage).to.be.oneOf(['ParseError', 'Unstable']);
    }
  });

  it('never takes damaged output for an empty device', async () => {
    for (const argument of ['-x', '-lgi', '-L', '-lgip', '-lgipp']) {
      for (const damage of ['empty', 'garbage=200', 'cut=120']) {
        const node = new InProcessNode(['A100-SXM4-40GB'], threeSlices);
        node.faults = `output ${damage} with=${argument}`;
        const code = await codeOf(node.openDriver().readDevice());
        expect(code, node.faults).to.be.oneOf(['ParseError', 'Unstable']);
      }
    }
  });
});

describe('a glance at the device', () => {
  async function aNode(state: string = threeSlices, gpus: readonly string[] = ['A100-SXM4-40GB', 'A100-SXM4-40GB']) {
    const node = new InProcessNode(gpus, state);
    let load = '1';
    const driver = new NvidiaSmi(node.execute, { driverLoad: () => load });
    const before = await driver.readDevice();
    node.commands.length = 0;
    const reload = (): void => {
      load = '2';
    };
    return { node, driver, before, reload };
  }
  const listCommands = ({ commands }: InProcessNode): readonly string[] => commands.map((args) => args.join(' '));

  it('is one command where only processes have come or gone, and shows what a whole reading shows', async () => {
    const { node, driver } = await aNode();
    node.state += 'proc gpu 0 gi 1 ci 0 pid 7 mem 100 name late\nproc gpu 1 pid 8 mem 100 name whole\n';
    node.state = node.state.replace(/proc .*pid 42.*\n/, '');
    const seen = await driver.glanceAtDevice();
    expect(listCommands(node)).to.deep.equal(['-q -x']);
    expect(seen.gpus[0]?.instances[0]?.processes.map(({ pid }) => pid)).to.deep.equal([7]);
    expect(seen).to.deep.equal(await driver.readDevice());
  });

  it('reads everything where the report shows other MIG devices, modes, GPUs or another driver', async () => {
    const changes: readonly ((node: InProcessNode) => void)[] = [
      (node) => void (node.state = node.state.replace('ci 0 13 0 profile 0 place 0:1\n', '')),
      (node) => void (node.state = node.state.replaceAll(/^([gc]i 0) 13 /gm, '$1 12 ')),
      (node) =>
        void (node.state = node.state.replace(/^ci 0 5 0 profile 1 place 0:2$/m, 'ci 0 5 0 profile 0 place 0:1')),
      (node) => void (node.state = node.state.replace('gpu 0 mig 1 pending 1', 'gpu 0 mig 1 pending 0')),
      (node) => void (node.driver = '555'),
      (node) => void (node.faults = 'lost gpu=1'),
    ];
    for (const [at, change] of changes.entries()) {
      const { node, driver } = await aNode();
      change(node);
      const seen = await driver.glanceAtDevice();
      expect(listCommands(node).join(', '), `change ${at}`).to.contain('-lgi');
      expect(seen, `change ${at}`).to.deep.equal(await driver.readDevice());
    }
  });

  it('reads everything where an instance is known that no report shows, for it may have become another', async () => {
    const { node, driver } = await aNode('gpu 0 mig 1 pending 1\ngi 0 13 profile 19 place 6:1\n');
    node.state = node.state.replace('gi 0 13 profile 19 place 6:1', 'gi 0 12 profile 19 place 5:1');
    expect((await driver.glanceAtDevice()).gpus[0]?.instances.map(({ start }) => start)).to.deep.equal([5]);
  });

  it('reads everything where there was no whole reading before, or one in doubt, or a change since', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB', 'A100-SXM4-40GB'], threeSlices);
    const driver = node.openDriver();
    await driver.glanceAtDevice();
    expect(listCommands(node)).to.include('-L');
    node.faults = 'lost gpu=1';
    await driver.readDevice();
    node.faults = '';
    node.commands.length = 0;
    await driver.glanceAtDevice();
    expect(listCommands(node)).to.include('-L');
    await driver.change({
      name: 'CreateInstances',
      gpu: node.busId(1),
      places: [{ profileId: 19 }],
      whole: false,
    });
    node.commands.length = 0;
    await driver.glanceAtDevice();
    expect(listCommands(node)).to.include('-L');
  });

  it('asks everything again, tables included, of a driver that was reloaded', async () => {
    for (const read of ['glanceAtDevice', 'readDevice'] as const) {
      const { node, driver, reload } = await aNode();
      reload();
      await driver[read]();
      expect(listCommands(node)).to.include.members(['mig -lgip', 'mig -lgipp', '-L']);
      node.commands.length = 0;
      await driver.readDevice();
      expect(listCommands(node)).to.deep.equal(['-q -x', 'mig -lgi', '-L']);
    }
  });
});
