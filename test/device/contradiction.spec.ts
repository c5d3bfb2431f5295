import { expect } from 'chai';
import { applyNode } from '../../src/device/apply.ts';
import type { Execution } from '../../src/core/smi/command.ts';
import { codeOf, InProcessNode } from './simulated-node.ts';
import { listComputeInstances, readGpuInstances, readUse } from '../../src/core/smi/reader.ts';

const A100 = 'A100-SXM4-40GB';

const threeSlices = `gpu 0 mig 1 pending 1
gi 0 1 profile 9 place 0:4
ci 0 1 0 profile 2 place 0:3
gi 0 5 profile 14 place 4:2
ci 0 5 0 profile 1 place 0:2
gi 0 13 profile 19 place 6:1
ci 0 13 0 profile 0 place 0:1
`;
const running = 'proc gpu 0 gi 5 ci 0 pid 42 mem 1200 name python3\n';
const parts = `gpu 0 mig 1 pending 1
gi 0 1 profile 9 place 0:4
ci 0 1 0 profile 0 place 0:1
ci 0 1 1 profile 0 place 1:1
gi 0 2 profile 9 place 4:4
ci 0 2 0 profile 2 place 0:3
`;

type Edit = (stdout: string) => string;

/** A node of which one command says something else, always or the first few times. */
function aNodeThatSays(
  command: string,
  edit: Edit,
  { state = threeSlices + running, gpus = [A100], times = Infinity } = {},
): InProcessNode {
  const node = new InProcessNode(gpus, state);
  let left = times;
  node.intercept = (args, run): Execution => {
    const execution = run();
    if (!args.includes(command) || left === 0) return execution;
    left -= 1;
    const stdout = edit(execution.stdout);
    if (stdout === execution.stdout) throw new Error(`nothing edited in ${command}`);
    return { ...execution, stdout };
  };
  return node;
}

const afterFirstRow: Edit = (stdout) => /^(?:.*\n){7}/.exec(stdout)?.[0] ?? '';
const replace =
  (from: string | RegExp, to: string): Edit =>
  (stdout) =>
    stdout.replace(from, to);

describe('commands of a reading that contradict each other', () => {
  async function readNode(...node: Parameters<typeof aNodeThatSays>): Promise<string> {
    return codeOf(
      aNodeThatSays(...node)
        .openDriver()
        .readDevice(),
    );
  }

  async function readGpu(...given: Parameters<typeof aNodeThatSays>): Promise<string> {
    const node = aNodeThatSays(...given);
    return codeOf(node.openDriver().read(readGpuInstances(node.busId(0))));
  }

  it('do not count as fewer instances: a -lgi cut after a row, exit code 0', async () => {
    expect(await readGpu('-lgi', afterFirstRow)).to.equal('Unstable');
    expect(await readNode('-lgi', afterFirstRow)).to.equal('Unstable');
  });

  it('are read once more, and what is whole then is believed', async () => {
    const node = aNodeThatSays('-lgi', afterFirstRow, { times: 1 });
    expect(await node.openDriver().read(readGpuInstances(node.busId(0)))).to.have.length(3);
    expect(node.commands.map((args) => args.at(-1))).to.deep.equal(['-lgi', '-lci', '-lgi', '-lci']);
  });

  it('do not count as fewer compute instances: a -lci cut after a row, where the report knows more', async () => {
    expect(await readGpu('-lci', (stdout) => /^(?:.*\n){10}/.exec(stdout)?.[0] ?? '')).to.equal('Unstable');
    const node = new InProcessNode([A100], parts);
    expect(await codeOf(node.openDriver().read(readGpuInstances(node.busId(0))))).to.equal('None');
    // The report is asked for only where there is room for another compute instance.
    expect(node.commands.map((args) => args.at(-1))).to.deep.equal(['-lgi', '-lci', '-x']);
  });

  it('are a compute instance on a GPU instance of another profile, or more than fit on one', async () => {
    const lci = (row: string): Edit => replace(/( +)1( +MIG 3g\.20gb)/, row);
    expect(await readGpu('-lci', lci('$15$2'))).to.equal('Unstable');
    expect(await readGpu('-lci', replace(' 2       MIG 3g', ' 1       MIG 3g'), { state: parts })).to.equal('Unstable');
  });

  it('are a GPU instance of another profile that could be at this place, in -lgi alone', async () => {
    const as4g = replace(/MIG 3g\.20gb( +)9 /, 'MIG 4g.20gb$15 ');
    expect(await readNode('-lgi', as4g)).to.equal('Unstable');
    expect(await readGpu('-lgi', as4g)).to.equal('Unstable');
  });

  it('are a MIG device of another index in -L: its UUID would be nobody’s', async () => {
    expect(await readNode('-L', replace('Device  1', 'Device  5'))).to.equal('Unstable');
  });

  it('are rows of several GPUs in the table of one', async () => {
    expect(await readGpu('-lgi', replace('|   0  MIG 1g', '|   1  MIG 1g'))).to.equal('Unstable');
  });

  it('are MIG mode on in the report and on no GPU in -lgi', async () => {
    const state = 'gpu 0 mig 1 pending 1\ngi 0 13 profile 19 place 6:1\n';
    const off = (): string => 'No MIG-enabled devices found.\n';
    expect(await readNode('-lgi', off, { state })).to.equal('Unstable');
  });

  it('are MIG mode on in the report of one GPU and not for mig, which up to driver 535 says so of a mode that it cannot read', async () => {
    const node = new InProcessNode([A100], threeSlices);
    node.driver = '535';
    node.faults = 'fail DeviceGetMigMode rc=999 with=-lgi\nfail DeviceGetMigMode rc=999 with=-lci';
    expect(node.run(['mig', '-lgi'])).to.include({ rc: 6, stdout: 'No MIG-enabled devices found.\n' });
    const driver = node.openDriver();
    expect(await codeOf(driver.read(readGpuInstances(node.busId(0))))).to.equal('Unstable');
    expect(await codeOf(driver.read(listComputeInstances(node.busId(0))))).to.equal('Unstable');
    const off = new InProcessNode([A100]);
    off.driver = '535';
    expect(await off.openDriver().read(readGpuInstances(off.busId(0)))).to.deep.equal([]);
  });

  it('are fewer GPUs than are attached', async () => {
    const gpus = [A100, 'A30'];
    expect(await readNode('-x', replace(/\t<gpu id="00000000:0F(?:.*\n)+?\t<\/gpu>\n/, ''), { gpus })).to.equal(
      'Unstable',
    );
  });

  it('are a GPU of another UUID, on the first reading and later', async () => {
    const other = replace(/<uuid>GPU-c/, '<uuid>GPU-d');
    const state = 'gpu 0 mig 1 pending 1\n';
    expect(await readNode('-x', other, { state })).to.equal('Unstable');
    const node = new InProcessNode([A100], state);
    const driver = node.openDriver();
    await driver.readDevice();
    node.intercept = (args, run) => ({ ...run(), ...(args.includes('-x') ? { stdout: other(run().stdout) } : {}) });
    expect(await codeOf(driver.readDevice())).to.equal('Unstable');
    expect(await readNode('-L', replace('GPU 0', 'GPU 1'))).to.equal('Unstable');
    expect(await readNode('-L', replace(A100, 'A30'))).to.equal('Unstable');
  });

  it('leave a GPU the UUID that it had, with a fault, where the report alone gives it another', async () => {
    const node = new InProcessNode([A100, 'A30'], threeSlices);
    const driver = node.openDriver();
    const before = (await driver.readDevice()).gpus;
    const uuid = node.uuid(0);
    const other = replace(`<uuid>${uuid}`, `<uuid>${uuid.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))}`);
    node.intercept = (args, run) => ({ ...run(), ...(args.includes('-x') ? { stdout: other(run().stdout) } : {}) });
    const { gpus } = await driver.readDevice();
    expect(gpus.map((gpu) => gpu.uuid)).to.deep.equal(before.map((gpu) => gpu.uuid));
    expect(gpus.map(({ fault }) => fault?.code)).to.deep.equal(['Unstable', undefined]);
    expect(gpus[0]?.instances).to.deep.equal(before[0]?.instances);
  });

  it('are MIG devices with each other’s ids', async () => {
    const exchange: Edit = (stdout) =>
      stdout
        .replace(/(<index>0(?:.*\n).*<gpu_instance_id>)1</, '$15<')
        .replace(/(<index>1(?:.*\n).*<gpu_instance_id>)5</, '$11<');
    expect(await readNode('-x', exchange)).to.equal('Unstable');
  });

  it('are a profile in -lgi that -lgip does not offer by this id, or not there', async () => {
    expect(await readNode('-lgi', replace('MIG 2g.10gb', 'MIG 1g.10gb'))).to.equal('Unstable');
    expect(await readNode('-lgi', replace(' 14 ', ' 15 '))).to.equal('Unstable');
    expect(await readNode('-lgi', replace('6:1', '7:1'))).to.equal('Unstable');
    expect(await readNode('-lgi', replace('6:1', '6:2'))).to.equal('Unstable');
  });

  it('have the tables of profiles read again too, which are otherwise read once', async () => {
    const node = aNodeThatSays('-lgip', replace('MIG 2g.10gb ', 'MIG 2g.20gb '), { times: 1 });
    const [gpu] = (await node.openDriver().readDevice()).gpus;
    expect(gpu?.instances.map(({ profile }) => profile)).to.deep.equal(['3g.20gb', '2g.10gb', '1g.5gb']);
    expect(gpu?.geometry?.profiles.map(({ name }) => name)).to.include('2g.10gb');
  });

  it('never prove a target: MIG off is not applied where the report lost the mode', async () => {
    const node = aNodeThatSays('-x', replace(/.*<current_mig>.*\n/, ''));
    const targets = [{ uuid: node.uuid(0), want: 'Disabled' as const }];
    expect(await codeOf(applyNode(node.openDriver(), targets))).to.equal('ParseError');
  });

  it('end a look at who uses a GPU that does not say its mode', async () => {
    const node = aNodeThatSays('-x', replace(/(<(?:current|pending)_mig>)Enabled/g, '$1GPU is lost'));
    expect(await codeOf(node.openDriver().read(readUse(node.busId(0))))).to.equal('GpuLost');
  });
});
