/** A device of a pod, as the kubelet names it. */
export interface HeldDevice {
  /** `nvidia.com/mig-1g.5gb` */
  readonly resource: string;
  /** The device plugin's id: see {@link uuidOfDeviceId}. */
  readonly id: string;
}

/** A pod on a node and the NVIDIA devices that the kubelet gave it; none is usual. */
export interface PodHolding {
  readonly namespace: string;
  readonly name: string;
  readonly devices: readonly HeldDevice[];
}
