import type { Highs } from 'highs';
import type { DemandSlice, EvictionRule, PoolGpu } from '../../../../src/core/demand/solver/pool.ts';
import { type Figures, listWays } from './brute-force.ts';

/**
 * The best figures by a program of another form than the planner's: a variable for each GPU and each way to re-lay it, written as
 * text in CPLEX's LP format, one solve for each figure with those before it fixed.
 */
export function solvePerGpu(
  highs: Highs,
  gpus: readonly PoolGpu[],
  slices: readonly DemandSlice[],
  evict: EvictionRule,
): Figures {
  const profiles = [...new Set(slices.flatMap((slice) => slice.profiles))];
  const ways = gpus.map((gpu) => listWays(gpu, profiles, evict));
  const each = ways.flatMap((list, gpu) => list.map((way, index) => ({ name: `x_${gpu}_${index}`, way })));
  const gives = slices.map((slice, index) =>
    slice.profiles.map((name) => ({ name: `y_${index}_${profiles.indexOf(name)}`, profile: profiles.indexOf(name) })),
  );
  const objectives = [
    sum(slices.map(({ weight }, index) => [weight, `u_${index}`])),
    ...[0, 1, 2, 3, 4].map((figure) => sum(each.map(({ name, way }) => [way.cost[figure] ?? 0, name]))),
  ];
  const rows = [
    ...ways.map((list, gpu) => `${sum(list.map((_, index) => [1, `x_${gpu}_${index}`]))} = 1`),
    ...profiles.map((_, profile) => {
      const given = gives.flat().filter((one) => one.profile === profile);
      return `${sum([...each.map(({ name, way }) => [way.offered[profile] ?? 0, name] as const), ...given.map(({ name }) => [-1, name] as const)])} >= 0`;
    }),
    ...slices.map(
      ({ count }, index) =>
        `${sum([...(gives[index] ?? []).map(({ name }) => [1, name] as const), [1, `u_${index}`]])} >= ${count}`,
    ),
  ];
  const whole = [...gives.flat().map(({ name }) => name), ...slices.map((_, index) => `u_${index}`)];
  const found: number[] = [];
  for (const objective of objectives) {
    const fixed = found.map((value, index) => `${objectives[index] ?? ''} <= ${value}`);
    const text = [
      'Minimize',
      objective,
      'Subject To',
      ...rows,
      ...fixed,
      'Generals',
      ...whole,
      'Binary',
      ...each.map(({ name }) => name),
      'End',
    ];
    const { Status, ObjectiveValue } = highs.solve(text.join('\n'), {
      output_flag: false,
      mip_rel_gap: 0,
      mip_abs_gap: 0.5,
    });
    if (Status !== 'Optimal') throw new Error(`HiGHS ended as ${Status}`);
    found.push(Math.round(ObjectiveValue));
  }
  const [unserved = 0, evictions = 0, restsBroken = 0, gpusChanged = 0, modesChanged = 0, instancesDestroyed = 0] =
    found;
  return [unserved, evictions, restsBroken, gpusChanged, modesChanged, instancesDestroyed];
}

/** `3 a - b`; lines of LP text may not be long, so that each term has its own. */
function sum(terms: readonly (readonly [factor: number, name: string])[]): string {
  const written = terms
    .filter(([factor]) => factor !== 0)
    .map(([factor, name]) => `${factor < 0 ? '-' : '+'} ${Math.abs(factor)} ${name}`);
  return written.length === 0 ? '0 u_0' : written.join('\n');
}
