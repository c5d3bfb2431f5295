/** The parts of a pod that tell with which feature gates its program runs. */
export interface GatedPodView {
  readonly spec?: {
    readonly containers?: readonly {
      readonly name?: string;
      readonly command?: readonly string[];
      readonly args?: readonly string[];
      readonly env?: readonly { readonly name: string; readonly value?: string }[];
    }[];
  };
}

/**
 * Whether NVIDIA's DRA driver is set to create slices itself (gate DynamicMIG), which its slices show only once it has published them:
 * by the environment, as its chart does it, or by an argument, which counts more.
 */
export function hasDynamicGate({ spec }: GatedPodView): boolean {
  return (spec?.containers ?? []).some(({ command = [], args = [], env = [] }) => {
    const argument = [...command, ...args].findLast((one) => flag.test(one))?.replace(flag, '');
    return opensGate(argument ?? env.findLast(({ name }) => name === 'FEATURE_GATES')?.value ?? '');
  });
}

const flag = /^--feature-gates=/;

/** As Go's flags read it: `DynamicMIG=true,Other=false`. */
function opensGate(gates: string): boolean {
  const pairs = gates.split(',').map((pair) => pair.split('=').map((part) => part.trim()));
  const value = pairs.findLast(([name]) => name === 'DynamicMIG')?.[1] ?? '';
  return ['1', 't', 'true'].includes(value.toLowerCase());
}
