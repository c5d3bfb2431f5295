import { exitWith } from '../command-exit.ts';
import { GPU_FIELDS } from './gpu-fields.ts';
import { gatherGpuFacts } from '../nvml/gpu-facts.ts';
import { selectGpus } from '../gpu-selection.ts';
import type { SimulatedGpu } from '../nvml/gpu.ts';
import type { GpuProcess } from '../state/node-state.ts';
import { NVML } from '../nvml/nvml-code.ts';
import type { Nvml } from '../nvml/nvml.ts';
import type { CsvFormat, QueryField } from './query-field.ts';
import { field, renderCsv } from './query-field.ts';
import { formatTimestamp } from '../report/timestamp.ts';
import type { World } from '../state/world.ts';

/** `--query-gpu=FIELDS --format=csv…`. */
export function queryGpus(
  world: World,
  nvml: Nvml,
  selector: string | undefined,
  fields: string,
  format: string | undefined,
): void {
  const columns = chooseFields(GPU_FIELDS, fields);
  const csv = parseFormat(format);
  const state = world.readState();
  const rows = selectGpus(nvml, selector).map((gpu) => ({
    facts: gatherGpuFacts(gpu, nvml, state),
    now: world.now,
    count: nvml.gpus.length,
  }));
  world.print(renderCsv(columns, rows, csv));
}

interface AppRow {
  readonly gpu: SimulatedGpu;
  readonly process: GpuProcess;
  readonly now: Date;
}

/** No field identifies the MIG instance: only `-q -x` does. */
const APP_FIELDS: readonly QueryField<AppRow>[] = [
  field(['timestamp'], undefined, ({ now }) => formatTimestamp(now)),
  field(['gpu_name'], undefined, ({ gpu }) => gpu.board.productName),
  field(['gpu_bus_id'], undefined, ({ gpu }) => gpu.busId),
  field(['gpu_serial'], undefined, ({ gpu }) => gpu.serial),
  field(['gpu_uuid'], undefined, ({ gpu }) => gpu.uuid),
  field(['pid'], undefined, ({ process }) => String(process.pid)),
  field(['process_name', 'name'], undefined, ({ process }) => process.name),
  field(['used_gpu_memory', 'used_memory'], 'MiB', ({ process }) => String(process.memoryMiB)),
];

/** `--query-compute-apps=FIELDS --format=csv…`. */
export function queryComputeApps(
  world: World,
  nvml: Nvml,
  selector: string | undefined,
  fields: string,
  format: string | undefined,
): void {
  const columns = chooseFields(APP_FIELDS, fields);
  const csv = parseFormat(format);
  const { processes } = world.readState();
  const rows = selectGpus(nvml, selector).flatMap((gpu) =>
    processes.filter((process) => process.gpu === gpu.index).map((process) => ({ gpu, process, now: world.now })),
  );
  world.print(renderCsv(columns, rows, csv));
}

function chooseFields<Row>(known: readonly QueryField<Row>[], text: string): readonly QueryField<Row>[] {
  return text.split(',').map((raw) => {
    const name = raw.trim();
    const found = known.find(({ names }) => names.includes(name));
    return found ?? exitWith(NVML.invalidArgument, `Field "${name}" is not a valid field to query.\n\n`);
  });
}

function parseFormat(text: string | undefined): CsvFormat {
  const words = text?.split(',').map((word) => word.trim());
  if (words?.includes('csv') !== true) {
    const complaint = `"--format=" switch is missing. Please run 'nvidia-smi -h' for help.\n\n`;
    return exitWith(NVML.invalidArgument, complaint);
  }
  return { header: !words.includes('noheader'), units: !words.includes('nounits') };
}
