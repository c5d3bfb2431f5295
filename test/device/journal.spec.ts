import { expect } from 'chai';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DeviceError } from '../../src/core/gpu/state/device-error.ts';
import { Journal, type JournalEntry } from '../../src/device/host/journal.ts';
import { useScratchFolder } from './scratch-folder.ts';

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
