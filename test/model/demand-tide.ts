import { Violation } from './violation.ts';
import { nodeOf } from './pods.ts';
import { msOf } from './fleet-policies.ts';
import type { FleetWorld } from './fleet-world.ts';

const turns = 5;

/** A pod more and a pod less, again and again, has GPUs re-laid at most once: for what it takes to serve both. */
export async function oscillate(world: FleetWorld): Promise<void> {
  const { random, checks } = world;
  const [controller] = world.controllers;
  for (const { policy, nodes, demand: report } of controller?.cluster.fleet.policies ?? []) {
    const { demand } = policy.spec;
    const isMet = report?.condition.status === 'True';
    const slice = random.pick(demand?.slices.filter(({ count }) => count === undefined) ?? []);
    if (demand?.from !== 'Pods' || policy.spec.mode === 'Plan' || !isMet || !slice) continue;
    const [profile = ''] = slice.profiles ?? [];
    const riseMs = Math.min(60_000, msOf(demand.stabilization ?? '10m'));
    // Shorter than what counts at all, or longer, but not as long as less must be asked for.
    const isShort = random.chance(0.6);
    const upMs = isShort ? riseMs / 3 : riseMs * 2;
    const moved: number[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      const before = checks.demands.relaid;
      const uid = world.want(`nvidia.com/mig-${profile === '1g.*' ? smallest(world) : profile}`);
      await world.run(upMs);
      const pod = world.api.find('pods', uid);
      world.endPod(uid);
      // The tide went to another pool, and this one's is over.
      if (!isShort && pod && nodeOf(pod) !== '' && !nodes.has(nodeOf(pod))) break;
      await world.run(riseMs / 2);
      if (checks.demands.relaid > before) moved.push(checks.demands.relaid - before);
    }
    const words = `${turns} times a pod that asked ${policy.metadata.name} for ${profile} and went after ${upMs} ms`;
    if (moved.length > (isShort ? 0 : 1))
      throw new Violation('D4', `${moved.join(' and ')} GPUs were re-laid for ${words}`);
  }
}

function smallest({ setup }: FleetWorld): string {
  return setup.product === 'NVIDIA A30' ? '1g.6gb' : '1g.5gb';
}
