import type { Random } from './random.ts';

/** The fleet of a story. */
export interface FleetSetup {
  readonly nodes: number;
  /** `--max-concurrent-nodes`. */
  readonly cap: number | string;
  /** Whether new nodes have the start-up taint. */
  readonly hasStartupTaint: boolean;
  /** How much longer than usual each command of a device takes, in ms. */
  readonly slowMs?: number;
  readonly product: 'NVIDIA A30' | 'NVIDIA A100-SXM4-40GB';
  /** Whether policies have demands, and pods wait until they find a slice. */
  readonly hasDemands?: boolean;
  /** Whether tenants make pods that no machine can hold, which stay. */
  readonly hasTenants?: boolean;
  /**
   * A device plugin in a pod that has to be replaced to read the devices; absent: nodes have one that follows changes. `Operator`:
   * gpu-operator deploys it by a label of the node, with others that keep the GPUs open and tolerate our taint.
   */
  readonly plugin?: 'Stock' | 'Tolerant' | 'Operator';
  /** Whether GPU Feature Discovery labels the nodes. */
  readonly hasDiscovery?: boolean;
  /** Whether the controllers' clock may be an hour ahead of the API server's, or behind it. */
  readonly hasClocks?: boolean;
}

const sizes = [3, 3, 4, 4, 5, 5, 6, 7, 8, 10] as const;

export function drawFleetSetup(random: Random): FleetSetup {
  // Few fleets are big: most bugs that show up with thirty nodes show up with five.
  const nodes = random.chance(0.03) ? 11 + random.integer(20) : (random.pick(sizes) ?? 3);
  return {
    nodes,
    cap: random.pick(['100%', '100%', 2, 3, '50%']) ?? '100%',
    hasStartupTaint: random.chance(0.6),
    product: random.chance(0.7) ? 'NVIDIA A30' : 'NVIDIA A100-SXM4-40GB',
  };
}
