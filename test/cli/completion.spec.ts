import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { commands } from '../../src/cli/program.ts';
import { run } from './run.ts';

const execute = promisify(execFile);

/** What bash offers for a line, with a kubectl that knows two objects. */
async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { stdout: script } = await run(['completion', 'bash']);
  const quoted = ['gpu-partition', ...words].map((word) => `'${word}'`).join(' ');
  const program = [
    script,
    "kubectl() { [[ $2 == pods ]] && echo team/train || printf 'gpunodepartition/gpu-node-1\\n'; }",
    `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}`,
    '_gpu_partition; printf "%s\\n" "${COMPREPLY[@]}"',
  ].join('\n');
  const { stdout } = await execute('bash', ['--norc', '-c', program]);
  return stdout.trim().split('\n');
}

describe('gpu-partition completion', () => {
  it('completes commands and the commands within them', async () => {
    expect(await complete('')).to.include.members([...commands.map(({ name }) => name), 'help']);
    expect(await complete('sta')).to.deep.equal(['status']);
    expect(await complete('explain', 'p')).to.deep.equal(['pod']);
    expect(await complete('import', '')).to.include('mig-parted');
  });

  it('completes options and the words that they take', async () => {
    expect(await complete('status', '--w')).to.deep.equal(['--watch']);
    expect(await complete('status', '-o', '')).to.deep.equal(['text', 'wide', 'json', 'yaml']);
    expect(await complete('explain', 'pod', '--out')).to.deep.equal(['--output']);
    expect(await complete('completion', '--h')).to.deep.equal(['--help']);
  });

  it('completes nodes and pending pods by the cluster', async () => {
    expect(await complete('status', 'gpu')).to.deep.equal(['gpu-node-1']);
    expect(await complete('explain', 'pod', 'team')).to.deep.equal(['team/train']);
  });

  it('is a script for zsh, and one for fish that names every command', async () => {
    expect((await run(['completion', 'zsh'])).stdout).to.match(/^#compdef gpu-partition\n/);
    const { stdout } = await run(['completion', 'fish']);
    for (const { name } of commands) expect(stdout).to.contain(`-n '__fish_use_subcommand' -a ${name} -d '`);
    for (const line of stdout.trim().split('\n')) expect(line).to.match(/^complete -c gpu-partition .*'$/);
  });

  it('knows no other shell', async () => {
    expect(await run(['completion', 'csh'])).to.deep.include({ code: 2, stdout: '' });
  });
});
