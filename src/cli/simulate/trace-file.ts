import { DAY } from '../../core/simulation/arrival.ts';
import type { TraceTask } from '../../core/simulation/trace.ts';
import { CliError } from '../exit.ts';
import { readText } from '../input/manifest-file.ts';
import type { Terminal } from '../terminal.ts';

/** A year of a large cluster. */
const MOST_BYTES = 256 * 1024 * 1024;

/** A task, and where the file has it. */
export interface TraceRow extends TraceTask {
  readonly line: number;
}

/** A trace, from its first task on. */
export interface TraceFile {
  readonly name: string;
  readonly tasks: readonly TraceRow[];
  /** Whole days that it lasts. */
  readonly days: number;
  /** Tasks that are left out: they never ran, or asked for several GPUs or none. */
  readonly skipped: number;
}

interface Row {
  readonly number: number;
  readonly of: (column: string) => string;
}

/** How the columns of each known format are read; undefined: a task that is left out. */
const formats: readonly {
  readonly columns: readonly string[];
  readonly read: (row: Row, fail: (message: string) => CliError) => TraceTask | undefined;
}[] = [
  {
    columns: ['arrival_s', 'duration_s', 'profile'],
    read: (row, fail) => ({ ...readTimes(row, fail), asked: row.of('profile') }),
  },
  {
    columns: ['arrival_s', 'duration_s', 'gpu_milli'],
    read: (row, fail) => ({ ...readTimes(row, fail), asked: readNumber(row, 'gpu_milli', fail) }),
  },
  // cluster-trace-gpu-v2023 of alibaba/clusterdata.
  {
    columns: ['num_gpu', 'gpu_milli', 'creation_time', 'scheduled_time', 'deletion_time'],
    read: (row, fail) => {
      const hasRun = row.of('scheduled_time') !== '' && row.of('deletion_time') !== '';
      if (!hasRun || Number(row.of('num_gpu')) !== 1) return undefined;
      const [created, begun, ended] = ['creation_time', 'scheduled_time', 'deletion_time'].map((column) =>
        readNumber(row, column, fail),
      );
      const duration = (ended ?? 0) - (begun ?? 0);
      return { arrival: created ?? 0, duration, asked: readNumber(row, 'gpu_milli', fail) };
    },
  },
];

/** @throws CliError that names the line */
export async function readTrace(path: string, terminal: Terminal): Promise<TraceFile> {
  const { name, text } = await readText(path, terminal, MOST_BYTES);
  const [header = '', ...lines] = text.trim().split(/\r?\n/);
  const titles = splitCells(header);
  const format = formats.find(({ columns }) => columns.every((column) => titles.includes(column)));
  if (format === undefined)
    throw new CliError(
      `${name}:1: the first line must name the columns ${formats.map(({ columns }) => columns.join(',')).join(', or ')}`,
    );
  const tasks: TraceRow[] = [];
  let skipped = 0;
  for (const [index, line] of lines.entries()) {
    const cells = splitCells(line);
    const number = index + 2;
    const row = { number, of: (column: string) => cells[titles.indexOf(column)] ?? '' };
    const task = format.read(row, (message) => new CliError(`${name}:${number}: ${message}`));
    if (task === undefined || !isPlayed(task)) skipped += 1;
    else tasks.push({ ...task, line: number });
  }
  if (tasks.length === 0) throw new CliError(`${name}: it has no task that ran on one GPU or a part of it`);
  const first = tasks.reduce((least, { arrival }) => Math.min(least, arrival), Infinity);
  const last = tasks.reduce((most, { arrival }) => Math.max(most, arrival), 0);
  return {
    name,
    tasks: tasks.map((task) => ({ ...task, arrival: task.arrival - first })),
    days: Math.max(1, Math.ceil((last - first + 1) / DAY)),
    skipped,
  };
}

/** Whether it ran, on one GPU or a part of it. */
function isPlayed({ duration, asked }: TraceTask): boolean {
  return duration > 0 && (typeof asked === 'string' || (asked > 0 && asked <= 1000));
}

/** Cells in quotation marks may have commas in them. */
function splitCells(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(',').map((cell) => cell.trim());
  const cells = [...line.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*?))\s*(?:,|$)/g)];
  return cells.map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
}

function readTimes(row: Row, fail: (message: string) => CliError): Omit<TraceTask, 'asked'> {
  return { arrival: readNumber(row, 'arrival_s', fail), duration: readNumber(row, 'duration_s', fail) };
}

function readNumber(row: Row, column: string, fail: (message: string) => CliError): number {
  const text = row.of(column);
  const value = Number(text);
  if (text !== '' && Number.isFinite(value) && value >= 0) return value;
  throw fail(`${column} is ${JSON.stringify(text)}: give ${unitOf(column)}, 0 or more, or take the row out`);
}

function unitOf(column: string): string {
  return column === 'gpu_milli' ? 'thousandths of a GPU' : 'seconds';
}
