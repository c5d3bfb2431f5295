import { expect } from 'chai';
import { ConfigMapFiles } from '../../src/controller/config-map-files.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import type { KubeObject } from '../../src/kube/resource.ts';

/** An API server that has a ConfigMap with these files, or that answers with an error. */
class Server extends KubeClient {
  readonly #answer: Readonly<Record<string, string>> | number;
  reads = 0;
  /** Somebody does this while a write is on its way. */
  whenWritten = async (): Promise<void> => {};

  constructor(answer: Readonly<Record<string, string>> | number) {
    super(new PooledKubeConfig(), 'test');
    this.#answer = answer;
  }

  override async find<T extends KubeObject>(): Promise<T> {
    this.reads += 1;
    const answer = this.#answer;
    if (typeof answer === 'number')
      throw new ApiError({ request: 'GET it', code: answer, reason: 'Refused', text: 'User "x" cannot get it' });
    return { metadata: { name: 'plugin' }, data: answer } as unknown as T;
  }

  override async merge<T extends KubeObject>(): Promise<T> {
    await this.whenWritten();
    return this.find();
  }
}

describe('the config files of the device plugin', () => {
  const place = { namespace: 'gpu', name: 'plugin' };

  it('that may not be read are a finding, with the API server’s words; any other failure is tried again', async () => {
    const forbidden = await new ConfigMapFiles(new Server(403), place, () => 0).read();
    expect(forbidden).to.have.property('state', 'Unreadable');
    expect(forbidden).to.have.property('why').that.includes('cannot get it');
    const failure = await new ConfigMapFiles(new Server(500), place, () => 0).read().catch(String);
    expect(failure).to.include('500');
  });

  it('are read once for many nodes, and again a little later', async () => {
    const client = new Server({ a: 'version: v1' });
    const clock = { ms: 0 };
    const files = new ConfigMapFiles(client, place, () => clock.ms);
    await Promise.all([files.read(), files.read()]);
    expect(client.reads).to.equal(1);
    clock.ms = 5001;
    expect(await files.read()).to.deep.equal({ state: 'Read', files: { a: { version: 'v1' } } });
    expect(client.reads).to.equal(2);
  });

  it('are read again after a write, whatever was read while it was under way', async () => {
    const client = new Server({});
    const files = new ConfigMapFiles(client, place, () => 0);
    client.whenWritten = async () => void (await files.read());
    await files.publish('gpu-partition-mixed-12345678', {}, () => true);
    const reads = client.reads;
    await files.read();
    expect(client.reads).to.equal(reads + 1);
  });

  it('are read again after a failure: one that passes must not fail every node for the next seconds', async () => {
    const client = new Server(500);
    const files = new ConfigMapFiles(client, place, () => 0);
    await files.read().catch(() => undefined);
    await files.read().catch(() => undefined);
    expect(client.reads).to.equal(2);
  });

  it('may be the administrator’s own, whatever is in them: nothing of it reaches the log', async () => {
    const warnings: string[] = [];
    const listen = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', listen);
    const own = { torn: 'a: [', odd: 'a: !odd 1', deep: '['.repeat(20_000), text: 'hello' };
    const { files } = { files: {}, ...(await new ConfigMapFiles(new Server(own), place, () => 0).read()) };
    // Warnings are emitted in a later turn.
    await new Promise((done) => setImmediate(done));
    process.off('warning', listen);
    expect(files).to.deep.equal({ torn: undefined, odd: { a: '1' }, deep: undefined, text: 'hello' });
    expect(warnings).to.deep.equal([]);
  });
});
