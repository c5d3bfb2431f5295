/** Waits of the simulated kubelets, in ms. The defaults are a kubelet's, except for those that would only slow tests down. */
export interface KubeletTiming {
  /** Between two renewals of a node's Lease. The controller manager marks a node unhealthy after 50 s without one. */
  readonly leaseMs: number;
  /** Between two reports of an unchanged status. */
  readonly reportMs: number;
  /** From the plugin's registration to `status.allocatable`; a real kubelet takes up to 10 s (`nodeStatusUpdateFrequency`). */
  readonly statusLagMs: number;
  /** From being bound to Running. */
  readonly startMs: number;
  /** From SIGTERM to a container's exit; the pod's grace period is the limit. */
  readonly stopMs: number;
  /** Until a program that has exited is started again; a real kubelet takes 10 s and more. */
  readonly restartMs: number;
  /** Between two rounds of GPU Feature Discovery (`sleepInterval`). */
  readonly gfdIntervalMs: number;
  /** From the start of GPU Feature Discovery to its first labels, including NFD's part. */
  readonly gfdStartMs: number;
  /** From the end of a DRA driver until the kubelet deletes its ResourceSlices, if it is not back by then. */
  readonly sliceWipeMs: number;
}

export const usualKubeletTiming: KubeletTiming = {
  leaseMs: 10_000,
  reportMs: 300_000,
  statusLagMs: 0,
  startMs: 0,
  stopMs: 50,
  restartMs: 500,
  gfdIntervalMs: 60_000,
  gfdStartMs: 0,
  sliceWipeMs: 30_000,
};

/** Seconds that a pod's containers take to exit after SIGTERM: for pods that terminate slowly. */
export const stopSecondsAnnotation = 'simulator.gpupartition.dev/stop-seconds';
