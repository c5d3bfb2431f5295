import type { PolicyLayout, Strategy } from '../../api/types.ts';

/** What the GPUs of this node should become, from whatever file. */
export interface NodeLayout {
  /** As in a policy's spec: for each GPU the first matching entry decides. */
  readonly layouts: readonly PolicyLayout[];
  /** Undefined if the file does not say how the node advertises its slices: that is then not checked. */
  readonly strategy: Strategy | undefined;
  /** Position of an entry or the strategy: `layout.yaml:3:5: layouts[0]`. */
  readonly locate: (place: { readonly entry: number } | 'strategy') => string;
}

/** Whole GPUs: the `reset` layout for all GPUs that the entries of a layout match, whatever their count, or for all. */
export function resetLayout(layout: NodeLayout | undefined): NodeLayout {
  if (layout === undefined) return { layouts: [{ mig: 'Disabled' }], strategy: undefined, locate: () => 'reset' };
  const layouts = layout.layouts.map(({ gpus }): PolicyLayout => {
    // Which GPUs an entry with a count has taken is not known here: the others are whole, and would now be taken.
    const { count: _count, ...selector } = gpus ?? {};
    return { gpus: selector, mig: 'Disabled' };
  });
  return { layouts, strategy: undefined, locate: layout.locate };
}
