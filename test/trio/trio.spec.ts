import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { Random } from '../model/random.ts';
import { readEndState } from '../support/end-state.ts';
import { eventually } from '../support/eventually.ts';
import type { EarlierList } from '../support/fault.ts';
import { useRig } from '../support/rig.ts';
import { describeWriteOf, isOfChange, listPerturbations, type Perturbation, Trigger } from './perturbation.ts';

const nodes: readonly RigNode[] = [{ name: 'n', gpus: ['A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed' }];
const layouts = [
  { '3g.20gb': 1, '2g.10gb': 1 },
  { '3g.20gb': 1, '1g.5gb': 2 },
] as const;

const controller = 'controller-0';
const agent = 'n';
const group = '/apis/gpupartition.dev/v1alpha1';
const lists = {
  nodes: '/api/v1/nodes',
  gpunodepartitions: `${group}/gpunodepartitions`,
  gpupartitionpolicies: `${group}/gpupartitionpolicies`,
};

/** How long a server lags behind a program that has just started. */
const lagMs = 1_500;
/** `make trio` plays all of them; else a sample, drawn by this seed. */
const isWhole = process.env['TRIO'] === 'all';
const sampleSize = 8;
const seed = Number(process.env['TRIO_SEED'] ?? 1);

describe('a change in which a program is killed between two writes, restarts at a server that lags, or misses what happened', function () {
  const rig = useRig(nodes, { proxied: [controller, agent] });
  /** How a change to each layout ends that nobody disturbs. */
  const usual = new Map<number, unknown>();
  const writes = new Map<string, string[]>();
  let current = 0;

  async function change(): Promise<unknown> {
    const before = await countDestroyed();
    current = 1 - current;
    await rig().apply('p', {
      nodeSelector: { matchLabels: { pool: 'p' } },
      layouts: [{ profiles: layouts[current] ?? {} }],
    });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    await eventually(
      () => rig().partition('n'),
      ({ status, spec }) => status?.phase === 'Ready' && status.device?.observedEpoch === spec.granted?.epoch,
      { timeoutMs: 15_000, what: 'the status of the node' },
    );
    return { ...(await readEndState(rig(), 'n')), destroyed: (await countDestroyed()) - before };
  }

  const countDestroyed = async (): Promise<number> =>
    (await rig().rig.deviceOperations('n')).filter((argv) => argv.includes('-dgi')).length;

  async function readLists(): Promise<ReadonlyMap<string, EarlierList>> {
    const read = async ([resource, path]: readonly [string, string]): Promise<[string, EarlierList]> => [
      resource,
      (await rig().controlPlane.client.demand({ path })) as EarlierList,
    ];
    return new Map(await Promise.all(Object.entries(lists).map(read)));
  }

  /** @returns how the change ended, and whether the write came: those of a policy's status are joined, so that their number varies */
  async function disturb(perturbation: Perturbation): Promise<{ readonly result: unknown; readonly struck: boolean }> {
    const { program, kind } = perturbation;
    const proxy = rig().proxy(program);
    const process = program === agent ? rig().rig.agent(agent) : rig().rig.controller;
    const struck = Promise.withResolvers<void>();
    const trigger = new Trigger(perturbation, await readLists(), struck.resolve);
    const seen = proxy.requests.length;
    proxy.rule = trigger.rule;
    // The events of watches that are already open cannot be skipped.
    if (kind === 'Events skipped') {
      proxy.reset();
      await eventually(
        () => proxy.requests.slice(seen).filter(({ verb }) => verb === 'watch').length,
        (count) => count >= (program === agent ? 1 : 3),
        { timeoutMs: 15_000, what: 'watches of the program' },
      );
    }
    const restart = async (): Promise<void> => {
      await struck.promise;
      if (kind === 'Events skipped') return;
      await process.stop('SIGKILL');
      process.start();
      if (kind !== 'Stale at restart') return;
      await pause(lagMs);
      trigger.catchUp();
      proxy.reset();
    };
    const restarted = restart();
    try {
      const result = await change();
      expect(trigger.count, 'times that it struck').to.be.at.most(1);
      if (trigger.count === 1) await restarted;
      return { result, struck: trigger.count === 1 };
    } finally {
      proxy.rule = () => undefined;
    }
  }

  before(async function () {
    this.timeout(600_000);
    await change();
    for (const _ of layouts) {
      for (const program of [controller, agent]) writes.set(program, []);
      const from = new Map([controller, agent].map((program) => [program, rig().proxy(program).requests.length]));
      const result = await change();
      usual.set(current, result);
      for (const [program, list] of writes)
        list.push(...rig().proxy(program).requests.slice(from.get(program)).filter(isOfChange).map(describeWriteOf));
    }
  });

  it(`ends as one that nobody disturbs, for ${isWhole ? 'every write and kind' : `a sample of ${sampleSize} by seed ${seed}`}`, async function () {
    const all = listPerturbations(writes);
    expect(all.length).to.be.above(20);
    const random = new Random(seed);
    const drawn = all
      .map((one) => ({ one, at: random.next() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ one }) => one);
    const different: string[] = [];
    const missed: string[] = [];
    let tried = 0;
    for (const one of isWhole ? all : drawn) {
      if (!isWhole && tried - missed.length === sampleSize) break;
      tried += 1;
      const name = `${one.kind}: ${one.program}, write ${one.at} (${one.write})`;
      const { result, struck } = await disturb(one).catch((error: unknown) => ({
        result: { error: String(error) },
        struck: true,
      }));
      if (!struck) missed.push(name);
      try {
        expect(result).to.deep.equal(usual.get(current));
      } catch {
        different.push(`${name}: ${JSON.stringify(result)} instead of ${JSON.stringify(usual.get(current))}`);
      }
      if (isWhole) process.stderr.write(`${name}\n`);
    }
    expect(different, different.join('\n')).to.deep.equal([]);
    expect(missed.length, missed.join('; ')).to.be.at.most(tried / 4);
  }).timeout(isWhole ? 3_600_000 : 240_000);
});
