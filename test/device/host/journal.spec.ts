import { expect } from 'chai';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DeviceError } from '../../../src/core/gpu/device-state.ts';
import { Journal, type JournalEntry, writeDurably, UnknownOutput } from '../../../src/device/host/journal.ts';
import { useScratchFolder } from '../scratch-folder.ts';
import { gunzipSync } from 'node:zlib';
import { deviceOf } from '../../../src/agent/open-device.ts';
import { recordRuns, NvidiaSmi } from '../../../src/device/nvidia-smi.ts';
import { silentLogger } from '../../../src/process/log.ts';
import { InProcessNode } from '../simulated-node.ts';

const entry: JournalEntry = { gpus: [{ uuid: 'GPU-1', mig: 'Enabled', placements: ['3g.20gb@4'] }] };

describe('journal', () => {
  const scratch = useScratchFolder();
  let count = 0;
  const aJournal = (boot = 'boot-1'): { path: string; journal: Journal; reboot: (id: string) => void } => {
    count += 1;
    const bootIdPath = scratch.path(`boot-${count}`);
    const reboot = (id: string): void => writeFileSync(bootIdPath, `${id}\n`);
    reboot(boot);
    const path = scratch.path(`state-${count}`, 'node', 'journal.json');
    return { path, journal: new Journal({ path, bootIdPath }), reboot };
  };

  it('remembers what there was until the apply has ended', async () => {
    const { journal } = aJournal();
    expect(journal.read()).to.equal(undefined);
    await journal.begin(entry);
    expect(journal.read()).to.deep.equal(entry);
    journal.finish();
    expect(journal.read()).to.equal(undefined);
  });

  it('of another boot is put aside: the instances it speaks of are gone', async () => {
    const { journal, path, reboot } = aJournal();
    await journal.begin(entry);
    reboot('boot-2');
    expect(journal.read()).to.equal(undefined);
    expect(existsSync(path)).to.equal(false);
    expect(readFileSync(`${path}.bad`, 'utf8')).to.include('GPU-1');
  });

  it('that cannot be read is put aside, not believed and not fatal', async () => {
    for (const text of [
      '',
      '{',
      '[]',
      '{"version":2,"bootId":"boot-1","gpus":[]}',
      '{"version":1,"bootId":"boot-1","gpus":[1]}',
    ]) {
      const { journal, path } = aJournal();
      await journal.begin(entry);
      writeFileSync(path, text);
      expect(journal.read(), text).to.equal(undefined);
      expect(readFileSync(`${path}.bad`, 'utf8')).to.equal(text);
      await journal.begin(entry);
      expect(journal.read()).to.deep.equal(entry);
    }
  });

  it('is never written through a link that somebody left in its place', async () => {
    const { journal, path } = aJournal();
    await journal.begin(entry);
    const victim = scratch.path('victim');
    writeFileSync(victim, 'untouched');
    symlinkSync(victim, `${path}.new`);
    await journal.begin(entry);
    expect(readFileSync(victim, 'utf8')).to.equal('untouched');
    expect(journal.read()).to.deep.equal(entry);
  });

  it('is not written into a folder that others can write to, nor behind a link', async () => {
    const { journal, path } = aJournal();
    await journal.begin(entry);
    chmodSync(dirname(path), 0o777);
    const error: unknown = await journal.begin(entry).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(DeviceError).with.property('code', 'JournalUnavailable');
    expect(String(error)).to.include('others can write to');
    const link = scratch.path(`link-${count}`);
    symlinkSync(scratch.path(`state-${count}`), link);
    const behind = new Journal({ path: `${link}/journal.json`, bootIdPath: scratch.path(`boot-${count}`) });
    expect(String(await behind.begin(entry).catch((reason: unknown) => reason))).to.include('not a folder');
  });

  it('that cannot be written says so', async () => {
    const { journal, path } = aJournal();
    mkdirSync(path, { recursive: true });
    writeFileSync(`${path}/in-the-way`, '');
    const error: unknown = await journal.begin(entry).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(DeviceError).with.property('code', 'JournalUnavailable');
    const noBoot = new Journal({ path: scratch.path('x'), bootIdPath: scratch.path('no-such-boot-id') });
    const other: unknown = await noBoot.begin(entry).catch((reason: unknown) => reason);
    expect(other).to.be.instanceOf(DeviceError).with.property('code', 'JournalUnavailable');
    journal.finish();
  });
});

describe('an output of nvidia-smi that is not understood', () => {
  const scratch = useScratchFolder();
  let count = 0;

  function anAgent(node: InProcessNode, folder: string) {
    const told: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
    const unknown = new UnknownOutput({
      folder,
      nodeName: 'gpu-7',
      write: writeDurably,
      tell: (message, fields) => told.push({ message, fields }),
    });
    unknown.recall();
    const driver = new NvidiaSmi(recordRuns(node.execute, (run) => unknown.note(run)));
    const journal = { begin: () => Promise.resolve(), finish: () => undefined };
    const lock = { explainLoss: () => undefined };
    return { told, device: deviceOf(driver, { journal, lock, logger: silentLogger, unknown }) };
  }

  const aFolder = (): string => {
    count += 1;
    return scratch.path(`state-${count}`);
  };

  it('is kept on the node and in the log, once, without names of processes and of the node', async () => {
    const folder = aFolder();
    const file = join(folder, 'not-understood.json');
    const node = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\n');
    const { told, device } = anAgent(node, folder);
    await device.read();
    expect(existsSync(file), 'all was understood').to.equal(false);
    const report = '<?xml version="1.0" ?>\n<nvidia_smi_log><process_name>secret</process_name>\non gpu-7';
    node.intercept = (args, run) => (args.includes('-x') ? { rc: 0, stdout: report, end: 'Exited' } : run());
    for (let times = 0; times < 3; times += 1) await device.read().catch(() => undefined);
    expect(told.map(({ message }) => message)).to.deep.equal(['an output of nvidia-smi was not understood']);
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
    expect(kept).to.include({ rc: 0, end: 'Exited', isCut: false });
    expect(kept['command']).to.match(/^nvidia-smi .*-q -x$/);
    expect(kept['output']).to.contain('<process_name>redacted').and.to.contain('on host').and.not.to.contain('secret');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const logged = told[0]?.fields['outputGzip'];
    expect(gunzipSync(Buffer.from(String(logged), 'base64')).toString()).to.equal(kept['output']);
  });

  it('is the one that a reading of one GPU ended with, where the others are read', async () => {
    const folder = aFolder();
    const node = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\n');
    const { device } = anAgent(node, folder);
    node.intercept = (args, run) =>
      args.includes('-lgip') ? { rc: 0, stdout: 'a table of a later driver', end: 'Exited' } : run();
    await device.read().catch(() => undefined);
    const kept = JSON.parse(readFileSync(join(folder, 'not-understood.json'), 'utf8')) as Readonly<
      Record<string, unknown>
    >;
    expect(kept['output']).to.equal('a table of a later driver');
    expect(kept['command']).to.contain('-lgip');
  });

  it('is told again by an agent that was restarted: the log of the one before may be gone', async () => {
    const folder = aFolder();
    const node = new InProcessNode(['A100-SXM4-40GB']);
    node.intercept = () => ({ rc: 0, stdout: 'what is this', end: 'Exited' });
    await anAgent(node, folder)
      .device.read()
      .catch(() => undefined);
    const { told, device } = anAgent(node, folder);
    await device.read().catch(() => undefined);
    expect(told.map(({ message }) => message)).to.deep.equal(['an earlier output of nvidia-smi was not understood']);
  });
});
