import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Server, credentials, type handleUnaryCall } from '@grpc/grpc-js';
import { expect } from 'chai';
import { endRegistration } from '../../src/kubelet/end-registration.ts';
import {
  listAndWatchResponse,
  pluginPaths,
  registerRequest,
  asItIs,
  bindSocket,
} from '../../src/kubelet/device-plugin.ts';

const resource = 'nvidia.com/mig-3g.20gb';

describe('a registration with the kubelet whose device plugin is gone', () => {
  let folder: string;
  let kubelet: Server;
  let refusal: Error | undefined;
  /** What this kubelet offers, by resource. */
  const offered = new Map<string, readonly string[]>();
  const allocatable = { listAllocatable: () => Promise.resolve(offered) };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orphan-'));
    offered.clear();
    offered.set(resource, ['MIG-1', 'MIG-2']).set('nvidia.com/gpu', ['GPU-1']);
    refusal = undefined;
    kubelet = new Server();
    // It connects to the newest registration of a resource, and offers what that lists.
    const register: handleUnaryCall<Buffer, Buffer> = ({ request }, callback) => {
      callback(refusal ?? null, Buffer.alloc(0));
      const { resourceName, endpoint } = registerRequest.decode(request);
      const client = new Client(`unix:${join(folder, endpoint)}`, credentials.createInsecure());
      client
        .makeServerStreamRequest(pluginPaths.ListAndWatch, asItIs, asItIs, Buffer.alloc(0))
        .on('data', (bytes: Buffer) => {
          const { devices } = listAndWatchResponse.decode(bytes);
          offered.set(
            resourceName,
            devices.map(({ ID }) => ID),
          );
        })
        .on('error', () => undefined)
        .on('close', () => client.close());
    };
    kubelet.register(pluginPaths.Register, register, asItIs, asItIs, 'unary');
    await bindSocket(kubelet, join(folder, 'kubelet.sock'));
  });

  afterEach(async () => {
    kubelet.forceShutdown();
    await rm(folder, { recursive: true });
  });

  it('ends: the kubelet offers nothing of it, and all else as before', async () => {
    // As a plugin leaves it that was killed.
    await writeFile(join(folder, 'nvidia-mig-3g.20gb.sock'), '');
    expect(await endRegistration(folder, resource, allocatable)).to.equal(true);
    await rm(join(folder, 'nvidia-mig-3g.20gb.sock'));
    expect(Object.fromEntries(offered)).to.deep.equal({ [resource]: [], 'nvidia.com/gpu': ['GPU-1'] });
    expect(await readdir(folder)).to.deep.equal(['kubelet.sock']);
  });

  it('stays while somebody listens on its socket, and not while somebody does on another', async () => {
    const plugin = createServer().listen(join(folder, 'nvidia-mig-3g.20gb.sock'));
    await once(plugin, 'listening');
    expect(await endRegistration(folder, resource, allocatable)).to.equal(false);
    expect(offered.get(resource)).to.have.length(2);
    plugin.close();
    const other = createServer().listen(join(folder, 'nvidia-mig-1g.5gb.sock'));
    await once(other, 'listening');
    expect(await endRegistration(folder, resource, allocatable)).to.equal(true);
    other.close();
  });

  it('stays while a plugin listens that is stopped, and whose queue is full', async () => {
    const socket = join(folder, 'nvidia-mig-3g.20gb.sock');
    const listen = `require('net').createServer().listen({ path: '${socket}', backlog: 1 }, () => console.log('listening'))`;
    const plugin = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(plugin.stdout, 'data');
    plugin.kill('SIGSTOP');
    const waiting: Socket[] = [];
    try {
      for (let isFull = false; !isFull;) {
        const connection = connect(socket);
        waiting.push(connection);
        isFull = await once(connection, 'connect').then(
          () => false,
          () => true,
        );
      }
      expect(await endRegistration(folder, resource, allocatable)).to.equal(false);
      expect(offered.get(resource)).to.have.length(2);
    } finally {
      for (const connection of waiting) connection.destroy();
      plugin.kill('SIGKILL');
    }
  });

  it('stays where the kubelet rejects another one, and no socket of ours is left', async () => {
    refusal = new Error('requires the v1beta9 API');
    const told = String(await endRegistration(folder, resource, allocatable).catch((error: unknown) => error));
    expect(told).to.include('requires the v1beta9 API');
    expect(offered.get(resource)).to.have.length(2);
    expect(existsSync(join(folder, 'kubelet.sock'))).to.equal(true);
  });
});
