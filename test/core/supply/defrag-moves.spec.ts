import { expect } from 'chai';
import type { GpuReport } from '../../../src/api/types.ts';
import { askToFree } from '../../../src/core/supply/defrag.ts';
import { listMoves, explainMoves, type SlicePlace } from '../../../src/core/supply/defrag-moves.ts';
import { listMembers } from '../../../src/core/supply/member.ts';
import { aGpu, withPods } from '../../support/builders.ts';
import { aFleetNode, aTeamPod } from '../plan/cluster-builder.ts';
import { aDemandPolicy, evictingPolicy as policy, membersOf, planSmall as plan, scattered } from './defrag-builders.ts';
import type { PodView } from '../../../src/core/pods/pod-view.ts';

/** A node with so many idle slices. */
const idle = (name: string, count: number) =>
  aFleetNode({ name, slices: Array.from({ length: count }, (_, start) => `1g.5gb@${start}`) }, policy);

/** The nodes on which each pod finds room, if everything in use goes. @param looked the nodes at which it is looked */
function roomsOf(
  fleet: readonly ReturnType<typeof aFleetNode>[],
  podOf: (name: string) => PodView | undefined = () => undefined,
  looked: string[] = [],
) {
  const partitions = new Map(fleet.map(({ partition }) => [partition.metadata.name, partition]));
  const nodes = new Map(fleet.map(({ node }) => [node.metadata.name, node]));
  const get = nodes.get.bind(nodes);
  nodes.get = (name) => {
    looked.push(name);
    return get(name);
  };
  const members = membersOf(fleet);
  const layouts = members.map(({ gpu: { instances } }) => ({
    keep: instances.filter(({ busy }) => !busy),
    destroy: instances.filter(({ busy }) => busy),
    create: [],
  }));
  const moves = listMoves({ members, layouts, partitionOf: (node) => partitions.get(node) }, nodes, podOf);
  return Object.fromEntries(moves.map(({ pod, to }) => [pod, to?.map(({ node }) => node)]));
}

describe('the moves of a plan', () => {
  const nodes = new Map(scattered.map(({ node }) => [node.metadata.name, node]));
  const partitions = new Map(scattered.map(({ partition }) => [partition.metadata.name, partition]));
  const partitionOf = (node: string) => partitions.get(node);
  const members = membersOf(scattered);
  const { layouts } = plan(members, askToFree({ slices: [], evict: 'IfNeeded' }, { '7g.40gb': 1 }, members));
  const pool = { members, layouts, partitionOf };

  it('name each pod that goes, where from, and an idle slice of its profile', () => {
    const moves = listMoves(pool, nodes, () => undefined);
    expect(moves.map(({ pod, from }) => [pod, from])).to.deep.equal([
      ['team/d', [{ node: 'n2', gpu: 0, profile: '1g.5gb', start: 0 }]],
    ]);
    expect(moves[0]?.to?.map(({ node, profile }) => [node, profile])).to.deep.equal([['n1', '1g.5gb']]);
  });

  it('say where a pod finds nothing that its own rules allow', () => {
    const pinned = { ...aTeamPod('d'), spec: { nodeSelector: { zone: 'b' }, containers: [] } };
    expect(listMoves(pool, nodes, () => pinned)[0]?.to).to.equal(undefined);
  });

  it('leave the only room of a pod to it, whatever the order of names', () => {
    const fleet = [
      idle('n1', 1),
      idle('n2', 1),
      idle('n3', 1),
      aFleetNode(
        {
          name: 'n4',
          slices: ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2'],
          pods: { '1g.5gb@0': ['a'], '1g.5gb@1': ['b'], '1g.5gb@2': ['c'] },
        },
        policy,
      ),
    ];
    const zones: Readonly<Record<string, readonly string[]>> = { a: ['n1', 'n2', 'n3'], b: ['n1', 'n2'], c: ['n1'] };
    const only = (name: string) => {
      const values = zones[name.replace('team/', '')] ?? [];
      const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values }] }];
      const affinity = {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
      };
      return { ...aTeamPod(name), spec: { affinity, containers: [] } };
    };
    expect(roomsOf(fleet, only)).to.deep.equal({ 'team/a': ['n3'], 'team/b': ['n2'], 'team/c': ['n1'] });
  });

  it('leave a node that has room for a pod with several slices to it', () => {
    const fleet = [
      idle('n1', 2),
      idle('n2', 1),
      idle('n3', 1),
      aFleetNode(
        {
          name: 'n4',
          slices: ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2', '1g.5gb@3'],
          pods: { '1g.5gb@0': ['a'], '1g.5gb@1': ['b'], '1g.5gb@2': ['c'], '1g.5gb@3': ['c'] },
        },
        policy,
      ),
    ];
    expect(roomsOf(fleet)).to.deep.equal({ 'team/a': ['n2'], 'team/b': ['n3'], 'team/c': ['n1', 'n1'] });
  });

  it('find room for a small pod where one with more slices finds none, and ask each node once for both', () => {
    const slices = ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2'];
    const pods = { '1g.5gb@0': ['a'], '1g.5gb@1': ['b'], '1g.5gb@2': ['b'] };
    const holding = aFleetNode({ name: 'n3', slices, pods }, policy);
    expect(roomsOf([idle('n1', 1), holding])).to.deep.equal({ 'team/a': ['n1'], 'team/b': undefined });
    const looked: string[] = [];
    const pinned = (name: string) => ({ ...aTeamPod(name), spec: { nodeSelector: { zone: 'b' }, containers: [] } });
    roomsOf([idle('n1', 2), idle('n2', 2), holding], pinned, looked);
    expect(looked.toSorted()).to.deep.equal(['n1', 'n2']);
  });

  it('give the last room to the pod whose name comes first', () => {
    const at = (name: string, pod: string) =>
      aFleetNode({ name, slices: ['1g.5gb@0'], pods: { '1g.5gb@0': [pod] } }, policy);
    expect(roomsOf([at('n1', 'b'), at('n2', 'a'), idle('n3', 1)])).to.deep.equal({
      'team/a': ['n3'],
      'team/b': undefined,
    });
  });

  it('count a slice in use that stays as room only once all pods that are known to hold it have gone', () => {
    const roomFor = (holders: Readonly<Record<string, readonly string[]>>): readonly SlicePlace[] | undefined => {
      const gpu = withPods(aGpu({ slices: ['3g.20gb@0*', '3g.20gb@4*'] }), holders);
      const fleet = [aFleetNode({ name: 'n1', gpus: [gpu] }, policy)];
      const [member] = membersOf(fleet);
      const [destroy = [], keep = []] = [member?.present.slice(0, 1), member?.present.slice(1)];
      const laid = { members: membersOf(fleet), layouts: [{ keep, destroy, create: [] }] };
      const moves = listMoves({ ...laid, partitionOf: () => fleet[0]?.partition }, new Map(), () => undefined);
      return moves.find(({ pod }) => pod === 'team/a')?.to;
    };
    const place = { node: 'n1', gpu: 0, profile: '3g.20gb', start: 4 };
    expect(roomFor({ '3g.20gb@0': ['team/a', 'team/b'], '3g.20gb@4': ['team/b'] }), 'b goes too').to.deep.equal([
      place,
    ]);
    expect(roomFor({ '3g.20gb@0': ['team/a'], '3g.20gb@4': ['team/c'] }), 'c stays').to.equal(undefined);
    expect(roomFor({ '3g.20gb@0': ['team/a', 'team/b'], '3g.20gb@4': ['team/b', 'team/c'] })).to.equal(undefined);
    expect(roomFor({ '3g.20gb@0': ['team/a'] }), 'nobody knows who holds it').to.equal(undefined);
  });

  it('are of the pods that hold a whole GPU, in MIG mode too, as under strategy none of the plugin', () => {
    const takenFrom = (gpu: GpuReport) => {
      const { node, partition } = aFleetNode({ name: 'n1', gpus: [gpu] }, wholes);
      const all = listMembers(wholes, partition, { isResting: () => false });
      const gone = all.map(({ gpu: { instances } }) => ({ keep: [], destroy: instances, create: [] }));
      const taken = { members: all, layouts: gone, partitionOf: () => partition };
      const moves = listMoves(taken, new Map([['n1', node]]), () => undefined);
      return {
        moved: moves.map(({ pod }) => pod),
        unnamed: explainMoves(taken, []).map((why) => / (\S+) at /.exec(why)?.[1]),
      };
    };
    const wholes = aDemandPolicy({ slices: [{ mig: 'Disabled', count: 1 }] });
    const held = { busy: true, pods: ['team/a'] };
    expect(takenFrom(aGpu(held))).to.deep.equal({ moved: ['team/a'], unnamed: [] });
    expect(takenFrom(aGpu({ ...held, slices: ['3g.20gb@0'] }))).to.deep.equal({ moved: ['team/a'], unnamed: [] });
  });

  it('are sought once for pods that no node takes, however many they are', () => {
    const fleet = Array.from({ length: 20 }, (_, at) =>
      aFleetNode({ name: `n${at}`, slices: ['1g.5gb@0', '1g.5gb@1'], pods: { '1g.5gb@0': [`p${at}`] } }, policy),
    );
    const looked: string[] = [];
    const pinned = (name: string) => ({ ...aTeamPod(name), spec: { nodeSelector: { zone: 'b' }, containers: [] } });
    roomsOf(fleet, pinned, looked);
    expect(looked).to.have.length(20);
  });

  it('look at no more nodes for each pod than it takes to find room', () => {
    const fleet = Array.from({ length: 40 }, (_, at) =>
      aFleetNode({ name: `n${at}`, slices: ['1g.5gb@0', '1g.5gb@1'], pods: { '1g.5gb@0': [`p${at}`] } }, policy),
    );
    const byName = new Map(fleet.map(({ partition }) => [partition.metadata.name, partition]));
    const all = membersOf(fleet);
    const evicting = all.map(({ gpu: { instances } }) => {
      const [busy = [], idle = []] = [true, false].map((is) => instances.filter((one) => one.busy === is));
      return { keep: idle, destroy: busy, create: [] };
    });
    const looked: string[] = [];
    const counted = new Map(fleet.map(({ node }) => [node.metadata.name, node]));
    counted.get = (name) => void looked.push(name);
    const pods = { members: all, layouts: evicting, partitionOf: (node: string) => byName.get(node) };
    expect(listMoves(pods, counted, () => undefined).flatMap(({ to = [] }) => to)).to.have.length(40);
    expect(looked).to.have.length(40);
  });

  it('tell of slices in use that no pod is known to hold', () => {
    expect(explainMoves(pool, [])).to.deep.equal([]);
    const unnamed = scattered.map(({ partition }) => ({
      ...partition,
      status: {
        device: {
          ...partition.status?.device,
          gpus: partition.status?.device?.gpus?.map((gpu) => ({
            ...gpu,
            instances: gpu.instances.map(({ pods: _pods, ...one }) => one),
          })),
        },
      },
    }));
    const byName = new Map(unnamed.map((one) => [one.metadata.name, one]));
    expect(explainMoves({ ...pool, partitionOf: (node) => byName.get(node) as never }, [])).to.deep.equal([
      'node n2: GPU 0: 1g.5gb at 0 is in use by something that belongs to no pod, which nothing can move',
    ]);
  });
});
