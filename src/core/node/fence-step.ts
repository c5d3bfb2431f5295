/** What to do next on a node that is closed, or offers what its device is not. */
export type FenceStep =
  /** Pods may come: what is advertised exists. */
  | { readonly next: 'Open' }
  /** Remove our taints and keep waiting: nothing is advertised, which keeps pods away as well. */
  | { readonly next: 'TakeTaintsOff' }
  /** The pods must be listed. */
  | { readonly next: 'ReadPods' }
  /** Write this into the node's status: the kubelet offers it, and would write the same within its status period. */
  | { readonly next: 'Advertise'; readonly resources: Readonly<Record<string, number>> }
  /**
   * Have the agent end these registrations: no plugin serves them. A kubelet whose plugin registered again just as its previous connection
   * ended does not notice when that plugin dies, and offers its devices without end (v1.36, `devicemanager/plugin/v1beta1`,
   * `runClient`; seen on a real kubelet). `leftBehind`: even if their devices exist.
   */
  | { readonly next: 'Unregister'; readonly resources: readonly string[]; readonly leftBehind?: true }
  /** Put our taint on: the kubelet has written what it offered before the change. */
  | { readonly next: 'Close' }
  /** These pods have to go; `first`: they must be recorded before. */
  | { readonly next: 'Evict'; readonly uids: readonly string[]; readonly first: boolean }
  | { readonly next: 'Wait'; readonly why: WaitCause };

export type WaitCause =
  /** For a plugin that may follow without a signal. */
  | 'Patience'
  /** For a plugin that was signalled. */
  | 'Signalled'
  /** The plugin has no pod. */
  | 'NoPlugin'
  /** The old pod has not ended. */
  | 'OldPlugin'
  /** The new pod has not started, or not informed the kubelet. */
  | 'NewPlugin'
  /** A status that the kubelet worked out before the change may still be on its way. */
  | 'Standing'
  /** The kubelet may not have registered the DRA driver again. */
  | 'Registering'
  /** A device plugin beside the DRA driver has to be taken off the node. */
  | 'StalePlugin';
