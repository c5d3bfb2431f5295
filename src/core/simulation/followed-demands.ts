import type { GpuPartitionPolicy } from '../../api/types.ts';
import { WHOLE } from '../demand/pool.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../nvidia/labels/label-key.ts';
import { countsWhole } from '../policy/demand-profiles.ts';
import { DemandPlayer, type Relay } from './demand-player.ts';
import type { FleetGpu, SimulationFleet } from './fleet.ts';
import type { PoolPlanner } from './layout-choice.ts';
import type { Targets } from './targets.ts';

/** A demand, and the GPUs that follow it. */
interface Followed {
  readonly policy: GpuPartitionPolicy;
  readonly player: DemandPlayer;
  readonly gpus: readonly FleetGpu[];
}

/** The demands of all policies. */
export class FollowedDemands {
  readonly #fleet: SimulationFleet;
  readonly #planner: PoolPlanner;
  #followed: readonly Followed[] = [];

  constructor(fleet: SimulationFleet, planner: PoolPlanner) {
    this.#fleet = fleet;
    this.#planner = planner;
  }

  /** Those that are followed from now on; what is remembered of the ones that stay is kept. */
  follow(policyOf: ReadonlyMap<string, GpuPartitionPolicy>): void {
    this.#followed = [...new Set(policyOf.values())].flatMap((policy) => {
      const { demand } = policy.spec;
      if (demand === undefined) return [];
      const same = this.#followed.find((one) => one.policy === policy);
      const gpus = this.#fleet.gpus.filter(({ node }) => policyOf.get(node.name) === policy);
      return [same ?? { policy, gpus, player: new DemandPlayer(policy, demand, this.#planner) }];
    });
  }

  /** @param counts pods that wait, by profile @returns the GPUs that change */
  look(now: number, counts: ReadonlyMap<string, number>, targets: Targets): readonly Relay[] {
    const waiting = new Map([...counts].filter(([, count]) => count > 0));
    return this.#followed.flatMap(({ policy, player, gpus }) => {
      const members = gpus.map((gpu) => targets.memberOf(gpu));
      const resources = new Map<string, number>();
      for (const [profile, count] of waiting) {
        if (!couldServe(policy, gpus, profile)) continue;
        resources.set(profile === WHOLE ? GPU_RESOURCE : migResourceName(labelProfile(profile)), count);
        // A pod counts for the first policy that could serve it.
        waiting.delete(profile);
      }
      return player.look(now, gpus, members, resources);
    });
  }
}

function couldServe({ spec: { demand } }: GpuPartitionPolicy, gpus: readonly FleetGpu[], profile: string): boolean {
  if (profile === WHOLE) return demand !== undefined && countsWhole(demand);
  return gpus.some(({ geometry }) => geometry.profiles.some(({ name }) => name === profile));
}
