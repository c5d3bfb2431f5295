import { execFileSync } from 'node:child_process';
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { expect } from 'chai';
import { useFreshFolder } from '../../device/scratch-folder.ts';
import type { Validation } from '../../../src/cli/validation.ts';
import { aPolicy, yamlOf } from '../policy-text.ts';
import { jsonRunner, run } from '../run.ts';

const runJson = jsonRunner<Validation>();
const policy = yamlOf(aPolicy('p'));

describe('files of the command line', () => {
  const folder = useFreshFolder();

  const validate = async (...paths: readonly string[]) =>
    runJson(['validate', ...paths.flatMap((path) => ['-f', path])], { cwd: folder.path() });
  const messagesOf = async (...paths: readonly string[]) => {
    const { code, answer } = await validate(...paths);
    return { code, messages: answer.findings.map(({ file, message }) => `${file}: ${message}`) };
  };

  it('may be UTF-16 with a byte order mark, as kubectl takes them', async () => {
    const little = Buffer.from(`\uFEFF${policy}`, 'utf16le');
    await writeFile(folder.path('little.yaml'), little);
    await writeFile(folder.path('big.yaml'), Buffer.from(little).swap16());
    const { code, answer } = await validate('little.yaml', 'big.yaml');
    expect({ code, policies: answer.objects.policies }).to.deep.equal({ code: 0, policies: 2 });
  });

  it('are refused if they are not text', async () => {
    await writeFile(folder.path('latin1.yaml'), Buffer.from('a: \u00E4\n', 'latin1'));
    expect(await messagesOf('latin1.yaml')).to.deep.equal({
      code: 2,
      messages: ['latin1.yaml: it is no UTF-8 text; save it as UTF-8'],
    });
  });

  it('may not be pipes, sockets or devices, named or in a folder, so that nothing waits for a writer', async () => {
    execFileSync('mkfifo', [folder.path('pipe.yaml')]);
    const server = createServer().listen(folder.path('socket.yaml'));
    await new Promise((done) => server.once('listening', done));
    await writeFile(folder.path('good.yaml'), policy);
    const { code, answer } = await validate('.');
    expect({ code, policies: answer.objects.policies }).to.deep.equal({ code: 2, policies: 1 });
    expect(answer.findings.map(({ file }) => file)).to.deep.equal(['pipe.yaml', 'socket.yaml']);
    for (const { code: what, message } of answer.findings) {
      expect(what).to.equal('Unreadable');
      expect(message)
        .to.match(/pipe|socket/)
        .and.match(/standard input/);
    }
    expect((await messagesOf('pipe.yaml')).code).to.equal(2);
    expect((await messagesOf('/dev/zero')).code).to.equal(2);
    server.close();
  });

  it('end at 4 MiB, also within a folder and on standard input', async () => {
    const message = 'it is larger than 4 MiB, which is the most that is read; split it';
    await mkdir(folder.path('deep'));
    await writeFile(folder.path('deep/large.yaml'), '');
    await truncate(folder.path('deep/large.yaml'), 4 * 1024 * 1024 + 1);
    expect(await messagesOf('.')).to.deep.equal({ code: 2, messages: [`deep/large.yaml: ${message}`] });
    expect(await messagesOf('deep/large.yaml')).to.deep.equal({ code: 2, messages: [`deep/large.yaml: ${message}`] });
    const piped = await runJson(['validate', '-f', '-'], { stdin: `#${'x'.repeat(4 * 1024 * 1024)}` });
    expect({ code: piped.code, text: piped.answer.findings[0]?.message }).to.deep.equal({ code: 2, text: message });
    const fits = await runJson(['validate', '-f', '-'], { stdin: `#${'x'.repeat(4 * 1024 * 1024 - 1)}` });
    expect(fits.code).to.equal(0);
  });

  it('have a name: an empty path is not the current folder', async () => {
    await writeFile(folder.path('good.yaml'), policy);
    const { code, answer } = await validate('');
    expect({ code, policies: answer.objects.policies }).to.deep.equal({ code: 2, policies: 0 });
    expect(answer.findings[0]?.message).to.contain('the path is empty');
    for (const command of [
      ['import', 'mig-parted', ''],
      ['labels', '--strategy', 'none', '-f', ''],
      ['node', 'reset', '--state-dir', ''],
      ['node', 'export', '--driver-root', ''],
      ['node', 'export', '--nvidia-smi', ''],
    ]) {
      const { code: status, stderr } = await run(command, { cwd: folder.path() });
      expect({ status, stderr }).to.deep.include({ status: 2 });
      expect(stderr).to.contain('the path is empty');
    }
  });

  describe('that say not what they are', () => {
    const nameless = yamlOf({ spec: aPolicy('p').spec });
    const check = async (name: string, text: string, ...paths: readonly string[]) => {
      await writeFile(folder.path(name), text);
      const { code, answer } = await validate(...paths);
      return { code, policies: answer.objects.policies, paths: answer.findings.map(({ path }) => path) };
    };

    it('are policies if they have layouts, wherever they are found', async () => {
      const missing = { code: 1, policies: 1, paths: ['$', '$', '$'] };
      expect(await check('p.yaml', nameless, 'p.yaml')).to.deep.equal(missing);
      expect(await check('p.yaml', nameless, '.')).to.deep.equal(missing);
      const { apiVersion: _, ...unversioned } = aPolicy('p');
      expect(await check('p.yaml', yamlOf(unversioned), '.')).to.deep.include({ code: 1, policies: 1 });
      const { kind: __, ...unkind } = aPolicy('p');
      expect(await check('p.yaml', yamlOf(unkind), '.')).to.deep.include({ code: 1, policies: 1 });
      expect(await check('p.yaml', yamlOf({ ...aPolicy('p'), apiVersion: 'gpupartition.dev' }), '.')).to.deep.include({
        code: 1,
        policies: 1,
      });
    });

    it('are an error if the user named them and they look like an object, and no business of ours in a folder', async () => {
      const text = yamlOf({ metadata: { name: 'x' }, spec: { strategy: 'mixed' } });
      expect(await check('x.yaml', text, 'x.yaml')).to.deep.equal({ code: 1, policies: 0, paths: ['$'] });
      expect(await check('x.yaml', text, '.')).to.deep.equal({ code: 0, policies: 0, paths: [] });
      expect(await check('x.yaml', 'image: x\n', 'x.yaml')).to.deep.equal({ code: 0, policies: 0, paths: [] });
    });
  });

  it('that hold a hundred thousand mistakes are answered with the first of them', async () => {
    const header = 'apiVersion: gpupartition.dev/v1alpha1\nkind: GpuPartitionPolicy\nspec:\n';
    for (const text of [`${header}${'  a: 1\n'.repeat(20_000)}`, '---\nmetadata: {}\n'.repeat(20_000)]) {
      const { code, answer } = await runJson(['validate', '-f', '-'], { stdin: text });
      expect(code).to.equal(1);
      expect(answer.findings).to.have.length(101);
      expect(answer.findings.at(-1)?.code).to.equal('MoreFindings');
    }
  });

  it('that hold a hundred warnings before an error are still wrong', async () => {
    const rival = (name: string): string => yamlOf(aPolicy(name));
    const names = Array.from({ length: 110 }, (_, at) => `p${at}`);
    await writeFile(folder.path('many.yaml'), [...names.map(rival), 'metadata: {}\n'].join('---\n'));
    expect(await validate('many.yaml')).to.deep.include({ code: 1 });
  });

  it('of more words than any manifest has are refused before they are kept in memory', async () => {
    await writeFile(folder.path('flow.yaml'), `a: [${'1,'.repeat(1_000_000)}]`);
    const { code, answer } = await validate('flow.yaml');
    expect(code).to.equal(2);
    expect(answer.findings.map(({ message }) => message)).to.deep.equal([
      'neither YAML nor JSON: more than 500000 words and signs, which no manifest has; split the file',
    ]);
  });

  it('may come from a shell: standard input by its path, and the output of a command', async () => {
    const main = new URL('../../../src/cli/main.ts', import.meta.url).pathname;
    const script =
      'node "$0" validate -f <(cat good.yaml) && node "$0" validate -f /dev/stdin < good.yaml && cat good.yaml | node "$0" validate -f /dev/stdin';
    await writeFile(folder.path('good.yaml'), policy);
    const options = {
      cwd: folder.path(),
      env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` },
    };
    const lines = execFileSync('bash', ['-c', script, main], options).toString().trim().split('\n');
    expect(lines).to.deep.equal(Array(3).fill('1 policy in 1 file: 0 errors, 0 warnings'));
  }).timeout(60_000);

  it('print no escapes, of names, keys and values alike', async () => {
    const hostile = 'x\u001B]0;y\u0007\u202E';
    await writeFile(
      folder.path(`${hostile}.yaml`),
      yamlOf({ ...aPolicy('p'), [hostile]: 1, metadata: { name: hostile } }),
    );
    for (const output of ['text', 'json']) {
      const { code, stdout, stderr } = await run(['validate', '-f', '.', '-o', output], { cwd: folder.path() });
      expect(code).to.equal(1);
      expect(stdout + stderr).to.not.match(/(?!\n)[\p{Cc}\p{Cf}]/u);
      expect(stdout).to.contain(String.raw`x\u001b]0;y`);
    }
    const { stderr } = await run([`--${hostile}`, hostile], { cwd: folder.path() });
    expect(stderr).to.not.match(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });
});
