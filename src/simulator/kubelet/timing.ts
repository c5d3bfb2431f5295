/** Waits of the simulated kubelets, in ms. The defaults are a kubelet's, but for those that only make tests slow. */
export interface KubeletTiming {
  /** Between two renewals of a node's Lease. The controller manager gives a node up after 50 s without. */
  readonly leaseMs: number;
  /** Between two reports of an unchanged status. */
  readonly reportMs: number;
  /** From what the plugin says to `status.allocatable`; a real kubelet takes up to 10 s (`nodeStatusUpdateFrequency`). */
  readonly statusLagMs: number;
  /** From being bound to Running. */
  readonly startMs: number;
  /** What a container takes to obey SIGTERM; the pod's grace period is the limit. */
  readonly stopMs: number;
  /** Until a device plugin, or GPU Feature Discovery, that has exited is started again; a real kubelet takes 10 s and more. */
  readonly pluginRestartMs: number;
  /** Between two looks of GPU Feature Discovery (`sleepInterval`). */
  readonly gfdIntervalMs: number;
  /** From the start of GPU Feature Discovery to its first labels, NFD's part included. */
  readonly gfdStartMs: number;
}

export const usualKubeletTiming: KubeletTiming = {
  leaseMs: 10_000,
  reportMs: 300_000,
  statusLagMs: 0,
  startMs: 0,
  stopMs: 50,
  pluginRestartMs: 500,
  gfdIntervalMs: 60_000,
  gfdStartMs: 0,
};

/** Seconds that a pod's containers take to obey SIGTERM: for pods that hold on. */
export const stopSecondsAnnotation = 'simulator.gpupartition.dev/stop-seconds';
