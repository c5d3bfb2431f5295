import { expect } from 'chai';
import * as fc from 'fast-check';
import { type Mover, MoveRooms } from '../../../src/core/supply/move-rooms.ts';

/** What is idle on each node, as `{ n1: 'xxy' }`: one letter for a slice of a profile. */
type Idle = Readonly<Record<string, string>>;

const roomsIn = (idle: Idle): MoveRooms =>
  new MoveRooms(
    Object.entries(idle).flatMap(([node, profiles]) =>
      Array.from(profiles, (profile, start) => ({ node, gpu: 0, profile, start })),
    ),
  );

/** A pod that needs such slices, and that these nodes take. @param asked the nodes that were asked */
function aMover(slices: string, nodes: string, asked: string[] = []): Mover {
  const needs = new Map(
    Object.entries(Object.groupBy(slices, (one) => one)).map(([one, all = []]) => [one, all.length]),
  );
  const takes = (node: string): boolean => asked.push(node) > 0 && nodes.split(' ').includes(node);
  return { kind: `${slices} on ${nodes}`, needs, takes };
}

/** Where each finds room, if they come in this order: a node and the profiles there, or nothing. */
function place(idle: Idle, ...movers: readonly Mover[]): readonly (string | undefined)[] {
  const rooms = roomsIn(idle);
  for (const mover of movers) rooms.place(mover);
  return movers.map((mover) => {
    const given = rooms.of(mover);
    return given && `${given[0]?.node} ${given.map(({ profile }) => profile).join('')}`;
  });
}

describe('room for pods that have to go', () => {
  it('is on a node that has all that a pod needs, of each profile', () => {
    const pod = aMover('xy', 'n1 n2 n3 n4');
    expect(place({ n1: 'xx', n2: 'yy', n3: 'x', n4: 'xy' }, pod)).to.deep.equal(['n4 xy']);
    expect(place({ n1: 'xx', n2: 'yy' }, pod)).to.deep.equal([undefined]);
    expect(place({ n1: 'x', n2: 'x' }, aMover('xx', 'n1 n2'))).to.deep.equal([undefined]);
  });

  it('is made by a pod that moves on, also by one that came before others to its node', () => {
    const pods = [aMover('x', 'n1 n2'), aMover('x', 'n1'), aMover('x', 'n1')];
    expect(place({ n1: 'xx', n2: 'x' }, ...pods)).to.deep.equal(['n2 x', 'n1 x', 'n1 x']);
  });

  it('is not made on a node that does not take the pod, or where one that moves on leaves too little', () => {
    const [any, elsewhere, large] = [aMover('x', 'n1 n2'), aMover('x', 'n3'), aMover('xx', 'n1')];
    expect(place({ n1: 'x', n2: 'x' }, any, elsewhere)).to.deep.equal(['n1 x', undefined]);
    expect(place({ n1: 'x', n2: 'x' }, any, large)).to.deep.equal(['n1 x', undefined]);
  });

  it('is not made by a pod that would move on to the node that it leaves', () => {
    const [one, other] = [aMover('x', 'n1'), aMover('x', 'n1 n3')];
    expect(place({ n1: 'xxx' }, one, other, aMover('xx', 'n1'))).to.deep.equal(['n1 x', 'n1 x', undefined]);
    const pods = [aMover('xx', 'n1'), aMover('x', 'n1 n2'), aMover('xxx', 'n1')];
    expect(place({ n1: 'xxxx', n2: 'x' }, ...pods)).to.deep.equal(['n1 xx', 'n1 x', undefined]);
  });

  it('is sought once for pods of one kind if there is none, and among other pods once for each kind', () => {
    const [asked, of]: string[][] = [[], []];
    const nodes = ['n1', 'n2', 'n3', 'n4'].join(' ');
    const guests = [1, 2, 3, 4].map(() => aMover('x', nodes, of));
    const rooms = roomsIn({ n1: 'x', n2: 'x', n3: 'x', n4: 'x' });
    for (const guest of guests) rooms.place(guest);
    of?.splice(0);
    for (const _ of [1, 2]) rooms.place(aMover('x', `${nodes} n5`, asked));
    expect(asked).to.deep.equal(['n1']);
    expect(of).to.deep.equal([]);
  });

  const nodes = ['n1', 'n2', 'n3', 'n4'];
  const anyIdle = fc.record(
    Object.fromEntries(nodes.map((node) => [node, fc.constantFrom('', 'x', 'xx', 'xy', 'xxxyy')])),
  );
  const anyMover = (slices: readonly string[]) =>
    fc
      .tuple(fc.constantFrom(...slices), fc.subarray(nodes, { minLength: 1 }))
      .map(([needs, taking]) => aMover(needs, taking.join(' ')));

  it('is all that a pod needs, on one node that takes it, and no slice is promised twice', () => {
    fc.assert(
      fc.property(anyIdle, fc.array(anyMover(['x', 'y', 'xx', 'xy', 'xxy']), { maxLength: 8 }), (idle, movers) => {
        const rooms = roomsIn(idle);
        for (const mover of movers) rooms.place(mover);
        const given = movers.flatMap((mover) => {
          const places = rooms.of(mover);
          if (places === undefined) return [];
          const counts = Object.entries(Object.groupBy(places, ({ profile }) => profile));
          expect(counts.map(([profile, all = []]) => [profile, all.length])).to.have.deep.members([...mover.needs]);
          expect(places.every(({ node }) => node === places[0]?.node && mover.takes(node))).to.equal(true);
          return places.map(({ node, start }) => `${node} ${start}`);
        });
        expect(new Set(given).size).to.equal(given.length);
      }),
      { numRuns: 300 },
    );
  });

  it('is found for as many pods with one slice as there is room for', () => {
    fc.assert(
      fc.property(anyIdle, fc.array(anyMover(['x']), { maxLength: 6 }), (idle, movers) => {
        const most = (left: Idle, [first, ...others]: readonly Mover[]): number => {
          if (first === undefined) return 0;
          const ways = nodes
            .filter((node) => first.takes(node) && left[node]?.includes('x') === true)
            .map((node) => 1 + most({ ...left, [node]: left[node]?.replace('x', '') ?? '' }, others));
          return Math.max(most(left, others), ...ways);
        };
        expect(place(idle, ...movers).filter((one) => one !== undefined)).to.have.length(most(idle, movers));
      }),
      { numRuns: 200 },
    );
  });
});
