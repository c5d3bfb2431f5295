import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import type { GpuPartitionPolicy, PolicySpec } from '../../src/api/types.ts';
import type { SimulationView } from '../../src/core/view/simulation-screen.ts';
import { aCluster, aFleetNode } from '../core/plan/cluster-builder.ts';
import { jsonRunner, run } from './run.ts';
import { snapshotYaml } from './snapshot-text.ts';

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
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'simulate-'));
    const nodes = ['n1', 'n2'].map((name) => aFleetNode({ name, slices: halves }));
    await save('cluster.yaml', snapshotYaml(aCluster(nodes)));
    await save('trace.csv', aTrace(30, '1g.5gb'));
    const slices = [{ name: 'small', profiles: ['1g.5gb'], spare: 2 }];
    await save('demand.yaml', aPolicyText('p', { demand: { from: 'Pods', slices } }));
    await save('small.yaml', aPolicyText('p', { layouts: [{ preset: 'all-1g.5gb' }] }));
  });
  afterEach(async () => rm(folder, { recursive: true }));

  const save = (name: string, text: string) => writeFile(join(folder, name), text);
  const argv = ['simulate', '--snapshot', 'cluster.yaml', '--trace', 'trace.csv', '--days', '1'];
  const ask = async (...options: readonly string[]) => runJson([...argv, ...options], { cwd: folder });
  const refuse = async (...options: readonly string[]) => {
    const { code, stderr } = await run([...argv, ...options], { cwd: folder });
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
    const { stdout } = await run([...argv, '-f', 'demand.yaml'], { cwd: folder });
    const lines = stdout.split('\n');
    expect(lines[0]).to.equal('1 day, 2 GPUs on 2 nodes, 30 pods, seed 1');
    expect(lines[2]).to.match(/^ +SERVED +MEDIAN WAIT +95 % WAIT +LONGEST +WAIT STILL +EVICTED +LOST +GPUS RE-LAID$/);
    expect(lines[3]).to.match(/^now +0\.0 % +21 h 40 min +\S+ h( \d+ min)? +\S+ h( \d+ min)? +30 +0 +0\.0 % +0$/);
    const demand = /^demand\.yaml +(\S+ %) +/.exec(lines[4] ?? '')?.[1] ?? '';
    expect(lines[7]).to.match(/^1g\.5gb +30 +now +0\.0 %/);
    expect(lines[8]).to.match(new RegExp(`^ +demand\\.yaml +${demand}`));
    expect(lines.slice(-3)).to.deep.equal([
      'DAY  now                         demand.yaml',
      `1    ···················· 0.0 %  ████████████████████ ${demand}`,
      '',
    ]);
    const csv = (await run([...argv, '-f', 'demand.yaml', '-o', 'csv'], { cwd: folder })).stdout.trim().split('\n');
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
      return (await runJson([...options, '--seed', String(seed)], { cwd: folder })).answer.sides[0]?.figures;
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

  it('names the line of a trace that it cannot read, and a profile that no GPU has', async () => {
    await save('trace.csv', 'arrival_s,duration_s,profile\n0,ten,1g.5gb\n');
    expect(await refuse()).to.deep.equal({
      code: 2,
      stderr: 'error: trace.csv:2: duration_s is "ten", and must be a number from 0\n',
    });
    await save('trace.csv', 'when,profile\n');
    expect((await refuse()).stderr).to.include('trace.csv:1: the first line must name the columns arrival_s,');
    await save('trace.csv', aTrace(1, '1g.10gb+gfx'));
    const unknown = await refuse();
    expect(unknown.code).to.equal(2);
    expect(unknown.stderr).to.include('asks for "1g.10gb+gfx", which no GPU here has; they have 1g.5gb');
  });

  it('refuses three policies, a load without a trace, and a cluster without GPUs', async () => {
    const three = await refuse('-f', 'small.yaml', '-f', 'small.yaml', '-f', 'small.yaml');
    expect(three).to.deep.include({ code: 2 });
    expect(three.stderr).to.include('at most two -f');
    const load = await run(['simulate', '--snapshot', 'cluster.yaml', '--load', '0.5'], { cwd: folder });
    expect(load.stderr).to.include('--load goes with --trace');
    await save('cluster.yaml', snapshotYaml(aCluster([])));
    const empty = await refuse();
    expect(empty.stderr).to.include('the snapshot has no Node');
  });

  it('says what of a policy it does not play, and plays its schedules', async () => {
    const slices = [{ name: 'whole', mig: 'Disabled' as const, count: 1 }];
    await save('demand.yaml', aPolicyText('p', { demand: { from: 'Pods', slices, rest: 'Balanced' } }));
    const { code, stderr } = await refuse('-f', 'demand.yaml');
    expect(code).to.equal(0);
    expect(stderr.split('\n')).to.deep.equal([
      'warning: demand.rest: Balanced of policy p is not played: idle GPUs stay as they are',
      'warning: pods on the whole GPUs of policy p are not played: these GPUs stay idle',
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
