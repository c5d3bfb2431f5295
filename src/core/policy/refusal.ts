/** Why GPUs cannot take a policy. Reason and message go into conditions unchanged. */
export interface LayoutRefusal {
  readonly reason: 'UnknownProfile' | 'UnknownPreset' | 'DoesNotFit' | 'NotEnoughGpus' | 'SingleNeedsOneProfile';
  readonly message: string;
}

/** Why a generation is a mistake on every GPU of a kind. How many GPUs a node reports is that node's own matter. */
export interface Mistake extends LayoutRefusal {
  readonly reason: Exclude<LayoutRefusal['reason'], 'NotEnoughGpus'>;
}

/** Why a policy is refused, possibly regardless of the GPUs. */
export interface PolicyRefusal {
  readonly reason: Mistake['reason'] | 'NotConfigured' | 'BadWindow' | 'SharingRefused';
  readonly message: string;
}

export function isMistake(refusal: LayoutRefusal): refusal is Mistake {
  return refusal.reason !== 'NotEnoughGpus';
}
