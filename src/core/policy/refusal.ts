/** Why GPUs cannot take a policy. Reason and message go into conditions unchanged. */
export interface LayoutRefusal {
  readonly reason: 'UnknownProfile' | 'UnknownPreset' | 'DoesNotFit' | 'NotEnoughGpus' | 'SingleNeedsOneProfile';
  readonly message: string;
}

/** Why a policy is refused, possibly regardless of the GPUs. */
export interface PolicyRefusal {
  readonly reason: LayoutRefusal['reason'] | 'NotConfigured' | 'BadWindow' | 'SharingRefused';
  readonly message: string;
}
