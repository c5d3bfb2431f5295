import type { Geometry } from '../gpu/geometry/geometry.ts';
import type { Random } from './random.ts';
import type { SimulatedPod } from './task.ts';

/** A GPU of a snapshot. */
export interface StartGpu {
  readonly uuid: string;
  readonly product: string;
  readonly geometry: Geometry;
  readonly instances: readonly { readonly profile: string; readonly start: number; readonly busy: boolean }[];
  /** Nothing changes on it: it is unhealthy, somebody else's, or used by what no eviction moves. */
  readonly isFixed: boolean;
  /** It stays whole, or partitioned. */
  readonly keepsMode: boolean;
}

export interface StartNode {
  readonly name: string;
  readonly gpus: readonly StartGpu[];
}

/** A slice that exists. */
export interface SimulatedSlice {
  readonly gpu: FleetGpu;
  readonly profile: string;
  readonly start: number;
  task: SimulatedPod | undefined;
  /** Place in the list of idle slices; -1 if it is not there. */
  place: number;
}

export interface FleetGpu {
  readonly id: string;
  readonly node: FleetNode;
  readonly uuid: string;
  readonly product: string;
  readonly geometry: Geometry;
  readonly isFixed: boolean;
  readonly keepsMode: boolean;
  /** By start; a GPU without MIG mode has one, which is whole. */
  slices: SimulatedSlice[];
  /** Counts changes of its slices and their use. */
  version: number;
}

export interface FleetNode {
  readonly name: string;
  readonly gpus: FleetGpu[];
  /** Whether it takes new pods: not while its GPUs change. */
  isOpen: boolean;
}

/** GPUs whose slices are used and freed, made and destroyed. */
export class SimulationFleet {
  readonly nodes: readonly FleetNode[];
  readonly gpus: readonly FleetGpu[];
  /** By profile, those that a pod may take. */
  readonly #idle = new Map<string, SimulatedSlice[]>();

  constructor(nodes: readonly StartNode[]) {
    this.nodes = nodes.map(({ name, gpus }) => {
      const node: FleetNode = { name, gpus: [], isOpen: true };
      for (const { instances, ...gpu } of gpus) {
        const made: FleetGpu = { ...gpu, id: `${name}/${gpu.uuid}`, node, slices: [], version: 0 };
        node.gpus.push(made);
        this.relay(made, [], instances);
      }
      return node;
    });
    this.gpus = this.nodes.flatMap(({ gpus }) => gpus);
  }

  /** The slices that were in use when the snapshot was taken. */
  listInUse(nodes: readonly StartNode[]): readonly SimulatedSlice[] {
    const busy = new Set(
      nodes.flatMap(({ name, gpus }) =>
        gpus.flatMap(({ uuid, instances }) =>
          instances.flatMap((one) => (one.busy ? [`${name}/${uuid}@${one.start}`] : [])),
        ),
      ),
    );
    return this.gpus.flatMap(({ id, slices }) => slices.filter(({ start }) => busy.has(`${id}@${start}`)));
  }

  /** Any idle slice of a profile: the scheduler does not prefer one. */
  pick(profile: string, random: Random): SimulatedSlice | undefined {
    const list = this.#idle.get(profile) ?? [];
    return list.length === 0 ? undefined : list[random.integer(list.length)];
  }

  use(slice: SimulatedSlice, task: SimulatedPod): void {
    this.#hide(slice);
    slice.task = task;
    slice.gpu.version += 1;
  }

  free(slice: SimulatedSlice): void {
    slice.task = undefined;
    slice.gpu.version += 1;
    this.#show(slice);
  }

  close(node: FleetNode): void {
    node.isOpen = false;
    for (const slice of node.gpus.flatMap(({ slices }) => slices)) this.#hide(slice);
  }

  /** @returns the profiles of its slices */
  open(node: FleetNode): ReadonlySet<string> {
    node.isOpen = true;
    const slices = node.gpus.flatMap((gpu) => gpu.slices);
    for (const slice of slices) this.#show(slice);
    return new Set(slices.map(({ profile }) => profile));
  }

  /** Makes a GPU's slices others. Those that go must not be in use. */
  relay(
    gpu: FleetGpu,
    destroy: readonly { readonly start: number }[],
    create: readonly { readonly profile: string; readonly start: number }[],
  ): void {
    const gone = new Set(destroy.map(({ start }) => start));
    for (const slice of gpu.slices) if (gone.has(slice.start)) this.#hide(slice);
    const made = create.map(({ profile, start }): SimulatedSlice => ({
      gpu,
      profile,
      start,
      task: undefined,
      place: -1,
    }));
    gpu.slices = [...gpu.slices.filter(({ start }) => !gone.has(start)), ...made].toSorted((a, b) => a.start - b.start);
    gpu.version += 1;
    for (const slice of made) this.#show(slice);
  }

  #show(slice: SimulatedSlice): void {
    if (slice.place !== -1 || slice.task !== undefined || !slice.gpu.node.isOpen) return;
    const list = this.#idle.get(slice.profile) ?? [];
    this.#idle.set(slice.profile, list);
    slice.place = list.push(slice) - 1;
  }

  #hide(slice: SimulatedSlice): void {
    if (slice.place === -1) return;
    const list = this.#idle.get(slice.profile) ?? [];
    const last = list.pop();
    if (last !== undefined && last !== slice) {
      list[slice.place] = last;
      last.place = slice.place;
    }
    slice.place = -1;
  }
}
