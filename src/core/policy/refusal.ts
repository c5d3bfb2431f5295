/** Why a policy, or its wish for a node, is refused. The reason and message go into condition Valid as they are. */
export interface PolicyRefusal {
  readonly reason:
    | 'NotSupportedYet'
    | 'NotConfigured'
    | 'SharingRefused'
    | 'UnknownProfile'
    | 'UnknownPreset'
    | 'DoesNotFit'
    | 'NotEnoughGpus'
    | 'SingleNeedsOneProfile';
  readonly message: string;
}
