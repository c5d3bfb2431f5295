import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { writePool } from './parts.ts';

describe('the bundles', () => {
  const programs: [name: string, text: string][] = [];
  before(async function () {
    // `make test` builds them; one file alone may be run without.
    if (!existsSync('dist')) return this.skip();
    const names = (await readdir('dist')).filter((name) => name.endsWith('.mjs'));
    expect(names).to.include('controller.mjs');
    for (const name of names) programs.push([name, await readFile(`dist/${name}`, 'utf8')]);
    return undefined;
  });

  it('load nothing of which Node warns at every start', () => {
    for (const [name, text] of programs) {
      expect(text, name).not.to.match(/require\d*\("punycode"\)|from "punycode"/);
    }
  });

  it('have no character beyond Latin-1, for which V8 would keep the whole text at two bytes a character', () => {
    for (const [name, text] of programs) expect(/[\u0100-\uffff]/.exec(text)?.[0], name).to.equal(undefined);
  });

  it('have one that kubectl runs as its plugin where a link in PATH names it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bundles-'));
    await symlink(resolve('dist/gpu-partition.mjs'), join(folder, 'kubectl-gpu_partition'));
    const { code, stdout } = await runProgram(join(folder, 'kubectl-gpu_partition'), ['--help']);
    await rm(folder, { recursive: true });
    expect(code).to.equal(0);
    expect(stdout).to.match(/^Usage: kubectl gpu-partition /);
  });

  it('load what an auth-provider of a kubeconfig needs when there is one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bundles-'));
    const token = { access: { token: 'secret', expiry: '2099-01-01T00:00:00Z' } };
    await writeFile(join(folder, 'login'), `#!/bin/sh\necho '${JSON.stringify(token)}'\n`, { mode: 0o755 });
    const login = {
      'cmd-path': join(folder, 'login'),
      'token-key': '{.access.token}',
      'expiry-key': '{.access.expiry}',
    };
    const status = async (name: string, settings: object): Promise<string> => {
      const user = { 'auth-provider': { name, config: settings } };
      const cluster = { server: 'https://127.0.0.1:1' };
      const file = join(folder, 'kubeconfig');
      const names = { 'current-context': 'c', contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }] };
      const content = { ...names, clusters: [{ name: 'c', cluster }], users: [{ name: 'u', user }] };
      await writeFile(file, JSON.stringify(content));
      const run = await runProgram(process.execPath, ['dist/gpu-partition.mjs', 'status', '--kubeconfig', file]);
      return run.stderr;
    };
    // Its token is read by jsonpath-plus, and the server is asked.
    expect(await status('gcp', { ...login, 'cmd-args': 'token' })).to.contain('ECONNREFUSED');
    const jwt = ['{"alg":"none"}', '{"exp":1}', ''].map((part) => Buffer.from(part).toString('base64url')).join('.');
    const issuer = { 'idp-issuer-url': 'https://127.0.0.1:2', 'client-id': 'c', 'refresh-token': 'r', 'id-token': jwt };
    // As openid-client says of what client-node 2.0.1 hands it.
    expect(await status('oidc', issuer)).to.contain('"server" must be an instance of URL');
    await rm(folder, { recursive: true });
  });

  it('plan a pool that is too large to do without the solver, which one of them brings', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bundles-'));
    const args = await writePool(folder);
    const run = await runProgram(process.execPath, ['dist/gpu-partition.mjs', ...args]);
    expect(run.stderr).to.equal('');
    expect(JSON.parse(run.stdout)).to.include({ optimal: true });
    await cp('dist/gpu-partition.mjs', join(folder, 'alone.mjs'));
    const alone = await runProgram(process.execPath, [join(folder, 'alone.mjs'), ...args]);
    expect(alone).to.include({ code: 3, stdout: '' });
    expect(alone.stderr).to.match(/^error: no plan: .*Cannot find module .*demand-solver\.mjs.*\n$/);
    await rm(folder, { recursive: true });
  });
});
