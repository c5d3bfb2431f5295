import { expect } from 'chai';
import { serveHealth, type HealthServer, createRegistry } from '../../src/process/health.ts';
import { rejectionOf } from '../kube/failure.ts';
import { RecordedLog } from './recorded-log.ts';

describe('serveHealth', () => {
  let server: HealthServer;
  let fault: string | undefined;

  before(async () => {
    server = await serveHealth({
      logger: new RecordedLog(),
      port: 0,
      host: '127.0.0.1',
      live: { loop: () => undefined },
      ready: {
        sync: () => fault,
        device: () => {
          if (fault === 'thrown') throw new Error('cannot tell');
          return undefined;
        },
      },
      registry: createRegistry({ component: 'test' }),
    });
  });
  after(() => server.stop());
  beforeEach(() => {
    fault = undefined;
  });

  const ask = async (path: string, method = 'GET'): Promise<{ status: number; text: string; type: string | null }> => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
  };

  it('is well while all checks are', async () => {
    expect(await ask('/healthz')).to.deep.include({ status: 200, text: '[+]loop ok\nok\n' });
    expect(await ask('/readyz?verbose')).to.deep.include({ status: 200 });
  });

  it('names the check that fails and why', async () => {
    fault = 'no list of nodes yet';
    const { status, text } = await ask('/readyz');
    expect(status).to.equal(503);
    expect(text).to.equal('[-]sync no list of nodes yet\n[+]device ok\nfailed\n');
    expect((await ask('/healthz')).status).to.equal(200);
  });

  it('takes a check that throws as failed', async () => {
    fault = 'thrown';
    expect((await ask('/readyz')).text).to.contain('[-]device Error: cannot tell');
  });

  it('serves the metrics', async () => {
    const { status, text, type } = await ask('/metrics');
    expect(status).to.equal(200);
    expect(type).to.contain('text/plain');
    expect(text).to.match(/^process_resident_memory_bytes\{component="test"\} \d+$/m);
  });

  it('answers nothing else', async () => {
    expect((await ask('/')).status).to.equal(404);
    expect((await ask('/healthz', 'POST')).status).to.equal(405);
  });

  it('says at the start when its port is taken', async () => {
    const again = serveHealth({ logger: new RecordedLog(), port: server.port, host: '127.0.0.1' });
    expect(await rejectionOf(again)).to.have.property('code', 'EADDRINUSE');
  });
});
