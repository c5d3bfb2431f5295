import type { ClusterFacts } from '../../../src/core/cluster/facts.ts';
import { aGpu, aPolicy, withPods } from '../../support/builders.ts';
import { aCluster, aPod } from '../kubernetes/cluster-builder.ts';

const slice = 'nvidia.com/mig-1g.5gb';
const half = 'nvidia.com/mig-3g.20gb';

/** Two nodes of one A100 each: three small slices and a half, of which a slice of compute and one of memory are left over. */
export const splitPolicy = aPolicy({ name: 'split', layouts: [{ profiles: { '1g.5gb': 3, '3g.20gb': 1 } }] });

const slices = ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2', '3g.20gb@4'];

interface Moment {
  /** `PROFILE@START` of slices in use on each node. */
  readonly used: readonly (readonly string[])[];
  /** Halves that pods wait for. */
  readonly waiting?: number;
}

/** The fleet at one moment: each slice in use is held by one pod. */
export function aMoment({ used, waiting = 0 }: Moment): ClusterFacts {
  const nodes = used.map((list, at) => {
    const pods = Object.fromEntries(list.map((place) => [place, [`team/n${at}-${place.replace(/\W/g, '')}`]]));
    const uuid = `GPU-${at}`;
    return { name: `n${at}`, policy: splitPolicy, gpus: [{ ...withPods(aGpu({ slices }), pods), uuid }] };
  });
  const running = used.flatMap((list, at) =>
    list.map((place) =>
      aPod({
        name: `n${at}-${place.replace(/\W/g, '')}`,
        node: `n${at}`,
        asks: { [place.startsWith('3g') ? half : slice]: '1' },
      }),
    ),
  );
  const pending = Array.from({ length: waiting }, (_, at) => aPod({ name: `wait-${at}`, asks: { [half]: '1' } }));
  return aCluster(nodes, [...running, ...pending]);
}

/** Three moments of a fleet whose small slices are hardly used, while pods wait for halves. */
export const wastefulDay: readonly ClusterFacts[] = [
  aMoment({ used: [['1g.5gb@0', '3g.20gb@4'], ['3g.20gb@4']], waiting: 1 }),
  aMoment({ used: [['3g.20gb@4'], ['1g.5gb@2', '3g.20gb@4']], waiting: 2 }),
  aMoment({ used: [['3g.20gb@4'], ['3g.20gb@4']], waiting: 2 }),
];
