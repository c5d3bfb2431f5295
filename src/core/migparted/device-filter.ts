import { type GpuModel, MODELS } from '../gpu/geometry/models.ts';

/** A PCI device that a `device-filter` names. */
export interface DeviceFilter {
  /** Device and vendor, as mig-parted and policies write them: `0x20B010DE`. */
  readonly id: string;
  /** Subsystem, if the filter names one (mig-parted v0.15): `0x134F10DE`. */
  readonly subsystem?: string;
}

const FILTER = /^(0x[0-9a-f]+|[1-9][0-9]*)(?::(0x[0-9a-f]+|[1-9][0-9]*))?$/i;

/**
 * Reads one device filter: 32 bits of device and vendor, hexadecimal or decimal, in any case, optionally followed by those of the
 * subsystem. With a blank before or after it, mig-parted reads no number (`strconv.ParseInt`).
 *
 * @returns undefined for a text that mig-parted silently accepts and that matches no GPU
 */
export function parseDeviceFilter(text: string): DeviceFilter | undefined {
  const match = FILTER.exec(text);
  const id = match?.[1] === undefined ? undefined : readId(match[1]);
  if (match === null || id === undefined) return undefined;
  if (match[2] === undefined) return { id };
  const subsystem = readId(match[2]);
  return subsystem === undefined ? undefined : { id, subsystem };
}

function readId(text: string): string | undefined {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value > 0xff_ff_ff_ff) return undefined;
  return `0x${value.toString(16).toUpperCase().padStart(8, '0')}`;
}

/** Whether a filter names an NVIDIA device; mig-parted ignores all others. */
export function isNvidia({ id }: DeviceFilter): boolean {
  return id.endsWith('10DE');
}

/** Models of the built-in table that filters allow, OR over the list; all if it is empty. */
export function listFiltered(filters: readonly DeviceFilter[]): readonly GpuModel[] {
  if (filters.length === 0) return MODELS;
  const ids = new Set(filters.map(({ id }) => id));
  return MODELS.filter((model) => listDeviceIds(model).some((id) => ids.has(id)));
}

export function isKnownDevice({ id }: DeviceFilter): boolean {
  return MODELS.some((model) => listDeviceIds(model).includes(id));
}

/** Whether some GPU can match a filter of each list. */
export function filtersOverlap(left: readonly DeviceFilter[], right: readonly DeviceFilter[]): boolean {
  if (left.length === 0 || right.length === 0) return true;
  return left.some((one) =>
    right.some(
      (other) =>
        one.id === other.id &&
        (one.subsystem === undefined || other.subsystem === undefined || one.subsystem === other.subsystem),
    ),
  );
}

function listDeviceIds(model: GpuModel): readonly string[] {
  return [...model.products.map(({ pciDeviceId }) => pciDeviceId), ...(model.unnamedPciDeviceIds ?? [])].flatMap(
    (id) => (id === undefined ? [] : [id.toUpperCase().replace(/^0X/, '0x')]),
  );
}
