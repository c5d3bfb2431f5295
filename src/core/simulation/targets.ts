import type { GpuPartitionPolicy } from '../../api/types.ts';
import type { Layout } from '../gpu/geometry/geometry.ts';
import { countsWhole } from '../policy/demand-profiles.ts';
import { evictsNever } from '../policy/demand-wish.ts';
import type { Member } from '../supply/member.ts';
import type { FleetGpu, FleetNode } from './fleet.ts';
import { type SimulatedChange, planChange } from './gpu-change.ts';
import type { SimulatedRollout } from './rollout.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

export /** What is to be done on a GPU. */
/** What is to be done on a GPU. */
interface TargetPlan {
  readonly gpu: FleetGpu;
  readonly plan: SimulatedChange;
}

/** What GPUs are to become, until their node has its slot and they become it. */
export class Targets {
  readonly #rollout: SimulatedRollout;
  readonly #policyOf: (node: FleetNode) => GpuPartitionPolicy | undefined;
  readonly #layouts = new Map<FleetGpu, Layout>();
  readonly #members = new Map<
    FleetGpu,
    { readonly version: number; readonly target: Layout | undefined; readonly member: Member }
  >();

  constructor(rollout: SimulatedRollout, policyOf: (node: FleetNode) => GpuPartitionPolicy | undefined) {
    this.#rollout = rollout;
    this.#policyOf = policyOf;
  }

  aim(gpu: FleetGpu, layout: Layout): void {
    this.#layouts.set(gpu, layout);
    this.#request(gpu.node);
  }

  /** A change of a node is done; there may be another, which was asked for meanwhile. */
  finish(node: FleetNode): void {
    this.#rollout.settle(node.name);
    if (node.gpus.some((gpu) => this.#layouts.has(gpu))) this.#request(node);
  }

  /** It stays as it is. */
  drop(gpu: FleetGpu): void {
    if (this.#layouts.delete(gpu) && !gpu.node.gpus.some((one) => this.#layouts.has(one)))
      this.#rollout.settle(gpu.node.name);
  }

  /** A node has its slot: what is to be done on it, and forgets it as a target. */
  take(node: FleetNode): readonly TargetPlan[] {
    const plans = this.#plansOf(node);
    for (const gpu of node.gpus) this.#layouts.delete(gpu);
    return plans;
  }

  /** A GPU as the planner sees it: as it will be once what was chosen for it is done. */
  memberOf(gpu: FleetGpu): Member {
    const target = this.#layouts.get(gpu);
    const known = this.#members.get(gpu);
    const isResting = gpu.isFixed || !gpu.node.isOpen || this.#isLeftWhole(gpu);
    if (known?.version === gpu.version && known.target === target && known.member.gpu.isResting === isResting)
      return known.member;
    const present = gpu.slices.map(({ profile, start, task }) => ({ profile, start, busy: task !== undefined }));
    const plan = target && this.#planFor(gpu, target);
    // What was chosen takes an eviction now, which its policy forbids.
    if (target !== undefined && plan === undefined) this.drop(gpu);
    const coming = plan && [
      ...plan.keep,
      ...plan.create.map(({ profile, start }) => ({ profile, start, busy: false })),
    ];
    const { id, geometry, keepsMode, uuid, product, node } = gpu;
    const member: Member = {
      node: node.name,
      product,
      gpu: { id, geometry, instances: coming ?? present, isResting, keepsMode },
      rests: false,
      present,
      wish: { uuid },
    };
    this.#members.set(gpu, { version: gpu.version, target: this.#layouts.get(gpu), member });
    return member;
  }

  /** A demand that does not speak of whole GPUs leaves those alone that are in use. */
  #isLeftWhole({ node, slices }: FleetGpu): boolean {
    const { demand } = this.#policyOf(node)?.spec ?? {};
    const isInUse = slices.some(({ profile, task }) => profile === WHOLE && task !== undefined);
    return isInUse && demand !== undefined && !countsWhole(demand);
  }

  #request(node: FleetNode): void {
    const gone = this.#plansOf(node).flatMap(({ plan }) => plan.destroy);
    this.#rollout.request(node.name, gone.filter(({ busy }) => busy).length, gone.length);
  }

  #plansOf(node: FleetNode): readonly TargetPlan[] {
    return node.gpus.flatMap((gpu) => {
      const target = this.#layouts.get(gpu);
      const plan = target && this.#planFor(gpu, target);
      return plan === undefined ? [] : [{ gpu, plan }];
    });
  }

  #planFor(gpu: FleetGpu, layout: Layout): SimulatedChange | undefined {
    return planChange(gpu, layout, evictsNever(this.#policyOf(gpu.node)));
  }
}
