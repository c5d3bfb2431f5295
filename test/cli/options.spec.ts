import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { useScratchFolder } from '../device/scratch-folder.ts';

const source = new URL('../../src/cli/options.ts', import.meta.url).href;

describe('a new file of a command', () => {
  const scratch = useScratchFolder();

  it('is not left behind in part where the disk is full, with the exit code of an output that cannot be written', () => {
    const file = scratch.path('bundle.yaml');
    const script = `
      const { saveNewFile } = await import('${source}');
      await saveNewFile('bundle.yaml', 'x'.repeat(1e6), { cwd: process.cwd() }).catch((error) => {
        console.log(error.exitCode, error.message);
      });`;
    // A limit for files, in place of a disk that is full.
    const shell = ['-c', 'ulimit -f 8; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', script];
    const { stdout, stderr } = spawnSync('sh', shell, { cwd: scratch.path(), encoding: 'utf8' });
    expect(stdout, stderr).to.match(/^3 cannot write bundle\.yaml: EFBIG/);
    expect(existsSync(file)).to.equal(false);
  });
});
