import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';

import { encodeAllocatable, encodeList } from '../../../src/simulator/kubelet/pods/pod-resources.ts';
import { servePodResources } from '../../../src/simulator/kubelet/pods/pod-resources-server.ts';

describe('PodResources of a simulated kubelet', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sock-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('encodes one entry for each device id, as api.proto numbers the fields', () => {
    const encoded = encodeAllocatable(new Map([['r/a', ['x', 'y']]]));
    // field 1 (devices), 8 bytes: field 1 (resource_name) "r/a", field 2 (device_ids) "x"; then the same for "y"
    expect(encoded.toString('hex')).to.equal(
      `0a08${text(1, 'r/a')}${text(2, 'x')}0a08${text(1, 'r/a')}${text(2, 'y')}`,
    );
  });

  it('lists pods without devices too', () => {
    const encoded = encodeList([
      { namespace: 'ns', name: 'p', uid: 'u', containers: [{ container: 'c', deviceIds: {} }] },
    ]);
    expect(encoded.toString('hex')).to.equal(`0a0c${text(1, 'p')}${text(2, 'ns')}1a03${text(1, 'c')}`);
  });

  it('encodes lengths of more than seven bits', () => {
    const id = 'x'.repeat(200);
    const encoded = encodeAllocatable(new Map([['r', [id]]]));
    expect(encoded.subarray(0, 3).toString('hex')).to.equal('0ace01');
    expect(encoded).to.have.length(3 + 3 + 3 + 200);
  });

  it('answers gRPC calls on a Unix socket, in place of a socket that was left behind', async () => {
    const socket = join(folder, 'pod-resources/kubelet.sock');
    const message = Buffer.from('hello');
    const first = await servePodResources(socket, {});
    const server = await servePodResources(socket, { '/v1.PodResourcesLister/List': () => message });
    const { status, body } = await call(socket, '/v1.PodResourcesLister/List');
    const unknown = await call(socket, '/v1.PodResourcesLister/Get');
    await server.close();
    await first.close();
    expect(status).to.equal('0');
    expect(body.toString('hex')).to.equal(`0000000005${message.toString('hex')}`);
    expect(unknown.status).to.equal('12');
  });
});

function text(field: number, value: string): string {
  return Buffer.from([(field << 3) | 2, value.length, ...Buffer.from(value)]).toString('hex');
}

async function call(socket: string, path: string): Promise<{ readonly status: unknown; readonly body: Buffer }> {
  const session = connect('http://localhost', { path: socket });
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.end(Buffer.alloc(5));
  let status: unknown;
  const chunks: Buffer[] = [];
  stream.on('response', (headers) => (status ??= headers['grpc-status']));
  stream.on('trailers', (headers) => (status ??= headers['grpc-status']));
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve, reject) => stream.once('end', resolve).once('error', reject));
  await new Promise<void>((resolve) => session.close(resolve));
  return { status, body: Buffer.concat(chunks) };
}
