/** Domain of the driver with which NVIDIA hands out GPUs by claim (kubernetes-sigs/dra-driver-nvidia-gpu). */
export const gpuDriver = 'gpu.nvidia.com';

/** The parts of a ResourceSlice (`resource.k8s.io`) that tell what it offers, and whether its driver creates that itself. */
export interface ResourceSliceView {
  readonly metadata?: { readonly name?: string };
  readonly spec: {
    readonly driver: string;
    readonly sharedCounters?: readonly unknown[];
    readonly devices?: readonly SliceDevice[];
  };
}

export interface SliceDevice {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, { readonly string?: string }>>;
  readonly consumesCounters?: readonly unknown[];
}

/** All devices that NVIDIA's driver offers in these slices. The pool's generation says nothing: it stays over changes of content. */
export function listSliceDevices(slices: readonly ResourceSliceView[]): readonly SliceDevice[] {
  return slices.filter(({ spec }) => spec.driver === gpuDriver).flatMap(({ spec }) => spec.devices ?? []);
}

/** Text of an attribute in the driver's own domain. */
export function attributeOf({ attributes = {} }: SliceDevice, name: string): string | undefined {
  return (attributes[name] ?? attributes[`${gpuDriver}/${name}`])?.string;
}

/**
 * Slices of a driver with its gate DynamicMIG: it creates instances for each claim, and at its start destroys those that it does not
 * know. They have counters, and devices without a UUID, since none of them exists before it is claimed.
 */
export function listDynamicSlices(slices: readonly ResourceSliceView[]): readonly ResourceSliceView[] {
  return slices.filter(({ spec }) => {
    if (spec.driver !== gpuDriver) return false;
    const { sharedCounters = [], devices = [] } = spec;
    return sharedCounters.length > 0 || devices.some((one) => (one.consumesCounters ?? []).length > 0 || isUnborn(one));
  });
}

/** Only devices of these types come from the part of the driver that makes slices. */
function isUnborn(device: SliceDevice): boolean {
  const type = attributeOf(device, 'type');
  return (type === 'gpu' || type === 'mig') && attributeOf(device, 'uuid') === undefined;
}
