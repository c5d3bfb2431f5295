/** A device of a pod, as the kubelet names it. */
export interface HeldDevice {
  /** `nvidia.com/mig-1g.5gb`; of any device plugin */
  readonly resource: string;
  /** The device plugin's id: see {@link uuidOfDeviceId}. */
  readonly id: string;
}

/** A device that a pod has by a claim (DRA), as its driver names it. */
export interface ClaimedDevice {
  /** `NAMESPACE/NAME` */
  readonly claim: string;
  /** `gpu.nvidia.com`; empty if the kubelet is too old to report it. */
  readonly driver: string;
  /** Name within the driver's pool; empty as above. */
  readonly device: string;
  /** Fully qualified: `k8s.gpu.nvidia.com/claim=ID`. */
  readonly cdiDevices: readonly string[];
}

/** A pod on a node and the devices that the kubelet gave it; usually none. */
export interface PodHolding {
  readonly namespace: string;
  readonly name: string;
  readonly devices: readonly HeldDevice[];
  /** Absent if the pod has no claim. */
  readonly claimed?: readonly ClaimedDevice[];
}
