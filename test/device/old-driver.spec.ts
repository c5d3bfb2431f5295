import { expect } from 'chai';
import { applyNode } from '../../src/device/apply.ts';
import { reportDevice } from '../../src/core/device/agent.ts';
import { planWish } from '../../src/core/device/plan.ts';
import { InProcessNode } from './simulated-node.ts';

const A100 = 'A100-SXM4-40GB';
const on = 'gpu 0 mig 1 pending 1\n';

/** Answers of a driver of another version. */
function runDriver(node: InProcessNode, version: string): void {
  node.intercept = (_args, run) => {
    const { stdout, ...rest } = run();
    return { ...rest, stdout: stdout.replaceAll('550.163.01', version) };
  };
}

describe('a driver that refuses its profiles while MIG mode is off', () => {
  it('is read by the built-in table, and costs one command more, once', async () => {
    const node = new InProcessNode([A100, A100]);
    node.faults = 'tables off';
    const driver = node.openDriver();
    const device = await driver.readDevice();
    expect(device.gpus.map(({ fault, geometry }) => [fault, geometry?.profiles.length])).to.deep.equal([
      [undefined, 7],
      [undefined, 7],
    ]);
    expect(reportDevice(device).models).to.deep.equal([]);
    expect(node.commands.map((args) => args.join(' ')).filter((line) => line.startsWith('mig'))).to.deep.equal([
      'mig -lgip',
    ]);
    node.commands.length = 0;
    await driver.readDevice();
    expect(node.commands).to.have.length(1);
  });

  it('tells them of the GPUs whose mode is on, beside one whose mode is off', async () => {
    const node = new InProcessNode([A100, A100], on);
    node.faults = 'tables off';
    const device = await node.openDriver().readDevice();
    expect(device.gpus.map(({ tableSource, geometry }) => [tableSource, geometry?.profiles.length])).to.deep.equal([
      ['Own', 7],
      ['SameModel', 7],
    ]);
    expect(reportDevice(device).models?.map(({ product }) => product)).to.deep.equal(['NVIDIA A100-SXM4-40GB']);
  });

  it('is asked for its own table as soon as the mode is on, before anything is made', async () => {
    const node = new InProcessNode([A100]);
    node.faults = 'tables off';
    const { results, device } = await applyNode(node.openDriver(), [{ uuid: node.uuid(0), want: { '3g.20gb': 2 } }]);
    expect(results[0]?.outcome).to.equal('Applied');
    expect(device?.gpus[0]?.tableSource).to.equal('Own');
    const lines = node.commands.map((args) => args.join(' '));
    const at = (part: string): number => lines.findIndex((line) => line.includes(part));
    expect(lines.findLastIndex((line) => line.endsWith('-mig 1'))).to.be.lessThan(at('00.0 -lgip'));
    expect(at('00.0 -lgipp')).to.be.lessThan(at('-cgi')).and.to.be.greaterThan(0);
  });

  it('has the mode off again where its own table lacks a profile that the built-in one has', async () => {
    const node = new InProcessNode([A100]);
    node.faults = 'tables off\nhide profile=9';
    const target = { uuid: node.uuid(0), want: { '3g.20gb': 2 } };
    const { results } = await applyNode(node.openDriver(), [target], { undo: true });
    expect([results[0]?.outcome, results[0]?.error?.code]).to.deep.equal(['Undone', 'UnknownProfile']);
    expect(node.takeChanges().some((change) => change.includes('-cgi'))).to.equal(false);
  });

  it('is served by the built-in table beside a GPU that is sick', async () => {
    const node = new InProcessNode([A100, A100, A100]);
    node.faults = 'fail DeviceGetGpuInstanceProfileInfo rc=999 gpu=0\ntables off';
    const { gpus } = await node.openDriver().readDevice();
    expect(gpus.map(({ fault, tableSource }) => [fault?.code, tableSource])).to.deep.equal([
      ['DriverFailed', 'Own'],
      [undefined, 'BuiltIn'],
      [undefined, 'BuiltIn'],
    ]);
  });

  it('is not trusted of an unknown GPU', async () => {
    const node = new InProcessNode([A100, 'A30']);
    node.faults = 'tables off';
    node.intercept = (_args, run) => {
      const { stdout, ...rest } = run();
      return { ...rest, stdout: stdout.replaceAll('A100-SXM4-40GB', 'Z900 1TB') };
    };
    const { gpus } = await node.openDriver().readDevice();
    expect(gpus.map(({ fault }) => fault?.code)).to.deep.equal(['NotSupported', undefined]);
    expect(gpus[0]?.fault?.message).to.contain('switch MIG mode on manually');
  });
});

describe('a driver that is too old for MIG on a GPU', () => {
  it('is refused before anything is destroyed, with the version that would do', async () => {
    const node = new InProcessNode(['H100-80GB-HBM3'], on);
    await node.change({ '3g.40gb': 2 });
    runDriver(node, '510.47.03');
    node.takeChanges();
    const driver = node.openDriver();
    const device = await driver.readDevice();
    const wish = { gpus: [{ uuid: node.uuid(0), profiles: { '1g.10gb': 7 } }] };
    const { report } = planWish(reportDevice(device), wish);
    const words = 'driver 510.47.03 is too old for MIG on this GPU: it takes 525.85.12 or later';
    expect([report.refusalCode, report.refusal]).to.deep.equal([
      'Impossible',
      `GPU 0 (H100 80GB HBM3): ${words}; nothing was touched`,
    ]);
    const { results } = await applyNode(driver, [{ uuid: node.uuid(0), want: { '1g.10gb': 7 } }]);
    expect([results[0]?.outcome, results[0]?.error?.code]).to.deep.equal(['Refused', 'NotSupported']);
    expect(results[0]?.error?.message).to.contain(words);
    expect(node.takeChanges()).to.deep.equal([]);
  });

  it('may switch MIG mode off, and leaves what matches', async () => {
    const node = new InProcessNode(['H100-80GB-HBM3'], on);
    runDriver(node, '510.47.03');
    const same = await applyNode(node.openDriver(), [{ uuid: node.uuid(0), want: {} }]);
    expect(same.results[0]?.outcome).to.equal('Unchanged');
    const off = await applyNode(node.openDriver(), [{ uuid: node.uuid(0), want: 'Disabled' }]);
    expect(off.results[0]?.outcome).to.equal('Applied');
  });
});

describe('a driver that makes no instance at a place that is asked for', () => {
  for (const [rc, code] of [
    [3, 'NotSupported'],
    [2, 'UnknownProfile'],
  ] as const)
    it(`gets back what it had at places of its own, code ${rc}`, async () => {
      const node = new InProcessNode([A100], on);
      await node.change({ '3g.20gb': 1, '1g.5gb': 2 });
      const profilesOf = async (): Promise<readonly string[]> =>
        (await node.layout(0)).map((place) => place.split('@')[0] ?? '').toSorted();
      const before = await profilesOf();
      node.takeChanges();
      node.faults = `fail DeviceCreateGpuInstanceWithPlacement rc=${rc}`;
      const { results } = await applyNode(node.openDriver(), [{ uuid: node.uuid(0), want: { '2g.10gb': 3 } }], {
        undo: true,
      });
      expect([results[0]?.outcome, results[0]?.error?.code, results[0]?.undoError]).to.deep.equal([
        'Undone',
        code,
        undefined,
      ]);
      expect(await profilesOf()).to.deep.equal(before);
    });

  it('gets back compute instances of its instances too', async () => {
    const node = new InProcessNode([A100], on);
    await node.change({ '1c.3g.20gb': 2 });
    const before = await node.layout(0);
    node.faults = 'fail DeviceCreateGpuInstanceWithPlacement rc=3';
    const { results } = await applyNode(node.openDriver(), [{ uuid: node.uuid(0), want: { '7g.40gb': 1 } }], {
      undo: true,
    });
    expect([results[0]?.outcome, results[0]?.undoError]).to.deep.equal(['Undone', undefined]);
    const shape = (places: readonly string[]): readonly string[] =>
      places.map((place) => place.replace(/@\d/, '')).toSorted();
    expect(shape(await node.layout(0))).to.deep.equal(shape(before));
  });
});
