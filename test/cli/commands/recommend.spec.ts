import { expect } from 'chai';
import { useScratchFolder } from '../../device/scratch-folder.ts';
import { writeFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { PoolAnswer, SizeAnswer } from '../../../src/cli/recommend/answers.ts';
import { run } from '../run.ts';

const instance = (profile: unknown, start: unknown, busy: unknown = false) => ({ profile, start, busy });
const gpu = (id: unknown, model: unknown, ...instances: readonly unknown[]) => ({ id, model, instances });

/** Two small GPUs: one with a busy slice, one empty. */
const small = {
  gpus: [gpu('a', 'a100-40gb', instance('1g.5gb', 0, true), instance('2g.10gb', 2)), gpu('b', 'a100-40gb')],
};

describe('gpu-partition recommend', () => {
  const folder = useScratchFolder();

  async function recommend(pool: unknown, demand: unknown, ...rest: readonly string[]) {
    const write = async (name: string, value: unknown) =>
      writeFile(folder.path(name), typeof value === 'string' ? value : JSON.stringify(value));
    await Promise.all([write('pool.json', pool), write('demand.json', demand)]);
    return run(['recommend', '--pool', 'pool.json', '--demand', 'demand.json', ...rest], { cwd: folder.path() });
  }

  async function answerOf(pool: unknown, demand: unknown, ...rest: readonly string[]) {
    const { code, stdout, stderr } = await recommend(pool, demand, '-o', 'json', ...rest);
    expect(stderr).to.equal('');
    return { code, answer: JSON.parse(stdout) as PoolAnswer };
  }

  it('gives each GPU its layout with placements, and what it costs, proven', async () => {
    const { code, answer } = await answerOf(small, { '1g.5gb': 4, '3g.20gb': 3 });
    expect(code).to.equal(0);
    const { gpus, ...figures } = answer;
    expect(figures).to.deep.equal({
      optimal: true,
      unserved: {},
      evictions: 0,
      gpusChanged: 2,
      modesChanged: 0,
      instancesDestroyed: 1,
    });
    expect(gpus.map(({ id, profiles }) => [id, profiles])).to.deep.equal([
      ['a', { '1g.5gb': 4, '3g.20gb': 1 }],
      ['b', { '3g.20gb': 2 }],
    ]);
    expect(gpus[0]?.placements[0]).to.deep.equal({ profile: '1g.5gb', start: 0, size: 1 });
    expect(gpus[0]?.destroy).to.deep.equal([{ profile: '2g.10gb', start: 2, size: 2 }]);
    expect(gpus[1]?.create.map(({ start }) => start)).to.deep.equal([0, 4]);
  });

  it('ends with code 1 where something is unserved, and does not evict if it may not', async () => {
    const full = { gpus: [gpu('a', 'NVIDIA H100 80GB HBM3', instance('7g.80gb', 0, true))] };
    const never = await answerOf(full, { '1g.10gb': 2 }, '--evict', 'never');
    expect(never.code).to.equal(1);
    expect(never.answer).to.include({ optimal: true, evictions: 0, gpusChanged: 0 });
    expect(never.answer.unserved).to.deep.equal({ '1g.10gb': 2 });
    const ifNeeded = await answerOf(full, { '1g.10gb': 2 });
    expect(ifNeeded.code).to.equal(0);
    expect(ifNeeded.answer).to.include({ evictions: 1, gpusChanged: 1, instancesDestroyed: 0 });
  });

  it('takes slices that any of several profiles serves, with weights', async () => {
    const pool = { gpus: [gpu('a', 'a30', instance('1g.6gb', 0, true), instance('2g.12gb', 2))] };
    const demand = [{ name: 'small', profiles: ['1g.6gb', '2g.12gb'], count: 2, weight: 3 }];
    expect((await answerOf(pool, demand)).answer).to.include({ gpusChanged: 0, evictions: 0 });
  });

  it('knows whole GPUs, in use or not, and makes more of them', async () => {
    const whole = (id: string, busy: boolean) => ({ id, model: 'a100-40gb', mig: 'Disabled', busy });
    const pool = { gpus: [whole('a', true), whole('b', false), gpu('c', 'a100-40gb', instance('1g.5gb', 0))] };
    const slices = (await answerOf(pool, { '1g.5gb': 14, whole: 1 }, '--evict', 'never')).answer;
    expect(slices).to.include({ optimal: true, evictions: 0, gpusChanged: 2, instancesDestroyed: 1 });
    expect(slices.gpus.map(({ mig, profiles }) => mig ?? profiles)).to.deep.equal([
      'Disabled',
      { '1g.5gb': 7 },
      { '1g.5gb': 7 },
    ]);
    const { answer } = await answerOf(pool, { whole: 4 });
    expect(answer).to.deep.include({ unserved: { whole: 1 }, gpusChanged: 1, evictions: 0 });
    expect(answer.gpus[2]).to.deep.include({ id: 'c', mig: 'Disabled', profiles: {}, placements: [] });
    const { stdout } = await recommend(pool, { whole: 3 });
    expect(stdout).to.match(
      /^c \(a100-40gb\): whole\n {2}now {3}\|1g\.5gb {2}\|.*\n {2}then {2}\| +MIG off: whole GPU/,
    );
  });

  it('takes slices by their usable memory, and makes the smallest', async () => {
    const pool = { gpus: [gpu('a', 'a100-40gb'), gpu('b', 'a100-40gb', instance('7g.40gb', 0, true))] };
    const { answer } = await answerOf(pool, [{ memory: '5Gi', count: 3 }]);
    expect(answer).to.include({ gpusChanged: 1, evictions: 0 });
    expect(answer.gpus[0]?.profiles).to.deep.equal({ '1g.10gb': 2 });
  });

  it('reads standard input, YAML, and large pools, which a process of its own plans', async () => {
    const states = ['1g.5gb', '1g.5gb+me', '1g.10gb', '2g.10gb', '3g.20gb', '4g.20gb'];
    const gpus = Array.from({ length: 400 }, (_, index) =>
      gpu(
        `gpu-${index}`,
        'a100-40gb',
        instance(states[index % 6], 0, index % 4 === 0),
        instance(states[2 + ((index >> 2) % 3)], 4, index % 3 === 0),
      ),
    );
    await writeFile(folder.path('demand.yaml'), '1g.5gb: 900\n2g.10gb: 300\n3g.20gb: 120\n');
    const { code, stdout } = await run(
      ['recommend', '--pool', '-', '--demand', 'demand.yaml', '--evict', 'never', '-o', 'yaml'],
      {
        stdin: JSON.stringify({ gpus }),
        cwd: folder.path(),
      },
    );
    const answer = parse(stdout) as PoolAnswer;
    expect(answer.optimal).to.equal(true);
    expect(code).to.equal(Object.keys(answer.unserved).length > 0 ? 1 : 0);
    expect(answer.gpus.map(({ id }) => id)).to.deep.equal(gpus.map(({ id }) => id));
  });

  it('draws what changes for people, and says that it is proven', async () => {
    const { stdout } = await recommend(small, { '1g.5gb': 4, '3g.20gb': 3 });
    expect(stdout).to.match(/^a \(a100-40gb\): 4×1g\.5gb \+ 1×3g\.20gb\n {2}now {3}\|1g\.5gb\* \|/);
    expect(stdout).to.contain('2 GPUs of 2 changed, no eviction, 1 idle instance destroyed');
    expect(stdout).to.contain('proven: ');
  });

  it('changes nothing for an empty demand, and serves nothing with an empty pool', async () => {
    expect((await answerOf(small, {})).answer).to.include({ gpusChanged: 0 });
    expect((await answerOf({ gpus: [] }, { '1g.5gb': 2 })).answer.unserved).to.deep.equal({ '1g.5gb': 2 });
  });

  it('refuses what makes no sense with code 2, the place, the numbers, and what to do', async () => {
    const pool = (...gpus: readonly unknown[]) => ({ gpus });
    const one = { '1g.5gb': 1 };
    const cases: readonly (readonly [pool: unknown, demand: unknown, ...words: readonly string[]])[] = [
      ['{"gpus": [', one, 'pool.json:1:'],
      ['', one, 'pool.json', 'empty'],
      [[], one, 'pool.json: [] is not an object such as {"gpus"'],
      [{}, one, 'it has no gpus'],
      [{ gpus: {} }, one, 'gpus: {} is not a list'],
      [pool({ model: 'a30', instances: [] }), {}, 'gpus[0].id: nothing is not an id'],
      [pool(gpu('a', 'a30'), gpu('a', 'a30')), {}, 'gpus[1].id: "a" is the id of gpus[0] too'],
      [pool(gpu('a', 'a100')), one, 'gpus[0].model: no GPU model "a100"', 'a100-40gb'],
      [pool(gpu('a', 'thor-igpu')), {}, 'not published'],
      [
        pool({ id: 'a', model: 'a30', instance: [] }),
        {},
        'gpus[0].instance: there is no such field; the fields are id, model, mig, instances, busy, evictionWeight',
      ],
      [
        pool(gpu('a', 'a30', instance('1g.5gb', 0))),
        {},
        'gpus[0].instances[0].profile: a30-24gb has no profile 1g.5gb; it has 1g.6gb',
      ],
      [pool(gpu('a', 'a30', instance('1c.2g.12gb', 0))), {}, 'compute instance', '2g.12gb'],
      [
        pool(gpu('a', 'a30', instance('2g.12gb', 1))),
        {},
        'instances[0].start: a 2g.12gb of a30-24gb cannot start at 1; it starts at 0, 2',
      ],
      [pool(gpu('a', 'a30', instance('2g.12gb', -1))), {}, 'instances[0].start: -1 is not a whole number'],
      [pool(gpu('a', 'a30', instance('2g.12gb', 0, 'yes'))), {}, 'instances[0].busy: "yes" is not true or false'],
      [
        pool(gpu('a', 'a30', instance('2g.12gb', 0), instance('1g.6gb', 1))),
        {},
        '2g.12gb at 0 and 1g.6gb at 1 overlap',
        'memory slice 1 of 4',
      ],
      [pool(gpu('a', 'a30', instance('1g.6gb+me', 0), instance('1g.6gb+me', 1))), {}, '2×1g.6gb+me', 'at most 1'],
      [
        pool(gpu('a', 'a30', { profile: '1g.6gb', start: 0, bussy: true })),
        {},
        'instances[0].bussy: there is no such field',
      ],
      [pool({ ...gpu('a', 'a30'), mig: 'Off' }), {}, 'gpus[0].mig: "Off" is not "Disabled"'],
      [
        pool({ ...gpu('a', 'a30', instance('1g.6gb', 0)), mig: 'Disabled' }),
        {},
        'a GPU with MIG mode off has no instances',
      ],
      [pool({ ...gpu('a', 'a30'), busy: true }), {}, 'gpus[0].busy: it is about a whole GPU'],
      [small, [{ memory: '5', count: 1 }], '[0].memory: "5" is not a size of memory, such as "4Gi"'],
      [
        small,
        [{ memory: '50Gi', count: 1 }],
        'no GPU of the pool has a plain profile with 50Gi; the largest has 40,192',
      ],
      [small, [{ memory: '5Gi', profiles: ['1g.5gb'], count: 1 }], 'give profiles or memory, not both'],
      [small, '{"1g.5gb": 1, "1g.5gb": 2}', 'demand.json:1:', '1g.5gb is given twice'],
      [small, 'null', 'demand.json'],
      [small, '7', 'demand.json: 7 is not an object'],
      [small, { '1g.5gb': -3 }, '1g.5gb', '-3 is not a whole number from 0'],
      [small, { '1g.5gb': 1.5 }, '1.5 is not a whole number'],
      [small, { '1g.6gb': 1 }, 'no GPU of the pool has a profile 1g.6gb; a100-40gb has 1g.5gb'],
      [small, { small: 1 }, '"small" is not a MIG profile name'],
      [small, [{ name: 'x', profiles: [], count: 1 }], '[0].profiles: it is empty'],
      [small, [{ name: 'x', profiles: ['1g.5gb'], count: 1, weight: 0 }], '[0].weight: 0 is not a whole number from 1'],
      [
        small,
        [
          { profiles: ['1g.5gb'], count: 1 },
          { profiles: ['1g.5gb'], count: 1 },
        ],
        '[1].name',
        'earlier entry',
      ],
    ];
    for (const [given, demand, ...words] of cases) {
      const { code, stdout, stderr } = await recommend(given, demand);
      expect({ code, stdout }, words[0]).to.deep.equal({ code: 2, stdout: '' });
      for (const word of words) expect(stderr).to.contain(word);
      expect(stderr, words[0]).to.not.contain('    at ');
    }
  });

  it('says what is wrong with its arguments', async () => {
    const usage = async (...argv: readonly string[]) =>
      (await run(['recommend', ...argv], { cwd: folder.path() })).stderr;
    expect(await usage('--demand', 'demand.json')).to.contain('--pool');
    expect(await usage('--pool', '-', '--demand', '-')).to.contain(
      'standard input is the pool or the demand, not both',
    );
    expect(await usage('--pool', 'none.json', '--demand', '-')).to.contain('there is no such file');
    expect(await usage('--pool', '-', '--demand', 'd', '--evict', 'sometimes')).to.contain('never, if-needed');
  });

  it('tells with --size which slices of which models hold a program, by the memory that is usable', async () => {
    const { code, stdout } = await run(['recommend', '--size', '38GiB', '-o', 'json']);
    expect(code).to.equal(0);
    const { sizeMiB, models } = JSON.parse(stdout) as SizeAnswer;
    expect(sizeMiB).to.equal(38 * 1024);
    const profilesOf = (id: string) => models.find(({ model }) => model === id)?.profiles;
    expect(profilesOf('a100-40gb')).to.deep.equal([
      { profile: '7g.40gb', memoryMiB: 40192, perGpu: 1, leftMiB: 40192 - 38912 },
    ]);
    expect(profilesOf('a100-80gb')?.map(({ profile }) => profile)).to.deep.equal(['3g.40gb', '4g.40gb', '7g.80gb']);
    expect(profilesOf('a30-24gb')).to.deep.equal([]);
  });

  it('counts a 1g.5gb as the 4,864 MiB that it has', async () => {
    const smallest = async (size: string) => {
      const { stdout } = await run(['recommend', '--size', size, '--model', 'a100-40gb']);
      return stdout.split('\n')[1];
    };
    expect(await smallest('4864MiB')).to.contain('1g.5gb (7 a GPU), 1g.5gb+me (1 a GPU): 4,864 MiB, 0 MiB more');
    expect(await smallest('4865MiB')).to.contain('2g.10gb');
    expect(await smallest('5.1GB')).to.contain('1g.5gb (7');
    expect(await smallest('5.2 GB')).to.contain('10gb');
  });

  it('ends with code 1 where no slice is large enough, and names the largest', async () => {
    const { code, stdout } = await run(['recommend', '--size', '100GiB', '--model', 'a30']);
    expect(code).to.equal(1);
    expect(stdout).to.contain('none: the largest, 4g.24gb, has 24,064 MiB');
  });

  it('names the models of which no memory is published, rather than leave them out', async () => {
    const { stdout } = await run(['recommend', '--size', '38GiB']);
    expect(stdout).to.match(/Not known, .*: a100-64gb, /);
  });

  it('names smaller slices that may hold it, whose memory is not published', async () => {
    const tell = async (size: string) => {
      const { stdout } = await run(['recommend', '--size', size, '--model', 'gh200-96gb']);
      return stdout.split('\n')[1];
    };
    expect(await tell('9GiB')).to.match(/ 1g\.24gb .*; perhaps 1g\.12gb, 1g\.12gb\+me, whose memory is not published$/);
    expect(await tell('13GiB')).to.match(/more than needed$/);
  });

  for (const size of ['38', '38 apples', '0GiB', '-3GiB', '1.2.3GiB', '99999999TiB'])
    it(`rejects --size ${size} with what to write`, async () => {
      const { code, stderr } = await run(['recommend', `--size=${size}`]);
      expect(code).to.equal(2);
      expect(stderr).to.contain('write 38GiB');
    });

  it('says what is missing, and does not mix its two questions', async () => {
    for (const [args, words] of [
      [['--demand', 'demand.json'], '--pool FILE'],
      [['--size', '1GiB', '--pool', 'pool.json'], 'cannot be used with'],
      [['--snapshot', 'cluster.yaml', '--pool', 'pool.json'], 'cannot be used with'],
      [['--size', '1GiB', '--evict', 'never'], 'cannot be used with'],
      [['--size', '1GiB', '--time-limit', '5'], 'cannot be used with'],
      [['--size', '1GiB', '--context', 'prod'], 'cannot be used with'],
      [['--pool', 'pool.json', '--demand', 'demand.json', '--context', 'prod'], 'cannot be used with'],
      [['--pool', 'pool.json', '--demand', 'demand.json', '--kubeconfig', 'config'], 'cannot be used with'],
      [['--pool', 'pool.json', '--demand', 'demand.json', '--model', 'a30'], '--model goes with --size'],
      [['--snapshot', 'cluster.yaml', '--window', '30d'], '--window goes with --prometheus'],
      [['--snapshot', 'cluster.yaml', '--prometheus-labels', 'cluster=eu'], '--prometheus-labels goes with'],
      [['--pool', 'pool.json', '--demand', 'demand.json', '--quantile', '0.9'], '--quantile goes with --prometheus'],
    ] as const) {
      const { code, stderr } = await run(['recommend', ...args]);
      expect(code, args.join(' ')).to.equal(2);
      expect(stderr).to.contain(words);
    }
  });
});
