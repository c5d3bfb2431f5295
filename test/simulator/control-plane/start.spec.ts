import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { pick, pickText } from '../../../src/simulator/control-plane/access.ts';
import { clusterTimeoutMs, createNamespace, ownCluster, uniqueName, useSharedCluster } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';

describe('a control plane of our own @all', () => {
  const cluster = useSharedCluster();

  it('runs all the programs of Kubernetes that were found', () => {
    const { kubeControllerManager, kubeScheduler } = cluster().binaries;
    const controllers = [kubeControllerManager, kubeScheduler].flatMap((file) =>
      file === undefined ? [] : basename(file),
    );
    expect(cluster().pids()).to.have.all.keys('etcd', 'kube-apiserver', ...controllers);
  });

  it('says to kubectl the version that go.mod names', async () => {
    const { stdout } = await cluster().kubectl(['version', '-o', 'json']);
    const versions: unknown = JSON.parse(stdout);
    expect(pick(versions, 'serverVersion', 'gitVersion')).to.equal(pick(versions, 'clientVersion', 'gitVersion'));
    expect(pick(versions, 'serverVersion', 'gitVersion')).to.match(/^v1\.\d+\.\d+$/);
  });

  it('lets nobody in without a token', async () => {
    const { status } = await cluster().client.send({ path: '/api/v1/nodes', token: 'wrong' });
    expect(status).to.equal(401);
  });

  it('gives a token of a ServiceAccount rights of that account alone', async () => {
    const namespace = await createNamespace(cluster());
    const token = await cluster().serviceAccountToken(namespace, 'default');
    const { status, body } = await cluster().client.send({ path: '/api/v1/nodes', token });
    expect(status).to.equal(403);
    expect(pickText(body, 'message')).to.contain(`system:serviceaccount:${namespace}:default`);
  });

  it('puts the node into the claims of a token that is bound to one', async () => {
    const name = uniqueName('node');
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
    await cluster().client.demand({ method: 'POST', path: '/api/v1/nodes', body: node });
    const token = await cluster().serviceAccountToken('default', 'default', { bound: { node: name } });
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const answer = await cluster().client.demand({ method: 'POST', path, body: review, token });
    await cluster().client.demand({ method: 'DELETE', path: `/api/v1/nodes/${name}` });
    expect(pick(answer, 'status', 'userInfo', 'extra', 'authentication.kubernetes.io/node-name')).to.deep.equal([name]);
  });

  it('records each write with its user, and no read', async () => {
    const namespace = await createNamespace(cluster());
    const writes = await eventually(
      async () => (await cluster().auditedWrites()).filter(({ name }) => name === namespace),
      (found) => found.length > 0,
    );
    const [write] = writes;
    expect(write).to.include({ user: 'admin', verb: 'create', resource: 'namespaces', subresource: '', code: 201 });
    expect(writes).to.have.length(1);
  });

  it('keeps its keys and tokens from other users of the machine', () => {
    expect(statSync(cluster().folder).mode & 0o077).to.equal(0);
  });
});

describe('a control plane that is killed @all', function () {
  this.timeout(clusterTimeoutMs);

  it('comes back after a crash of the API server with address, certificate and objects', async () => {
    await using own = await ownCluster({ scheduler: false });
    const namespace = await createNamespace(own);
    const ca = await readFile(own.caFile, 'utf8');
    await own.killApiServer();
    expect(own.pids()).not.to.have.property('kube-apiserver');
    await own.startApiServer();
    expect(await readFile(own.caFile, 'utf8')).to.equal(ca);
    expect((await own.client.send({ path: `/api/v1/namespaces/${namespace}` })).status).to.equal(200);
  });

  it('leaves neither process nor folder when it is stopped, with the API server down too', async () => {
    const own = await ownCluster({ controllerManager: false, scheduler: false });
    const pids = Object.values(own.pids());
    await own.killApiServer();
    await own.stop();
    await own.stop();
    expect(pids.filter(isAlive)).to.deep.equal([]);
    expect(existsSync(own.folder)).to.equal(false);
  });

  for (const end of ['SIGKILL', 'SIGINT', 'an exception'] as const) {
    it(`dies with its program, when that ends with ${end}`, async () => {
      const support = fileURLToPath(new URL('../../support/cluster.ts', import.meta.url));
      const script = `
        const { ownCluster } = await import(${JSON.stringify(support)});
        const cluster = await ownCluster({ controllerManager: false, scheduler: false });
        process.stdout.write(JSON.stringify({ folder: cluster.folder, pids: Object.values(cluster.pids()) }) + '\\n');
        ${end === 'an exception' ? "throw new Error('a test failed')" : 'setInterval(() => {}, 1000)'}`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const exit = new Promise((resolve) => child.once('exit', resolve));
      const line = await new Promise<string>((resolve) => child.stdout.setEncoding('utf8').once('data', resolve));
      const { folder, pids } = readLine(line);
      expect(pids).to.have.length(2);
      if (end !== 'an exception') child.kill(end);
      await exit;
      await eventually(
        () => pids.filter(isAlive),
        (alive) => alive.length === 0,
        { what: 'the programs' },
      );
      await eventually(
        () => existsSync(folder),
        (exists) => !exists,
        { what: 'the folder' },
      );
    });
  }

  it('says why, with the end of its log, when a program does not start', async () => {
    const start = ownCluster({ apiServerArguments: ['--no-such-flag'], controllerManager: false, scheduler: false });
    const message = await start.then(
      () => 'it started',
      (error: unknown) => String(error),
    );
    expect(message).to.match(/kube-apiserver ended with exit status 1.*unknown flag: --no-such-flag/s);
  });
});

function readLine(line: string): { readonly folder: string; readonly pids: readonly number[] } {
  const read: unknown = JSON.parse(line);
  const pids = pick(read, 'pids');
  return { folder: pickText(read, 'folder') ?? '', pids: Array.isArray(pids) ? pids.map(Number) : [] };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
