import type { GpuPartitionPolicy, PolicyDemand } from '../../api/types.ts';
import { WHOLE } from '../demand/pool.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../nvidia/labels/label-key.ts';
import { servingAny } from '../policy/demand-profiles.ts';
import { byTurn } from '../supply/waiting-share.ts';
import { followsPods } from '../supply/wanted-slices.ts';
import { DemandPlayer, type Relay } from './demand-player.ts';
import type { FleetGpu, SimulationFleet } from './fleet.ts';
import type { PoolPlanner } from './layout-choice.ts';
import type { Targets } from './targets.ts';

/** A demand, and the GPUs that follow it. */
interface Followed {
  readonly policy: GpuPartitionPolicy;
  readonly player: DemandPlayer;
  readonly gpus: readonly FleetGpu[];
  /** Profiles of the slices that follow pods. */
  readonly profiles: ReadonlySet<string>;
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
    const known = new Map(this.#followed.map((one) => [one.policy, one]));
    const ordered = [...new Set(policyOf.values())].toSorted((a, b) => byTurn(turnOf(a), turnOf(b)));
    this.#followed = ordered.flatMap((policy) => {
      const { demand } = policy.spec;
      if (demand === undefined) return [];
      const gpus = this.#fleet.gpus.filter(({ node }) => policyOf.get(node.name) === policy);
      const player = new DemandPlayer(policy, demand, this.#planner);
      return [known.get(policy) ?? { policy, gpus, profiles: listFollowing(demand, gpus), player }];
    });
  }

  /** @param counts pods that wait, by profile @returns the GPUs that change */
  look(now: number, counts: ReadonlyMap<string, number>, targets: Targets): readonly Relay[] {
    const waiting = new Map([...counts].filter(([, count]) => count > 0));
    return this.#followed.flatMap(({ profiles, player, gpus }) => {
      const members = gpus.map((gpu) => targets.memberOf(gpu));
      const resources = new Map<string, number>();
      for (const [profile, count] of waiting) {
        if (!profiles.has(profile)) continue;
        resources.set(profile === WHOLE ? GPU_RESOURCE : migResourceName(labelProfile(profile)), count);
        // A pod counts for the first policy that follows its slices.
        waiting.delete(profile);
      }
      return player.look(now, gpus, members, resources);
    });
  }
}

function turnOf({ metadata, spec }: GpuPartitionPolicy): Parameters<typeof byTurn>[0] {
  return { policy: metadata.name, priority: spec.priority ?? 0 };
}

function listFollowing(demand: PolicyDemand, gpus: readonly FleetGpu[]): ReadonlySet<string> {
  const following = followsPods(demand) ? demand.slices.filter(({ count }) => count === undefined) : [];
  const kinds = new Map(gpus.map(({ geometry, product }) => [geometry, product]));
  return new Set(following.flatMap((slice) => servingAny(slice, kinds)));
}
