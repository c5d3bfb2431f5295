import type { PublishedDevice } from './published-devices.ts';
import { attributeOf, listSliceDevices, type ResourceSliceView } from './resource-slice.ts';

/** What a node's ResourceSlices offer, beside what its devices are. */
export interface SliceOffer {
  /** Every device once, with its UUID, and no other. */
  readonly isExact: boolean;
  readonly isNothing: boolean;
  /** The difference in words; empty if there is none. */
  readonly gap: string;
}

/** So many devices are named of each kind. */
const mostNamed = 3;

/**
 * Compares content, device by device. A name without its UUID proves nothing: an instance that is made again at the same place has the
 * same name.
 */
export function compareSlices(slices: readonly ResourceSliceView[], expected: readonly PublishedDevice[]): SliceOffer {
  const missing = [...expected];
  const found = listSliceDevices(slices);
  const strays = found.filter(isOfOurs).filter((device) => {
    const at = missing.findIndex((one) => isSame(device, one));
    if (at >= 0) missing.splice(at, 1);
    return at < 0;
  });
  const gap = [
    ...(missing.length > 0 ? [`lack ${nameSome(missing)}`] : []),
    ...(strays.length > 0
      ? [`have ${nameSome(strays.map((one) => ({ name: one.name, uuid: attributeOf(one, 'uuid') })))}, which is gone`]
      : []),
  ];
  return { isExact: gap.length === 0, isNothing: found.length === 0, gap: gap.join(' and ') };
}

/** Not a device of another type: `vfio` offers whole GPUs to virtual machines beside the others, and later drivers may have more. */
function isOfOurs(device: ReturnType<typeof listSliceDevices>[number]): boolean {
  const type = attributeOf(device, 'type');
  return type === undefined || type === 'gpu' || type === 'mig';
}

function isSame(device: ReturnType<typeof listSliceDevices>[number], one: PublishedDevice): boolean {
  return (
    (one.name === undefined || device.name === one.name) &&
    one.uuid !== undefined &&
    attributeOf(device, 'uuid') === one.uuid &&
    attributeOf(device, 'type') === one.type &&
    attributeOf(device, 'profile') === one.profile &&
    attributeOf(device, 'parentUUID') === one.parentUUID
  );
}

function nameSome(
  devices: readonly { readonly name: string | undefined; readonly uuid: string | undefined }[],
): string {
  const names = devices.map(({ name, uuid = 'no UUID' }) => (name === undefined ? uuid : `${name} (${uuid})`));
  const rest = names.length - mostNamed;
  return rest > 0 ? `${names.slice(0, mostNamed).join(', ')} and ${rest} more` : names.join(', ');
}
