import type { Contender } from './contest.ts';
import type { PolicyRecord } from './policy-record.ts';
import type { Selections } from './selections.ts';

/** Which policies compete for which nodes. */
export class Contenders {
  readonly #policies: ReadonlyMap<string, PolicyRecord>;
  readonly #selections: Pick<Selections, 'of'>;

  constructor(policies: ReadonlyMap<string, PolicyRecord>, selections: Pick<Selections, 'of'>) {
    this.#policies = policies;
    this.#selections = selections;
  }

  /** In order of precedence. */
  of(node: string): readonly Contender[] {
    return this.#selections.of(node).flatMap((selection) => {
      const record = this.#policies.get(selection.policy);
      return record ? [{ ...selection, record }] : [];
    });
  }

  /** The nodes for which something holds of a policy, which need not be the one that the fleet has by now. */
  nodesWhere(record: PolicyRecord, holds: (contender: Contender) => boolean): readonly string[] {
    return [...record.nodes].filter((node) => {
      const selection = this.#selections.of(node).find(({ policy }) => policy === record.name);
      return selection !== undefined && holds({ ...selection, record });
    });
  }
}
