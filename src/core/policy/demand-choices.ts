import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import { sameJson } from '../text/fingerprint.ts';
import type { DemandWishes } from './demand-wish.ts';

/** What the last plans for the demands of policies make of their nodes. What was planned for another spec is forgotten. */
export class DemandChoices {
  readonly #choices = new Map<
    string,
    { readonly spec: PolicySpec; readonly wishes: ReadonlyMap<string, DemandWishes> }
  >();

  of({ metadata, spec }: GpuPartitionPolicy, node: string): DemandWishes | undefined {
    const known = this.#choices.get(metadata.name);
    return known?.spec === spec ? known.wishes.get(node) : undefined;
  }

  /** @returns nodes for which it is not what it was */
  put(policy: GpuPartitionPolicy, wishes: ReadonlyMap<string, DemandWishes>): readonly string[] {
    const kept = new Map<string, DemandWishes>();
    const changed: string[] = [];
    for (const [node, wish] of wishes) {
      const before = this.of(policy, node);
      // The same object stays: what was worked out for it is kept.
      const isSame = before !== undefined && sameJson([...before], [...wish]);
      kept.set(node, isSame ? before : wish);
      if (!isSame) changed.push(node);
    }
    this.#choices.set(policy.metadata.name, { spec: policy.spec, wishes: kept });
    return changed;
  }

  forget(policy: string): void {
    this.#choices.delete(policy);
  }
}
