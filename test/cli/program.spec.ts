import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { commands } from '../../src/cli/program.ts';
import { run } from './run.ts';

const main = new URL('../../src/cli/main.ts', import.meta.url).pathname;

async function spawnCli(
  argv: readonly string[],
  { script = main, env = {} }: { script?: string; env?: Record<string, string> } = {},
) {
  const child = spawn(process.execPath, [script, ...argv], { env: { ...process.env, ...env } });
  child.stdin.end();
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number, stdout, stderr };
}

const partOf: Readonly<Record<string, readonly string[]>> = {
  import: ['import', 'mig-parted'],
  explain: ['explain', 'pod'],
  export: ['export', 'dra'],
};

describe('the command line', () => {
  it('lists every command in its help', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).to.equal(0);
    for (const { name } of commands) expect(stdout).to.match(new RegExp(`^ {2}${name} `, 'm'));
  });

  it('has a help of its own for each command, with -o and the exit codes', async () => {
    for (const { name } of commands) {
      const argv = [...(partOf[name] ?? [name]), '--help'];
      const { code, stdout } = await run(argv);
      expect(code, name).to.equal(0);
      // What a shell or a browser reads has one form.
      if (!['completion', 'ui'].includes(name))
        expect(stdout, name).to.contain('--output <format>').and.to.contain('json');
      expect(stdout, name).to.contain('Exit codes: 0 success');
      expect((await run(['help', name])).stdout, name).to.contain('Exit codes: 0 success');
    }
  });

  it('wraps the help of each option, however long its name is', async () => {
    const long = await Promise.all(
      commands.map(async ({ name }) => {
        const { stdout } = await run([...(partOf[name] ?? [name]), '--help']);
        // A word that is longer than its column stays whole.
        return stdout.split('\n').filter((line) => line.length > 80 && /^ {2}.*\S /.test(line));
      }),
    );
    expect(long.flat()).to.deep.equal([]);
  });

  it('refers to the help that lists the options of the command that was called', async () => {
    for (const command of ['export dra', 'export kueue', 'explain pod', 'explain claim', 'node apply', 'fit']) {
      const { stderr } = await run([...command.split(' '), '--bogus']);
      expect(stderr).to.contain(`; see gpu-partition ${command} --help\n`);
    }
  });

  it('reads the value of a short option after =, as kubectl does', async () => {
    const { code, stdout } = await run(['layouts', 'a30', '-o=json']);
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.have.length(19);
    expect((await run(['validate', '-f=missing.yaml'])).stdout).to.match(/^missing\.yaml:1:1: error: there is no such/);
  });

  it('shows each default as people type it', async () => {
    const defaultOf = async (name: string, option: string) => {
      const help = (await run([name, '--help'])).stdout.replaceAll(/\s+/g, ' ');
      return new RegExp(`${option} .*?\\(default: ([^)]+)\\)`).exec(help)?.[1];
    };
    expect(await defaultOf('recommend', '--window')).to.equal('7d');
    expect(await defaultOf('support-bundle', '--namespaces')).to.equal('gpu-partition-system,gpu-partition-agents');
  });

  it('is used wrongly where no command is named', async () => {
    const { code, stdout, stderr } = await run([]);
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
    expect(stderr).to.contain('Commands:');
  });

  it('names the commands that exist where one does not', async () => {
    for (const argv of [['slice', '-f', 'x'], ['help', 'statis'], ['layuts']]) {
      const { code, stderr } = await run(argv);
      expect(code).to.equal(2);
      expect(stderr).to.contain('the commands are validate, fit, layouts, labels, import');
    }
    expect((await run(['layuts'])).stderr).to.contain('did you mean layouts?');
  });

  it('answers wrong options with one sentence and code 2', async () => {
    for (const argv of [
      ['fit'],
      ['fit', '--bogus'],
      ['validate', '-f'],
      ['layouts', 'a30', '-o', 'xml'],
      ['layouts'],
    ]) {
      const { code, stdout, stderr } = await run(argv);
      expect({ code, stdout, lines: stderr.trim().split('\n').length }, argv.join(' ')).to.deep.equal({
        code: 2,
        stdout: '',
        lines: 1,
      });
      expect(stderr).to.match(/^error: .*; see gpu-partition \w+ --help\n$/);
    }
  });

  it('refuses to name a cluster beside a saved one', async () => {
    for (const command of [
      'status',
      'report',
      'recommend',
      'simulate',
      'plan',
      'ui',
      'defrag --free 1g.5gb=1',
      'explain pod a/b',
      'explain claim a/b',
    ])
      for (const option of ['--kubeconfig', '--context']) {
        const { code, stderr } = await run([...command.split(' '), '--snapshot', 'saved.yaml', option, 'prod']);
        expect(code, command).to.equal(2);
        expect(stderr).to.contain(`'${option}`).and.to.contain("cannot be used with option '--snapshot <file...>'");
      }
  });

  it('says of a wrong value in one sentence what it must be', async () => {
    const { stderr } = await run(['simulate', '--days', '0']);
    expect(stderr).to.contain("argument '0' is invalid: it must be a whole number from 1 to 3660; see");
  });

  it('runs as a program', async () => {
    const { code, stdout } = await spawnCli(['layouts', 'a30-24gb', '-o', 'json']);
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.have.length(19);
  });

  it('calls itself kubectl gpu-partition where kubectl started it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kubectl-plugin-'));
    try {
      const script = join(folder, 'kubectl-gpu_partition.ts');
      await symlink(main, script);
      const { stderr } = await spawnCli(['fit'], { script: join(folder, 'kubectl-gpu_partition.ts') });
      expect(stderr).to.contain('see kubectl gpu-partition fit --help');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('does not mind a reader that goes away', async () => {
    const child = spawn(process.execPath, [main, 'layouts', 'h100-80gb-sxm']);
    child.stdout.destroy();
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect({ stderr, code: code as number }).to.deep.equal({ stderr: '', code: 0 });
  });

  it('says that its answer is incomplete where the disk is full, with code 3', async () => {
    const child = spawn('sh', ['-c', '"$0" "$1" layouts a30 >/dev/full', process.execPath, main]);
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(stderr).to.equal('error: the output is incomplete: ENOSPC: no space left on device, write\n');
    expect(code).to.equal(3);
  });

  it('writes no colours into a pipe', async () => {
    const { stderr } = await spawnCli(['bogus'], { env: { NO_COLOR: '1' } });
    expect(stderr).to.match(/^error: /);
  });
});
