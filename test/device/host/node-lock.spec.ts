import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs, { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { lockNode, type NodeLock } from '../../../src/device/host/node-lock.ts';
import { useScratchFolder, writeScript } from '../scratch-folder.ts';
import { codeOf } from '../simulated-node.ts';

describe('lock of a node', () => {
  const scratch = useScratchFolder();

  /** Another process that takes the lock and keeps it. */
  async function startHolder(folder: string, more = ''): Promise<ChildProcess> {
    const module = new URL('../../../src/device/host/node-lock.ts', import.meta.url).href;
    const program = `const { lockNode } = await import(${JSON.stringify(module)});
      await lockNode({ folder: ${JSON.stringify(folder)} });
      ${more}
      console.log('held');
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    return child;
  }

  it('is had by one at a time, and leaves no more than its last name behind', async () => {
    const folder = scratch.path('one');
    const lock = await lockNode({ folder, waitMs: 0 });
    expect(await codeOf(lockNode({ folder, waitMs: 0 }))).to.equal('Locked');
    await lock.release();
    const next = await lockNode({ folder, waitMs: 0 });
    await next.release();
    expect(readdirSync(folder)).to.deep.equal(['lock.2']);
  });

  it('removes what a program left behind that was killed while it waited, and nothing of those that still wait', async () => {
    const folder = scratch.path('left');
    const holder = await lockNode({ folder, waitMs: 0 });
    const waiting = lockNode({ folder, retryMs: 5 });
    const [live = ''] = readdirSync(folder).filter((name) => name.startsWith('socket.'));
    for (const name of ['socket.0123456789ab', 'socket.ba9876543210', 'notes']) writeFileSync(join(folder, name), '');
    const longAgo = Date.now() / 1000 - 3600;
    for (const name of ['socket.0123456789ab', 'notes', live]) fs.utimesSync(join(folder, name), longAgo, longAgo);
    await holder.release();
    const next = await waiting;
    expect(readdirSync(folder).sort()).to.deep.equal(['lock.2', 'notes', 'socket.ba9876543210']);
    await next.release();
  });

  it('is had by exactly one of many who try at once, whoever died before them', async () => {
    const folder = scratch.path('many');
    const holder = await startHolder(folder);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => lockNode({ folder, waitMs: 0 })));
    const locks = tries.flatMap((result): readonly NodeLock[] => (result.status === 'fulfilled' ? [result.value] : []));
    expect(locks.filter((lock) => lock.explainLoss() === undefined)).to.have.length(1);
    for (const lock of locks) await lock.release();
  });

  it('is never had by two, however many take it, let it go and find dead holders all the time', async () => {
    const folder = scratch.path('crowd');
    let holders = 0;
    let taken = 0;
    const most: number[] = [];
    // A lock that is let go is left as by a holder that died: a name on which nobody listens.
    const take = async (): Promise<void> => {
      for (let turn = 0; turn < 15; turn += 1) {
        const lock = await lockNode({ folder, retryMs: 1 });
        holders += 1;
        taken += 1;
        most.push(holders);
        await setImmediate();
        if (lock.explainLoss() !== undefined) most.push(Infinity);
        holders -= 1;
        await lock.release();
      }
    };
    await Promise.all(Array.from({ length: 12 }, take));
    expect(taken).to.equal(180);
    expect(Math.max(...most)).to.equal(1);
    expect(readdirSync(folder)).to.have.length(1);
  });

  it('is not had by one who was so slow that others took it twice since it looked', async () => {
    const folder = scratch.path('slow');
    for (const _turn of [1, 2]) await (await lockNode({ folder, waitMs: 0 })).release();
    const lock = await lockNode({ folder, waitMs: 0 });
    expect(readdirSync(folder)).to.deep.equal(['lock.3']);
    const { readdirSync: read } = fs;
    let looks = 0;
    try {
      // What it saw before it fell asleep; the number after it is free again by now.
      Object.assign(fs, { readdirSync: (path: string) => ((looks += 1) === 1 ? ['lock.1'] : read(path)) });
      syncBuiltinESMExports();
      expect(await codeOf(lockNode({ folder, waitMs: 0 }))).to.equal('Locked');
    } finally {
      Object.assign(fs, { readdirSync: read });
      syncBuiltinESMExports();
    }
    expect(looks).to.equal(2);
    expect([lock.explainLoss(), readdirSync(folder)]).to.deep.equal([undefined, ['lock.3']]);
    await lock.release();
  });

  it('is refused while another process lives, and passes on when that is killed', async () => {
    const folder = scratch.path('other');
    const holder = await startHolder(folder);
    expect(await codeOf(lockNode({ folder, waitMs: 0 }))).to.equal('Locked');
    const waiting = lockNode({ folder, retryMs: 20 });
    holder.kill('SIGKILL');
    const lock = await waiting;
    expect(lock.explainLoss()).to.equal(undefined);
    await lock.release();
  });

  it('outlives a holder that is killed as long as a command of it runs: nobody begins beside an orphan', async () => {
    const folder = scratch.path('orphan');
    const end = scratch.path('end');
    const tool = writeScript(scratch.path('nvidia-smi'), `while [ -e "$0" ] && [ ! -e ${end} ]; do sleep 0.05; done`);
    const module = (name: string): string =>
      JSON.stringify(new URL(`../../../src/device/${name}`, import.meta.url).href);
    const holder = await startHolder(
      folder,
      `const { makeExecute } = await import(${module('child.ts')});
      void makeExecute({ file: ${JSON.stringify(tool)}, prefix: [] })([], 60_000);`,
    );
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    expect(await codeOf(lockNode({ folder, waitMs: 0 }))).to.equal('Locked');
    const waiting = lockNode({ folder, retryMs: 20 });
    writeFileSync(end, '');
    const lock = await waiting;
    expect(lock.explainLoss()).to.equal(undefined);
    await lock.release();
  });

  it('stays with a holder that is stopped', async () => {
    const folder = scratch.path('stopped');
    const holder = await startHolder(folder);
    holder.kill('SIGSTOP');
    expect(await codeOf(lockNode({ folder, waitMs: 0 }))).to.equal('Locked');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
  });

  it('knows when its name was taken away', async () => {
    const folder = scratch.path('taken');
    const lock = await lockNode({ folder });
    rmSync(`${folder}/lock.1`);
    expect(lock.explainLoss()).to.match(/lock\.1 is gone: somebody emptied/);
    const other = await lockNode({ folder, waitMs: 0 });
    await lock.release();
    expect(other.explainLoss()).to.equal(undefined);
    await other.release();
  });

  it('says so if its folder has too long a path for a socket', async () => {
    const error = await lockNode({ folder: scratch.path('x'.repeat(100)), waitMs: 0 }).catch(String);
    expect(error).to.match(/JournalUnavailable.*a socket in it would have a path of \d+ bytes, and Linux takes 107/);
  });

  it('says when its folder cannot be used, and gives up waiting when asked', async () => {
    expect(await codeOf(lockNode({ folder: '/proc/no-such-folder', waitMs: 0 }))).to.equal('JournalUnavailable');
    const folder = scratch.path('waiting');
    const lock = await lockNode({ folder });
    const controller = new AbortController();
    const waiting = codeOf(lockNode({ folder, signal: controller.signal }));
    controller.abort();
    expect(await waiting).to.equal('Locked');
    await lock.release();
  });
});
