import type { ReturnChoice } from './borrowed-labels.ts';

export interface Taint {
  readonly key: string;
  readonly effect: string;
  readonly value?: string;
  readonly timeAdded?: string;
}

/** The parts of a Node that a change starts from, as the watch or a read returned them. */
export interface NodeMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

/** What to change on a Node; all of it is one write. */
export interface NodeChange {
  /** Key to value; undefined removes the key. */
  readonly labels?: Readonly<Record<string, string | undefined>>;
  readonly annotations?: Readonly<Record<string, string | undefined>>;
  /** Labels of others to set temporarily; the previous value of each is kept on the Node. */
  readonly borrow?: Readonly<Record<string, string>>;
  /** Borrowed labels to restore; one that the same change borrows stays borrowed. */
  readonly giveBack?: ReturnChoice;
  readonly addTaints?: readonly Taint[];
  /** Keys of taints to remove. */
  readonly removeTaints?: readonly string[];
}

/** All changes in one write; if two concern one key, the later one wins. */
export function combine(...changes: readonly NodeChange[]): NodeChange {
  const giveBack = changes.flatMap((change) => (change.giveBack === undefined ? [] : [change.giveBack]));
  return {
    labels: Object.assign({}, ...changes.map(({ labels }) => labels)) as NonNullable<NodeChange['labels']>,
    annotations: Object.assign({}, ...changes.map(({ annotations }) => annotations)) as NonNullable<
      NodeChange['annotations']
    >,
    borrow: Object.assign({}, ...changes.map(({ borrow }) => borrow)) as NonNullable<NodeChange['borrow']>,
    ...(giveBack.length > 0 && {
      giveBack: (key, label) =>
        giveBack.some((choice) => (typeof choice === 'function' ? choice(key, label) : choice.includes(key))),
    }),
    addTaints: changes.flatMap(({ addTaints }) => addTaints ?? []),
    removeTaints: changes.flatMap(({ removeTaints }) => removeTaints ?? []),
  };
}
