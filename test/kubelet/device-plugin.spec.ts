import { expect } from 'chai';
import {
  Client,
  Server,
  ServerCredentials,
  credentials,
  type ClientReadableStream,
  type handleUnaryCall,
} from '@grpc/grpc-js';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  allocateRequest,
  allocateResponse,
  listAndWatchResponse,
  pluginPaths,
  registerRequest,
  serveResource,
} from '../../src/kubelet/device-plugin.ts';
import { eventually } from '../support/eventually.ts';

const resource = 'nvidia.com/mig-1g.5gb';
const asItIs = (bytes: Buffer): Buffer => bytes;

describe('a resource that the simulated device plugin offers to a kubelet', () => {
  let folder: string;
  let kubelet: Server;
  let client: Client;
  const registered: string[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plugin-'));
    registered.length = 0;
    kubelet = new Server();
    const register: handleUnaryCall<Buffer, Buffer> = ({ request }, callback) => {
      const { resourceName, endpoint } = registerRequest.decode(request);
      registered.push(`${resourceName} ${endpoint}`);
      callback(null, Buffer.alloc(0));
    };
    kubelet.register(pluginPaths.Register, register, asItIs, asItIs, 'unary');
    await new Promise<void>((resolve) => {
      kubelet.bindAsync(`unix:${folder}/kubelet.sock`, ServerCredentials.createInsecure(), () => resolve());
    });
    client = new Client(`unix:${folder}/nvidia.com-mig-1g.5gb.sock`, credentials.createInsecure());
  });
  afterEach(async () => {
    client.close();
    kubelet.forceShutdown();
    await rm(folder, { recursive: true });
  });

  function watchDevices(): ClientReadableStream<Buffer> {
    return client.makeServerStreamRequest(pluginPaths.ListAndWatch, asItIs, asItIs, Buffer.alloc(0));
  }

  it('is registered by its socket, and lists its devices', async () => {
    const server = await serveResource(folder, { name: resource, deviceIds: ['MIG-1', 'MIG-2'] });
    expect(registered).to.deep.equal([`${resource} nvidia.com-mig-1g.5gb.sock`]);
    const listed = await new Promise<Buffer>((resolve) => watchDevices().once('data', resolve));
    expect(listAndWatchResponse.decode(listed).devices.map(({ ID }) => ID)).to.deep.equal(['MIG-1', 'MIG-2']);
    server.close();
  });

  it('tells a container by its environment which devices it has', async () => {
    const server = await serveResource(folder, { name: resource, deviceIds: ['MIG-1', 'MIG-2'] });
    const asked = allocateRequest.encode({ containerRequests: [{ devicesIds: ['MIG-2'] }] });
    const answer = await new Promise<Buffer>((resolve, reject) => {
      client.makeUnaryRequest(pluginPaths.Allocate, asItIs, asItIs, asked, (error, bytes) => {
        if (bytes === undefined) reject(error ?? new Error('no answer'));
        else resolve(bytes);
      });
    });
    expect(allocateResponse.decode(answer).containerResponses).to.deep.equal([
      { envs: { NVIDIA_VISIBLE_DEVICES: 'MIG-2' } },
    ]);
    server.close();
  });

  it('ends the kubelet’s watch when it is offered no more', async () => {
    const server = await serveResource(folder, { name: resource, deviceIds: ['MIG-1'] });
    const watch = watchDevices();
    let isOver = false;
    watch.on('error', () => undefined).on('close', () => (isOver = true));
    await new Promise<Buffer>((resolve) => watch.once('data', resolve));
    server.close();
    await eventually(
      () => isOver,
      (over) => over,
    );
    expect(existsSync(join(folder, 'nvidia.com-mig-1g.5gb.sock'))).to.equal(false);
  });
});
