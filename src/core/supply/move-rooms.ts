import type { SlicePlace } from './defrag-moves.ts';

/** A pod that needs slices of one node. */
export interface Mover {
  /** Equal for pods that need the same, and that the same nodes take. */
  readonly kind: string;
  /** By profile. */
  readonly needs: ReadonlyMap<string, number>;
  readonly takes: (node: string) => boolean;
}

/** A pod that would move on for the one before. */
interface Step {
  readonly mover: Mover;
  /** The node on which it has room; undefined for the pod that has none yet. */
  readonly from: string | undefined;
  readonly before: Step | undefined;
}

/** Idle slices, and the pods that they are meant for. */
export class MoveRooms {
  /** By profile and node; no list is empty. */
  readonly #idle = new Map<string, Map<string, SlicePlace[]>>();
  readonly #given = new Map<Mover, readonly SlicePlace[]>();
  readonly #guests = new Map<string, Set<Mover>>();
  /** Kinds of which no more pods find room. */
  readonly #hopeless = new Set<string>();

  constructor(idle: readonly SlicePlace[]) {
    this.#add(idle);
  }

  /** What is meant for a pod; undefined if nothing is. */
  of(mover: Mover): readonly SlicePlace[] | undefined {
    return this.#given.get(mover);
  }

  /** Finds room for one pod more. Others move on to other rooms for it, as few as possible, and lose none (augmenting paths). */
  place(mover: Mover): void {
    if (this.#hopeless.has(mover.kind)) return;
    // Breadth first. Of pods of one kind one is looked at: the others could go to the same nodes.
    const seen = new Set(this.#hopeless).add(mover.kind);
    const steps: Step[] = [{ mover, from: undefined, before: undefined }];
    for (const step of steps) {
      const node = this.#findIdle(step);
      if (node !== undefined) return this.#moveOn(step, node);
      for (const [from, guests] of this.#guests) {
        if (isOnWay(step, from)) continue;
        for (const guest of guests) {
          if (seen.has(guest.kind)) continue;
          if (!step.mover.takes(from)) break;
          if (!this.#holds(from, step.mover.needs, this.#given.get(guest))) continue;
          seen.add(guest.kind);
          steps.push({ mover: guest, from, before: step });
        }
      }
    }
    this.#hopeless.add(mover.kind);
  }

  #findIdle(step: Step): string | undefined {
    const { needs, takes } = step.mover;
    const [first = ''] = needs.keys();
    for (const node of this.#idle.get(first)?.keys() ?? [])
      if (!isOnWay(step, node) && this.#holds(node, needs) && takes(node)) return node;
    return undefined;
  }

  /** Each pod on the way takes the room that the next one leaves. */
  #moveOn(last: Step, node: string): void {
    let to = node;
    for (let step: Step | undefined = last; step !== undefined; step = step.before) {
      const { mover, from } = step;
      if (from !== undefined) this.#takeBack(mover, from);
      this.#give(mover, to);
      to = from ?? to;
    }
  }

  /** Whether a node has what is needed, idle or among some slices of it. */
  #holds(node: string, needs: Mover['needs'], besides: readonly SlicePlace[] = []): boolean {
    return [...needs].every(([profile, count]) => {
      const idle = this.#idle.get(profile)?.get(node)?.length ?? 0;
      return idle + besides.filter((one) => one.profile === profile).length >= count;
    });
  }

  #give(mover: Mover, node: string): void {
    const given = [...mover.needs].flatMap(([profile, count]) => {
      const byNode = this.#idle.get(profile);
      const places = byNode?.get(node) ?? [];
      const taken = places.splice(0, count);
      if (places.length === 0) byNode?.delete(node);
      return taken;
    });
    this.#given.set(mover, given);
    this.#guests.set(node, (this.#guests.get(node) ?? new Set<Mover>()).add(mover));
  }

  #takeBack(mover: Mover, node: string): void {
    this.#add(this.#given.get(mover) ?? []);
    this.#guests.get(node)?.delete(mover);
  }

  #add(places: readonly SlicePlace[]): void {
    for (const place of places) {
      const byNode = this.#idle.get(place.profile) ?? new Map<string, SlicePlace[]>();
      this.#idle.set(place.profile, byNode);
      byNode.set(place.node, [...(byNode.get(place.node) ?? []), place]);
    }
  }
}

function isOnWay(last: Step, node: string): boolean {
  for (let step: Step | undefined = last; step !== undefined; step = step.before) if (step.from === node) return true;
  return false;
}
