import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { NodeExport, HostPlan } from '../../../src/core/host/plan.ts';
import type { AssertAnswer } from '../../../src/cli/node/commands.ts';
import { aPolicy } from '../policy-text.ts';
import { fixtures } from '../run.ts';
import { SimulatedHost } from '../simulated-host.ts';

const A100 = 'A100-SXM4-40GB';
const migParted = 'mig-parted/mig-parted-HEAD-examples-config.yaml';

describe('gpu-partition node plan', () => {
  it('waits for a command that reads as long as it is told, and names the option', async () => {
    using host = new SimulatedHost([A100]).withFaults('sleep Run ms=3000 with=-x');
    const { code, stderr } = await host.node(
      'plan',
      '-f',
      host.write('l.yaml', 'layouts: [{mig: Disabled}]'),
      '--read-timeout-seconds',
      '1',
    );
    expect(code).to.equal(3);
    expect(stderr).to.contain('TimedOut').and.to.contain('no answer in 1 s (--read-timeout-seconds)');
  });

  it('draws what there is and what becomes of it, and changes nothing', async () => {
    using host = new SimulatedHost([A100]).withSevenSlices(0);
    host.startProcess(0, 6);
    const layout = host.write('layout.yaml', { layouts: [{ profiles: { '1g.5gb': 1, '4g.20gb': 1 } }] });
    const { code, stdout, stderr } = await host.node('plan', '-f', layout);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout.split('\n')).to.deep.equal([
      'GPU 0 (A100-SXM4-40GB, 00000000:07:00.0): becomes 1×1g.5gb + 1×4g.20gb',
      '  now   |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb* |........|',
      '  after |4g.20gb                            |........|........|1g.5gb* |........|',
      '  keep: 1g.5gb at 6 (in use by pid 4242 (python3 train.py))',
      '  destroy: 1g.5gb at 0, 1g.5gb at 1, 1g.5gb at 2, 1g.5gb at 3, 1g.5gb at 4, 1g.5gb at 5',
      '  create: 4g.20gb at 0',
      'plan: 1 of 1 GPU to change: keep 1, destroy 6, create 1 instance',
      '',
    ]);
    expect(host.takeChanges()).to.deep.equal([]);
  });

  it('says that it is not checked yet where the driver shows no profiles before MIG mode is on', async () => {
    using host = new SimulatedHost([A100], { mig: false, driver: '530' });
    const layout = host.write('layout.yaml', { layouts: [{ profiles: { '3g.20gb': 2 } }] });
    const { code, stdout } = await host.node('plan', '-f', layout);
    expect(code).to.equal(0);
    expect(stdout).to.include(
      'create: 3g.20gb at 0, 3g.20gb at 4\n  unchecked: the driver shows the profiles of this GPU',
    );
    const done = await host.node('apply', '-f', layout);
    expect([done.code, host.starts(0)]).to.deep.equal([0, [0, 4]]);
    expect((await host.node('plan', '-f', layout)).stdout).not.to.include('unchecked');
  });

  it('says all of it as JSON', async () => {
    using host = new SimulatedHost([A100, 'T4'], { mig: false });
    const layout = host.write('layout.yaml', { layouts: [{ preset: 'all-3g.20gb' }] });
    const { code, stdout } = await host.node('plan', '-f', layout, '-o', 'json');
    const { state, gpus, lost } = JSON.parse(stdout) as HostPlan;
    expect({ code, state, lost }).to.deep.equal({ code: 0, state: 'Change', lost: [] });
    expect(gpus.map(({ outcome, mig, want }) => ({ outcome, mig, want }))).to.deep.equal([
      { outcome: 'Change', mig: { now: 'Disabled', after: 'Enabled' }, want: { '3g.20gb': 2 } },
      { outcome: 'LeftAlone', mig: { now: null, after: null }, want: undefined },
    ]);
    expect(gpus[0]?.steps.map(({ action }) => action)).to.deep.equal(['CreateInstance', 'CreateInstance']);
  });

  it('takes the sample of the host unit', async () => {
    using host = new SimulatedHost([A100, 'A30']);
    const sample = new URL('../../../samples/host/layout.yaml', import.meta.url).pathname;
    const { code, stdout } = await host.node('plan', '-f', sample);
    expect(code).to.equal(0);
    expect(stdout).to.contain('becomes 2×1g.5gb + 1×2g.10gb + 1×3g.20gb').and.to.contain('becomes MIG off');
  });

  it('takes a policy as it is', async () => {
    using host = new SimulatedHost([A100]);
    const { code, stdout } = await host.node('plan', '-f', host.write('policy.yaml', aPolicy('inference')));
    expect(code).to.equal(0);
    expect(stdout).to.contain('becomes 2×1g.5gb + 1×3g.20gb');
  });

  it('refuses a file that applies to no GPU of the node, and names those that there are', async () => {
    using host = new SimulatedHost([A100, 'T4']);
    for (const entry of [
      { gpus: { models: ['H100-*'] }, preset: 'all-balanced' },
      { gpus: { indices: [1] }, preset: 'all-balanced' },
    ]) {
      const { code, stderr } = await host.node('plan', '-f', host.write('layout.yaml', { layouts: [entry] }));
      expect(code).to.equal(1);
      expect(stderr).to.contain('NoGpuMatches: layout.yaml:2:5: layouts[0]:').and.to.contain('without MIG');
    }
  });

  it('serves every entry with a count where it can, and says which entries apply to no GPU', async () => {
    using host = new SimulatedHost(['A30', 'A30', 'T4'], { mig: false });
    const layouts = [
      { gpus: { models: ['A30'], count: 1 }, mig: 'Disabled' },
      { gpus: { count: 1, indices: [0] }, profiles: { '1g.6gb': 2 } },
      { gpus: { indices: [2] }, profiles: { '1g.6gb': 4 } },
    ];
    const { code, stdout } = await host.node('plan', '-f', host.write('layout.yaml', { layouts }));
    expect(code).to.equal(0);
    expect(stdout)
      .to.match(/GPU 0 \(A30.*becomes 2×1g\.6gb/)
      .and.to.match(/GPU 1 \(A30.*unchanged, MIG off/);
    expect(stdout).to.match(/skipped: layout\.yaml:\d+:5: layouts\[2\]: GPU 2 \(Tesla T4\) has no MIG/);
    const many = host.write('many.yaml', { layouts: [{ gpus: { count: 4 }, mig: 'Disabled' }] });
    const refused = await host.node('plan', '-f', many);
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.match(
      /NotEnoughGpus: many\.yaml:2:5: layouts\[0\]: count asks for exactly 4 .* 3 of this node/,
    );
  });

  it('answers a wrong file with code 2 and the line and field of everything that is wrong', async () => {
    using host = new SimulatedHost([A100]);
    const cases: readonly (readonly [string, readonly string[]])[] = [
      [
        'layouts:\n  - profiles: {1g.5gb: 0}\n    gpu: {}\n',
        ['f.yaml:2:16: layouts[0].profiles["1g.5gb"]', 'f.yaml:3:5: layouts[0].gpu'],
      ],
      ['layouts:\n  - profiles: {1G.5GB: 1}\n', ['f.yaml:2:16: layouts[0].profiles["1G.5GB"]: a profile is written']],
      ['layouts:\n  - {}\n', ['f.yaml:2:5: layouts[0]: exactly one of profiles, preset and mig']],
      ['strategy: both\nlayouts:\n  - mig: Disabled\n', ['f.yaml:1:1: strategy: must be one of none, single, mixed']],
      [
        'strategy: mixed\nlayouts:\n  - profiles: {1c.3g.20gb: 1}\n',
        ['f.yaml:3:16:', 'strategy mixed cannot advertise'],
      ],
      ['layout: []\n', ['f.yaml:1:1: layout: unknown field layout', 'layouts is missing']],
      ['layouts:\n  - mig: Disabled\nlayouts: []\n', ['f.yaml:3:1: layouts: the key layouts is given twice']],
      ['strategy: none\nlayouts:\n', ['f.yaml:2:1: layouts: must not be empty']],
      ['layouts: [\n', ['f.yaml:2:1: neither YAML nor JSON']],
      ['', ['f.yaml: it is empty']],
      ['layouts: [{mig: Disabled}]\n---\nlayouts: []\n', ['f.yaml:3: a second document']],
    ];
    for (const [text, messages] of cases) {
      const { code, stdout, stderr } = await host.node('plan', '-f', host.write('f.yaml', text));
      expect({ code, stdout }, text).to.deep.equal({ code: 2, stdout: '' });
      for (const message of messages) expect(stderr, text).to.contain(message);
    }
    expect((await host.node('plan', '-f', 'missing.yaml')).stderr).to.contain('there is no such file');
    expect((await host.node('plan')).code).to.equal(2);
  });
});

describe('gpu-partition node with a file of mig-parted', () => {
  it('applies one of its configs', async () => {
    using host = new SimulatedHost([A100, A100]).withSevenSlices(0);
    copyFileSync(join(fixtures, migParted), join(host.folder, 'config.yaml'));
    const { code, stderr } = await host.node('apply', '-f', 'config.yaml', '--config', 'all-1g.5gb');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect([host.starts(0).length, host.starts(1).length]).to.deep.equal([7, 7]);
    expect((await host.node('assert', '-f', 'config.yaml', '--config', 'all-1g.5gb')).code).to.equal(0);
    expect((await host.node('assert', '-f', 'config.yaml', '--config', 'all-2g.10gb')).code).to.equal(1);
  });

  it('honours devices, filters and the last entry that matches', async () => {
    using host = new SimulatedHost([A100, A100, 'A30']).withSevenSlices(0);
    const spec = (devices: unknown, profiles: unknown, filter?: string) => ({
      ...(filter === undefined ? {} : { 'device-filter': filter }),
      devices,
      'mig-enabled': true,
      'mig-devices': profiles,
    });
    const file = host.write('config.yaml', {
      version: 'v1',
      'mig-configs': {
        mixed: [
          spec('all', { '1g.5gb': 7 }, '0x20B010DE'),
          spec([1], { '3g.20gb': 2 }),
          { 'device-filter': ['0x20B710DE'], devices: 'all', 'mig-enabled': false },
        ],
      },
    });
    expect((await host.node('apply', '-f', file)).code).to.equal(0);
    expect([host.starts(0).length, host.starts(1), host.starts(2)]).to.deep.equal([7, [0, 4], []]);
    expect(host.state).to.contain('gpu 2 mig 0');
  });

  it('refuses a profile that the GPU does not have, for which mig-parted would wipe it', async () => {
    using host = new SimulatedHost([A100]);
    const specs = [{ devices: 'all', 'mig-enabled': true, 'mig-devices': { '1g.99gb': 7 } }];
    const file = host.write('config.yaml', { version: 'v1', 'mig-configs': { wrong: specs } });
    const { code, stderr } = await host.node('apply', '-f', file);
    expect(code).to.equal(1);
    expect(stderr).to.match(/UnknownProfile: config\.yaml:4:7: mig-configs\.wrong\[0\]: .*1g\.99gb/);
    expect(host.takeChanges()).to.deep.equal([]);
  });

  it('wants to know which config', async () => {
    using host = new SimulatedHost([A100]);
    copyFileSync(join(fixtures, migParted), join(host.folder, 'config.yaml'));
    expect((await host.node('plan', '-f', 'config.yaml')).stderr).to.contain('choose one with --config: ');
    const { code, stderr } = await host.node('plan', '-f', 'config.yaml', '--config', 'all-1g5gb');
    expect(code).to.equal(2);
    expect(stderr).to.contain('did you mean all-1g.5gb');
    const layout = host.write('layout.yaml', { layouts: [{ mig: 'Disabled' }] });
    expect((await host.node('plan', '-f', layout, '--config', 'x')).code).to.equal(2);
  });
});

describe('gpu-partition node assert and export', () => {
  it('says how the device differs', async () => {
    using host = new SimulatedHost([A100, A100]).withLargeSlice(0, 1);
    host.write('now.yaml', { layouts: [{ profiles: { '3g.20gb': 1 } }] });
    const layout = host.write('layout.yaml', {
      layouts: [{ gpus: { indices: [0] }, mig: 'Disabled' }, { profiles: { '3g.20gb': 1 } }],
    });
    const { code, stdout } = await host.node('assert', '-f', layout, '-o', 'json');
    const answer = JSON.parse(stdout) as AssertAnswer;
    expect(code).to.equal(1);
    expect(answer).to.deep.equal({
      equal: false,
      differences: ['GPU 0 (A100-SXM4-40GB, 00000000:07:00.0): has 3g.20gb at 0; should be MIG off'],
    });
    expect((await host.node('assert', '-f', 'now.yaml')).stdout).to.equal('now.yaml: applied\n');
  });

  const forms: readonly (readonly string[])[] = [
    [],
    ['--by', 'indices'],
    ['-o', 'json'],
    ['--format', 'mig-parted'],
    ['--format', 'mig-parted', '-o', 'json'],
  ];
  for (const form of forms) {
    it(`exports what apply takes back as it is: export ${form.join(' ')}`, async () => {
      using host = new SimulatedHost([A100, A100, A100, A100, 'T4'], { mig: [0, 1, 2] });
      host.withSplitSlice(0).withSevenSlices(1);
      const { code, stdout, stderr } = await host.node('export', ...form);
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
      const applied = await host.node('apply', '-f', host.write('exported.yaml', stdout));
      expect(applied.code).to.equal(0);
      expect(applied.stdout)
        .to.contain('00000000:07:00.0): unchanged, 3×1c.3g.20gb\n')
        .and.to.contain('unchanged, 7×1g.5gb\n')
        .and.to.contain('unchanged, no instances\n')
        .and.to.contain('unchanged, MIG off\n')
        .and.to.match(/unchanged: 0 operations\n$/);
      expect(host.takeChanges()).to.deep.equal([]);
    });
  }

  it('tells placements and use beside the layout', async () => {
    using host = new SimulatedHost([A100]).withLargeSlice(0);
    host.startProcess(0, 0);
    expect((await host.node('export')).stdout).to.contain(
      '# GPU 0, NVIDIA A100-SXM4-40GB, 00000000:07:00.0: 3g.20gb at 0',
    );
    const { device } = JSON.parse((await host.node('export', '-o', 'json')).stdout) as NodeExport;
    expect(device.gpus[0]?.instances).to.deep.equal([
      { profile: '3g.20gb', start: 0, size: 4, computeInstances: ['3g.20gb'], busy: true },
    ]);
  });

  for (const form of [[], ['-o', 'json'], ['--format', 'mig-parted']]) {
    it(`exports GPUs without MIG as whole, where there are no others: export ${form.join(' ')}`, async () => {
      using host = new SimulatedHost(['T4', 'T4']);
      const { code, stdout } = await host.node('export', ...form);
      expect(code).to.equal(0);
      const planned = await host.node('plan', '-f', host.write('exported.yaml', stdout));
      expect(planned.code, planned.stderr).to.equal(0);
      expect(planned.stdout).to.contain('nothing to do');
    });
  }

  it('says what it cannot export', async () => {
    using host = new SimulatedHost([A100, A100]);
    host.withFaults('lost gpu=1');
    const { code, stdout, stderr } = await host.node('export');
    expect(code).to.equal(1);
    expect(stdout).to.contain('preset: all-enabled');
    expect(stderr).to.contain('00000000:0F:00.0 does not answer');
  });
});
