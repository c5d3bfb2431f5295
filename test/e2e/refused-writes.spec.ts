import { expect } from 'chai';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { aStatus, type RequestFault } from '../support/fault.ts';
import { eventually } from '../support/eventually.ts';
import { ownTaints, useRig } from '../support/rig.ts';
import type { SeenRequest } from '../support/seen-request.ts';

const name = 'n';
const nodes: readonly RigNode[] = [{ name, gpus: ['A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed' }];
const programs = ['controller-0', name] as const;
const writing: readonly SeenRequest['verb'][] = ['create', 'update', 'patch', 'delete'];

describe('an API server that refuses writes and answers reads @all', function () {
  const rig = useRig(nodes, { proxied: programs });

  const ask = (profiles: Readonly<Record<string, number>>): Promise<void> =>
    rig().apply('p', { nodeSelector: { matchLabels: { pool: 'p' } }, layouts: [{ profiles }] });
  const operations = async (): Promise<number> => (await rig().rig.deviceOperations(name)).length;
  /** Since when the agent has its grant, writes are refused that match. @returns how many were, by program */
  function refuse(fault: RequestFault, matches: (request: SeenRequest) => boolean): ReadonlyMap<string, number> {
    const refused = new Map<string, number>(programs.map((program) => [program, 0]));
    let hasBegun = false;
    for (const program of programs)
      rig().proxy(program).rule = (request) => {
        // The agent's last look before it destroys.
        hasBegun ||= program === name && request.verb === 'get' && request.resource === 'gpunodepartitions';
        if (!hasBegun || !writing.includes(request.verb) || !matches(request)) return undefined;
        refused.set(program, (refused.get(program) ?? 0) + 1);
        return fault;
      };
    return refused;
  }

  function heal(): void {
    for (const program of programs) rig().proxy(program).rule = () => undefined;
  }

  before(async () => {
    await ask({ '3g.20gb': 2 });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 90_000);
  });

  it('as etcd over its quota does, has an agent that finishes its change, and a node that stays closed until that is told', async () => {
    const before = await operations();
    const full = {
      status: 500,
      body: aStatus(500, 'InternalError', { message: 'etcdserver: mvcc: database space exceeded' }),
    };
    const refused = refuse(full, () => true);
    await ask({ '1g.5gb': 7 });
    await eventually(
      () => [...refused.values()],
      (counts) => counts.every((count) => count >= 3),
      { timeoutMs: 90_000, what: 'refused writes of both programs' },
    );
    const { spec, status } = await rig().partition(name);
    expect(status?.device?.observedEpoch, 'epoch that was answered').to.be.below(spec.granted?.epoch ?? 0);
    expect(ownTaints(await rig().node(name))).to.deep.equal(['gpupartition.dev/repartitioning']);
    const done = await operations();
    expect(done, 'operations on the device').to.be.above(before);
    heal();
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 90_000);
    expect(await operations(), 'operations in the end').to.equal(done);
    expect(ownTaints(await rig().node(name))).to.deep.equal([]);
  });

  it('as an admission webhook of others does that is down, keeps the node closed, and nothing is changed twice', async () => {
    const message = 'failed calling webhook "nodes.example.com": dial tcp 10.0.0.1:443: connect: connection refused';
    const down = { status: 500, body: aStatus(500, 'InternalError', { message }) };
    const refused = refuse(down, ({ resource }) => resource === 'nodes');
    await ask({ '3g.20gb': 2 });
    await eventually(
      () => refused.get('controller-0') ?? 0,
      (count) => count >= 3,
      { timeoutMs: 90_000, what: 'refused writes to the node' },
    );
    expect(ownTaints(await rig().node(name))).to.deep.equal(['gpupartition.dev/repartitioning']);
    const done = await operations();
    heal();
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 90_000);
    expect(await operations(), 'operations in the end').to.equal(done);
    expect(ownTaints(await rig().node(name))).to.deep.equal([]);
  });
});
