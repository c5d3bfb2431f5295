import type { GpuPartitionPolicy, PolicyDemand } from '../../../../src/api/types.ts';
import { type ClassPlan, DemandPlanner } from '../../../../src/core/demand/solver/choose.ts';
import type { DemandQuestion } from '../../../../src/core/demand/solver/problem.ts';
import { type Layout, findModel, type GpuModel } from '../../../../src/core/gpu/geometry.ts';
import type { Arrival } from '../../../../src/core/plan/simulation/trace.ts';
import type { SideStart, StartNode } from '../../../../src/core/plan/simulation/fleet.ts';
import type { PoolPlanner } from '../../../../src/core/demand/simulated.ts';
import { simulate } from '../../../../src/core/plan/simulation/play.ts';

type SideFigures = ReturnType<typeof simulate>[number];

export const MINUTE = 60;
export const HOUR = 3600;

export function modelOf(id: string): GpuModel {
  const model = findModel(id);
  if (model === undefined) throw new Error(`no model ${id}`);
  return model;
}

/** A node of A100-40GB GPUs, each with slices written as `PROFILE@START`, `*` at the end if in use; `whole@0`: MIG mode is off. */
export function aSimulatedNode(name: string, ...gpus: readonly (readonly string[])[]): StartNode {
  return {
    name,
    gpus: gpus.map((slices, index) => ({
      uuid: `GPU-${index}`,
      product: 'A100-SXM4-40GB',
      geometry: modelOf('a100-40gb'),
      isFixed: false,
      keepsMode: false,
      instances: slices.map((text) => {
        const [, profile = '', start = '', busy] = /^([^@]+)@(\d+)(\*)?$/.exec(text) ?? [];
        return { profile, start: Number(start), busy: busy !== undefined };
      }),
    })),
  };
}

export const follows = (...profiles: readonly string[]): PolicyDemand => ({
  from: 'Pods',
  slices: profiles.map((profile) => ({ profiles: [profile] })),
});

/** A fleet under one policy. @param layouts what it makes of each GPU, if it has layouts */
export function aSide(nodes: readonly StartNode[], policy?: GpuPartitionPolicy, layouts?: Layout): SideStart {
  const ids = nodes.flatMap(({ name, gpus }) => gpus.map(({ uuid }) => `${name}/${uuid}`));
  return {
    nodes,
    phases: [
      {
        at: 0,
        policyOf: new Map(policy === undefined ? [] : nodes.map(({ name }) => [name, policy])),
        layouts: new Map(layouts === undefined ? [] : ids.map((id) => [id, layouts])),
      },
    ],
    changeSeconds: new Map([['p', MINUTE]]),
    cap: 100,
  };
}

export const pods = (
  count: number,
  profile: string,
  start: number,
  duration: number,
  priority = 0,
): readonly Arrival[] => Array.from({ length: count }, () => ({ start, duration, profile, priority }));

/** Small pools need no solver. */
export const withoutSolver: PoolPlanner = {
  plan: planWithoutSolver,
};

export function planWithoutSolver(question: DemandQuestion): ClassPlan {
  const plan = new DemandPlanner(question).planSmall(true);
  if (plan === undefined) throw new Error('the pool is too large for a test');
  return plan;
}

export function playOne(
  side: SideStart,
  arrivals: readonly Arrival[],
  more: {
    readonly days?: number;
    readonly seed?: number;
    readonly running?: readonly Arrival[];
    readonly startMs?: number;
  } = {},
): SideFigures {
  const rules = { running: [], days: 1, seed: 1, startMs: Date.UTC(2026, 0, 5), ...more };
  const [figures] = simulate({ sides: [side], arrivals, ...rules }, withoutSolver);
  if (figures === undefined) throw new Error('no side was played');
  return figures;
}

export function figuresOf({ profiles }: SideFigures, name: string): SideFigures['profiles'][number] {
  const found = profiles.find(({ profile }) => profile === name);
  if (found === undefined) throw new Error(`no pod asked for ${name}`);
  return found;
}
