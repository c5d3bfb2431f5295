import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Guard, startGuard } from '../../src/simulator/control-plane/run.ts';
import { RigProcess, programPath } from '../../src/simulator/rig/process.ts';
import { installApi } from '../../src/simulator/rig/install.ts';
import { clusterTimeoutMs, createKubeClient, ownCluster } from '../support/cluster.ts';
import { nodePartitions, policies } from '../../src/api/resources.ts';
import type { KubeObject } from '../../src/kube/watch.ts';
import type { LineFault } from '../support/fault.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { eventually } from '../support/eventually.ts';

describe('a program that is stopped before the API server has answered @all', () => {
  let folder: string;
  let guard: Guard;
  let server: Server;
  let kubeconfig: string;
  let sockets: Set<Socket>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'shutdown-'));
    guard = startGuard(folder);
    sockets = new Set();
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).resume();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    kubeconfig = join(folder, 'kubeconfig');
    const { port } = server.address() as AddressInfo;
    await writeFile(kubeconfig, plainKubeconfig(port));
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    guard.release();
    await rm(folder, { recursive: true, force: true });
  });

  const programs: readonly (readonly [name: 'controller' | 'agent', how: string, args: readonly string[]])[] = [
    ['controller', 'while it stands for election', []],
    ['controller', 'while its watches wait for their lists', ['--no-leader-elect']],
  ];
  for (const [name, how, args] of programs) {
    it(`ends at the first SIGTERM: the ${name}, ${how}`, async () => {
      const program = start(name, ['--kubeconfig', kubeconfig, ...args]);
      await eventually(
        () => sockets.size,
        (size) => size > 0,
        { timeoutMs: 15_000, what: 'connections' },
      );
      await expectEnd(program);
    });
  }

  it('ends at the first SIGTERM: the agent, while its watch waits', async () => {
    const files = ['--nvidia-smi', '/bin/false', '--state-dir', folder, '--boot-id-file', join(folder, 'none')];
    const program = start('agent', ['--node-name', 'n', '--kubeconfig', kubeconfig, ...files]);
    await eventually(
      () => sockets.size,
      (size) => size > 0,
      { timeoutMs: 15_000, what: 'connections' },
    );
    await expectEnd(program);
  });

  it('ends at the first SIGTERM: the controller, that has work to do and no nodes listed yet', async function () {
    this.timeout(clusterTimeoutMs);
    await using cluster = await ownCluster({ controllerManager: false, scheduler: false });
    await installApi(cluster);
    const policy = {
      metadata: { name: 'p' },
      spec: { strategy: 'mixed', nodeSelector, layouts: [{ preset: 'all-balanced' }] },
    };
    await using proxy = await FaultProxy.open(cluster);
    const admin = await createKubeClient(cluster);
    await admin.create<KubeObject & { readonly spec: object }>(policies, policy);
    const partition = { metadata: { name: 'n' }, spec: { nodeUID: 'any' } };
    await admin.create<KubeObject & { readonly spec: object }>(nodePartitions, partition);
    await admin.config.close();
    let lists = 0;
    const countLists: LineFault = (line) => {
      if (line.includes('k8s.io/initial-events-end')) lists += 1;
      return { send: [line] };
    };
    proxy.rule = ({ resource }) => (resource === 'nodes' ? { drop: 'before' } : { lines: countLists });
    const file = await cluster.kubeconfigFile({ server: proxy.server });
    const program = start('controller', ['--kubeconfig', file, '--no-leader-elect']);
    await eventually(
      () => lists,
      (count) => count === 3,
      { timeoutMs: 15_000, what: 'lists of policies, partitions and agents’ pods' },
    );
    await expectEnd(program);
  });

  function start(name: 'controller' | 'agent', args: readonly string[]): RigProcess {
    const program = new RigProcess(name, [programPath(name), ...args], join(folder, 'log'), guard);
    program.start();
    return program;
  }

  async function expectEnd(program: RigProcess): Promise<void> {
    const stoppedAt = performance.now();
    await program.stop('SIGTERM');
    expect(performance.now() - stoppedAt, await program.readLog()).to.be.below(5_000);
    expect(program.exitCode, await program.readLog()).to.equal(0);
  }
});

const nodeSelector = { matchLabels: { pool: 'p' } };

/** Without TLS, so that the request is sent and it is the answer that does not come. */
function plainKubeconfig(port: number): string {
  const cluster = { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true };
  return JSON.stringify({
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token: 'any' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}
