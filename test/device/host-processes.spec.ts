import { expect } from 'chai';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explainHiddenProcesses } from '../../src/device/host/host-processes.ts';
import { useScratchFolder } from './scratch-folder.ts';

describe('whether the agent sees the processes of the host', () => {
  const scratch = useScratchFolder();

  function aProc(
    name: string,
    { namespace = 'pid:[4026532500]', own = '0::/', first = '0::/', comm = 'node' } = {},
  ): string {
    const proc = scratch.path(name);
    for (const folder of ['self/ns', '1']) mkdirSync(join(proc, folder), { recursive: true });
    symlinkSync(namespace, join(proc, 'self/ns/pid'));
    writeFileSync(join(proc, 'self/cgroup'), `${own}\n`);
    writeFileSync(join(proc, '1/cgroup'), `${first}\n`);
    writeFileSync(join(proc, '1/comm'), `${comm}\n`);
    return proc;
  }

  const look = (proc: string, pid = 20, isPod = true) => explainHiddenProcesses({ proc, pid, isPod });

  it('is so in the machine’s own process namespace', () => {
    expect(look(aProc('host', { namespace: 'pid:[4026531836]' }))).to.equal(undefined);
  });

  it('is not so in a pod of its own: its first process, a child of it, or beside a pause container', () => {
    expect(look(aProc('first'), 1)).to.contain('hostPID: true');
    expect(look(aProc('child'))).to.contain('hostPID: true');
    expect(look(aProc('shared', { first: '0::/../pause', comm: 'pause' }))).to.contain('hostPID: true');
  });

  it('is so on a node that is a container itself, below an init of no pod', () => {
    expect(look(aProc('kind', { first: '0::/../../../init.scope', comm: 'systemd' }))).to.equal(undefined);
  });

  it('is not asked of a program that is in no pod', () => {
    expect(look(aProc('none'), 1, false)).to.equal(undefined);
  });
});
