import { expect } from 'chai';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type PlanAnswer, type PageServer, servePage, WasteSamples } from '../../src/ui/page-server.ts';
import { reportWaste } from '../../src/core/explain/waste.ts';
import type { FleetFeed } from '../../src/ui/fleet-feed.ts';
import { eventually } from '../support/eventually.ts';
import { aFeed, answersFor } from './incident.ts';
import { aStatusNode, changingNode, fleet, policies, storyTime } from '../core/view/status-stories.ts';
import { wastefulDay } from '../core/explain/waste-stories.ts';

describe('the page of the fleet', () => {
  let server: PageServer;
  let feed: FleetFeed;

  beforeEach(async () => {
    feed = aFeed((node) => `pool-of-${node}`);
    feed.update({ policies, partitions: fleet });
    server = await servePage({ feed, answers: answersFor({ policies, partitions: fleet }) }, 0);
  });
  afterEach(() => server.stop());

  const ask = async (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(new URL(path, server.address), init);

  /** As a page of another origin would ask that has our address under its own name. */
  async function askAs(host: string): Promise<{ readonly status: number | undefined; readonly body: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request(server.address, { headers: { host } }, resolve).once('error', reject).end();
    const response = await promise;
    return { status: response.statusCode, body: await text(response) };
  }

  it('listens on this machine alone, and shows nothing without its token', async () => {
    expect(server.address).to.match(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
    const { origin } = new URL(server.address);
    for (const path of ['/', '/fleet', `/${'0'.repeat(32)}/fleet`, '/../fleet']) {
      const response = await fetch(origin + path);
      expect(response.status, path).to.equal(403);
      expect(await response.text()).not.to.contain('gpu-node');
    }
    expect((await askAs('attacker.example')).status).to.equal(403);
    expect((await askAs('127.0.0.1:1')).status).to.equal(200);
  });

  it('answers a request whose path is not a URL’s, and keeps serving', async () => {
    for (const path of ['//', '//[', '/%', '*', 'http://[/']) {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const { port } = new URL(server.address);
      request({ host: '127.0.0.1', port, path }, resolve).once('error', reject).end();
      const response = await promise;
      expect(response.statusCode, path).to.equal(403);
      response.resume();
    }
    expect((await ask('fleet?')).status).to.equal(200);
  });

  it('only reads', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) expect((await ask('fleet', { method })).status).to.equal(405);
    // A plan is posted because policies are long; it writes nothing either.
    for (const method of ['GET', 'PUT', 'DELETE']) expect((await ask('plan', { method })).status).to.equal(405);
    expect((await ask('nothing')).status).to.equal(404);
  });

  it('is one document that contacts no other server, by its content and by its policy', async () => {
    const response = await ask('');
    const page = await response.text();
    expect(response.headers.get('content-security-policy')).to.match(/^default-src 'none'; script-src 'nonce-[^']+';/);
    expect(page).not.to.match(/(src|href)="(?!data:)|https?:|@import|url\(/);
    expect(page).not.to.contain('__NONCE__');
    expect(page).to.contain('<html lang="en">');
    const script = /<script nonce="[^"]+">([^]*)<\/script>/.exec(page)?.[1] ?? '';
    // oxlint-disable-next-line typescript/no-implied-eval -- it is compiled, not run
    expect(() => new Function(script)).not.to.throw();
  });

  it('gives each node with its slices to scale, and what will be', async () => {
    const { nodes } = (await (await ask('fleet')).json()) as FleetFeed['fleet'];
    expect(nodes).to.have.length(fleet.length);
    const node = nodes.find((one) => one.node === 'gpu-node-7');
    expect(node).to.deep.include({ pool: 'pool-of-gpu-node-7', phase: 'Updating', reason: 'Draining' });
    const gpu = node?.gpus.find(({ index }) => index === 2);
    expect(gpu?.units).to.equal(8);
    expect(gpu?.now?.map(({ start, size, state }) => `${start}+${size} ${state}`)).to.deep.equal([
      '0+1 used',
      '1+1 free',
      '2+2 going',
      '4+4 free',
    ]);
    expect(gpu?.after).to.have.nested.property('slices').with.lengthOf(4);
    expect(node?.gpus.find(({ index }) => index === 5)?.now).to.equal(null);
  });

  it('shows characters that turn a text around by their codes, whoever wrote them', async () => {
    const pool = 'a\u202eb\u2066c';
    const hostile = aFeed(() => pool);
    hostile.update({ policies, partitions: fleet });
    const fail = () => Promise.reject(new Error(`no ${pool}`));
    await server.stop();
    server = await servePage(
      { feed: hostile, answers: { ...answersFor({ policies, partitions: fleet }), waste: fail } },
      0,
    );
    const shown = String.raw`a\u202eb\u2066c`;
    const { nodes } = (await (await ask('fleet')).json()) as FleetFeed['fleet'];
    expect(new Set(nodes.map((node) => node.pool))).to.deep.equal(new Set([shown]));
    expect(await (await ask('waste')).text()).to.equal(`no ${shown}`);
  });

  it('tells of waste when it is asked, or why it cannot', async () => {
    expect(await (await ask('waste')).json()).to.deep.equal(JSON.parse(JSON.stringify(reportWaste(wastefulDay))));
    await server.stop();
    const fail = () => Promise.reject(new Error('cannot read nodes: forbidden'));
    server = await servePage({ feed, answers: { ...answersFor({ policies, partitions: fleet }), waste: fail } }, 0);
    const response = await ask('waste');
    expect([response.status, await response.text()]).to.deep.equal([503, 'cannot read nodes: forbidden']);
  });

  it('says whose cluster it shows, and how old that is', async () => {
    feed.update({ policies, partitions: fleet, seenAt: storyTime - 2500 });
    expect(await (await ask('fleet')).json()).to.deep.include({
      source: { context: 'prod-eu', server: 'https://10.0.0.1:6443' },
      ageMs: 2500,
    });
  });

  it('explains the pods that wait, alike ones once', async () => {
    const groups = (await (await ask('waiting')).json()) as { pods: string[]; asks: string; message: string }[];
    expect(groups.map(({ pods, asks }) => ({ pods, asks }))).to.deep.equal([
      { pods: ['team/train-9'], asks: '1 nvidia.com/mig-7g.40gb' },
    ]);
    expect(groups[0]?.message).to.match(/no node offers nvidia\.com\/mig-7g\.40gb/);
    expect(await (await ask('waiting-count')).json()).to.equal(1);
  });

  it('plans a change that is posted, and says what is wrong with one that is not valid', async () => {
    const text = await (await ask('policy?name=inference')).text();
    expect(text)
      .to.match(/^apiVersion: gpupartition\.dev/)
      .and.not.to.contain('uid');
    const edited = text.replace(/1g\.5gb: \d/, '1g.5gb: 2');
    const plan = (await (await ask('plan', { method: 'POST', body: edited })).json()) as PlanAnswer;
    expect(plan.summary).to.match(/^this change /);
    expect(plan.lines[0]).to.match(/^policy inference: changed/);
    const wrong = await ask('plan', { method: 'POST', body: text.replace('mixed', 'mixd') });
    expect([wrong.status, await wrong.text()]).to.satisfy(
      ([status, why]: [number, string]) => status === 503 && /^line \d+: spec\.strategy: /.test(why),
    );
  });

  it('plans sharing with the controller’s own options, and names the one that it was not told', async () => {
    const incident = { policies, partitions: fleet };
    const text = await answersFor(incident).policy('inference');
    const shared = `${text}  sharing: {timeSlicing: [{resource: nvidia.com/mig-1g.5gb, replicas: 4}]}\n`;
    const untold = await answersFor(incident).plan(shared);
    expect(untold.findings.map(({ message }) => message).join()).to.contain('--device-plugin-config-map');
    const devicePluginConfigMap = { namespace: 'gpu-operator', name: 'plugin-config' };
    const told = await answersFor(incident, { devicePluginConfigMap }).plan(shared);
    expect(told.findings.map(({ message }) => message).join()).not.to.contain('--device-plugin-config-map');
    expect(told.lines[0]).to.match(/^policy inference: changed/);
  });

  it('tells of what changes, and only of that', async () => {
    const response = await ask('changes');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    const pump = (async () => {
      for (;;) {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done || value === undefined) return;
        seen += value;
      }
    })().catch(() => undefined);
    const changes = () =>
      seen
        .split('\n\n')
        .filter((part) => part !== '')
        .map(
          (part) =>
            JSON.parse(part.replace(/^data: /, '')) as { nodes: { node: string }[]; gone: string[]; all?: string[] },
        );
    await eventually(changes, (list) => list.length === 1, { timeoutMs: 2000, what: 'the whole fleet' });
    expect(changes()[0]?.all).to.have.members(fleet.map(({ metadata }) => metadata.name));
    const ready = aStatusNode({ name: 'gpu-node-7' });
    feed.update({ policies, partitions: [...fleet.filter((one) => one !== changingNode).slice(1), ready] });
    await eventually(changes, (list) => list.length === 2, { timeoutMs: 2000, what: 'the change' });
    expect(changes()[1]?.nodes.map(({ node }) => node)).to.deep.equal(['gpu-node-7']);
    expect(changes()[1]?.gone).to.deep.equal(['gpu-node-1']);
    await reader?.cancel();
    await pump;
  });

  it('drops a page that no longer reads, and serves the others', async () => {
    await server.stop();
    server = await servePage({ feed, answers: answersFor({ policies, partitions: fleet }) }, 0, 100_000);
    const { hostname: host, port, pathname } = new URL(server.address);
    const sleeper = connect(Number(port), host);
    await once(sleeper, 'connect');
    sleeper.pause().write(`GET ${pathname}changes HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
    const [, example = changingNode] = fleet;
    const change = (): void => {
      const partitions = Array.from({ length: 300 }, (_, at) => ({ ...example, metadata: { name: `n-${at}` } }));
      feed.update({ policies, partitions });
    };
    let listeners = 0;
    const listen = feed.listen.bind(feed);
    feed.listen = (listener) => {
      listeners += 1;
      const stop = listen(listener);
      return () => {
        listeners -= 1;
        stop();
      };
    };
    await eventually(
      () => listeners,
      (count) => count === 1,
      { timeoutMs: 2000, what: 'the page' },
    );
    await eventually(
      () => (change(), listeners),
      (count) => count === 0,
      { timeoutMs: 30_000, what: 'a page that is left' },
    );
    expect((await ask('fleet')).status).to.equal(200);
    sleeper.destroy();
  });

  it('tells open pages, and those that open later, since when no updates come from the API server', async () => {
    const interruption = {
      kind: 'Disconnected',
      since: storyTime,
      why: 'connect ECONNREFUSED 127.0.0.1:6443',
    } as const;
    const told: unknown[] = [];
    feed.listen((change) => told.push(change.interruption));
    feed.update({ policies, partitions: fleet, interruption });
    expect(((await (await ask('fleet')).json()) as FleetFeed['fleet']).interruption).to.deep.equal(interruption);
    feed.update({ policies, partitions: fleet });
    expect(told).to.deep.equal([interruption, null]);
    expect(((await (await ask('fleet')).json()) as FleetFeed['fleet']).interruption).to.equal(null);
  });

  it('is there for 1,000 nodes of 8 GPUs within a second of CPU time', async function () {
    const [, example = changingNode] = fleet;
    const many = Array.from({ length: 1000 }, (_, at) => ({ ...example, metadata: { name: `n-${at}` } }));
    const before = process.cpuUsage();
    feed.update({ policies, partitions: many });
    const body = await (await ask('fleet')).text();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).to.be.below(1000);
    expect(body.length).to.be.below(6_000_000);
  });
});

describe('looks at the waste of a cluster', () => {
  it('are remembered, the newest twelve of them', async () => {
    let turn = 0;
    const waste = new WasteSamples(async () => {
      const facts = wastefulDay[turn % 3];
      turn += 1;
      if (!facts) throw new Error('no such moment');
      return facts;
    });
    expect((await waste.report()).samples).to.equal(1);
    expect((await waste.report()).gpus[0]?.profiles[0]?.neverUsed).to.equal(4);
    for (let more = 0; more < 20; more += 1) await waste.report();
    expect((await waste.report()).samples).to.equal(12);
  });
});
