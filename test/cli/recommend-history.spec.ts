import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { withDemand } from '../support/demand-builders.ts';
import { useFreshFolder } from '../device/scratch-folder.ts';
// @ts-expect-error -- the build scripts are plain JavaScript
import { toolPath } from '../../build/go-tools.mjs';
import type { GpuPartitionPolicy } from '../../src/api/types.ts';
import type { ClusterAdvice } from '../../src/core/demand/recommend.ts';
import { aCluster, aFleetNode, sliced } from '../core/plan/cluster-builder.ts';
import { PrometheusServer } from '../support/prometheus.ts';
import { jsonRunner, run } from './run.ts';
import { snapshotYaml } from './snapshot-text.ts';

const runJson = jsonRunner<ClusterAdvice>();

type Point = readonly [time: number, value: string];

type Speak = (query: URLSearchParams) => { readonly status?: number; readonly body: string };

/** A program that speaks Prometheus' API, with the answer that a test gives. */
class SpokenPrometheus {
  readonly #server: Server;
  readonly asked: URLSearchParams[] = [];
  readonly headers: (string | undefined)[] = [];

  private constructor(answer: Speak) {
    this.#server = createServer((request, response) => void this.#reply(request, response, answer));
  }

  async #reply(request: IncomingMessage, response: ServerResponse, answer: Speak): Promise<void> {
    const query = new URLSearchParams(await text(request));
    this.asked.push(query);
    this.headers.push(request.headers.authorization);
    const { status = 200, body } = answer(query);
    response.writeHead(request.url === '/api/v1/query_range' ? status : 404).end(body);
  }

  static async start(answer: Speak): Promise<SpokenPrometheus> {
    const spoken = new SpokenPrometheus(answer);
    await once(spoken.#server.listen(0, '127.0.0.1'), 'listening');
    return spoken;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await promisify(this.#server.close.bind(this.#server))();
  }
}

interface Asked {
  readonly resource: string;
  readonly node?: string;
  /** By step, from the first; then none. */
  readonly amounts: readonly number[];
}

/** Answers for so many steps, with what was asked for in each. */
function answerWith(steps: number, series: readonly Asked[]) {
  return (query: URLSearchParams) => {
    const [start, step] = [Number(query.get('start')), Number(query.get('step'))];
    const points = (amounts: readonly number[]): readonly Point[] =>
      amounts.map((amount, index) => [start + index * step, String(amount)]);
    const result = query.get('query')?.startsWith('max(')
      ? [{ metric: {}, values: points(Array<number>(steps).fill(1)) }]
      : series.map(({ amounts, ...metric }) => ({ metric, values: points(amounts) }));
    return { body: JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } }) };
  };
}

describe('gpu-partition recommend --prometheus', () => {
  const folder = useFreshFolder();
  let prometheus: SpokenPrometheus | undefined;
  beforeEach(async () => {
    await save();
  });
  afterEach(async () => {
    await prometheus?.stop();
    prometheus = undefined;
  });

  const save = (policy: GpuPartitionPolicy = sliced()) => {
    const nodes = ['n1', 'n2', 'n3', 'n4'].map((name) => aFleetNode({ name, slices: ['3g.20gb@0', '3g.20gb@4'] }));
    return writeFile(folder.path('cluster.yaml'), snapshotYaml(aCluster(nodes, { policies: [policy] })));
  };
  const speak = async (answer: Speak): Promise<string> => {
    prometheus = await SpokenPrometheus.start(answer);
    return `http://127.0.0.1:${prometheus.port}`;
  };
  const argv = ['recommend', '--snapshot', 'cluster.yaml', '--prometheus'];
  const ask = (url: string, ...options: readonly string[]) =>
    runJson([...argv, url, ...options], { cwd: folder.path() });
  const slicesOf = ({ pools }: ClusterAdvice) => pools.flatMap(({ advised }) => advised?.spec.demand?.slices ?? []);

  /** Ten amounts each for most of the time, and a peak of five out of a hundred steps. */
  const peaks = (usual: number, peak: number) => [...Array<number>(95).fill(usual), ...Array<number>(5).fill(peak)];

  it('keeps the maximum of cheap slices, and of dear ones what was enough 95 % of the time', async () => {
    const url = await speak(
      answerWith(100, [
        { resource: 'nvidia_com_mig_1g_5gb', node: 'n1', amounts: peaks(2, 9) },
        { resource: 'nvidia_com_mig_1g_5gb_me', node: 'n1', amounts: peaks(1, 2) },
        { resource: 'nvidia_com_mig_3g_20gb', node: 'n2', amounts: peaks(1, 4) },
      ]),
    );
    const { code, answer } = await ask(url);
    expect(code).to.equal(0);
    expect(slicesOf(answer)).to.deep.equal([
      { profiles: ['1g.5gb'], min: 9 },
      { profiles: ['1g.5gb+me'], min: 2 },
      { profiles: ['3g.20gb'], min: 1 },
    ]);
    const wanted = answer.pools.flatMap(({ slices }) => slices.map((one) => [one.name, one.wanted]));
    expect(wanted).to.deep.equal([
      ['1g.5gb', 9],
      ['1g.5gb+me', 2],
      ['3g.20gb', 1],
    ]);
  });

  it('takes one quantile for all slices if it is given one, and counts a time without pods as none', async () => {
    const url = await speak(
      answerWith(100, [
        { resource: 'nvidia_com_mig_1g_5gb', node: 'n1', amounts: Array<number>(30).fill(5) },
        { resource: 'nvidia_com_mig_3g_20gb', node: 'n1', amounts: peaks(1, 4) },
      ]),
    );
    const { answer } = await ask(url, '--quantile', '1');
    expect(slicesOf(answer).map(({ min }) => min)).to.deep.equal([5, 4]);
    const half = await ask(url, '--quantile', '0.5');
    expect(slicesOf(half.answer)).to.deep.equal([{ profiles: ['1g.5gb'] }, { profiles: ['3g.20gb'], min: 1 }]);
  });

  it('keeps whole GPUs by what was enough 95 % of the time', async () => {
    const url = await speak(answerWith(100, [{ resource: 'nvidia_com_gpu', node: 'n1', amounts: peaks(1, 2) }]));
    const { answer } = await ask(url);
    expect(slicesOf(answer)).to.deep.include({ mig: 'Disabled', min: 1 });
    expect(answer.unknown).to.deep.equal([]);
  });

  it('adds up what ran on the nodes of a pool and what waited, and names what no GPU has', async () => {
    const url = await speak(
      answerWith(2, [
        { resource: 'nvidia_com_mig_3g_20gb', node: 'n1', amounts: [1, 1] },
        { resource: 'nvidia_com_mig_3g_20gb', node: 'n2', amounts: [2, 0] },
        { resource: 'nvidia_com_mig_3g_20gb', amounts: [0, 1] },
        { resource: 'nvidia_com_mig_3g_40gb', amounts: [1, 1] },
      ]),
    );
    const { answer } = await ask(url);
    expect(slicesOf(answer)).to.deep.equal([{ profiles: ['3g.20gb'], min: 3 }]);
    expect(answer.unknown).to.deep.equal(['nvidia_com_mig_3g_40gb']);
    const { stdout } = await run([...argv, url], { cwd: folder.path() });
    expect(stdout).to.contain('in the past pods asked for nvidia_com_mig_3g_40gb, which no GPU here can offer');
  });

  it('raises the floors of the demand that a pool has, within their max, and leaves counts alone', async () => {
    const slices = [
      { name: 'small', profiles: ['1g.5gb'], min: 1, max: 4 },
      { name: 'large', profiles: ['3g.20gb'], count: 2 },
    ];
    await save(withDemand(sliced(), { from: 'Pods', slices }));
    const url = await speak(
      answerWith(1, [
        { resource: 'nvidia_com_mig_1g_5gb', node: 'n1', amounts: [9] },
        { resource: 'nvidia_com_mig_3g_20gb', node: 'n1', amounts: [5] },
      ]),
    );
    const { answer } = await ask(url);
    expect(slicesOf(answer)).to.deep.equal([{ ...slices[0], min: 4 }, slices[1]]);
  });

  it('asks for the window, in steps of five minutes, for one cluster, and with the password of the address', async () => {
    const url = await speak(answerWith(1, []));
    await ask(url.replace('://', '://me:p%40ss@'), '--window', '2d', '--prometheus-labels', 'cluster=eu');
    const [first] = prometheus?.asked ?? [];
    expect(Number(first?.get('end')) - Number(first?.get('start'))).to.equal(2 * 86_400);
    expect(first?.get('step')).to.equal('300');
    expect(prometheus?.asked.every((one) => one.get('query')?.includes(',cluster="eu"}'))).to.equal(true);
    expect(prometheus?.headers[0]).to.equal(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
  });

  it('takes a password as it is where its percent sign begins no code', async () => {
    const url = await speak(answerWith(1, []));
    await ask(url.replace('://', '://me:50%off@'));
    expect(prometheus?.headers[0]).to.equal(`Basic ${Buffer.from('me:50%off').toString('base64')}`);
  });

  it('passes on what Prometheus warns of, once: part of the past may be missing', async () => {
    const whole = answerWith(1, [{ resource: 'nvidia_com_mig_1g_5gb', node: 'n1', amounts: [1] }]);
    const url = await speak((query) => {
      const answer = JSON.parse(whole(query).body) as object;
      return { body: JSON.stringify({ ...answer, warnings: ['No StoreAPIs matched', 7] }) };
    });
    const { code, stderr } = await ask(url);
    expect(code).to.equal(0);
    expect(stderr).to.equal(`warning: Prometheus at ${url} says: No StoreAPIs matched\n`);
  });

  const garbage: readonly (readonly [string, ReturnType<Speak>, string])[] = [
    ['a page', { body: '<html>' }, 'answered something that is not JSON'],
    ['another JSON', { body: '{"ok":true}' }, 'answered something that is not a range of values'],
    ['a failure', { status: 502, body: 'bad gateway' }, 'answered with HTTP status 502'],
    [
      'a refusal',
      { status: 422, body: JSON.stringify({ status: 'error', errorType: 'execution', error: 'query timed out' }) },
      'refused the query: query timed out',
    ],
    [
      'values that are no numbers',
      {
        body: JSON.stringify({
          status: 'success',
          data: { resultType: 'matrix', result: [{ metric: {}, values: [[1, 'NaN']] }] },
        }),
      },
      'for a value',
    ],
    [
      'nothing of kube-state-metrics',
      { body: JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: [] } }) },
      'does it scrape kube-state-metrics?',
    ],
  ];
  for (const [what, answer, words] of garbage)
    it(`ends with code 3 and what is wrong where it gets ${what}`, async () => {
      const url = await speak(() => answer);
      const { code, stdout, stderr } = await run([...argv, url], { cwd: folder.path() });
      expect({ code, stdout }).to.deep.equal({ code: 3, stdout: '' });
      expect(stderr).to.contain(`Prometheus at ${url} `).and.to.contain(words);
    });

  it('ends with code 3 where nobody answers, and does not print the password', async () => {
    const url = await speak(answerWith(1, []));
    await prometheus?.stop();
    prometheus = undefined;
    const { code, stderr } = await run([...argv, url.replace('://', '://me:secret@')], { cwd: folder.path() });
    expect(code).to.equal(3);
    expect(stderr).to.contain('does not answer: connect ECONNREFUSED').and.to.not.contain('secret');
  });

  for (const [option, value, words] of [
    ['--prometheus', 'ftp://x', 'must be an address'],
    ['--window', '7', 'must be a time from 1h'],
    ['--quantile', '95', 'must be a number above 0 and at most 1'],
  ] as const)
    it(`refuses ${option} ${value}`, async () => {
      const { code, stderr } = await run(['recommend', option, value]);
      expect(code).to.equal(2);
      expect(stderr).to.contain(words);
    });

  it('reads a real Prometheus: pods that have ended, and other scrapers of the same pod, count for nothing @all', async function () {
    const programs = { prometheus: toolPath('prometheus') as string, promtool: toolPath('promtool') as string };
    if (!Object.values(programs).every((program) => existsSync(program))) {
      console.log('    skipped: there is no Prometheus here; make prometheus builds it');
      return this.skip();
    }
    const server = await PrometheusServer.start(programs.prometheus, [], { groups: [] }, async (data) => {
      await mkdir(data, { recursive: true });
      await writeFile(folder.path('history.txt'), writeHistory(Math.floor(Date.now() / 1000)));
      await promisify(execFile)(programs.promtool, [
        'tsdb',
        'create-blocks-from',
        'openmetrics',
        folder.path('history.txt'),
        data,
      ]);
    });
    try {
      const { code, answer } = await ask(server.address, '--window', '6h');
      expect(code).to.equal(0);
      expect(slicesOf(answer)).to.deep.equal([
        { profiles: ['1g.5gb'], min: 3 },
        { profiles: ['3g.20gb'], min: 1 },
      ]);
    } finally {
      await server.stop();
    }
    return undefined;
  });
});

/** Six hours of kube-state-metrics, each minute: one pod that runs, one that waits for the last hour, one that has ended. */
function writeHistory(now: number): string {
  const times = Array.from({ length: 361 }, (_, minute) => now - (360 - minute) * 60);
  const write = (name: string, labels: Readonly<Record<string, string>>, value: number, from = 0): string => {
    const all = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return times
      .slice(from)
      .map((time) => `${name}{${all.join(',')}} ${value} ${time}\n`)
      .join('');
  };
  const requests = (
    pod: string,
    resource: string,
    value: number,
    more: Readonly<Record<string, string>>,
    from = 0,
  ): string =>
    write(
      'kube_pod_container_resource_requests',
      { namespace: 'team', pod, container: 'main', resource, unit: 'integer', ...more },
      value,
      from,
    );
  const phase = (pod: string, phases: Readonly<Record<string, number>>, from = 0): string =>
    Object.entries(phases)
      .map(([one, value]) => write('kube_pod_status_phase', { namespace: 'team', pod, phase: one }, value, from))
      .join('');
  const [small, large] = ['nvidia_com_mig_1g_5gb', 'nvidia_com_mig_3g_20gb'];
  return [
    '# TYPE kube_pod_container_resource_requests gauge\n',
    requests('serve', small, 2, { node: 'n1', instance: 'a' }),
    requests('serve', small, 2, { node: 'n1', instance: 'b' }),
    requests('train', large, 1, {}, 300),
    requests('tiny', small, 1, {}, 300),
    requests('ended', large, 2, { node: 'n2', instance: 'a' }),
    '# TYPE kube_pod_status_phase gauge\n',
    phase('serve', { Pending: 0, Running: 1, Succeeded: 0 }),
    phase('train', { Pending: 1, Running: 0, Succeeded: 0 }, 300),
    phase('tiny', { Pending: 1, Running: 0, Succeeded: 0 }, 300),
    phase('ended', { Pending: 0, Running: 0, Succeeded: 1 }),
    '# EOF\n',
  ].join('');
}
