import { expect } from 'chai';
import { KubeClient } from '../../src/kube/client.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import type { ReflectorOptions } from '../../src/kube/reflector-options.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { WatchHandlers } from '../../src/kube/watch-handlers.ts';
import { silentLogger } from '../../src/process/logger.ts';
import { RecordedLog } from '../process/recorded-log.ts';
import { widgets } from './widget.ts';

function handlersOf(handlers: Partial<ReflectorOptions<KubeObject>>): WatchHandlers<KubeObject> {
  const client = new KubeClient(new PooledKubeConfig(), 'test');
  return new WatchHandlers({ client, resource: widgets, logger: silentLogger, ...handlers });
}

const object: KubeObject = { metadata: { name: 'a' } };
const added = { type: 'apply', key: 'a', object, previous: undefined } as const;
const fail = (): never => {
  throw new Error('no');
};

describe('the handlers of a watch', () => {
  it('are called for every change, whether or not the one before has failed', () => {
    const seen: string[] = [];
    const handlers = handlersOf({
      onChange: ({ key }) => {
        seen.push(key);
        if (key === 'a') fail();
      },
    });
    handlers.emit([added, { ...added, key: 'b' }]);
    expect(seen).to.deep.equal(['a', 'b']);
    expect(handlers.errors).to.equal(1);
  });

  it('keep the whole of an object that cannot be stripped', () => {
    const handlers = handlersOf({ strip: fail });
    expect(handlers.strip(object)).to.equal(object);
    expect(handlers.errors).to.equal(1);
    expect(handlersOf({}).strip(object)).to.equal(object);
  });

  it('hear of a restored server, and the log of trouble: a list repairs some of it, which is not worth a warning', () => {
    const heard: unknown[] = [];
    const logger = new RecordedLog();
    const handlers = handlersOf({ logger, onRewind: () => heard.push('rewind') });
    handlers.tellOfTrouble(new Error('gone'), 5, false);
    handlers.tellOfTrouble(new Error('gone'), 0, true);
    const fields = { resource: 'widgets', error: 'Error: gone' };
    expect(logger.lines).to.deep.equal([
      { level: 'warn', message: 'watch interrupted', fields: { ...fields, retryInMs: 5 } },
      { level: 'info', message: 'watch restarts from a list', fields: { ...fields, retryInMs: 0 } },
    ]);
    handlers.tellOfRewind('7');
    expect(heard).to.deep.equal(['rewind']);
  });
});
