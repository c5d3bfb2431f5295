import type { PolicyLayout, Strategy } from '../../api/types.ts';

/** What the GPUs of this node shall be, whatever file it came from. */
export interface NodeLayout {
  /** As in a policy's spec: per GPU the first entry that matches decides. */
  readonly layouts: readonly PolicyLayout[];
  /** Undefined where the file says nothing of how the node advertises its slices: nothing of the kind is checked then. */
  readonly strategy: Strategy | undefined;
  /** Where an entry or the strategy stands: `layout.yaml:3:5: layouts[0]`. */
  readonly locate: (place: { readonly entry: number } | 'strategy') => string;
}

/** Whole GPUs: what `reset` makes of all GPUs that the entries of a layout match, whatever their count, or of all. */
export function resetLayout(layout: NodeLayout | undefined): NodeLayout {
  if (layout === undefined) return { layouts: [{ mig: 'Disabled' }], strategy: undefined, locate: () => 'reset' };
  const layouts = layout.layouts.map(({ gpus }): PolicyLayout => {
    // Which GPUs an entry with a count has taken is not known here: those that it did not take are whole, and would be taken now.
    const { count: _count, ...selector } = gpus ?? {};
    return { gpus: selector, mig: 'Disabled' };
  });
  return { layouts, strategy: undefined, locate: layout.locate };
}
