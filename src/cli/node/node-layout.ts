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

/** Whole GPUs: what `reset` makes of the GPUs that a layout matches, or of all. */
export function resetLayout(layout: NodeLayout | undefined): NodeLayout {
  if (layout === undefined) return { layouts: [{ mig: 'Disabled' }], strategy: undefined, locate: () => 'reset' };
  const layouts = layout.layouts.map(({ gpus }): PolicyLayout => ({
    ...(gpus === undefined ? {} : { gpus }),
    mig: 'Disabled',
  }));
  return { layouts, strategy: undefined, locate: layout.locate };
}
