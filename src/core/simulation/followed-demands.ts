import type { GpuPartitionPolicy, PolicyDemand } from '../../api/types.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../nvidia/labels/label-key.ts';
import { servingAny } from '../policy/demand-profiles.ts';
import { byTurn } from '../supply/waiting-share.ts';
import { followsPods } from '../supply/wanted-slices.ts';
import { DemandPlayer, type Relay } from './demand-player.ts';
import type { FleetGpu, SimulationFleet } from './fleet.ts';
import type { PoolPlanner } from './layout-choice.ts';
import type { Targets } from './targets.ts';
import type { WaitingTasks } from './task.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

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

  /** @param tasks those that wait @returns the GPUs that change */
  look(now: number, tasks: Pick<WaitingTasks, 'counts' | 'ranks'>, targets: Targets): readonly Relay[] {
    const waiting = new Map(tasks.counts());
    const ranks = new Map(tasks.ranks());
    return this.#followed.flatMap(({ profiles, player, gpus }, index) => {
      const members = gpus.map((gpu) => targets.memberOf(gpu));
      const asked = [...waiting].filter(([profile, count]) => count > 0 && profiles.has(profile));
      const counts = asked.flatMap(([profile]) => {
        const of = ranks.get(profile);
        // Nobody goes for it in two pools at once.
        ranks.delete(profile);
        return of === undefined ? [] : [[resourceOf(profile), of] as const];
      });
      const resources = Object.assign(new Map(asked.map(([profile, count]) => [resourceOf(profile), count])), {
        ranks: {
          counts: new Map(counts),
          missing: new Map<string, ReadonlyMap<number, number>>(),
          nodes: new Set<string>(),
        },
      });
      const relays = player.look(now, gpus, members, resources);
      const isLast = index === this.#followed.length - 1;
      const left = isLast || asked.length === 0 ? [] : player.listOverflow(gpus, members, relays);
      // A pod counts for the first policy that follows its slices, and for the next one too if that has no room.
      for (const [profile, count] of asked) {
        const found = left.find((one) => one.count > 0 && one.profiles.has(profile));
        const passed = Math.min(count, found?.count ?? 0);
        if (found) found.count -= passed;
        waiting.set(profile, passed);
      }
      return relays;
    });
  }
}

function resourceOf(profile: string): string {
  return profile === WHOLE ? GPU_RESOURCE : migResourceName(labelProfile(profile));
}

function turnOf({ metadata, spec }: GpuPartitionPolicy): Parameters<typeof byTurn>[0] {
  return { policy: metadata.name, priority: spec.priority ?? 0 };
}

function listFollowing(demand: PolicyDemand, gpus: readonly FleetGpu[]): ReadonlySet<string> {
  const following = followsPods(demand) ? demand.slices.filter(({ count }) => count === undefined) : [];
  const kinds = new Map(gpus.map(({ geometry, product }) => [geometry, product]));
  return new Set(following.flatMap((slice) => servingAny(slice, kinds)));
}
