import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { lockNode } from '../../../src/device/host/node-lock.ts';
import { eventually } from '../../support/eventually.ts';
import { run } from '../run.ts';
import { SimulatedHost } from '../simulated-host.ts';

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
