import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockNode } from '../../../src/device/host/node-lock.ts';
import { eventually } from '../../support/eventually.ts';
import { run } from '../run.ts';
import { SimulatedHost } from '../simulated-host.ts';
import type { Selftest } from '../../../src/core/smi/selftest.ts';
import type { RecordedSelftest } from '../../../src/cli/selftest/selftest.ts';
import { encodeList, servePodResources } from '../../../src/simulator/kubelet/allocation.ts';
import { useScratchFolder } from '../../device/scratch-folder.ts';
import { isChange } from '../../device/simulated-node.ts';
import { TestedNode } from './tested-node.ts';

const A30 = 'A30';
/** Leaves a table of two profiles: a command takes a good part of a second here. */
const short = ['hide profile=5', 'hide profile=6', 'hide profile=21'];

describe('gpu-partition node selftest', function () {
  it('says in lines of 80 columns what it found, writes nothing, and has exit code 1 for a finding', async () => {
    using host = new SimulatedHost([A30], { mig: false }).withFaults('sick reset gpu=0');
    const { code, stdout, stderr } = await host.node('selftest');
    expect({ code, stderr }).to.deep.equal({ code: 1, stderr: '' });
    expect(stdout)
      .to.contain('  ok      nvidia-smi mig -lgip: ')
      .and.to.contain('  finding GPU 0 (A30): ')
      .and.to.match(/selftest: something is in the way \(\d+ ok, \d+ note, 1 finding, 0 unknown\)\n$/);
    const long = stdout.split('\n').filter((line) => line.length > 80 && !line.includes(host.folder));
    expect(long).to.deep.equal([]);
    expect(host.takeChanges()).to.deep.equal([]);
  });

  it('tells how long each kind of command took, whatever GPU it named', async () => {
    using host = new SimulatedHost([A30, A30], { mig: true });
    const { stdout } = await host.node('selftest', '-o', 'json');
    const { commands = [] } = JSON.parse(stdout) as Selftest;
    const named = commands.map(({ command }) => command);
    expect(named.slice(0, 3)).to.deep.equal(['-L', '-q -x', '--query-gpu']);
    expect(named).to.include.members(['mig -lgip', 'mig -lgi']);
    expect(new Set(named).size).to.equal(named.length);
    for (const { runs, meanMs, longestMs } of commands) {
      expect(runs).to.be.at.least(1);
      expect(meanMs).to.be.within(1, longestMs);
    }
    expect((await host.node('selftest')).stdout).to.contain('seconds of each nvidia-smi command, mean (runs): -L ');
  });

  it('cannot find out anything without an nvidia-smi', async () => {
    const { code, stdout, stderr } = await run(['node', 'selftest', '--nvidia-smi', '/nonexistent/nvidia-smi']);
    expect({ code, stdout }).to.deep.equal({ code: 3, stdout: '' });
    expect(stderr).to.match(/^error: ToolMissing/);
  });

  it('is used wrongly with --change without a GPU, and with a GPU without --change', async () => {
    using host = new SimulatedHost([A30], { mig: false });
    expect(await host.node('selftest', '--change')).to.include({ code: 2, stdout: '' });
    expect(await host.node('selftest', '--gpu', '0')).to.include({ code: 2, stdout: '' });
    expect(host.takeChanges()).to.deep.equal([]);
  });

  it('tells the seconds of each profile, and puts the GPU back when it is interrupted', async () => {
    using host = new SimulatedHost([A30], { mig: false }).withFaults(...short);
    const main = new URL('../../../src/cli/main.ts', import.meta.url).pathname;
    const own = ['--nvidia-smi', host.nvidiaSmi, '--state-dir', host.stateDir, '--bundle', 'b.jsonl'];
    const argv = [main, 'node', 'selftest', ...own, '--change', '--gpu', '0'];
    const child = spawn(process.execPath, argv, { cwd: host.folder, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await eventually(
      () => host.state,
      (state) => /^gi 0 /m.test(state),
      { timeoutMs: 50_000, what: 'an instance' },
    );
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code).to.equal(1);
    expect(said)
      .to.match(/ {2}ok {6}1g\.6gb at 0: made \d+\.\d\d s, verified \d+\.\d\d s, undone \d+\.\d\d s\n/)
      .and.to.match(/it\s+is\s+again\s+what\s+it\s+was:\s+asked\s+to\s+stop/);
    expect(host.state).to.equal('gpu 0 mig 0 pending 0\n');
    expect(host.hasJournal).to.equal(false);
    expect(readFileSync(join(host.folder, 'b.jsonl'), 'utf8')).to.contain('"state":"Stopped"');
  });

  it('writes its bundle even if another program holds the lock', async () => {
    using host = new SimulatedHost([A30], { mig: false });
    const lock = await lockNode({ folder: host.stateDir });
    const argv = ['--change', '--gpu', '0', '--lock-timeout', '0', '--bundle', 'b.jsonl'];
    const { code, stderr } = await host.node('selftest', ...argv);
    await lock.release();
    expect([code, stderr.includes('Locked')]).to.deep.equal([1, true]);
    const text = readFileSync(join(host.folder, 'b.jsonl'), 'utf8');
    expect(text).to.contain('the test ended early: Locked').and.to.contain('"argv":["-q","-x"]');
  });

  it('writes a bundle that its user alone may read, also of a node that does not answer, and over no other file', async () => {
    using host = new SimulatedHost([A30], { mig: false }).withFaults('nodriver');
    const { code, stdout } = await host.node('selftest', '--bundle', 'b.jsonl');
    // What could not be found out.
    expect(code).to.equal(3);
    expect(stdout).to.match(/bundle: b\.jsonl\n$/);
    const file = join(host.folder, 'b.jsonl');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).to.contain("couldn't communicate with the NVIDIA driver");
    const again = await host.node('selftest', '--bundle', 'b.jsonl');
    expect(again.code).to.equal(2);
    expect(again.stderr).to.contain('b.jsonl is there already');
    expect(readFileSync(file, 'utf8')).to.equal(text);
  });
});

const A100 = 'A100-SXM4-40GB';
const slices =
  'gpu 0 mig 1 pending 1\ngi 0 1 profile 9 place 0:4\nci 0 1 0 profile 2 place 0:3\ngi 0 13 profile 19 place 6:1\nci 0 13 0 profile 0 place 0:1\n';

type SelftestCheck = Selftest['checks'][number];

function messagesOf({ selftest }: RecordedSelftest, verdict: SelftestCheck['verdict']): readonly string[] {
  return selftest.checks.filter((check) => check.verdict === verdict).map(({ message }) => message);
}

function inArea({ selftest }: RecordedSelftest, area: SelftestCheck['area']): readonly SelftestCheck[] {
  return selftest.checks.filter((check) => check.area === area);
}

describe('a self-test that only reads', () => {
  const scratch = useScratchFolder();
  let count = 0;
  const aNode = (state = '', gpus: readonly string[] = [A100]) => {
    count += 1;
    return new TestedNode(scratch.path(`node-${count}`), gpus, state);
  };

  it('says of every command that its answer is understood, and changes nothing', async () => {
    const node = aNode(slices);
    const done = await node.selftest();
    expect(done.selftest.state).to.equal('Good');
    expect(inArea(done, 'Commands').map(({ message }) => message)).to.deep.equal([
      'nvidia-smi -L: 1 GPU, 2 MIG devices',
      'nvidia-smi -q -x: driver 550.163.01, CUDA 12.4, 1 GPU',
      'nvidia-smi --query-gpu=pci.bus_id,uuid,compute_cap --format=csv,noheader,nounits: compute capability 8.0',
      'nvidia-smi mig -lgip: 7 profiles',
      'nvidia-smi mig -lgipp: placements of 7 profiles',
      'nvidia-smi mig -lgi: 2 GPU instances',
      'nvidia-smi mig -lci: 2 compute instances',
      'nvidia-smi mig -i 00000000:07:00.0 -lcip -gi 13: 1 compute instance profile',
      'nvidia-smi mig -i 00000000:07:00.0 -lcip -gi 1: 3 compute instance profiles',
      'read as the agent does: 1 GPU, 2 GPU instances',
    ]);
    expect(node.commands.filter(isChange)).to.deep.equal([]);
    expect(done.runs.map(({ args }) => args)).to.deep.equal(node.commands);
  });

  it('quotes what it does not understand, and continues with the other commands', async () => {
    const node = aNode(slices);
    node.faults = 'output cut=400 with=-lgip';
    const done = await node.selftest();
    expect(done.selftest.state).to.equal('Findings');
    const [finding = ''] = messagesOf(done, 'Finding');
    expect(finding).to.match(/^nvidia-smi mig -lgip: ParseError: tried .*GPU instance profiles/);
    expect(messagesOf(done, 'Good').join()).to.contain('mig -lgi: 2 GPU instances');
  });

  it('reports an unknown state if the driver does not answer, and asks it once', async () => {
    const node = aNode();
    node.faults = 'nodriver';
    const done = await node.selftest();
    expect(done.selftest.state).to.equal('Unknown');
    expect(messagesOf(done, 'Unknown').join()).to.contain('DriverUnavailable');
    expect(node.commands).to.deep.equal([['-L']]);
  });

  it('reads GPU by GPU where one command hangs', async () => {
    const node = aNode(slices, [A100, A100]);
    node.intercept = (args, run) => (args.join(' ') === 'mig -lgi' ? { rc: 255, stdout: '', end: 'TimedOut' } : run());
    const done = await node.selftest();
    expect(messagesOf(done, 'Unknown')).to.have.length(1);
    expect(messagesOf(done, 'Good')).to.include('read as the agent does: 2 GPUs, 2 GPU instances');
  });

  it('says who may see the instances where it is not root', async () => {
    const node = aNode(slices);
    node.uid = 1000;
    const done = await node.selftest();
    expect(done.selftest.state).to.equal('Unknown');
    expect(messagesOf(done, 'Unknown').join()).to.contain('NotPermitted').and.to.contain('run as root');
  });

  it('passes nothing over in silence: a notice of the tool is told', async () => {
    const node = aNode();
    node.intercept = (args, run) => {
      const done = run();
      const notice = 'WARNING: infoROM is corrupted at gpu 0000:07:00.0\n';
      return args.includes('-x') ? { ...done, stdout: `${done.stdout}${notice}` } : done;
    };
    const done = await node.selftest();
    expect(messagesOf(done, 'Note').join()).to.contain('passed over: WARNING: infoROM is corrupted');
  });

  it('compares the table of the driver with the built-in one, profile by profile', async () => {
    const node = aNode();
    node.faults = 'hide profile=20';
    const done = await node.selftest();
    expect(inArea(done, 'Tables')).to.deep.equal([
      { area: 'Tables', verdict: 'Note', message: 'A100-SXM4-40GB: this driver does not list 1g.5gb+me' },
    ]);
  });

  it('does not hold it against a driver that it tells profiles only with MIG mode on', async () => {
    const node = aNode();
    node.intercept = (args, run) =>
      args.includes('-lgip') || args.includes('-lgipp')
        ? { rc: 3, stdout: 'Unable to get GPU instance profiles: Not Supported\n', end: 'Exited' }
        : run();
    const done = await node.selftest();
    expect(done.selftest.state).to.equal('Good');
    expect(inArea(done, 'Tables').map(({ verdict, message }) => [verdict, message.split(';')[0]])).to.deep.equal([
      ['Note', 'GPU 0: the driver shows its profiles only with MIG mode on'],
    ]);
  });

  it('finds a driver that is too old for MIG on a GPU', async () => {
    const node = aNode('', ['H100-80GB-HBM3']);
    node.intercept = (args, run) => {
      const done = run();
      return args.includes('-x') ? { ...done, stdout: done.stdout.replaceAll('550.163.01', '470.57.02') } : done;
    };
    expect(messagesOf(await node.selftest(), 'Finding').join()).to.contain('driver 470.57.02 is too old for MIG');
  });

  it('finds a table that cannot be that of the chip', async () => {
    const node = aNode();
    node.intercept = (args, run) => {
      const done = run();
      return args.includes('-lgipp') ? { ...done, stdout: done.stdout.replace('{0,4}:4', '{0,2}:4') } : done;
    };
    const done = await node.selftest();
    expect(messagesOf(done, 'Finding')).to.deep.equal([
      'A100-SXM4-40GB: 3g.20gb: starts 0,2 here, 0,4 in the built-in table',
    ]);
  });

  it('shows that processes are seen, and tells of one that is not in /proc', async () => {
    const processes = [42, 43].map((pid) => `proc gpu 0 gi 1 ci 0 pid ${pid} mem 1200 name python3 train.py\n`);
    const node = aNode(`${slices}${processes.join('')}`);
    for (const pid of ['42', '43']) mkdirSync(join(node.host.proc, pid));
    const seen = await node.selftest();
    expect(inArea(seen, 'Idle').map(({ message }) => message)).to.include('GPU 0: 2 processes seen, in /proc too');
    const hidden = await node.selftest({ proc: scratch.path('empty') });
    expect(messagesOf(hidden, 'Unknown').join()).to.contain('GPU 0: pid 42, 43 of nvidia-smi is not in /proc');
    expect(hidden.selftest.state).to.equal('Unknown');
  });

  it('says what is not shown while nothing runs', async () => {
    const done = await aNode(slices).selftest();
    expect(messagesOf(done, 'Note').join()).to.contain(
      'no process runs on a GPU now, so it is untested whether one would be seen',
    );
  });

  it('finds a pod that does not see the processes of the host', async () => {
    const done = await aNode().selftest({ isPod: true, pid: 1 });
    expect(messagesOf(done, 'Finding').join()).to.contain('hostPID: true');
  });

  it('asks the kubelet, and tells of a pod that holds what no GPU has', async () => {
    const node = aNode(slices);
    const holding = {
      name: 'notebook',
      namespace: 'team',
      uid: 'x',
      containers: [
        { container: 'c', deviceIds: { 'nvidia.com/mig-1g.5gb': ['MIG-00000000-0000-0000-0000-000000000000'] } },
      ],
    };
    const kubelet = await servePodResources(node.socket, {
      '/v1.PodResourcesLister/List': () => encodeList([holding]),
    });
    try {
      const done = await node.selftest();
      expect(messagesOf(done, 'Good').join()).to.contain('the kubelet answers: 1 pod');
      expect(messagesOf(done, 'Finding').join()).to.contain('pod team/notebook holds a slice that no GPU has');
    } finally {
      await kubelet.close();
    }
    writeFileSync(node.socket, 'no socket');
    expect(messagesOf(await node.selftest(), 'Unknown').join()).to.contain('the kubelet does not tell');
  });

  it('names the GPU that is sick, and what helps', async () => {
    const node = aNode('', [A100, A100]);
    node.faults = 'sick remap gpu=1';
    const done = await node.selftest();
    expect(messagesOf(done, 'Finding')).to.deep.equal([
      'GPU 1 (A100-SXM4-40GB): row remapping is pending; what helps: Reset; it is not repartitioned before that',
    ]);
  });

  it('names what of the host would be in the way of a reset', async () => {
    const node = aNode();
    const { proc, sys } = node.host;
    mkdirSync(join(sys, 'module', 'nvidia_drm'), { recursive: true });
    // The kernel's own devices stand in for GPUs.
    writeFileSync(join(proc, 'devices'), 'Character devices:\n  1 nvidia\n');
    for (const [pid, name] of [
      [77, 'nv-hostengine'],
      [78, 'my-monitor'],
    ] as const) {
      mkdirSync(join(proc, `${pid}`, 'fd'), { recursive: true });
      writeFileSync(join(proc, `${pid}`, 'comm'), `${name}\n`);
      symlinkSync('/dev/null', join(proc, `${pid}`, 'fd', '3'));
    }
    const done = await node.selftest();
    const notes = inArea(done, 'Reset');
    expect(notes.map(({ message }) => message).join('\n'))
      .to.contain('GPU 0: persistence mode is on')
      .and.to.contain('the module nvidia_drm (modprobe -r nvidia_drm unloads it) keeps a GPU open')
      .and.to.contain('nv-hostengine (pid 77) keeps a GPU open')
      .and.to.contain('my-monitor (pid 78) keeps a GPU open')
      .and.to.contain('a change of MIG mode needs a reset here');
    // NVIDIA's services may be named to others, a program of the user's may not.
    expect(notes.flatMap(({ redacted = [] }) => redacted).join()).to.contain('a program (pid 78)');
  });
});
