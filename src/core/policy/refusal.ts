/** Why GPUs cannot be what a policy says. The reason and message go into conditions as they are. */
export interface LayoutRefusal {
  readonly reason: 'UnknownProfile' | 'UnknownPreset' | 'DoesNotFit' | 'NotEnoughGpus' | 'SingleNeedsOneProfile';
  readonly message: string;
}

/** Why a policy is refused, also whatever the GPUs. */
export interface PolicyRefusal {
  readonly reason: LayoutRefusal['reason'] | 'NotConfigured' | 'BadWindow' | 'SharingRefused';
  readonly message: string;
}
