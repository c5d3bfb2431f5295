import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { makeDataFolder } from '../../../src/simulator/control-plane/components.ts';

describe('the folder of a control plane', () => {
  let memory: string;
  beforeEach(() => (memory = mkdtempSync(join(tmpdir(), 'memory-'))));
  afterEach(() => rmSync(memory, { recursive: true, force: true }));

  it('is in memory where there is room, and for nobody else to read', async () => {
    const folder = await makeDataFolder(memory, 1);
    expect(dirname(folder)).to.equal(memory);
    expect(statSync(folder).mode & 0o077).to.equal(0);
  });

  for (const [why, choose] of [
    ['has too little room', () => makeDataFolder(memory, Number.MAX_SAFE_INTEGER)],
    ['is not there', () => makeDataFolder(join(memory, 'absent'), 1)],
  ] as const) {
    it(`is on disk where the memory ${why}`, async () => {
      const folder = await choose();
      rmSync(folder, { recursive: true });
      expect(dirname(folder)).to.equal(tmpdir());
    });
  }
});
