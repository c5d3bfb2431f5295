import { expect } from 'chai';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { HostUnits, LoanNote } from '../../../src/device/host/loans.ts';
import { useScratchFolder, writeScript } from '../scratch-folder.ts';

describe('services of the host that were stopped for a change', () => {
  const scratch = useScratchFolder();
  const log = scratch.path('log');
  const bootIdPath = scratch.path('boot-id');
  const path = scratch.path('state', 'stopped-units');
  const tool = { file: scratch.path('systemctl'), prefix: [] };
  const takeLog = (): readonly string[] => readFileSync(log, 'utf8').trim().split('\n').filter(Boolean);

  beforeEach(() => {
    writeFileSync(log, '');
    writeFileSync(bootIdPath, 'boot-1\n');
    rmSync(path, { force: true });
  });

  /** `systemctl` that knows which units are active, writes down what it is told, and refuses one command. */
  function someUnits(
    active: readonly string[],
    refused = 'none',
    units = allowed,
    starting: readonly string[] = [],
  ): HostUnits {
    writeScript(
      tool.file,
      `case "$*" in`,
      ...active.map((unit) => `"is-active ${unit}") echo active; exit 0;;`),
      ...starting.map((unit) => `"is-active ${unit}") echo activating; exit 3;;`),
      `is-active*) echo inactive; exit 3;; esac`,
      `echo "$*" >> ${log}`,
      `case "$*" in "${refused}") echo "Job for $2 failed" >&2; exit 1;; esac`,
    );
    return new HostUnits({ units, tool, note: new LoanNote({ path, bootIdPath }) });
  }
  const allowed: readonly string[] = ['nvsm.service', 'nvidia-dcgm.service', 'dcgm.service'];

  it('are those that run, in their order, and start in the other order', async () => {
    const units = someUnits(['nvsm.service', 'dcgm.service']);
    expect(await units.borrow()).to.equal(true);
    expect(takeLog()).to.deep.equal(['stop nvsm.service', 'stop dcgm.service']);
    expect(existsSync(path)).to.equal(true);
    expect(await units.giveBack()).to.deep.equal([]);
    expect(takeLog().slice(2)).to.deep.equal(['start dcgm.service', 'start nvsm.service']);
    expect(existsSync(path)).to.equal(false);
    expect(await someUnits([]).borrow()).to.equal(false);
  });

  it('are not waited for by a program that is itself a unit, after which they may be ordered', async () => {
    await someUnits(['nvsm.service']).borrow();
    const note = new LoanNote({ path, bootIdPath });
    const units = new HostUnits({ units: allowed, tool, note, isUnit: true });
    expect(await units.giveBack()).to.deep.equal([]);
    expect(takeLog().slice(1)).to.deep.equal(['start --no-block nvsm.service']);
    expect(existsSync(path)).to.equal(false);
  });

  it('include one that is about to run: it starts, or systemd starts it again by itself', async () => {
    const units = someUnits(['nvsm.service'], 'none', allowed, ['nvidia-dcgm.service']);
    expect(await units.borrow()).to.equal(true);
    expect(takeLog()).to.deep.equal(['stop nvsm.service', 'stop nvidia-dcgm.service']);
    expect(await units.giveBack()).to.deep.equal([]);
    expect(takeLog().slice(2)).to.deep.equal(['start nvidia-dcgm.service', 'start nvsm.service']);
  });

  it('are started by the next program where this one did not live to do it, whatever that one may stop', async () => {
    await someUnits(['nvsm.service']).borrow();
    const later = someUnits([], 'none', []);
    expect(await later.giveBack()).to.deep.equal([]);
    expect(takeLog().slice(1)).to.deep.equal(['start nvsm.service']);
    await later.giveBack();
    expect(takeLog()).to.have.length(2);
  });

  it('are systemd’s own business after a reboot', async () => {
    await someUnits(['nvsm.service']).borrow();
    writeFileSync(bootIdPath, 'boot-2\n');
    await someUnits([]).giveBack();
    expect(takeLog()).to.deep.equal(['stop nvsm.service']);
  });

  it('start again where the next does not stop, and the error says which', async () => {
    const units = someUnits(['nvsm.service', 'dcgm.service'], 'stop dcgm.service');
    const error = await units.borrow().catch((reason: unknown) => reason);
    expect(String(error)).to.match(/Pending.*stop dcgm\.service.*Job for dcgm\.service failed/);
    expect(await units.giveBack()).to.deep.equal([]);
    expect(takeLog().slice(-1)).to.deep.equal(['start nvsm.service']);
  });

  it('are never taken for stopped where systemctl does not know: nothing is stopped, and the error says why', async () => {
    const units = someUnits(['nvsm.service']);
    writeScript(tool.file, `echo "Failed to connect to bus: No such file or directory" >&2; exit 1`);
    const error = await units.borrow().catch((reason: unknown) => reason);
    expect(String(error)).to.match(/Pending.*is-active nvsm\.service.*exit code 1: Failed to connect to bus/);
    writeScript(tool.file, `echo deactivating; exit 3`);
    const stopping = await units.borrow().catch((reason: unknown) => reason);
    expect(String(stopping), 'it still holds the GPU').to.match(/Pending.*is-active nvsm\.service.*deactivating/);
    writeScript(tool.file, `echo unknown; exit 3`);
    expect(await units.borrow(), 'an old systemd has no such unit').to.equal(false);
    writeScript(tool.file, `exit 4`);
    expect(await units.borrow(), 'the host has no such unit').to.equal(false);
  });

  it('stay recorded where they do not start, are told, and are tried again, also by the next program', async () => {
    await someUnits(['nvsm.service', 'dcgm.service']).borrow();
    const failing = someUnits([], 'start nvsm.service');
    const problem =
      'the service nvsm.service was stopped for a change and does not start: exit code 1: Job for nvsm.service failed';
    expect(await failing.giveBack()).to.deep.equal([problem]);
    expect(await failing.giveBack()).to.deep.equal([problem]);
    expect(takeLog().filter((line) => line.startsWith('start dcgm'))).to.have.length(1);
    expect(await someUnits([]).giveBack()).to.deep.equal([]);
    expect(existsSync(path)).to.equal(false);
  });

  it('are told where there is no systemctl any more', async () => {
    const units = someUnits(['nvsm.service']);
    await units.borrow();
    rmSync(tool.file);
    expect((await units.giveBack()).join()).to.match(/nvsm\.service.*does not start.*no such file/);
  });

  it('exclude names in the file that systemctl could take for anything else', async () => {
    const units = someUnits(['nvsm.service']);
    await units.borrow();
    writeFileSync(path, 'boot-1\n--force\nreboot\nnvsm.service\n');
    expect(await someUnits([]).giveBack()).to.deep.equal([]);
    expect(takeLog().slice(1)).to.deep.equal(['start nvsm.service']);
  });
});
