import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { expect } from 'chai';
import { useScratchFolder } from '../device/scratch-folder.ts';

import { eventually, patience } from '../support/eventually.ts';
import { aPolicy } from './policy-text.ts';

const main = new URL('../../src/cli/main.ts', import.meta.url).pathname;

describe('gpu-partition status --watch', () => {
  const folder = useScratchFolder();
  let server: Server;
  const watches: ServerResponse[] = [];
  before(async () => {
    server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      if (!request.url?.includes('watch='))
        return void response.end('{"metadata": {"resourceVersion": "1"}, "items": []}');
      const metadata = { resourceVersion: '1', annotations: { 'k8s.io/initial-events-end': 'true' } };
      response.write(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata } })}\n`);
      if (request.url.includes('gpupartitionpolicies')) watches.push(response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const config = {
      'current-context': 'fake',
      clusters: [{ name: 'fake', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'fake', user: {} }],
      contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'fake' } }],
    };
    await writeFile(folder.path('kubeconfig'), JSON.stringify(config));
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
  });

  it('ends with the first picture after its reader has gone, as of status --watch | head -1', async () => {
    const argv = [main, 'status', '--watch', '--kubeconfig', folder.path('kubeconfig')];
    const child = spawn(process.execPath, argv, { timeout: 25_000 * patience, killSignal: 'SIGKILL' });
    const stderr = text(child.stderr);
    await once(child.stdout, 'data');
    await eventually(
      () => watches.length,
      (count) => count === 1,
    );
    child.stdout.destroy();
    const policy = aPolicy('p');
    const object = { ...policy, metadata: { ...policy.metadata, resourceVersion: '2' } };
    for (const watch of watches) watch.write(`${JSON.stringify({ type: 'ADDED', object })}\n`);
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, stderr: await stderr }).to.deep.equal({ code: 0, stderr: '' });
  });
});
