import { expect } from 'chai';
import type { KubeClient } from '../../src/kube/client.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import { silentLogger } from '../../src/process/log.ts';
import { uniqueName, useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { aConfigMap, configMapRef, configMaps, connect, makeNamespace } from './connection.ts';
import { aStatus, errorLine, type LineFault, type RequestFault, type RequestRule } from '../support/fault.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { isResume, isStreamedList, type SeenRequest } from '../support/seen-request.ts';
import { Follower, quick } from './follower.ts';
import { installWidgets, uninstallWidgets, widgets, type Widget } from './widget.ts';

interface WireEvent {
  readonly type: string;
  readonly object: { readonly metadata: { resourceVersion: string; readonly name?: string } };
}

const expired = aStatus(410, 'Expired');
const broken = aStatus(500, 'InternalError');

/** Lets each line of a stream pass. */
const pass: LineFault = (line) => ({ send: [line] });

describe('Reflector under faults @all', () => {
  const cluster = useSharedCluster();
  let admin: KubeClient;
  let namespace: string;

  before(() => {
    admin = connect(cluster());
  });
  after(() => admin.config.close());
  beforeEach(async () => {
    namespace = await makeNamespace(admin);
  });

  const create = (name: string): Promise<unknown> => admin.create(configMaps, aConfigMap(namespace, name));
  const remove = (name: string): Promise<unknown> => admin.delete(configMapRef(namespace, name));
  const touch = (name: string): Promise<unknown> =>
    admin.merge(configMapRef(namespace, name), { data: { at: String(performance.now()) } });

  describe('of the connection', () => {
    let proxy: FaultProxy;
    let client: KubeClient;

    beforeEach(async () => {
      proxy = await FaultProxy.open(cluster());
      client = connect(cluster(), { server: proxy.server });
    });
    afterEach(async () => {
      await client.config.close();
      await proxy[Symbol.asyncDispose]();
    });

    it('sees a deletion that happened while the watch was cut, without listing again', async () => {
      await create('a');
      await create('b');
      await using follower = new Follower(client, namespace);
      await follower.holds('a', 'b');
      proxy.cut();
      await remove('a');
      await create('c');
      proxy.restore();
      await follower.holds('b', 'c');
      expect(follower.story.slice(2)).to.deep.equal(['delete a', 'apply c']);
      expect(follower.reflector.counts.lists).to.equal(1);
    });

    it('reports an object that was deleted and made again meanwhile as a delete and an apply', async () => {
      await create('a');
      await using follower = new Follower(client, namespace);
      await follower.holds('a');
      proxy.cut();
      await remove('a');
      await create('a');
      proxy.restore();
      await eventually(
        () => follower.story,
        (story) => story.length === 3,
      );
      expect(follower.story).to.deep.equal(['apply a', 'delete a', 'apply a']);
      const uids = new Set(follower.changes.map(({ object }) => object.metadata.uid));
      expect(uids.size).to.equal(2);
    });

    it('begins with a list when it was asked for one between two connections', async () => {
      await create('a');
      await using follower = new Follower(client, namespace, { timing: { backoffBaseMs: 1000, backoffMaxMs: 1000 } });
      await follower.holds('a');
      proxy.cut();
      await eventually(
        () => follower.troubles,
        (troubles) => troubles.length > 0,
      );
      follower.reflector.relist();
      proxy.restore();
      await eventually(
        () => follower.reflector.trouble,
        (trouble) => trouble === undefined,
        { timeoutMs: 10_000, what: 'the next connection' },
      );
      expect(follower.reflector.counts.lists).to.equal(2);
    });

    it('notices a connection that went silent by its idle limit', async () => {
      await create('a');
      await using follower = new Follower(client, namespace, { timing: { idleMs: 300 } });
      await follower.holds('a');
      proxy.freeze();
      await remove('a');
      expect(follower.names).to.deep.equal(['a']);
      await eventually(
        () => follower.troubles,
        (troubles) => troubles.some((error) => error.includes(': Timeout: ')),
      );
      proxy.restore();
      await follower.holds();
    });

    it('survives a connection that is cut again and again while things change', async () => {
      await using follower = new Follower(client, namespace);
      const kept: string[] = [];
      for (let round = 0; round < 12; round += 1) {
        await create(`kept-${round}`);
        await create(`gone-${round}`);
        proxy.cut();
        await remove(`gone-${round}`);
        kept.push(`kept-${round}`);
        proxy.restore();
      }
      await follower.holds(...kept);
    });
  });

  describe('of the answers', () => {
    let proxy: FaultProxy;
    let client: KubeClient;

    beforeEach(async () => {
      proxy = await FaultProxy.open(cluster());
      client = connect(cluster(), { server: proxy.server });
    });
    afterEach(async () => {
      await client.config.close();
      await proxy[Symbol.asyncDispose]();
    });

    /** Faults for the first requests of a kind, in order; then none. */
    const first = (kind: (request: SeenRequest) => boolean, ...faults: readonly RequestFault[]): RequestRule => {
      const rest = [...faults];
      return (request) => (kind(request) ? rest.shift() : undefined);
    };

    it('lists again when its version is too old, and finds what is gone and what was replaced', async () => {
      await create('gone');
      await create('replaced');
      await using follower = new Follower(client, namespace);
      await follower.holds('gone', 'replaced');
      proxy.rule = first(isResume, { status: 410, body: expired });
      proxy.reset();
      await remove('gone');
      await remove('replaced');
      await create('replaced');
      await follower.holds('replaced');
      expect(follower.reflector.counts.lists).to.equal(2);
      expect(follower.story.slice(2).toSorted()).to.deep.equal(['apply replaced', 'delete gone', 'delete replaced']);
      expect(follower.story.indexOf('delete replaced')).to.be.below(follower.story.lastIndexOf('apply replaced'));
    });

    it('lists again after an ERROR 410 within the stream', async () => {
      await create('a');
      let armed = false;
      proxy.rule = (request) =>
        isStreamedList(request)
          ? { lines: (line) => (armed ? { send: [errorLine(expired)], end: true } : pass(line)) }
          : undefined;
      await using follower = new Follower(client, namespace);
      await follower.holds('a');
      armed = true;
      proxy.rule = () => undefined;
      await create('b');
      await follower.holds('a', 'b');
      expect(follower.reflector.counts.lists).to.equal(2);
    });

    it('leaves a stream after an ERROR event although the server keeps it open', async () => {
      await create('a');
      let armed = false;
      proxy.rule = (request) =>
        isStreamedList(request) ? { lines: (line) => (armed ? { send: [errorLine(broken)] } : pass(line)) } : undefined;
      await using follower = new Follower(client, namespace);
      await follower.holds('a');
      armed = true;
      proxy.rule = () => undefined;
      await create('b');
      await follower.holds('a', 'b');
      expect(follower.reflector.counts.lists).to.equal(1);
    });

    it('reads the list in pages when streaming it fails in the middle', async () => {
      await create('a');
      await create('b');
      proxy.rule = first(isStreamedList, { lines: () => ({ send: [errorLine(broken)] }) });
      await using follower = new Follower(client, namespace);
      await follower.holds('a', 'b');
      expect(proxy.requests.filter(({ query }) => query.has('limit'))).to.have.length(1);
    });

    it('never shows half a list', async () => {
      await create('a');
      await create('b');
      await using follower = new Follower(client, namespace);
      await follower.holds('a', 'b');
      let cuts = 0;
      const seen: number[] = [];
      const half: RequestFault = {
        lines: (line) => {
          cuts += 1;
          return { send: [line], end: true };
        },
      };
      const page: RequestFault = { reset: 'body' };
      proxy.rule = (request) => {
        seen.push(follower.changes.length);
        if (cuts > 2) return undefined;
        if (isResume(request)) return { status: 410, body: expired };
        cuts += isStreamedList(request) ? 0 : 1;
        return isStreamedList(request) ? half : page;
      };
      proxy.reset();
      // First in the list, so that half of it shows the new state.
      await touch('a');
      await create('c');
      await follower.holds('a', 'b', 'c');
      expect(follower.story).to.deep.equal(['apply a', 'apply b', 'apply a', 'apply c']);
      expect(seen.slice(0, 4)).to.deep.equal([2, 2, 2, 2]);
    });

    it('ignores events that are sent twice, and old ones that come again', async () => {
      const old: string[] = [];
      proxy.rule = () => ({
        lines: (line) => {
          const send = [line, line, ...old];
          if (line.startsWith('{"type":"ADDED"')) old.push(line);
          return { send };
        },
      });
      await using follower = new Follower(client, namespace);
      await follower.reflector.waitForSync();
      await create('a');
      await follower.holds('a');
      await touch('a');
      await remove('a');
      await create('b');
      await follower.holds('b');
      expect(follower.story).to.deep.equal(['apply a', 'apply a', 'delete a', 'apply b']);
    });

    it('starts from a list when an event is not JSON', async () => {
      await create('a');
      let armed = false;
      proxy.rule = () => ({ lines: (line) => (armed ? { send: ['{"type":"ADD'] } : pass(line)) });
      await using follower = new Follower(client, namespace);
      await follower.holds('a');
      armed = true;
      proxy.rule = () => undefined;
      await create('b');
      await follower.holds('a', 'b');
      expect(follower.reflector.counts.lists).to.equal(2);
    });

    it('does not go back to an older state, until the server insists: then it was restored from a backup', async () => {
      let lists = 0;
      let believedAt = 0;
      await create('a');
      await using follower = new Follower(client, namespace, {
        onChange: ({ type }) => {
          if (type === 'delete') believedAt = lists;
        },
      });
      await follower.holds('a');
      await create('b');
      await follower.holds('a', 'b');
      // A server without `b` whose versions are far behind.
      const rewind: RequestFault = {
        lines: (line) => {
          const event = JSON.parse(line) as WireEvent;
          if (event.object.metadata.name === 'b') return { send: [] };
          event.object.metadata.resourceVersion = '7';
          return { send: [JSON.stringify(event)] };
        },
      };
      proxy.rule = (request) => {
        if (isResume(request) && lists === 0) return { status: 410, body: expired };
        if (!isStreamedList(request)) return undefined;
        lists += 1;
        return rewind;
      };
      proxy.reset();
      await eventually(
        () => follower.story,
        (story) => story.includes('delete b'),
      );
      expect(believedAt).to.equal(4);
    });

    /** Whether the server still is where the follower is. */
    const isQuestion = ({ verb, query }: SeenRequest): boolean => verb === 'list' && query.get('limit') === '1';

    it('asks with the smallest of lists whether the server is still where it was before it resumes after a lost connection', async () => {
      await create('a');
      await using follower = new Follower(client, namespace);
      await follower.holds('a');
      const before = proxy.requests.length;
      proxy.reset();
      await create('b');
      await follower.holds('a', 'b');
      const [question, watch, ...more] = proxy.requests.slice(before);
      expect(question && isQuestion(question) && question.query.get('fieldSelector')).to.match(/,metadata.name=a$/);
      expect(question?.query.has('resourceVersion'), 'as up to date as can be').to.equal(false);
      expect(watch && isResume(watch)).to.equal(true);
      expect(more).to.have.length(0);
      expect(follower.reflector.counts.lists).to.equal(1);
    });

    it('resumes also after a deletion, and lists again when what changed last has changed again', async () => {
      await create('a');
      await create('b');
      await using follower = new Follower(client, namespace);
      await remove('b');
      await follower.holds('a');
      proxy.reset();
      await create('c');
      await follower.holds('a', 'c');
      expect(follower.reflector.counts.lists).to.equal(1);
      proxy.cut();
      await remove('c');
      await create('d');
      proxy.restore();
      await follower.holds('a', 'd');
      expect(follower.reflector.counts.lists).to.equal(2);
    });

    it('asks nothing when the server ends a watch at the time that it was given', async () => {
      await using follower = new Follower(client, namespace, { timing: { watchMs: 1_000 } });
      await eventually(
        () => proxy.requests.filter(isResume).length,
        (watches) => watches >= 2,
        { timeoutMs: 10_000 },
      );
      expect(proxy.requests.filter(({ verb }) => verb === 'list')).to.have.length(0);
      expect(follower.troubles).to.have.length(0);
    });

    for (const [where, version] of [
      ['behind us', '7'],
      ['past us again, by other writes', '99999999'],
    ] as const) {
      it(`believes a server that was restored from a backup and is ${where}, even with versions that it gave out again`, async () => {
        await create('a');
        await create('b');
        let rewinds = 0;
        await using follower = new Follower(client, namespace, { onRewind: () => (rewinds += 1) });
        await follower.holds('a', 'b');
        // The creation of `b` is lost, and `a` is another one than we know although it has the version that we know.
        await create('c');
        await follower.holds('a', 'b', 'c');
        const restored: LineFault = (line) => {
          const event = JSON.parse(line) as WireEvent & { object: { data?: object } };
          if (event.object.metadata.name === 'b') return { send: [] };
          if (event.type === 'BOOKMARK') event.object.metadata.resourceVersion = version;
          else event.object.data = { restored: 'yes' };
          if (event.object.metadata.name === 'c') event.object.metadata.resourceVersion = '6';
          return { send: [JSON.stringify(event)] };
        };
        const answer = { kind: 'ConfigMapList', metadata: { resourceVersion: version }, items: [] };
        proxy.rule = (request) => {
          if (isQuestion(request)) return { status: 200, body: answer };
          return isStreamedList(request) ? { lines: restored } : undefined;
        };
        proxy.reset();
        await follower.holds('a', 'c');
        expect(follower.reflector.store.get(`${namespace}/a`)?.data).to.deep.equal({ restored: 'yes' });
        expect(follower.story.slice(3)).to.deep.equal(['delete b', 'apply a', 'apply c']);
        expect(rewinds).to.equal(1);
      });
    }

    it('waits as long as a throttled server asks', async () => {
      proxy.rule = first(() => true, { status: 429, headers: { 'retry-after': '1' }, body: { ...expired, code: 429 } });
      await using follower = new Follower(client, namespace);
      await follower.reflector.waitForSync();
      const [refused, taken] = proxy.requests;
      expect((taken?.atMs ?? 0) - (refused?.atMs ?? 0)).to.be.at.least(990);
    });

    it('does not hammer a server that ends each watch at once', async () => {
      await using follower = new Follower(client, namespace, { timing: { floorMs: 150 } });
      await follower.reflector.waitForSync();
      proxy.rule = ({ verb }) => (verb === 'watch' ? { status: 200 } : undefined);
      proxy.reset();
      const startedAt = performance.now();
      await eventually(
        () => proxy.requests.filter(isResume).length,
        (watches) => watches >= 4,
      );
      expect(performance.now() - startedAt).to.be.at.least(400);
    });

    it('does not hammer a server that forgets each version at once', async () => {
      await using follower = new Follower(client, namespace, { timing: { floorMs: 100, backoffBaseMs: 100 } });
      await follower.reflector.waitForSync();
      proxy.rule = (request) =>
        isResume(request)
          ? { status: 410, body: expired }
          : { lines: (line) => ({ send: [line, errorLine(expired)], end: true }) };
      proxy.reset();
      await eventually(
        () => follower.troubles.length,
        (troubles) => troubles >= 6,
      );
      const times = proxy.requests.map(({ atMs }) => atMs);
      expect((times.at(-1) ?? 0) - (times[1] ?? 0)).to.be.at.least(250);
      proxy.rule = () => undefined;
      await create('a');
      await follower.holds('a');
    });

    it('does not hammer a server that is out of order', async () => {
      proxy.rule = () => ({ status: 500, body: broken });
      await using follower = new Follower(client, namespace, { timing: { backoffBaseMs: 50, backoffMaxMs: 10_000 } });
      await eventually(
        () => follower.troubles.length,
        (troubles) => troubles >= 5,
      );
      expect(proxy.requests).to.have.length.below(12);
      proxy.rule = () => undefined;
      await create('a');
      await follower.holds('a');
    });

    it('continues when its rights come back', async () => {
      await create('a');
      await using follower = new Follower(client, namespace);
      await follower.holds('a');
      proxy.rule = () => ({ status: 403, body: { kind: 'Status', code: 403, reason: 'Forbidden', message: 'RBAC' } });
      proxy.reset();
      await eventually(
        () => follower.troubles,
        (troubles) => troubles.some((error) => error.includes(': 403 Forbidden: ')),
      );
      expect(follower.names).to.deep.equal(['a']);
      proxy.rule = () => undefined;
      await create('b');
      await follower.holds('a', 'b');
    });
  });

  it('waits for a CRD that is not there yet, and again when it was removed', async () => {
    const suffix = uniqueName('x').slice(2);
    const resource = { ...widgets, plural: `gadget${suffix}s`, kind: `Gadget${suffix}` };
    const options = { client: admin, resource, logger: silentLogger, timing: quick };
    const reflector = new Reflector<Widget>(options).start();
    try {
      await eventually(
        () => reflector.counts.failures,
        (failures) => failures > 0,
      );
      expect(reflector.synced).to.equal(false);
      const sizeIs = (size: number): Promise<number> =>
        eventually(
          () => reflector.store.size,
          (seen) => seen === size,
          { timeoutMs: 15_000 },
        );
      await installWidgets(admin, resource);
      await admin.create<Widget>(resource, { metadata: { name: 'a' }, spec: { size: 1 } });
      await sizeIs(1);
      await uninstallWidgets(admin, resource);
      await sizeIs(0);
      await installWidgets(admin, resource);
      await admin.create<Widget>(resource, { metadata: { name: 'b' }, spec: { size: 1 } });
      await sizeIs(1);
      expect(reflector.store.get('b')?.metadata.name).to.equal('b');
    } finally {
      await reflector.stop();
    }
  }).timeout(40_000);
});
