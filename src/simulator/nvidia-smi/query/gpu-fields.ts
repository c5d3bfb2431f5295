import type { ReportFacts } from '../nvml/gpu-facts.ts';
import { listFields, QUERY_GPU_HELP } from '../help/query.ts';
import type { QueryField } from './query-field.ts';
import { field, NOT_AVAILABLE } from './query-field.ts';
import { formatTimestamp } from '../report/timestamp.ts';

/** Source of a `--query-gpu` field's value. */
export interface GpuRow {
  readonly facts: ReportFacts;
  readonly now: Date;
  /** Number of GPUs in the node. */
  readonly count: number;
}

const utilization = ({ facts }: GpuRow): string => (facts.utilization === 'N/A' ? NOT_AVAILABLE : '0');

/** In CSV anything that is not a value is in brackets: `[N/A]`, `[GPU is lost]`. */
function bracket(mode: string): string {
  return mode === 'Enabled' || mode === 'Disabled' ? mode : `[${mode}]`;
}

/** Memory of the GPU in MiB, or why it cannot be read. */
function memory(name: string, read: (facts: ReportFacts) => number): QueryField<GpuRow> {
  return field([name], 'MiB', ({ facts }) =>
    facts.memoryFailure === undefined ? String(read(facts)) : `[${facts.memoryFailure}]`,
  );
}

/** Fields of `--help-query-gpu` for which the simulator has a value; it measures no temperature, power or clock. */
const VALUES: readonly QueryField<GpuRow>[] = [
  field(['timestamp'], undefined, ({ now }) => formatTimestamp(now)),
  field(['driver_version'], undefined, ({ facts }) => facts.driver.driver),
  field(['count'], undefined, ({ count }) => String(count)),
  field(['name', 'gpu_name'], undefined, ({ facts }) => facts.board.productName),
  field(['serial', 'gpu_serial'], undefined, ({ facts }) => facts.gpu.serial),
  field(['uuid', 'gpu_uuid'], undefined, ({ facts }) => facts.gpu.uuid),
  field(['pci.bus_id', 'gpu_bus_id'], undefined, ({ facts }) => facts.gpu.busId),
  field(['pci.bus'], undefined, ({ facts }) => `0x${facts.bus}`),
  field(['pci.device_id'], undefined, ({ facts }) => facts.board.pciDeviceId),
  field(['pci.sub_device_id'], undefined, ({ facts }) => facts.board.pciSubsystemId),
  field(['index'], undefined, ({ facts }) => String(facts.gpu.index)),
  field(['persistence_mode'], undefined, ({ facts }) => facts.persistence),
  memory('memory.total', ({ board }) => board.memoryMiB),
  memory('memory.reserved', ({ board }) => board.reservedMiB),
  memory('memory.used', ({ usedMiB }) => usedMiB),
  memory('memory.free', ({ freeMiB }) => freeMiB),
  field(['compute_cap'], undefined, ({ facts }) => facts.board.computeCapability),
  field(['utilization.gpu'], '%', utilization),
  field(['utilization.memory'], '%', utilization),
  field(['mig.mode.current'], undefined, ({ facts }) => bracket(facts.migCurrent)),
  field(['mig.mode.pending'], undefined, ({ facts }) => bracket(facts.migPending)),
];

const NAMES = new Set(VALUES.flatMap(({ names }) => names));
/** The other fields of `--help-query-gpu`: valid, but N/A here. */
const WITHOUT_VALUE = listFields(QUERY_GPU_HELP).filter((name) => !NAMES.has(name));

export const GPU_FIELDS: readonly QueryField<GpuRow>[] = [
  ...VALUES,
  ...WITHOUT_VALUE.map((name) => field<GpuRow>([name], undefined, () => NOT_AVAILABLE)),
];
