import { expect } from 'chai';
import { KubeClient } from '../../src/kube/client.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import type { ReflectorOptions } from '../../src/kube/reflector-options.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { WatchHandlers } from '../../src/kube/watch-handlers.ts';
import { silentLogger } from '../../src/process/logger.ts';
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

  it('hear of trouble and of a restored server', () => {
    const heard: unknown[] = [];
    const handlers = handlersOf({ onTrouble: (_error, ms) => heard.push(ms), onRewind: () => heard.push('rewind') });
    handlers.tellOfTrouble(new Error('gone'), 5, false);
    handlers.tellOfRewind('7');
    expect(heard).to.deep.equal([5, 'rewind']);
    const broken = handlersOf({ onTrouble: fail });
    broken.tellOfTrouble(new Error('gone'), 5, true);
    expect(broken.errors).to.equal(1);
  });
});
