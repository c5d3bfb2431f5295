import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { useFreshFolder } from '../../device/scratch-folder.ts';
import { stringify } from 'yaml';
import type { GpuPartitionPolicy, PolicySpec } from '../../../src/api/types.ts';
import type { SimulationView } from '../../../src/cli/commands/simulate.ts';
import { aCluster, aFleetNode } from '../../core/plan/cluster-builder.ts';
import { jsonRunner, run } from '../run.ts';
import { snapshotYaml } from '../snapshot-text.ts';

const runJson = jsonRunner<SimulationView>();
const halves = ['3g.20gb@0', '3g.20gb@4'];

function aPolicyText(name: string, spec: Partial<PolicySpec>): string {
  const policy: GpuPartitionPolicy = {
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
    metadata: { name },
    spec: { nodeSelector: { matchLabels: { pool: 'p' } }, strategy: 'mixed', ...spec },
  };
  return stringify(policy);
}

/** Of an hour each, ten minutes apart. */
function aTrace(pods: number, profile: string): string {
  const rows = Array.from({ length: pods }, (_, index) => `${index * 600},3600,${profile}`);
  return ['arrival_s,duration_s,profile', ...rows, ''].join('\n');
}

describe('gpu-partition simulate', () => {
  const folder = useFreshFolder();
  beforeEach(async () => {
    const nodes = ['n1', 'n2'].map((name) => aFleetNode({ name, slices: halves }));
    await save('cluster.yaml', snapshotYaml(aCluster(nodes)));
    await save('trace.csv', aTrace(30, '1g.5gb'));
    const slices = [{ name: 'small', profiles: ['1g.5gb'], spare: 2 }];
    await save('demand.yaml', aPolicyText('p', { demand: { from: 'Pods', slices } }));
    await save('small.yaml', aPolicyText('p', { layouts: [{ preset: 'all-1g.5gb' }] }));
  });

  const save = (name: string, text: string) => writeFile(folder.path(name), text);
  const argv = ['simulate', '--snapshot', 'cluster.yaml', '--trace', 'trace.csv', '--days', '1'];
  const ask = async (...options: readonly string[]) => runJson([...argv, ...options], { cwd: folder.path() });
  const refuse = async (...options: readonly string[]) => {
    const { code, stderr } = await run([...argv, ...options], { cwd: folder.path() });
    return { code, stderr };
  };

  it('plays a policy beside what is there now: who gets slices, and what it moves', async () => {
    const { code, answer } = await ask('-f', 'demand.yaml');
    expect(code).to.equal(0);
    const [now, demand] = answer.sides;
    expect(answer.sides.map(({ name }) => name)).to.deep.equal(['now', 'demand.yaml']);
    expect(now?.figures.total).to.include({ pods: 30, started: 0, stillWaiting: 30, relayouts: 0, servedShare: 0 });
    expect(demand?.figures.total).to.include({ pods: 30, started: 30, stillWaiting: 0, evictions: 0 });
    expect(demand?.figures.total.relayouts).to.be.within(1, 10);
    expect(demand?.figures.total.servedShare).to.be.within(0.9, 1);
  });

  it('plays two policies beside each other, with the same pods', async () => {
    const { answer } = await ask('-f', 'small.yaml', '-f', 'demand.yaml');
    expect(answer.sides.map(({ name }) => name)).to.deep.equal(['small.yaml', 'demand.yaml']);
    expect(answer.sides.map(({ figures }) => figures.total.pods)).to.deep.equal([30, 30]);
    expect(answer.sides[0]?.figures.total).to.include({ started: 30, relayouts: 2 });
  });

  it('prints a picture, and a row of CSV for each side, day and profile', async () => {
    const { stdout } = await run([...argv, '-f', 'demand.yaml'], { cwd: folder.path() });
    const lines = stdout.split('\n');
    expect(lines[0]).to.equal('1 day, 2 GPUs on 2 nodes, 30 pods, seed 1');
    expect(lines[2]).to.match(
      /^ +SERVED +MEDIAN WAIT +95 % WAIT +LONGEST +STILL WAITING +EVICTED +LOST +GPUS RE-LAID +PER GPU-MONTH$/,
    );
    expect(lines[3]).to.match(/^now +0\.0 % +21 h 40 min +\S+ h( \d+ min)? +\S+ h( \d+ min)? +30 +0 +0\.0 % +0 +0\.0$/);
    const demand = /^demand\.yaml +(\S+ %) +/.exec(lines[4] ?? '')?.[1] ?? '';
    expect(lines[7]).to.match(/^1g\.5gb +30 +now +0\.0 %/);
    expect(lines[8]).to.match(new RegExp(`^ +demand\\.yaml +${demand}`));
    expect(lines.slice(-3)).to.deep.equal([
      'DAY  now                         demand.yaml',
      `1    ···················· 0.0 %  ████████████████████ ${demand}`,
      '',
    ]);
    const csv = (await run([...argv, '-f', 'demand.yaml', '-o', 'csv'], { cwd: folder.path() })).stdout
      .trim()
      .split('\n');
    expect(csv[0]).to.equal(
      'side,day,profile,pods,asked_slice_s,served_slice_s,lost_slice_s,wait_slice_s,started,longest_wait_s,evictions,gpus_relaid',
    );
    expect(csv.slice(1).map((row) => row.split(',').slice(0, 4).join(','))).to.deep.equal([
      'now,1,1g.5gb,30',
      'now,1,,',
      'demand.yaml,1,1g.5gb,30',
      'demand.yaml,1,,',
    ]);
  });

  it('gives the same figures for the same seed, and makes pods like those of the cluster without a trace', async () => {
    const busy = aFleetNode({ name: 'n1', slices: halves, pods: { '3g.20gb@0': ['a'] } });
    await save('cluster.yaml', snapshotYaml(aCluster([busy, aFleetNode({ name: 'n2', slices: halves })])));
    const play = async (seed: number) => {
      const options = ['simulate', '--snapshot', 'cluster.yaml', '--arrivals', 'demand', '--days', '3'];
      return (await runJson([...options, '--seed', String(seed)], { cwd: folder.path() })).answer.sides[0]?.figures;
    };
    const first = await play(7);
    expect(await play(7)).to.deep.equal(first);
    expect(await play(8)).not.to.deep.equal(first);
    expect(first?.profiles.map(({ profile }) => profile)).to.deep.equal(['3g.20gb']);
  });

  it('reads the columns of the public trace, by memory and by share of a GPU', async () => {
    const row = (milli: number): string => `a,1,1,1,${milli},,LS,Running,0,3600,0`;
    const header =
      'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time';
    await save('trace.csv', [header, row(100), row(500), row(1000), ''].join('\n'));
    const profiles = async (...by: readonly string[]) =>
      (await ask(...by)).answer.sides[0]?.figures.profiles.map(({ profile }) => profile);
    expect(await profiles()).to.deep.equal(['1g.5gb', '3g.20gb', '7g.40gb']);
    expect(await profiles('--by', 'share')).to.deep.equal(['1g.5gb', '3g.20gb', '7g.40gb']);
    expect(await profiles('--card-memory', '80')).to.deep.equal(['2g.10gb', '7g.40gb']);
  });

  it('names line, column and remedy of a row that it cannot read, and of a profile that no GPU has', async () => {
    const refuseTrace = async (...rows: readonly string[]) => {
      await save('trace.csv', [...rows, ''].join('\n'));
      return refuse();
    };
    expect(await refuseTrace('arrival_s,duration_s,profile', '0,60,1g.5gb', '0,ten,1g.5gb')).to.deep.equal({
      code: 2,
      stderr: 'error: trace.csv:3: duration_s is "ten": give seconds, 0 or more, or take the row out\n',
    });
    expect((await refuseTrace('arrival_s,duration_s,gpu_milli', '0,60')).stderr).to.equal(
      'error: trace.csv:2: gpu_milli is "": give thousandths of a GPU, 0 or more, or take the row out\n',
    );
    expect((await refuseTrace('when,profile')).stderr).to.include(
      'trace.csv:1: the first line must name the columns arrival_s,',
    );
    const unknown = await refuseTrace('arrival_s,duration_s,profile', '0,60,1g.5gb', '5,60,1g.10gb+gfx');
    expect(unknown.code).to.equal(2);
    expect(unknown.stderr).to.match(
      /^error: trace\.csv:3: profile is "1g\.10gb\+gfx", which no GPU here has: give 1g\.5gb, .*7g\.40gb, whole\n$/,
    );
  });

  it('says how many tasks of a trace it leaves out', async () => {
    await save('trace.csv', 'arrival_s,duration_s,profile\n0,60,1g.5gb\n0,0,1g.5gb\n');
    expect((await refuse()).stderr).to.equal(
      'warning: 1 of 2 tasks of trace.csv are left out: they never ran, or asked for several GPUs or none\n',
    );
  });

  it('leaves out tasks without a GPU, with several, and with an end before their start', async () => {
    const shares = ['0,60,0', '0,60,1500', '0,60,500'];
    const published = ['1,500,0,10,5', '0,0,0,10,50', '1.0,500.0,0.0,10.0,50.0'];
    for (const [header, rows] of [
      ['arrival_s,duration_s,gpu_milli', shares],
      ['num_gpu,gpu_milli,creation_time,scheduled_time,deletion_time', published],
    ] as const) {
      await save('trace.csv', [header, ...rows, ''].join('\n'));
      const { figures } = (await ask()).answer.sides[0] ?? {};
      expect(
        figures?.profiles.map(({ profile, pods }) => [profile, pods]),
        header,
      ).to.deep.equal([['3g.20gb', 1]]);
    }
  });

  it('reads cells in quotation marks', async () => {
    await save('trace.csv', '"name", "arrival_s","duration_s","profile"\n"a ""b"", c", "0",60 ,"1g.5gb"\n');
    expect((await ask()).answer.sides[0]?.figures.total.pods).to.equal(1);
  });

  it('plays pods on whole GPUs, of the cluster and of a trace', async () => {
    const slices = [{ name: 'whole', mig: 'Disabled' as const }, { profiles: ['3g.20gb'] }];
    await save('demand.yaml', aPolicyText('p', { demand: { from: 'Pods', slices } }));
    await save('trace.csv', aTrace(3, 'whole'));
    const [now, demand] = (await ask('-f', 'demand.yaml')).answer.sides;
    expect(now?.figures.total).to.include({ started: 0, stillWaiting: 3 });
    expect(demand?.figures.total).to.include({ started: 3, stillWaiting: 0, relayouts: 2 });

    const waits = { containers: [{ name: 'main', resources: { limits: { 'nvidia.com/gpu': '1' } } }] };
    const pod = { metadata: { name: 'w', namespace: 'team', uid: 'w' }, spec: waits, status: { phase: 'Pending' } };
    const nodes = ['n1', 'n2'].map((name) => aFleetNode({ name, slices: halves }));
    await save('cluster.yaml', snapshotYaml(aCluster(nodes, { pods: [pod] })));
    const options = ['simulate', '--snapshot', 'cluster.yaml', '--days', '1', '-f', 'demand.yaml'];
    const [before, after] = (await runJson(options, { cwd: folder.path() })).answer.sides;
    expect(before?.figures.profiles.map(({ profile }) => profile)).to.deep.equal(['whole']);
    expect(before?.figures.total.started).to.equal(0);
    expect(after?.figures.total.started).to.be.above(5);
  });

  it('partitions GPUs without MIG mode', async () => {
    await save('cluster.yaml', snapshotYaml(aCluster(['n1', 'n2'].map((name) => aFleetNode({ name })))));
    const [, small] = (await ask('-f', 'small.yaml')).answer.sides;
    expect(small?.figures.total).to.include({ started: 30, relayouts: 2 });
  });

  it('leaves out nodes of which no GPU is reported, and refuses a cluster that has no others', async () => {
    const bare = aFleetNode({ name: 'n2', gpus: [] });
    await save('cluster.yaml', snapshotYaml(aCluster([aFleetNode({ name: 'n1', slices: halves }), bare])));
    const { code, stdout } = await run([...argv, '-f', 'small.yaml'], { cwd: folder.path() });
    expect(code).to.equal(0);
    expect(stdout.split('\n')[0]).to.equal('1 day, 1 GPU on 1 node, 30 pods, seed 1');
    await save('cluster.yaml', snapshotYaml(aCluster([bare])));
    expect(await refuse()).to.deep.equal({
      code: 2,
      stderr:
        'error: no GPU with MIG to simulate: agents have reported none on 1 GPU node; gpu-partition status says which agents report\n',
    });
  });

  it('draws a row for each profile and policy, and a bar for each day, of several days from a month on', async () => {
    const rows = Array.from({ length: 6 }, (_, day) => `${day * 86_400},3600,${day < 3 ? '3g.20gb' : '1g.5gb'}`);
    await save('trace.csv', ['arrival_s,duration_s,profile', ...rows, ''].join('\n'));
    const draw = async (days: string) => {
      const options = ['simulate', '--snapshot', 'cluster.yaml', '--trace', 'trace.csv', '--days', days];
      return (await run([...options, '-f', 'small.yaml', '-f', 'demand.yaml'], { cwd: folder.path() })).stdout.split(
        '\n',
      );
    };
    const lines = await draw('6');
    expect(lines[2]).to.match(/^ +SERVED /);
    expect(lines[3]).to.match(/^small\.yaml +20\.0 % /);
    const table = lines.slice(lines.findIndex((line) => line.startsWith('SLICE')));
    expect(table[0]).to.match(/^SLICE +PODS +SERVED +MEDIAN WAIT +95 % WAIT +LONGEST +STILL WAITING +EVICTED$/);
    const cells = table.slice(1, 5).map((line) => line.trim().split(/ {2,}/));
    expect(cells.map((row) => row.slice(-8).slice(0, 3))).to.deep.equal([
      ['3', 'small.yaml', '100.0 %'],
      ['demand.yaml', '100.0 %', cells[1]?.at(-5)],
      ['3', 'small.yaml', '0.0 %'],
      ['demand.yaml', '100.0 %', '0'],
    ]);
    const bars = table.slice(table.findIndex((line) => line.startsWith('DAY')) + 1, -1);
    const full = '████████████████████ 100.0 %';
    const none = '···················· 0.0 %';
    expect(bars.map((line) => line.trim().split(/ {2,}/))).to.deep.equal(
      [1, 2, 3, 4, 5, 6].map((day) => [String(day), day < 4 ? none : full, full]),
    );
    const long = (await draw('40')).filter((line) => /^\d+–\d+ /.test(line));
    expect(long.map((line) => line.split(' ')[0]))
      .to.have.length(20)
      .and.to.include.members(['1–2', '39–40']);
  });

  it('refuses three policies, what has no effect without a trace or beside one, and a cluster without GPUs', async () => {
    const three = await refuse('-f', 'small.yaml', '-f', 'small.yaml', '-f', 'small.yaml');
    expect(three).to.deep.include({ code: 2 });
    expect(three.stderr).to.include('at most two -f');
    const alone = async (...options: readonly string[]) =>
      (await run(['simulate', '--snapshot', 'cluster.yaml', ...options], { cwd: folder.path() })).stderr;
    expect(await alone('--load', '0.5')).to.include('--load goes with --trace');
    expect(await alone('--by', 'share')).to.include('--by goes with --trace');
    expect(await alone('--card-memory', '80')).to.include('--card-memory goes with --trace');
    expect((await refuse('--duration', '1h')).stderr).to.include('--duration goes with --arrivals demand');
    await save('cluster.yaml', snapshotYaml(aCluster([])));
    const empty = await refuse();
    expect(empty.stderr).to.include('the snapshot has no Node');
  });

  it('warns of a policy that decides over none of the nodes', async () => {
    const spec = { nodeSelector: { matchLabels: { pool: 'other' } }, layouts: [{ preset: 'all-1g.5gb' }] };
    await save('small.yaml', aPolicyText('other', spec));
    const { code, stderr } = await refuse('-f', 'small.yaml');
    expect(`${code} ${stderr}`).to.equal(
      '0 warning: these nodes are not those of policy other: what is there now is played\n',
    );
  });

  it('says what of a policy it does not play, and plays its schedules', async () => {
    const slices = [{ name: 'whole', mig: 'Disabled' as const, count: 1 }];
    await save('demand.yaml', aPolicyText('p', { demand: { from: 'Pods', slices, rest: 'Balanced' } }));
    const { code, stderr } = await refuse('-f', 'demand.yaml');
    expect(code).to.equal(0);
    expect(stderr.split('\n')).to.deep.equal([
      'warning: demand.rest: Balanced of policy p is not played: idle GPUs stay as they are',
      '',
    ]);
    const schedules = [{ name: 'night', schedule: '0 22 * * *', duration: '8h', layouts: [{ preset: 'all-1g.5gb' }] }];
    await save('small.yaml', aPolicyText('p', { layouts: [{ preset: 'all-balanced' }], schedules }));
    const total = (await ask('-f', 'small.yaml')).answer.sides[1]?.figures.total;
    // Each GPU at the start, at six, and at ten.
    expect(total).to.include({ relayouts: 6, started: 30 });
  });

  it('plays a node that cannot take the policy as it is, and says so with code 1', async () => {
    await save('large.yaml', aPolicyText('p', { layouts: [{ gpus: { count: 2 }, profiles: { '1g.5gb': 7 } }] }));
    const { code, stderr } = await refuse('-f', 'large.yaml');
    expect(code).to.equal(1);
    expect(stderr).to.include('node n1 cannot take policy p, and stays as it is: ');
  });
});
