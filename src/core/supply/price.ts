import type { DemandSlice } from '../demand/pool.ts';
import type { DemandAsked } from './demand-question.ts';
import { isOfProfile } from './pod-demand.ts';
import { nameProfile, sayProfile } from './prospect-words.ts';
import type { Planned, PlannedPool } from './pool-plan.ts';
import type { WantedSlice } from './wanted-slices.ts';

/** A demand in which one slice more comes first, and what its plan says of the price. */
interface PricedDemand {
  readonly asked: DemandAsked;
  /** Whether a plan offers that slice. */
  readonly isMet: (plan: PlannedPool) => boolean;
  /** What goes short for it; undefined if nothing does. */
  readonly describe: (plan: PlannedPool, wanted: readonly WantedSlice[]) => string | undefined;
}

/** No slice of a policy has a name with a space. */
const [asBefore, oneMore] = ['as before', 'one more'];

/** @param lacking a slice that the best plan leaves short */
export function findPrice(asked: DemandAsked, planned: Planned, lacking: DemandSlice, resource: string): PricedDemand {
  const short = planned.shortfall.lacking[lacking.name] ?? 0;
  // More than everything else together.
  const weight = 1 + asked.slices.reduce((sum, one) => sum + one.weight * one.count, 0);
  // Those that the plan offers come first too: else one of them would pass for the one more.
  const kept = { ...lacking, name: asBefore, count: lacking.count - short, weight };
  const profiles = lacking.profiles.filter((profile) => isOfProfile(resource, profile));
  const first = [kept, { name: oneMore, profiles, count: 1, weight }];
  const others = asked.slices.map((one) => (one === lacking ? { ...one, count: short - 1 } : one));
  return {
    asked: { ...asked, slices: [...first, ...others] },
    isMet: ({ unserved }) => first.every(({ name }) => (unserved[name] ?? 0) === 0),
    describe: ({ unserved }, wanted) => {
      const lost = others.flatMap((one) => {
        const count = (unserved[one.name] ?? 0) - (planned.shortfall.lacking[one.name] ?? 0);
        return count > 0
          ? [{ ...one, count, slice: wanted.find(({ slices }) => slices.some(({ name }) => name === one.name)) }]
          : [];
      });
      if (lost.length === 0) return undefined;
      // As the policy has them: what is asked for is put before spare slices.
      const lostWeight = lost.reduce((sum, one) => sum + weightOf(one, wanted) * one.count, 0);
      const own = weightOf(lacking, wanted);
      const names = lost.map(({ slice, name }) => slice?.name ?? name);
      const mine = nameOf(lacking, wanted);
      // More weight of a slice counts as much for what its own min wants.
      const raise = names.every((name) => name === mine) ? '' : `raise the weight of ${mine}, `;
      const words = lost
        .map(({ count, profiles }, index) => `${count} ${names[index]} (${profiles.map(sayProfile).join(', ')})`)
        .join(' and ');
      const why = lostWeight > own ? `weigh ${lostWeight} against ${own}` : `weigh ${lostWeight}, no less than ${own}`;
      return (
        `other slices have its room: to offer one more ${nameProfile(resource)}, ${words} would have to go short, which ${why}: ` +
        `${raise}want fewer ${[...new Set(names)].join(' and ')}, or add GPUs`
      );
    },
  };
}

function nameOf({ name }: DemandSlice, wanted: readonly WantedSlice[]): string {
  return wanted.find(({ slices }) => slices.some((one) => one.name === name))?.name ?? name;
}

function weightOf({ name, weight }: DemandSlice, wanted: readonly WantedSlice[]): number {
  return wanted.flatMap(({ slices }) => slices).find((one) => one.name === name)?.weight ?? weight;
}
