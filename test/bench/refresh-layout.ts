/** The models of each node. */
export const gpus = Array.from({ length: 4 }, () => 'A100-SXM4-40GB');

/** Layouts of a GPU. The first of a node has one or the other, the second too; the rest keep `large`. */
export const shapes = {
  large: { counts: { '3g.20gb': 2 }, profileIds: [9, 9] },
  middle: { counts: { '2g.10gb': 3 }, profileIds: [14, 14, 14] },
} as const;
export type Shape = keyof typeof shapes;

/** What a node offers whose first two GPUs have these layouts. */
export function resourcesOf(first: Shape, second: Shape = 'large'): Readonly<Record<string, number>> {
  const all = [first, second, ...gpus.slice(2).map(() => 'large' as const)];
  const count = (profile: string): number =>
    all.reduce(
      (sum, shape) => sum + (Object.entries(shapes[shape].counts).find(([key]) => key === profile)?.[1] ?? 0),
      0,
    );
  return { 'nvidia.com/mig-3g.20gb': count('3g.20gb'), 'nvidia.com/mig-2g.10gb': count('2g.10gb') };
}
