import type { ReportFacts } from '../nvml/gpu-facts.ts';
import { POWER_DRAW_WATTS, TEMPERATURE_CELSIUS } from '../nvml/gpu-facts.ts';
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

/** Fields of `--help-query-gpu` for which the simulator has a value. */
const VALUES: readonly QueryField<GpuRow>[] = [
  field(['timestamp'], undefined, ({ now }) => formatTimestamp(now)),
  field(['driver_version'], undefined, ({ facts }) => facts.driver.driver),
  field(['count'], undefined, ({ count }) => String(count)),
  field(['name', 'gpu_name'], undefined, ({ facts }) => facts.board.productName),
  field(['serial', 'gpu_serial'], undefined, ({ facts }) => facts.gpu.serial),
  field(['uuid', 'gpu_uuid'], undefined, ({ facts }) => facts.gpu.uuid),
  field(['pci.bus_id', 'gpu_bus_id'], undefined, ({ facts }) => facts.gpu.busId),
  field(['pci.domain'], undefined, () => '0x0000'),
  field(['pci.bus'], undefined, ({ facts }) => `0x${facts.bus}`),
  field(['pci.device'], undefined, () => '0x00'),
  field(['pci.baseClass'], undefined, () => '0x03'),
  field(['pci.subClass'], undefined, () => '0x02'),
  field(['pci.device_id'], undefined, ({ facts }) => facts.board.pciDeviceId),
  field(['pci.sub_device_id'], undefined, ({ facts }) => facts.board.pciSubsystemId),
  field(['pcie.link.gen.current'], undefined, ({ facts }) => facts.pcieGeneration),
  field(['pcie.link.gen.gpucurrent'], undefined, ({ facts }) => facts.pcieGeneration),
  field(['pcie.link.gen.max'], undefined, ({ facts }) => facts.pcieGeneration),
  field(['pcie.link.gen.gpumax'], undefined, ({ facts }) => facts.pcieGeneration),
  field(['pcie.link.width.current'], undefined, () => '16'),
  field(['pcie.link.width.max'], undefined, () => '16'),
  field(['index'], undefined, ({ facts }) => String(facts.gpu.index)),
  field(['display_mode'], undefined, () => 'Disabled'),
  field(['display_active'], undefined, () => 'Disabled'),
  field(['persistence_mode'], undefined, ({ facts }) => facts.persistence),
  field(['accounting.mode'], undefined, () => 'Disabled'),
  field(['accounting.buffer_size'], undefined, () => '4000'),
  field(['vbios_version'], undefined, () => '92.00.36.00.10'),
  field(['inforom.img', 'inforom.image'], undefined, () => 'G506.0200.00.05'),
  field(['inforom.oem'], undefined, () => '2.0'),
  field(['inforom.ecc'], undefined, () => '6.16'),
  field(['reset_status.reset_required'], undefined, () => 'No'),
  field(['reset_status.drain_and_reset_recommended'], undefined, () => 'No'),
  field(['pstate'], undefined, () => 'P0'),
  field(['memory.total'], 'MiB', ({ facts }) => String(facts.board.memoryMiB)),
  field(['memory.reserved'], 'MiB', ({ facts }) => String(facts.board.reservedMiB)),
  field(['memory.used'], 'MiB', ({ facts }) => String(facts.usedMiB)),
  field(['memory.free'], 'MiB', ({ facts }) => String(facts.freeMiB)),
  field(['compute_mode'], undefined, () => 'Default'),
  field(['compute_cap'], undefined, ({ facts }) => facts.board.computeCapability),
  field(['utilization.gpu'], '%', utilization),
  field(['utilization.memory'], '%', utilization),
  field(['ecc.mode.current'], undefined, () => 'Enabled'),
  field(['ecc.mode.pending'], undefined, () => 'Enabled'),
  ...['corrected', 'uncorrected'].flatMap((kind) =>
    ['volatile', 'aggregate'].flatMap((since) =>
      ['device_memory', 'dram', 'total'].map((part) =>
        field<GpuRow>([`ecc.errors.${kind}.${since}.${part}`], undefined, () => '0'),
      ),
    ),
  ),
  field(['temperature.gpu'], undefined, () => String(TEMPERATURE_CELSIUS)),
  field(['power.management'], undefined, () => 'Enabled'),
  field(['power.draw'], 'W', () => POWER_DRAW_WATTS.toFixed(2)),
  field(['power.draw.average'], 'W', () => POWER_DRAW_WATTS.toFixed(2)),
  field(['power.draw.instant'], 'W', () => POWER_DRAW_WATTS.toFixed(2)),
  field(['power.limit'], 'W', ({ facts }) => facts.board.powerLimitWatts.toFixed(2)),
  field(['enforced.power.limit'], 'W', ({ facts }) => facts.board.powerLimitWatts.toFixed(2)),
  field(['power.default_limit'], 'W', ({ facts }) => facts.board.powerLimitWatts.toFixed(2)),
  field(['power.min_limit'], 'W', () => '100.00'),
  field(['power.max_limit'], 'W', ({ facts }) => facts.board.powerLimitWatts.toFixed(2)),
  field(['clocks.current.graphics', 'clocks.gr'], 'MHz', () => '210'),
  field(['clocks.current.sm', 'clocks.sm'], 'MHz', () => '210'),
  field(['clocks.current.memory', 'clocks.mem'], 'MHz', ({ facts }) => String(facts.board.memoryMHz)),
  field(['clocks.current.video', 'clocks.video'], 'MHz', () => '585'),
  field(['clocks.applications.graphics', 'clocks.applications.gr'], 'MHz', ({ facts }) =>
    String(facts.board.graphicsMHz),
  ),
  field(['clocks.applications.memory', 'clocks.applications.mem'], 'MHz', ({ facts }) => String(facts.board.memoryMHz)),
  field(['clocks.default_applications.graphics', 'clocks.default_applications.gr'], 'MHz', ({ facts }) =>
    String(facts.board.graphicsMHz),
  ),
  field(['clocks.default_applications.memory', 'clocks.default_applications.mem'], 'MHz', ({ facts }) =>
    String(facts.board.memoryMHz),
  ),
  field(['clocks.max.graphics', 'clocks.max.gr'], 'MHz', ({ facts }) => String(facts.board.graphicsMHz)),
  field(['clocks.max.sm'], 'MHz', ({ facts }) => String(facts.board.graphicsMHz)),
  field(['clocks.max.memory', 'clocks.max.mem'], 'MHz', ({ facts }) => String(facts.board.memoryMHz)),
  field(['mig.mode.current'], undefined, ({ facts }) => bracket(facts.migCurrent)),
  field(['mig.mode.pending'], undefined, ({ facts }) => bracket(facts.migPending)),
  field(['gsp.mode.current'], undefined, () => 'Enabled'),
  field(['gsp.mode.default'], undefined, () => 'Enabled'),
];

const NAMES = new Set(VALUES.flatMap(({ names }) => names));
/** The other fields of `--help-query-gpu`: valid, but N/A here. */
const WITHOUT_VALUE = listFields(QUERY_GPU_HELP).filter((name) => !NAMES.has(name));

export const GPU_FIELDS: readonly QueryField<GpuRow>[] = [
  ...VALUES,
  ...WITHOUT_VALUE.map((name) => field<GpuRow>([name], undefined, () => NOT_AVAILABLE)),
];
