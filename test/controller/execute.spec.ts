import { expect } from 'chai';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../src/api/types.ts';
import { AgentPods } from '../../src/controller/node-notifier.ts';
import { Cluster } from '../../src/controller/cluster.ts';
import { Executor } from '../../src/controller/execute.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import type { Command } from '../../src/core/node/commands.ts';
import { Fleet } from '../../src/core/policy/fleet.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import { type KubeObject, ObjectStore } from '../../src/kube/watch.ts';
import { silentLogger } from '../../src/process/log.ts';
import { aSnapshot, noMemory } from '../support/node-builders.ts';

/** Answers for pods, by name: an error, or that they go. */
class PodClient extends KubeClient {
  readonly asked: string[] = [];
  readonly #answers: Readonly<Record<string, Error>>;

  constructor(answers: Readonly<Record<string, Error>>) {
    super(new PooledKubeConfig(), 'test');
    this.#answers = answers;
  }

  override async delete(...[{ name }, { preconditions, gracePeriodSeconds } = {}]: Parameters<KubeClient['delete']>) {
    this.asked.push(`delete ${name} ${preconditions?.uid} ${gracePeriodSeconds}`);
    return this.#answer(name) === undefined;
  }

  override async patch<T extends KubeObject>(...[{ name }, operations]: Parameters<KubeClient['patch']>): Promise<T> {
    this.asked.push(`patch ${name} ${JSON.stringify(operations)}`);
    this.#answer(name);
    return { metadata: { name, resourceVersion: '2' } } as T;
  }

  override async createSubresource(...[{ name }]: Parameters<KubeClient['createSubresource']>) {
    this.asked.push(`evict ${name}`);
    return this.#answer(name);
  }

  #answer(name: string): undefined {
    const error = this.#answers[name];
    if (error) throw error;
    return undefined;
  }
}

function refusal(code: number, text: string): ApiError {
  const causes = code === 429 ? [{ reason: 'DisruptionBudget', message: 'The budget x needs 2' }] : [];
  return new ApiError({ request: 'POST /x', code, reason: 'Refused', text, details: { causes } });
}

function anExecutor(answers: Readonly<Record<string, Error>>) {
  const client = new PodClient(answers);
  const cluster = new Cluster({
    policies: new ObjectStore<GpuPartitionPolicy & KubeObject>(),
    nodes: new ObjectStore<NodeObject>(),
    partitions: new ObjectStore<GpuNodePartition & KubeObject>(),
    fleet: new Fleet({ sharing: false }),
    agents: new AgentPods(),
  });
  const executor = new Executor({ client, cluster, configFiles: undefined, log: silentLogger, now: () => 7 });
  return {
    client,
    cluster,
    execute: (commands: readonly Command[]) => executor.execute(commands, aSnapshot(), noMemory),
  };
}

const pod = (name: string) => ({ namespace: 'team', name, uid: `uid-${name}` });
const evict = (name: string): Command => ({ name: 'EvictPod', pod: pod(name), round: 1, owner: 'set' });
const remove = (name: string): Command => ({ name: 'DeletePod', pod: pod(name), graceSeconds: 30 });

describe('Executor', () => {
  it('changes no other node of the same name', async () => {
    const { client, execute } = anExecutor({});
    await execute([{ name: 'PatchNode', change: { labels: { 'gpupartition.dev/state': 'ready' } } }]);
    expect(client.asked).to.have.lengthOf(1);
    expect(client.asked[0]).to.include('patch n [{"op":"test","path":"/metadata/uid","value":"uid-n"},');
  });

  for (const [words, code, isUncertain] of [
    ['no answer', 0, true],
    ['the answer of a server that had trouble', 504, true],
    ['a refusal', 409, false],
  ] as const)
    it(`${isUncertain ? 'doubts' : 'does not doubt'} what the watch shows of a Node after ${words}`, async () => {
      const { cluster, execute } = anExecutor({ n: refusal(code, 'sorry') });
      const error = await execute([
        { name: 'PatchNode', change: { labels: { 'gpupartition.dev/state': 'ready' } } },
      ]).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(ApiError);
      expect(cluster.nodes.isUncertain('n')).to.equal(isUncertain);
    });

  it('keeps what the API server says of each eviction, in its own words, and lets no refusal keep the others', async () => {
    const { client, execute } = anExecutor({
      a: refusal(429, 'it would violate the budget.'),
      b: refusal(500, 'This pod has more than one PodDisruptionBudget'),
      c: refusal(404, 'gone'),
      d: refusal(409, 'another uid'),
    });
    const { evictions } = (await execute(['a', 'b', 'c', 'd', 'e'].map(evict))).memory;
    expect(client.asked).to.have.members(['evict a', 'evict b', 'evict c', 'evict d', 'evict e']);
    const known = { at: 7, round: 1, owner: 'set' };
    expect(evictions).to.deep.equal({
      'uid-a': { ...known, refusal: 'it would violate the budget. The budget x needs 2' },
      'uid-b': { ...known, refusal: 'This pod has more than one PodDisruptionBudget' },
      'uid-c': { ...known, refusal: undefined },
      'uid-d': { ...known, refusal: undefined },
      'uid-e': { ...known, refusal: undefined },
    });
  });

  it('does the same of each deletion by force: one pod that must stay keeps no other', async () => {
    const { client, execute } = anExecutor({
      a: refusal(403, 'no pod of this namespace goes'),
      c: refusal(409, 'uid'),
    });
    const { evictions } = (await execute(['a', 'b', 'c'].map(remove))).memory;
    expect(client.asked).to.have.members(['delete a uid-a 30', 'delete b uid-b 30', 'delete c uid-c 30']);
    expect(Object.values(evictions).map(({ at, refusal: why }) => [at, why])).to.deep.equal([
      [7, 'no pod of this namespace goes'],
      [7, undefined],
      [7, undefined],
    ]);
  });

  it('takes no answer for no refusal, remembers that it has asked, and what it was told of the others', async () => {
    const { execute } = anExecutor({ a: refusal(0, 'no answer'), b: refusal(429, 'not now.') });
    for (const command of [evict, remove]) {
      const { memory, unanswered } = await execute(['a', 'b', 'c'].map(command));
      expect(unanswered).to.be.instanceOf(ApiError).and.have.property('text', 'no answer');
      expect(Object.entries(memory.evictions).map(([uid, one]) => [uid, one.at, one.refusal])).to.deep.equal([
        ['uid-a', 7, undefined],
        ['uid-b', 7, 'not now. The budget x needs 2'],
        ['uid-c', 7, undefined],
      ]);
    }
  });
});
