import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Server, ServerCredentials, status, type handleUnaryCall } from '@grpc/grpc-js';
import { expect } from 'chai';
import protobuf from 'protobufjs/light.js';
import { KubeletError } from '../../src/core/device/grants.ts';
import {
  allocatableResponse,
  listResponse,
  podResourcesPaths,
  PodResourcesClient,
} from '../../src/kubelet/pod-resources.ts';
import { servePodResources } from '../../src/simulator/kubelet/allocation.ts';
import { patience } from '../support/eventually.ts';

describe('the client of the kubelet’s PodResources', () => {
  let folder: string;
  let socket: string;
  let ends: (() => unknown)[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pr-'));
    socket = join(folder, 'kubelet.sock');
    ends = [];
  });
  afterEach(async () => {
    for (const end of ends.toReversed()) await end();
    rmSync(folder, { recursive: true, force: true });
  });

  function aClient(timeoutMs = 60_000): PodResourcesClient {
    return new PodResourcesClient({ socket, timeoutMs });
  }

  /** A kubelet that gives these bytes to both questions. */
  async function aKubelet(answer: () => Buffer): Promise<() => Promise<void>> {
    const { List, GetAllocatableResources } = podResourcesPaths;
    const server = await servePodResources(socket, { [List]: answer, [GetAllocatableResources]: answer });
    ends.push(() => server.close());
    return () => server.close();
  }

  /** A kubelet that does with a call what the handler does. */
  async function aKubeletThat(handle: handleUnaryCall<Buffer, Buffer>): Promise<void> {
    const asItIs = (bytes: Buffer): Buffer => bytes;
    const server = new Server();
    for (const path of Object.values(podResourcesPaths)) server.register(path, handle, asItIs, asItIs, 'unary');
    await promisify(server.bindAsync.bind(server))(`unix:${socket}`, ServerCredentials.createInsecure());
    ends.push(() => server.forceShutdown());
  }

  /** Somebody else on the socket. */
  async function aListener(onConnection: (connection: Socket) => void): Promise<void> {
    const open = new Set<Socket>();
    const server = createServer((connection) => {
      open.add(connection);
      connection.on('error', () => undefined).resume();
      onConnection(connection);
    });
    server.listen(socket);
    await once(server, 'listening');
    ends.push(async () => {
      for (const connection of open) connection.destroy();
      server.close();
      await once(server, 'close');
    });
  }

  it('lists the pods with their devices, whosever they are, those without any too', async () => {
    await aKubelet(() =>
      listResponse.encode({
        podResources: [
          {
            name: 'train',
            namespace: 'ml',
            containers: [
              {
                name: 'a',
                devices: [device('nvidia.com/mig-1g.5gb', 'MIG-1'), device('nvidia.com/mig-1g.5gb', 'MIG-2')],
              },
              { name: 'b', devices: [device('nvidia.com/gpu', 'GPU-1'), device('example.com/dongle', 'd')] },
            ],
          },
          { name: 'web', namespace: 'shop', containers: [{ name: 'c', devices: [] }] },
        ],
      }),
    );
    expect(await aClient().list()).to.deep.equal([
      {
        namespace: 'ml',
        name: 'train',
        devices: [
          { resource: 'nvidia.com/mig-1g.5gb', id: 'MIG-1' },
          { resource: 'nvidia.com/mig-1g.5gb', id: 'MIG-2' },
          { resource: 'nvidia.com/gpu', id: 'GPU-1' },
          { resource: 'example.com/dongle', id: 'd' },
        ],
      },
      { namespace: 'shop', name: 'web', devices: [] },
    ]);
  });

  it('puts the ids of all entries of a resource together', async () => {
    await aKubelet(() =>
      allocatableResponse.encode({
        devices: [
          device('nvidia.com/mig-1g.5gb', 'MIG-1'),
          device('nvidia.com/gpu', 'GPU-1'),
          device('nvidia.com/mig-1g.5gb', 'MIG-2', 'MIG-3'),
          device('example.com/dongle', 'd'),
        ],
      }),
    );
    expect([...(await aClient().listAllocatable())]).to.deep.equal([
      ['nvidia.com/mig-1g.5gb', ['MIG-1', 'MIG-2', 'MIG-3']],
      ['nvidia.com/gpu', ['GPU-1']],
      ['example.com/dongle', ['d']],
    ]);
  });

  it('takes an empty answer for a node without pods and without devices', async () => {
    await aKubelet(() => Buffer.alloc(0));
    const client = aClient();
    expect(await client.list()).to.deep.equal([]);
    expect((await client.listAllocatable()).size).to.equal(0);
  });

  it('reads claims, and skips what it has no use for: CPUs, memory, topology', async () => {
    await aKubelet(() => Buffer.from(answerOfNewKubelet()));
    expect(await aClient().list()).to.deep.equal([
      {
        namespace: 'ml',
        name: 'train',
        devices: [{ resource: 'nvidia.com/gpu', id: 'GPU-1' }],
        claimed: [
          {
            claim: 'ml/claim',
            driver: 'gpu.nvidia.com',
            device: 'gpu-0',
            cdiDevices: ['k8s.gpu.nvidia.com/claim=4711-gpu-0'],
          },
        ],
      },
    ]);
  });

  it('finds a kubelet that was restarted in between', async () => {
    const stop = await aKubelet(() => podNamed('before'));
    const client = aClient();
    expect(await client.list()).to.have.nested.property('[0].name', 'before');
    await stop();
    await expectFault(client.list(), 'KubeletSocketMissing', socket);
    await aKubelet(() => podNamed('after'));
    expect(await client.list()).to.have.nested.property('[0].name', 'after');
  });

  it('finds a kubelet at once that was down at the call before', async () => {
    writeFileSync(socket, '');
    const client = aClient();
    await expectFault(client.list(), 'KubeletUnavailable', 'ECONNREFUSED');
    await aKubelet(() => podNamed('after'));
    expect(await client.list()).to.have.nested.property('[0].name', 'after');
  });

  it('says which folder to mount where the socket is missing', async () => {
    await expectFault(
      aClient().list(),
      'KubeletSocketMissing',
      'mount the node’s folder /var/lib/kubelet/pod-resources',
    );
  });

  it('gives a kubelet up that accepts the connection and is silent, and the connection too', async () => {
    const closed = Promise.withResolvers<void>();
    await aListener((connection) => connection.once('close', () => closed.resolve()));
    await expectFault(aClient(100).list(), 'KubeletTimeout', 'no answer within 100 ms');
    await closed.promise;
  });

  it('gives a kubelet up that takes the call and does not answer it', async () => {
    const cancelled = Promise.withResolvers<void>();
    await aKubeletThat((call) => call.once('cancelled', () => cancelled.resolve()));
    // Long enough for the call to arrive on a busy machine.
    await expectFault(aClient(2_000).list(), 'KubeletTimeout', 'no answer within 2000 ms');
    await cancelled.promise;
  });

  it('knows a socket that is not a kubelet’s', async () => {
    await aListener((connection) => connection.write('220 mail.example.com ESMTP\r\n'));
    await expectFault(aClient().list(), 'KubeletAnswerUnreadable', 'Protocol error');
  });

  it('says that a kubelet is not there whose listener hangs up', async () => {
    await aListener((connection) => connection.destroy());
    await expectFault(aClient().list(), 'KubeletUnavailable', 'UNAVAILABLE');
  });

  it('knows a kubelet that does not know the call', async () => {
    const server = await servePodResources(socket, {});
    ends.push(() => server.close());
    await expectFault(aClient().listAllocatable(), 'KubeletUnsupported', 'UNIMPLEMENTED');
  });

  it('knows a kubelet that has the call switched off', async () => {
    await aKubeletThat((_call, answer) => answer(new Error('Pod Resources API GetAllocatableResources disabled')));
    await expectFault(aClient().listAllocatable(), 'KubeletUnsupported', 'disabled');
  });

  it('takes a kubelet’s rate limit for what it is', async () => {
    await aKubeletThat((_call, answer) =>
      answer({ code: status.RESOURCE_EXHAUSTED, details: 'rejected by rate limit' }),
    );
    await expectFault(aClient().list(), 'KubeletUnavailable', 'rejected by rate limit');
  });

  it('reads an answer of 5 MB', async () => {
    const ids = Array.from({ length: 100_000 }, (_, i) => `MIG-${String(i).padStart(48, '0')}`);
    await aKubelet(() => allocatableResponse.encode({ devices: [device('nvidia.com/gpu', ...ids)] }));
    expect((await aClient().listAllocatable()).get('nvidia.com/gpu')).to.deep.equal(ids);
  });

  it('refuses an answer of more than 16 MiB', async () => {
    await aKubelet(() => Buffer.alloc(16 * 1024 * 1024 + 1));
    await expectFault(aClient().list(), 'KubeletAnswerUnreadable', 'larger than max');
  });

  it('refuses an answer that is cut off', async () => {
    const whole = podNamed('p');
    await aKubelet(() => whole.subarray(0, -2));
    await expectFault(aClient().list(), 'KubeletAnswerUnreadable', `${whole.length - 2} bytes`);
  });

  it('says the same of the same fault each time, so that a status that shows it is not written again', async () => {
    writeFileSync(socket, '');
    const client = aClient();
    const [first, second] = [await faultOf(client.list()), await faultOf(client.list())];
    expect(first.message).to.equal(second.message);
  });

  it('keeps no process alive', async () => {
    await aKubelet(() => podNamed('p'));
    const program = `
      import { PodResourcesClient } from './src/kubelet/pod-resources.ts';
      const pods = await new PodResourcesClient({ socket: process.argv[1] }).list();
      console.log(pods[0].name);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program, socket], {
      timeout: 10_000 * patience,
    });
    expect(stdout).to.equal('p\n');
  });
});

function device(resourceName: string, ...deviceIds: readonly string[]) {
  return { resourceName, deviceIds };
}

function podNamed(name: string): Buffer {
  return listResponse.encode({ podResources: [{ name, namespace: 'ns', containers: [] }] });
}

/** Field numbers from api.proto, written without our own definition. */
function answerOfNewKubelet(): Uint8Array {
  const { Writer } = protobuf;
  const topology = Writer.create().uint32(10).bytes(Writer.create().uint32(8).int64(1).finish()).finish();
  const gpu = Writer.create().uint32(10).string('nvidia.com/gpu').uint32(18).string('GPU-1').uint32(26).bytes(topology);
  const memory = Writer.create().uint32(10).string('hugepages-2Mi').uint32(16).uint64(4096).finish();
  const cdi = Writer.create().uint32(10).string('k8s.gpu.nvidia.com/claim=4711-gpu-0').finish();
  const given = Writer.create().uint32(10).bytes(cdi).uint32(18).string('gpu.nvidia.com');
  given.uint32(26).string('pool').uint32(34).string('gpu-0').uint32(42).string('share');
  const claim = Writer.create().uint32(18).string('claim').uint32(26).string('ml').uint32(34).bytes(given.finish());
  const cpuIds = Writer.create().int64(4).int64(300).finish();
  const container = Writer.create().uint32(10).string('main').uint32(18).bytes(gpu.finish());
  container.uint32(26).bytes(cpuIds).uint32(34).bytes(memory).uint32(42).bytes(claim.finish());
  const pod = Writer.create().uint32(10).string('train').uint32(18).string('ml').uint32(26).bytes(container.finish());
  // Some day there will be more: an id of the pod, say.
  pod.uint32(122).string('uid');
  return Writer.create().uint32(10).bytes(pod.finish()).finish();
}

async function faultOf(call: Promise<unknown>): Promise<KubeletError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof KubeletError) return error;
    throw error;
  }
  throw new Error('the call went well');
}

async function expectFault(call: Promise<unknown>, code: KubeletError['code'], text: string): Promise<void> {
  const fault = await faultOf(call);
  expect(fault.code).to.equal(code);
  expect(fault.message).to.contain(text);
}
