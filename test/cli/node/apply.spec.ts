import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { NodeApplyResult } from '../../../src/cli/node/apply.ts';
import { Journal } from '../../../src/device/host/journal.ts';
import { lockNode } from '../../../src/device/host/node-lock.ts';
import { eventually } from '../../support/eventually.ts';
import { driverBranches } from '../../../src/simulator/nvidia-smi/board.ts';
import { encodeList, servePodResources } from '../../../src/simulator/kubelet/allocation.ts';
import { SimulatedHost } from '../simulated-host.ts';

const A100 = 'A100-SXM4-40GB';
const balanced = { layouts: [{ profiles: { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 } }] };
const sevens = { layouts: [{ profiles: { '1g.5gb': 7 } }] };

describe('gpu-partition node apply', () => {
  it('makes a layout from whole GPUs, says what it does, and has nothing to do the second time', async () => {
    using host = new SimulatedHost([A100, 'T4'], { mig: false });
    host.write('layout.yaml', balanced);
    const first = await host.node('apply', '-f', 'layout.yaml');
    expect(first.stderr).to.equal('');
    expect(first.code).to.equal(0);
    expect(first.stdout)
      .to.contain('MIG off: whole GPU')
      .and.to.contain('create: 2g.10gb at 0, 1g.5gb at 2, 1g.5gb at 3, 3g.20gb at 4')
      .and.to.contain('GPU 0: nvidia-smi mig -i 00000000:07:00.0 -cgi 9:4,')
      .and.to.contain('GPU 1 (Tesla T4, 00000000:0F:00.0): left alone, it has no MIG')
      .and.to.match(/applied: 2 operations\n$/);
    expect(host.starts(0)).to.deep.equal([0, 2, 3, 4]);
    expect(host.hasJournal).to.equal(false);
    host.takeChanges();

    const second = await host.node('apply', '-f', 'layout.yaml');
    expect(second.code).to.equal(0);
    expect(second.stdout).to.match(/plan: nothing to do\nunchanged: 0 operations\n$/);
    expect(host.takeChanges()).to.deep.equal([]);
  });

  it('says which CDI spec does not follow, where the toolkit is not', async () => {
    using host = new SimulatedHost([A100]);
    host.write('layout.yaml', balanced);
    const root = join(host.folder, 'toolkit');
    mkdirSync(join(root, 'run/cdi'), { recursive: true });
    writeFileSync(join(root, 'run/cdi/nvidia.yaml'), '');
    const { code, stderr } = await host.node('apply', '-f', 'layout.yaml', '--toolkit-root', root);
    expect(code).to.equal(0);
    expect(stderr).to.match(/^note: .*run\/cdi\/nvidia\.yaml describes the previous layout: no nvidia-ctk in /);
    await new Journal({ path: join(host.stateDir, 'journal.json') }).begin({ gpus: [] });
    const again = await host.node('apply', '-f', 'layout.yaml', '--toolkit-root', root);
    expect(again.stdout).to.match(/\nunchanged: 0 operations\n$/);
    expect(again.stderr, 'the one before was killed, perhaps before this').to.equal(stderr);
    const third = await host.node('apply', '-f', 'layout.yaml', '--toolkit-root', root);
    expect(third.stderr).to.equal('');
  });

  it('re-shapes a GPU around an instance that is in use', async () => {
    using host = new SimulatedHost([A100]).withSevenSlices(0);
    host.startProcess(0, 5);
    const layout = host.write('layout.yaml', { layouts: [{ profiles: { '1g.5gb': 1, '3g.20gb': 1 } }] });
    const { code, stdout } = await host.node('apply', '-f', layout);
    expect(code).to.equal(0);
    expect(stdout).to.contain('keep: 1g.5gb at 5 (in use by pid 4242 (python3 train.py))');
    expect(host.starts(0)).to.deep.equal([0, 5]);
    expect(host.state).to.contain('pid 4242');
  });

  it('refuses what needs the place of an instance in use, names the holder, and changes the other GPUs', async () => {
    using host = new SimulatedHost([A100, A100]).withSevenSlices(0, 1);
    host.startProcess(0, 5);
    const layout = host.write('layout.yaml', { layouts: [{ profiles: { '7g.40gb': 1 } }] });
    const { code, stdout, stderr } = await host.node('apply', '-f', layout);
    expect(code).to.equal(1);
    expect(stderr).to.match(/^error: GPU 0 \(A100-SXM4-40GB, 00000000:07:00\.0\): InUse /);
    expect(stderr).to.contain('pid 4242 (python3 train.py) on 1g.5gb at 5');
    expect(stdout).to.match(/not applied: \d+ operations; the node does not match the layout\n$/);
    expect(host.starts(0)).to.have.length(7);
    expect(host.starts(1)).to.deep.equal([0]);
  });

  it('spares what a pod holds without a process, where a kubelet tells, and relies on processes alone if asked to', async () => {
    using host = new SimulatedHost([A100]).withSevenSlices(0);
    // The UUID of the sixth slice, as -L has it.
    const list = execFileSync(host.nvidiaSmi, ['-L'], { encoding: 'utf8' });
    const uuid = /Device +5: \(UUID: (MIG-\S+)\)/.exec(list)?.[1] ?? '';
    const holding = {
      name: 'notebook',
      namespace: 'team',
      uid: 'x',
      containers: [{ container: 'c', deviceIds: { 'nvidia.com/mig-1g.5gb': [uuid] } }],
    };
    const kubelet = await servePodResources(host.podResourcesSocket, {
      '/v1.PodResourcesLister/List': () => encodeList([holding]),
    });
    try {
      const layout = host.write('layout.yaml', { layouts: [{ profiles: { '7g.40gb': 1 } }] });
      const held = await host.node('apply', '-f', layout);
      expect([held.code, host.starts(0).length]).to.deep.equal([1, 7]);
      expect(held.stderr).to.contain('a pod on 1g.5gb at 5');
      expect((await host.node('apply', '-f', layout, '--ignore-pods')).code).to.equal(0);
      expect(host.starts(0)).to.deep.equal([0]);
    } finally {
      await kubelet.close();
    }
  });

  it('does nothing where a kubelet should tell who holds what and does not answer', async () => {
    using host = new SimulatedHost([A100]).withSevenSlices(0);
    host.write('kubelet.sock', 'no socket');
    const { code, stderr } = await host.node('apply', '-f', host.write('l.yaml', 'layouts: [{mig: Disabled}]'));
    expect(code).to.equal(3);
    expect(stderr).to.contain('who holds a GPU').and.to.contain('--ignore-pods');
    expect(host.takeChanges()).to.deep.equal([]);
  });

  it('does nothing more where the kubelet that told who holds what goes away: its socket is missing while it restarts', async () => {
    using host = new SimulatedHost([A100]).withSevenSlices(0);
    const kubelet = await servePodResources(host.podResourcesSocket, {
      '/v1.PodResourcesLister/List': () => {
        rmSync(host.podResourcesSocket);
        return encodeList([]);
      },
    });
    try {
      const { stderr } = await host.node('apply', '-f', host.write('l.yaml', 'layouts: [{mig: Disabled}]'));
      expect(stderr).to.contain('KubeletSocketMissing');
      expect(host.takeChanges()).to.deep.equal([]);
    } finally {
      await kubelet.close();
    }
  });

  it('changes nothing where all or nothing was asked for and one GPU is in the way', async () => {
    using host = new SimulatedHost([A100, A100]).withSevenSlices(0, 1);
    host.startProcess(0, 5);
    const layout = host.write('layout.yaml', { layouts: [{ profiles: { '7g.40gb': 1 } }] });
    expect((await host.node('apply', '-f', layout, '--all-or-nothing')).code).to.equal(1);
    expect(host.takeChanges()).to.deep.equal([]);
  });

  it('refuses a policy with schedules, which a host does not follow, and touches no GPU', async () => {
    using host = new SimulatedHost([A100]);
    const night = { name: 'night', schedule: '0 22 * * *', duration: '8h', ...balanced };
    const policy = host.write('policy.yaml', {
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuPartitionPolicy',
      metadata: { name: 'p' },
      spec: { nodeSelector: { matchLabels: { pool: 'p' } }, strategy: 'mixed', ...sevens, schedules: [night] },
    });
    const { code, stderr } = await host.node('apply', '-f', policy);
    expect(code).to.equal(2);
    expect(stderr).to.match(/spec\.schedules: a host follows no schedules, the controller does/);
    expect(host.takeChanges()).to.deep.equal([]);
  });

  it('refuses a layout that does not fit with the numbers and its place, and touches no GPU', async () => {
    using host = new SimulatedHost(['A30', A100]);
    const layouts = [
      { gpus: { models: ['A30'] }, preset: 'all-balanced' },
      { profiles: { '3g.20gb': 2, '1g.5gb': 1 } },
    ];
    const { code, stderr, stdout } = await host.node('apply', '-f', host.write('layout.yaml', { layouts }));
    expect(code).to.equal(1);
    expect(stderr).to.contain('error: DoesNotFit: layout.yaml:6:5: layouts[1]:');
    expect(stderr).to.contain('needs 9 of 8 memory slices').and.to.contain('nothing was touched');
    expect(stdout).to.contain('not applied: 0 operations');
    expect(host.takeChanges()).to.deep.equal([]);
  });

  it('checks strategy single on the whole node before anything moves', async () => {
    using host = new SimulatedHost([A100, A100]);
    const single = (...layouts: readonly unknown[]) => host.write('layout.yaml', { strategy: 'single', layouts });
    const half = single({ gpus: { indices: [0] }, profiles: { '3g.20gb': 1 } });
    const { code, stderr } = await host.node('apply', '-f', half);
    expect(code).to.equal(1);
    expect(stderr).to.contain('SingleNeedsOneProfile: layout.yaml:1:1: strategy:');
    expect(host.takeChanges()).to.deep.equal([]);
    expect((await host.node('apply', '-f', single({ profiles: { '3g.20gb': 1 } }))).code).to.equal(0);
  });

  it('brings all GPUs back where one of a strategy single fails', async () => {
    using host = new SimulatedHost([A100, A100]);
    host.withFaults('fail DeviceCreateGpuInstance rc=999 gpu=1');
    const layout = host.write('layout.yaml', { strategy: 'single', layouts: [{ profiles: { '3g.20gb': 2 } }] });
    const { code, stderr } = await host.node('apply', '-f', layout);
    expect(code).to.equal(1);
    expect(stderr).to.contain('GPU 1 ').and.to.contain('DriverFailed');
    expect([...host.starts(0), ...host.starts(1)]).to.deep.equal([]);
  });

  it('does the others where a GPU is lost, and says so', async () => {
    using host = new SimulatedHost([A100, A100]);
    host.withFaults('lost gpu=1');
    const { code, stdout, stderr } = await host.node('apply', '-f', host.write('layout.yaml', balanced));
    expect(code).to.equal(1);
    expect(stderr).to.match(/error: GPU at 00000000:0F:00\.0 does not answer: GpuLost/);
    expect(stdout).to.contain('GPU 0 (A100-SXM4-40GB, 00000000:07:00.0): applied, 1 operation');
    expect(host.starts(0)).to.have.length(4);
  });

  it('answers 3 where nvidia-smi says nothing that can be understood, or is not there', async () => {
    using host = new SimulatedHost([A100]);
    const layout = host.write('layout.yaml', balanced);
    host.withFaults('output garbage=4000');
    const garbage = await host.node('apply', '-f', layout);
    expect({ code: garbage.code, stdout: garbage.stdout }).to.deep.equal({ code: 3, stdout: '' });
    expect(garbage.stderr).to.contain('ParseError');
    host.withFaults('nodriver');
    expect((await host.node('apply', '-f', layout)).stderr).to.contain('DriverUnavailable');
    expect(host.takeChanges()).to.deep.equal([]);
    const missing = await host.node('plan', '-f', layout, '--nvidia-smi', './no-such-tool');
    expect(missing.code).to.equal(3);
    expect(missing.stderr).to.contain('ToolMissing');
  });

  it('brings a GPU that fails back to what it was', async () => {
    using host = new SimulatedHost([A100]).withLargeSlice(0).withFaults('fail DeviceCreateGpuInstance rc=999 nth=2');
    const layout = host.write('layout.yaml', { layouts: [{ profiles: { '2g.10gb': 2 } }] });
    const { code, stderr } = await host.node('apply', '-f', layout);
    expect(code).to.equal(1);
    expect(stderr).to.contain('failed and brought back to what it was').and.to.contain('DriverFailed');
    expect(host.starts(0)).to.deep.equal([0]);
    expect(host.hasJournal).to.equal(false);
  });

  it('gives each GPU its result as JSON', async () => {
    using host = new SimulatedHost([A100]);
    const { code, stdout } = await host.node('apply', '-f', host.write('layout.yaml', balanced), '-o', 'json');
    const { state, plan, results } = JSON.parse(stdout) as NodeApplyResult;
    expect({ code, state }).to.deep.equal({ code: 0, state: 'Applied' });
    expect(plan.gpus[0]?.create).to.deep.include({ profile: '3g.20gb', start: 4 });
    expect(results).to.deep.equal([{ index: 0, uuid: plan.gpus[0]?.uuid, outcome: 'Applied', operations: 1 }]);
  });

  it('waits no longer than told for another program that changes the GPUs', async () => {
    using host = new SimulatedHost([A100]);
    const layout = host.write('layout.yaml', balanced);
    const lock = await lockNode({ folder: host.stateDir });
    try {
      const { code, stderr } = await host.node('apply', '-f', layout, '--lock-timeout', '0');
      expect(code).to.equal(1);
      expect(stderr).to.match(/^error: Locked: .*agent/);
    } finally {
      await lock.release();
    }
    expect((await host.node('apply', '-f', layout, '--lock-timeout', '0')).code).to.equal(0);
  });

  it('starts nothing after its deadline', async () => {
    using host = new SimulatedHost([A100]);
    host.withFaults('sleep Run ms=400');
    const { code, stderr } = await host.node('apply', '-f', host.write('layout.yaml', sevens), '--deadline', '1');
    expect(code).to.equal(1);
    expect(stderr).to.contain('Stopped').and.to.contain('run this again');
    expect(host.starts(0).length).to.be.below(7);
  });

  it('resets a GPU whose MIG mode stays pending only where it may', async () => {
    using host = new SimulatedHost([A100], { mig: false }).withFaults('migpending rc=16');
    const layout = host.write('layout.yaml', { layouts: [{ profiles: { '3g.20gb': 1 } }] });
    const refused = await host.node('apply', '-f', layout);
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.contain('ResetRequired').and.to.contain('--allow-gpu-reset');
    expect(host.state).to.contain('gpu 0 mig 0 pending 1');
    const allowed = await host.node('apply', '-f', layout, '--allow-gpu-reset');
    expect({ code: allowed.code, stderr: allowed.stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(allowed.stdout).to.contain('--gpu-reset -i 00000000:07:00.0');
  });

  it('resets a GPU whose driver asks for it, with the change and only where it may', async () => {
    using host = new SimulatedHost([A100]).withSevenSlices(0).withFaults('sick remap');
    host.write('layout.yaml', balanced);
    const refused = await host.node('apply', '-f', 'layout.yaml');
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.contain('ResetRequired').and.to.contain('row remapping is pending');
    expect(host.takeChanges()).to.deep.equal([]);
    // It is well from the look on that comes after the reset: the plan, before the destroy, and before the reset.
    host.withFaults('sick remap nth=1-3');
    const { code, stdout } = await host.node('apply', '-f', 'layout.yaml', '--allow-gpu-reset');
    expect(stdout).to.contain('with the reset that its driver asks for').and.to.contain('nvidia-smi --gpu-reset -i');
    expect(code).to.equal(0);
    expect(host.starts(0)).to.deep.equal([0, 2, 3, 4]);
  });

  // A terminal that goes away, as with a lost connection, says so more than once: its shell does, and then the kernel.
  for (const signals of [['SIGTERM'], ['SIGHUP', 'SIGHUP']] as const) {
    it(`finishes the GPU at hand when it is told to stop by ${signals.join(' and ')}, and begins no other`, async () => {
      // A branch on which each GPU has commands of its own.
      using host = new SimulatedHost([A100, A100], { driver: '555' }).withFaults(
        'sleep DeviceCreateGpuInstance ms=200',
      );
      const layout = host.write('layout.yaml', { layouts: [{ profiles: { '3g.20gb': 2 } }] });
      const done = host.node('apply', '-f', layout);
      await eventually(
        async () => host.starts(0).length,
        (count) => count > 0,
      );
      const isHeard = signals.map((signal) => process.emit(signal));
      const { code, stderr } = await done;
      expect([code, ...isHeard]).to.deep.equal([1, ...signals.map(() => true)]);
      expect(stderr).to.contain('GPU 1 ').and.to.contain('not begun').and.to.contain('Stopped');
      expect([host.starts(0), host.starts(1)]).to.deep.equal([[0, 4], []]);
    });
  }

  it('finishes all GPUs that change by one command when it is told to stop', async () => {
    using host = new SimulatedHost([A100, A100]).withFaults('sleep DeviceCreateGpuInstance ms=200');
    const layout = host.write('layout.yaml', { layouts: [{ profiles: { '3g.20gb': 2 } }] });
    const done = host.node('apply', '-f', layout);
    await eventually(
      async () => host.starts(0).length,
      (count) => count > 0,
    );
    expect(process.emit('SIGTERM')).to.equal(true);
    const { code, stderr } = await done;
    expect(code, stderr).to.equal(0);
    expect([host.starts(0), host.starts(1)]).to.deep.equal([
      [0, 4],
      [0, 4],
    ]);
  });

  it('says that an earlier one was cut off, and continues from what is there', async () => {
    using host = new SimulatedHost([A100]).withLargeSlice(0);
    await new Journal({ path: join(host.stateDir, 'journal.json') }).begin({
      gpus: [{ uuid: 'GPU-1', mig: 'Enabled', placements: [] }],
    });
    const layout = host.write('layout.yaml', { layouts: [{ profiles: { '3g.20gb': 1 } }] });
    const { code, stdout } = await host.node('apply', '-f', layout);
    expect(code).to.equal(0);
    expect(stdout).to.match(/^an earlier apply was cut off \(GPU-1\); going on from what is there\n/);
    expect(host.hasJournal).to.equal(false);
  });

  it('says who must run it where nvidia-smi wants root', async () => {
    using host = new SimulatedHost([A100], { uid: 1000 });
    const { code, stderr } = await host.node('apply', '-f', host.write('layout.yaml', balanced));
    expect(code).to.equal(3);
    expect(stderr).to.contain('NotPermitted').and.to.contain('run as root');
  });
});

describe('gpu-partition node from the first day of a node to its last', () => {
  // The oldest, the last that shows no profile before MIG mode is on, and the newest; the device layer meets all of them.
  const usual: readonly string[] = ['470', '535', ...driverBranches.slice(-1)];
  for (const driver of driverBranches)
    it(`exports, plans, makes, changes, asserts and resets on driver ${driver}, from MIG mode off on every GPU${usual.includes(driver) ? '' : ' @all'}`, async () => {
      using host = new SimulatedHost([A100, 'A30', 'T4'], { mig: false, driver });
      const ends = async (verb: string, ...argv: readonly string[]): Promise<string> => {
        const { code, stdout, stderr } = await host.node(verb, ...argv);
        expect({ code, stderr }, `${verb} ${argv.join(' ')}: ${stdout}`).to.deep.equal({ code: 0, stderr: '' });
        return stdout;
      };
      expect(await ends('export')).to.contain('mig: Disabled');
      const entry = (a100: object, a30: object) => ({
        layouts: [
          { gpus: { models: ['A100-*'] }, profiles: a100 },
          { gpus: { models: ['A30*'] }, profiles: a30 },
        ],
      });
      const first = host.write('first.yaml', entry({ '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 }, { '2g.12gb': 2 }));
      expect(await ends('plan', '-f', first)).to.contain('becomes 2×1g.5gb + 1×2g.10gb + 1×3g.20gb');
      expect((await host.node('assert', '-f', first)).code).to.equal(1);
      await ends('apply', '-f', first);
      await ends('assert', '-f', first);
      expect(await ends('export'))
        .to.contain('3g.20gb: 1')
        .and.to.contain('2g.12gb: 2');
      const second = host.write('second.yaml', entry({ '1g.5gb': 4, '3g.20gb': 1 }, { '1g.6gb': 2, '2g.12gb': 1 }));
      await ends('apply', '-f', second);
      await ends('assert', '-f', second);
      expect([host.starts(0).length, host.starts(1).length]).to.deep.equal([5, 3]);
      await ends('reset');
      expect(host.state).to.equal('gpu 0 mig 0 pending 0\ngpu 1 mig 0 pending 0\ngpu 2 mig 0 pending 0\n');
    });
});

describe('gpu-partition node reset', () => {
  it('makes whole GPUs of what nobody uses', async () => {
    using host = new SimulatedHost([A100, A100, 'T4']).withLargeSlice(0, 1);
    host.startProcess(1, 0);
    const { code, stderr } = await host.node('reset');
    expect(code).to.equal(1);
    expect(stderr).to.contain('GPU 1 ').and.to.contain('InUse').and.to.contain('pid 4242');
    expect(host.state).to.contain('gpu 0 mig 0 pending 0').and.to.contain('gpu 1 mig 1 pending 1');
    expect([host.starts(0), host.starts(1)]).to.deep.equal([[], [0]]);
  });

  it('resets the GPU that an entry with a count has taken', async () => {
    using host = new SimulatedHost([A100, A100], { mig: [1] });
    const layout = host.write('layout.yaml', { layouts: [{ gpus: { count: 1 }, profiles: { '1g.5gb': 1 } }] });
    expect((await host.node('apply', '-f', layout)).code).to.equal(0);
    expect([host.starts(0).length, host.starts(1).length]).to.deep.equal([0, 1]);
    expect((await host.node('reset', '-f', layout, '--allow-gpu-reset')).code).to.equal(0);
    expect(host.state).to.contain('gpu 0 mig 0 pending 0').and.to.contain('gpu 1 mig 0 pending 0');
  });

  it('leaves alone the GPUs that the layout does not name', async () => {
    using host = new SimulatedHost([A100, A100]);
    const layout = host.write('layout.yaml', { layouts: [{ gpus: { indices: [1] }, profiles: { '1g.5gb': 1 } }] });
    expect((await host.node('reset', '-f', layout)).code).to.equal(0);
    expect(host.state).to.contain('gpu 0 mig 1 pending 1').and.to.contain('gpu 1 mig 0 pending 0');
  });
});
