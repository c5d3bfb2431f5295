import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PromiseCounter } from './promise-counter.ts';

/** Holds more promises with each signal, and lets others go. */
const leaking = `
const held = [];
process.on('SIGHUP', () => {
  for (let i = 0; i < 1000; i += 1) held.push(new Promise(() => undefined));
  for (let i = 0; i < 1000; i += 1) new Promise(() => undefined);
  console.log('held');
});
setInterval(() => undefined, 1000);
console.log('ready');
`;

describe('the promises of a program', () => {
  it('are those that it holds, not those that are garbage', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gpu-partition-leak-'));
    const file = join(folder, 'leaking.mjs');
    await writeFile(file, leaking);
    await using counter = await PromiseCounter.open(() => file);
    const child = spawn(process.execPath, [counter.fileOf('controller-0')], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const { pid = 0 } = child;
      await once(child.stdout, 'data');
      const before = await counter.count(pid);
      child.kill('SIGHUP');
      await once(child.stdout, 'data');
      const after = await counter.count(pid);
      expect(after - before).to.be.within(1000, 1020);
    } finally {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true });
    }
  });
});
