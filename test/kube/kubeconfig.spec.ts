import { expect } from 'chai';
import { findEnvironmentProxy, PooledKubeConfig, KubeConfigError, loadKubeConfig } from '../../src/kube/kubeconfig.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import { KubeClient } from '../../src/kube/client.ts';
import { type ControlPlane, useSharedCluster } from '../support/cluster.ts';
import { failureOf, rejectionOf } from './failure.ts';

describe('findEnvironmentProxy', () => {
  const proxy = 'http://proxy:3128';
  const find = (server: string, noProxy?: string): string | undefined =>
    findEnvironmentProxy(server, { HTTPS_PROXY: proxy, ...(noProxy !== undefined && { NO_PROXY: noProxy }) });

  it('has a variable for each protocol, in capitals or not, and takes a bare host for one that speaks HTTP', () => {
    const of = (server: string, env: Readonly<Record<string, string>>) => findEnvironmentProxy(server, env);
    expect(of('https://a', { https_proxy: proxy })).to.equal(proxy);
    expect(of('https://a', { HTTPS_PROXY: 'proxy:3128' })).to.equal(proxy);
    expect(of('https://a', { HTTPS_PROXY: '', https_proxy: proxy })).to.equal(proxy);
    expect(of('https://a', { HTTP_PROXY: proxy })).to.equal(undefined);
    expect(of('http://a', { HTTP_PROXY: proxy, HTTPS_PROXY: 'other' })).to.equal(proxy);
    expect(of('https://a', {})).to.equal(undefined);
  });

  it('needs none for this machine', () => {
    for (const host of ['localhost:6443', '127.0.0.1:6443', '127.1.2.3', '[::1]:6443'])
      expect(find(`https://${host}`), host).to.equal(undefined);
  });

  it('leaves out what NO_PROXY names: addresses, ranges, domains, ports', () => {
    const rows: readonly (readonly [noProxy: string, server: string, isLeftOut: boolean])[] = [
      ['*', 'https://a', true],
      ['10.0.0.0/8', 'https://10.96.0.1:443', true],
      ['10.0.0.0/8', 'https://11.0.0.1', false],
      ['10.0.0.0/33,10.0.0.0/x,x/8', 'https://10.0.0.1', false],
      ['fd00::/8', 'https://[fd00::1]:6443', true],
      ['fd00::/8', 'https://10.0.0.1', false],
      ['192.168.0.1', 'https://192.168.0.1:6443', true],
      ['192.168.0.1:443', 'https://192.168.0.1:6443', false],
      ['192.168.0.1:6443', 'https://192.168.0.1:6443', true],
      ['api:443', 'https://api', true],
      ['fd00::1', 'https://[fd00::1]:6443', true],
      ['[fd00::1]:6443', 'https://[fd00::1]:6443', true],
      [' b.c , example.com ', 'https://api.example.com', true],
      ['Example.COM', 'https://example.com', true],
      ['.example.com', 'https://example.com', false],
      ['*.example.com', 'https://api.example.com', true],
      ['example.com', 'https://badexample.com', false],
      [',', 'https://a', false],
    ];
    for (const [noProxy, server, isLeftOut] of rows)
      expect(find(server, noProxy), `${noProxy} ${server}`).to.equal(isLeftOut ? undefined : proxy);
  });
});

/** A kubeconfig with a context for each name. */
function aKubeconfig(names: readonly string[], server = 'https://127.0.0.1:1'): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: names.map((name) => ({ name, cluster: { server: `${server}/${name}` } })),
    users: names.map((name) => ({ name, user: { token: `token-of-${name}` } })),
    contexts: names.map((name) => ({ name, context: { cluster: name, user: name } })),
    'current-context': names[0],
  });
}

describe('loadKubeConfig', () => {
  let folder: string;
  let first: string;
  let second: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
    first = join(folder, 'first');
    second = join(folder, 'second');
    await writeFile(first, aKubeconfig(['one', 'two']));
    await writeFile(second, aKubeconfig(['three', 'two'], 'https://127.0.0.1:2'));
  });
  after(() => rm(folder, { recursive: true }));

  it('takes the file that was given before all others', async () => {
    const { server, headers } = await loadKubeConfig({ kubeconfig: second }, { KUBECONFIG: first }).credentials();
    expect(server).to.equal('https://127.0.0.1:2/three');
    expect(headers).to.deep.equal({ authorization: 'Bearer token-of-three' });
  });

  it('merges the files of $KUBECONFIG as kubectl does: what comes first wins', () => {
    const config = loadKubeConfig({}, { KUBECONFIG: `${first}:${second}` });
    expect(config.getCurrentContext()).to.equal('one');
    expect(config.getCluster('two')?.server).to.equal('https://127.0.0.1:1/two');
    expect(config.getCluster('three')?.server).to.equal('https://127.0.0.1:2/three');
  });

  it('passes over files of $KUBECONFIG that do not exist, as kubectl does, as long as one does', () => {
    const [none, other] = [join(folder, 'none'), join(folder, 'other')];
    expect(loadKubeConfig({}, { KUBECONFIG: `${none}:${second}` }).getCurrentContext()).to.equal('three');
    expect(() => loadKubeConfig({}, { KUBECONFIG: `${none}:${other}` })).to.throw(KubeConfigError, `${none}, ${other}`);
  });

  it('takes the first context that is set, and says so where none is', async () => {
    const bare = join(folder, 'bare');
    await writeFile(bare, JSON.stringify({ ...JSON.parse(aKubeconfig(['one', 'two'])), 'current-context': '' }));
    expect(loadKubeConfig({}, { KUBECONFIG: `${bare}:${second}` }).getCurrentContext()).to.equal('three');
    expect(() => loadKubeConfig({ kubeconfig: bare })).to.throw(
      KubeConfigError,
      /no current context.*one, two.*--context/,
    );
    await writeFile(bare, 'answer: 42');
    expect(() => loadKubeConfig({ kubeconfig: bare })).to.throw(KubeConfigError, `${bare}: no context is in it`);
  });

  it('uses another context when told, and names the known ones when it does not exist', async () => {
    const { server } = await loadKubeConfig({ kubeconfig: first, context: 'two' }).credentials();
    expect(server).to.equal('https://127.0.0.1:1/two');
    expect(() => loadKubeConfig({ kubeconfig: first, context: 'four' })).to.throw(KubeConfigError, 'known: one, two');
  });

  it('says where it looked when there is nothing', () => {
    expect(() => loadKubeConfig({}, { HOME: folder })).to.throw(KubeConfigError, `${folder}/.kube/config`);
    expect(() => loadKubeConfig({ kubeconfig: join(folder, 'none') })).to.throw(KubeConfigError, 'none');
  });

  it('says which file is not a kubeconfig', async () => {
    const broken = join(folder, 'broken');
    await writeFile(broken, 'clusters: {');
    expect(() => loadKubeConfig({ kubeconfig: broken })).to.throw(KubeConfigError, broken);
    await writeFile(broken, 'users:\n- {token: secret\n');
    // A program logs the cause, too.
    const failure = await rejectionOf(Promise.resolve().then(() => loadKubeConfig({ kubeconfig: broken })));
    expect(inspect(failure)).to.include('is not a kubeconfig file: ').and.not.include('secret');
    await writeFile(broken, aKubeconfig(['one']).replaceAll(/"server":"[^"]*"/g, '"server":""'));
    expect(() => loadKubeConfig({ kubeconfig: broken })).to.throw(KubeConfigError, /"one".*without a server/);
  });

  it('reads what it needs as kubectl does: also beside what is incomplete', async () => {
    const file = join(folder, 'incomplete');
    const { clusters, ...rest } = JSON.parse(aKubeconfig(['one'])) as { readonly clusters: readonly object[] };
    await writeFile(file, JSON.stringify({ ...rest, clusters: [{ name: 'none', cluster: {} }, ...clusters] }));
    expect((await loadKubeConfig({ kubeconfig: file }).credentials()).server).to.equal('https://127.0.0.1:1/one');
  });

  it('reads the token file of a user, relative to the kubeconfig, and rather than a token beside it', async () => {
    const file = join(folder, 'with-token-file');
    await writeFile(join(folder, 'token'), 'of-the-file\n');
    await writeFile(file, aKubeconfig(['one']).replace('{"token":"', '{"tokenFile":"token","token":"'));
    const { headers } = await loadKubeConfig({ kubeconfig: file }).credentials();
    expect(headers).to.deep.equal({ authorization: 'Bearer of-the-file' });
  });

  it('tells a credential plugin what kubectl tells it: some refuse to work without it', async () => {
    const file = join(folder, 'with-plugin');
    const script = `printf '{"status": {"token": "%s"}}' "$(printf %s "$KUBERNETES_EXEC_INFO" | base64 -w 0)"`;
    const apiVersion = 'client.authentication.k8s.io/v1';
    const told = async (more: object): Promise<unknown> => {
      const exec = { apiVersion, command: 'sh', args: ['-c', script], interactiveMode: 'Never', ...more };
      const user = `"user":${JSON.stringify({ exec })}`;
      await writeFile(
        file,
        aKubeconfig(['one']).replace('"user":{"token":"token-of-one"}', () => user),
      );
      const { headers } = await loadKubeConfig({ kubeconfig: file }).credentials();
      return JSON.parse(Buffer.from(String(headers['authorization']).slice('Bearer '.length), 'base64').toString());
    };
    const spec = { interactive: false };
    expect(await told({})).to.deep.equal({ apiVersion, kind: 'ExecCredential', spec });
    const cluster = { server: 'https://127.0.0.1:1/one' };
    expect(await told({ provideClusterInfo: true, env: [{ name: 'A', value: 'b' }] })).to.deep.include({
      spec: { ...spec, cluster },
    });
  });

  it('runs a credential plugin beside the kubeconfig, if its command is a path, and a plain command from PATH', async () => {
    const file = join(folder, 'with-plugin-beside');
    const commandOf = async (command: string): Promise<unknown> => {
      await writeFile(file, aKubeconfig(['one']).replace('"token":"token-of-one"', `"exec":{"command":"${command}"}`));
      return loadKubeConfig({ kubeconfig: file }).getCurrentUser()?.exec?.command;
    };
    expect(await commandOf('./bin/login')).to.equal(join(folder, 'bin/login'));
    expect(await commandOf('/opt/login')).to.equal('/opt/login');
    expect(await commandOf('login')).to.equal('login');
  });

  it('acts for the user, groups, uid and extra values that a kubeconfig names', async () => {
    const file = join(folder, 'impersonating');
    const as = {
      as: 'eve',
      'as-groups': ['team-a', 'team-b'],
      'as-uid': '7',
      'as-user-extra': { 'Example.com/scopes': ['x'] },
    };
    await writeFile(file, aKubeconfig(['one']).replace('"token":"token-of-one"', JSON.stringify(as).slice(1, -1)));
    expect((await loadKubeConfig({ kubeconfig: file }).credentials()).headers).to.deep.equal({
      'impersonate-user': 'eve',
      'impersonate-group': ['team-a', 'team-b'],
      'impersonate-uid': '7',
      'impersonate-extra-example.com%2Fscopes': ['x'],
    });
  });

  it('takes the proxy of the environment, as kubectl does, where the kubeconfig names none', async () => {
    const file = join(folder, 'behind-a-proxy');
    const proxyOf = async (cluster: object, env: Readonly<Record<string, string>>): Promise<string | undefined> => {
      await writeFile(
        file,
        aKubeconfig(['one']).replace(/"cluster":\{[^}]*\}/, `"cluster":${JSON.stringify(cluster)}`),
      );
      return loadKubeConfig({ kubeconfig: file }, env).getCurrentCluster()?.proxyUrl;
    };
    const env = { HTTPS_PROXY: 'http://proxy:3128' };
    expect(await proxyOf({ server: 'https://one' }, env)).to.equal('http://proxy:3128');
    expect(await proxyOf({ server: 'https://one' }, { ...env, NO_PROXY: 'one' })).to.equal(undefined);
    expect(await proxyOf({ server: 'https://one', 'proxy-url': 'http://own:1' }, env)).to.equal('http://own:1');
    const failure = await rejectionOf(proxyOf({ server: 'https://one' }, { HTTPS_PROXY: 'socks5://u:secret@proxy:1' }));
    expect(String(failure)).to.include('the proxy of the environment socks5://proxy:1').and.not.include('secret');
    await writeFile(file, aKubeconfig(['one'], 'https://one'));
    const withToken = loadKubeConfig({ kubeconfig: file, tokenFile: first }, env);
    expect(withToken.getCurrentCluster()?.proxyUrl).to.equal('http://proxy:3128');
  });

  it('reaches a server without TLS, such as that of kubectl proxy', async () => {
    const file = join(folder, 'plain');
    await writeFile(file, aKubeconfig(['one'], 'http://127.0.0.1:8001'));
    expect((await loadKubeConfig({ kubeconfig: file }).credentials()).server).to.equal('http://127.0.0.1:8001/one');
  });

  it('says which address of a cluster is none, and tells nobody the password of a proxy', async () => {
    const file = join(folder, 'cluster');
    const load = async (cluster: object) => {
      await writeFile(
        file,
        aKubeconfig(['one']).replace(/"cluster":\{[^}]*\}/, `"cluster":${JSON.stringify(cluster)}`),
      );
      return loadKubeConfig({ kubeconfig: file });
    };
    const failures = {
      '10.0.0.1:6443': await rejectionOf(load({ server: '10.0.0.1:6443' })),
      'proxy:3128': await rejectionOf(load({ server: 'https://one', 'proxy-url': 'proxy:3128' })),
      'socks5://proxy:1080': await rejectionOf(
        load({ server: 'https://one', 'proxy-url': 'socks5://u:secret@proxy:1080' }),
      ),
    };
    for (const [address, failure] of Object.entries(failures)) {
      expect(failure).to.be.instanceOf(KubeConfigError);
      expect(String(failure))
        .to.include('"one"')
        .and.include(address)
        .and.include('must begin with http')
        .not.include('secret');
    }
    const { server } = await (await load({ server: 'https://one', 'proxy-url': '' })).credentials();
    expect(server).to.equal('https://one');
  });

  it('uses the token file that was given instead of the user’s own credentials', async () => {
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'from-the-file\n');
    const { server, headers } = await loadKubeConfig({ kubeconfig: first, tokenFile }).credentials();
    expect(server).to.equal('https://127.0.0.1:1/one');
    expect(headers).to.deep.equal({ authorization: 'Bearer from-the-file' });
  });
});

describe('PooledKubeConfig', () => {
  const cluster = useSharedCluster();
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('keeps its connections while the credentials stay, and makes new ones when the certificates change', async () => {
    const caFile = join(folder, 'ca');
    await writeFile(caFile, cluster().ca);
    const config = new PooledKubeConfig(() => aConfig(cluster(), { caFile }));
    const before = await config.credentials();
    expect((await config.credentials()).dispatcher).to.equal(before.dispatcher);
    await writeFile(caFile, `${cluster().ca}\n`);
    expect((await config.credentials()).dispatcher).not.to.equal(before.dispatcher);
    expect(await new KubeClient(config, 'test').request({ method: 'GET', path: '/version' })).to.have.property('major');
    await config.close();
  });

  it('reads a rotated token after a 401 and repeats the request', async () => {
    const tokenFile = join(folder, 'rotated');
    await writeFile(tokenFile, 'expired');
    const kubeconfig = await cluster().kubeconfigFile();
    const config = loadKubeConfig({ kubeconfig, tokenFile });
    await config.credentials();
    await writeFile(tokenFile, cluster().adminToken);
    const nodes = { group: '', version: 'v1', plural: 'nodes', kind: 'Node' };
    expect((await new KubeClient(config, 'test').list(nodes)).items).to.be.an('array');
    await config.close();
  });

  it('says so when the credentials stay refused', async () => {
    const config = new PooledKubeConfig(() => aConfig(cluster(), { token: 'wrong' }));
    const error = await failureOf(new KubeClient(config, 'test').request({ method: 'GET', path: '/api/v1/nodes' }));
    expect(error).to.deep.include({ code: 401, reason: 'Unauthorized' });
    await config.close();
  });

  it('does not trust a server that another authority vouches for', async () => {
    const config = new PooledKubeConfig(() => aConfig(cluster(), { caFile: '' }));
    const client = new KubeClient(config, 'test');
    const error = await failureOf(client.request({ method: 'GET', path: '/version', attempts: 1 }));
    expect(error).to.deep.include({ code: 0, reason: 'Unreachable' });
    await config.close();
  });

  it('serves the generated API classes of client-node as well', async () => {
    const config = new PooledKubeConfig(() => aConfig(cluster(), {}));
    const { VersionApi } = await import('@kubernetes/client-node');
    expect((await config.makeApiClient(VersionApi).getCode()).major).to.equal('1');
    await config.close();
  });
});

function aConfig(
  cluster: ControlPlane,
  { caFile = cluster.caFile, token = cluster.adminToken }: { readonly caFile?: string; readonly token?: string },
): KubeConfig {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: 'c', server: cluster.server, skipTLSVerify: false, ...(caFile === '' ? {} : { caFile }) },
    { name: 'u', token },
  );
  return config;
}
