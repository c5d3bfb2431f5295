/** Names that users and other programs see: API group, labels, taints, condition types and reasons. */

export const group = 'gpupartition.dev';
export const version = 'v1alpha1';
export const apiVersion = `${group}/${version}`;
export const policyPlural = 'gpupartitionpolicies';
export const nodePartitionPlural = 'gpunodepartitions';

/** Our labels on a Node. */
export const policyLabel = 'gpupartition.dev/policy';
export const stateLabel = 'gpupartition.dev/state';
export const layoutLabel = 'gpupartition.dev/layout';

/** The condition of a Node by which other programs open and close their gates. */
export const partitionReadyCondition = 'GpuPartitionReady';

/** The label of objects in clusters of others that says which program keeps them. */
export const managedByLabel = 'app.kubernetes.io/managed-by';

/** A node with this label has a GPU (gpu-operator and NFD set it), or is to be treated as if it had one. */
export const gpuPresenceLabel = 'nvidia.com/gpu.present';

/** The label by which mig-manager's nodes select their config; imported policies use it too, so that nodes keep their labels. */
export const migConfigLabel = 'nvidia.com/mig.config';

/** By which label Cluster Autoscaler knows, per cloud, that a node must have whole GPUs before it counts as ready. */
export const acceleratorLabels = {
  aws: 'k8s.amazonaws.com/accelerator',
  azure: 'kubernetes.azure.com/accelerator',
  'cluster-api': 'cluster-api/accelerator',
} as const;

/** Begins the labels by which gpu-operator deploys its operands to a node. */
export const deployLabelPrefix = 'nvidia.com/gpu.deploy.';

/** gpu-operator sets it to `true` where MIG is possible, and keeps any other value; mig-manager's DaemonSet selects nodes by it. */
export const migManagerLabel = 'nvidia.com/gpu.deploy.mig-manager';

/** The label that mig-manager writes; kept in sync for tools that read it. */
export const migConfigStateLabel = 'nvidia.com/mig.config.state';

/** The label that every namespace has, with its name. */
export const namespaceNameLabel = 'kubernetes.io/metadata.name';

/** The taint that a node has only while its GPUs change. */
export const repartitioningTaint = { key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule' } as const;
/** The taint's value if the node was restarted, not fenced for a change. */
export const restartedValue = 'restarted';
/** Set by the node pool, removed by the controller when the first layout is verified. */
export const uninitializedTaint = { key: 'gpupartition.dev/uninitialized', effect: 'NoSchedule' } as const;
/** The start-up taint under a name that tells managed Cluster Autoscalers that it is temporary (GKE, AKS). */
export const autoscalerStartupTaintKey = 'startup-taint.cluster-autoscaler.kubernetes.io/gpupartition';
export const startupTaintKeys: readonly string[] = [uninitializedTaint.key, autoscalerStartupTaintKey];

/** The annotation of a policy with slices to make idle once, as `3g.20gb=2`. What follows a space only tells one request from the next. */
export const defragAnnotation = 'gpupartition.dev/defrag';
/** The annotation of a Node whose change requests a retry of what has failed. */
export const retryAnnotation = 'gpupartition.dev/retry';
/** The annotation of a GpuNodePartition by which every instance of the node counts as this operator's own in the boot with this ID. */
export const adoptAnnotation = 'gpupartition.dev/adopt-instances';
/** The annotation of a Pod that, with the value false, is only evicted by force. */
export const evictAnnotation = 'gpupartition.dev/evict';
/** The same annotation as Cluster Autoscaler spells it. */
export const safeToEvictAnnotation = 'cluster-autoscaler.kubernetes.io/safe-to-evict';

/** The finalizer of a policy that makes its GPUs whole before it is deleted. */
export const cleanupFinalizer = 'gpupartition.dev/cleanup';

/** Field managers of server-side apply: two writers, two managers. */
export const controllerManager = 'gpu-partition-controller';
export const agentManager = 'gpu-partition-agent';
/** The field manager of `status.inFlight`, `status.canary` and `status.pace`, which change by compare-and-swap. */
export const ledgerManager = 'gpu-partition-ledger';
/** The field manager of `status.history`, which is written when a generation comes in force. */
export const historyManager = 'gpu-partition-history';

/** Reasons of a policy's conditions. */
export const policyReasons = [
  'Ready',
  'NotReconciling',
  'NotStalled',
  'NoNodes',
  'PlanOnly',
  'Reconciling',
  'Waiting',
  'Frozen',
  'Paused',
  'Held',
  'Halted',
  'WindowClosed',
  'CanarySoak',
  'Outranked',
  'Deleting',
  'Capped',
  'NodesUnavailable',
  'Conflicted',
  'Failed',
  'Invalid',
  'Valid',
  'NotConfigured',
  'BadWindow',
  'SharingRefused',
  'UnknownProfile',
  'UnknownPreset',
  'DoesNotFit',
  'SingleNeedsOneProfile',
  'DemandMet',
  'NothingIdle',
  'NoRoom',
  'MaxReached',
  'PlannerFailed',
  'KueueUnavailable',
  'PodsUnavailable',
  'QuotaWritten',
  'QuotaRefused',
  'ClusterQueueNotOurs',
  'ClusterQueueTaken',
] as const;
export type PolicyReason = (typeof policyReasons)[number];

/** Reasons of a GpuNodePartition's conditions. */
export const nodeReasons = [
  'Ready',
  'NoPolicy',
  'NothingToDo',
  'PolicyInvalid',
  'PlanOnly',
  'AgentNotReporting',
  'AgentTooOld',
  'AgentTooNew',
  'DeviceUnreadable',
  'NoGpus',
  'GpusGone',
  'UnknownProfile',
  'UnknownPreset',
  'DoesNotFit',
  'NotEnoughGpus',
  'SingleNeedsOneProfile',
  'NodeNotReady',
  'NodeTerminating',
  'ForeignCordon',
  'ConfigUnavailable',
  'Forbidden',
  'Unjudged',
  'NodeRestarted',
  'AwaitingPlan',
  'AwaitingSlot',
  'AwaitingGrant',
  'Paused',
  'Draining',
  'EvictionBlocked',
  'DrainLoop',
  'DrainTimeout',
  'PodsUseGpus',
  'ProcessesUseGpus',
  'NoPodsUseGpus',
  'GpusUnhealthy',
  'GpusHealthy',
  'HostNotRestored',
  'DevicesLost',
  'Applying',
  'AdvertisePending',
  'RefreshBlocked',
  'LabelsStale',
  'ForeignManager',
  'TakingOver',
  'DriverUpgrade',
  'ClientsStay',
  'NoDevicePlugin',
  'NoDraDriver',
  'NoDraApi',
  'BackendUnknown',
  'BackendMismatch',
  'PluginNotReady',
  'StrategyMismatch',
  'SharingRefused',
  'ForeignInstances',
  'RecordLost',
  'Drifting',
  'RebootRequired',
  'Resting',
  'Refused',
  'Failed',
] as const;
export type NodeReason = (typeof nodeReasons)[number];
