import type { SimulationView } from './simulation-screen.ts';

const columns = [
  'side',
  'day',
  'profile',
  'pods',
  'asked_slice_s',
  'served_slice_s',
  'lost_slice_s',
  'wait_slice_s',
  'started',
  'longest_wait_s',
  'evictions',
  'gpus_relaid',
] as const;

/** One row for each side, day and profile, and one without a profile for the GPUs that were re-laid that day. */
export function writeSimulationCsv({ sides }: SimulationView): readonly string[] {
  const rows = sides.flatMap(({ name, figures }) =>
    figures.relayouts.flatMap((relaid, index) => [
      ...figures.days
        .filter(({ day }) => day === index + 1)
        .map((one) => [
          name,
          one.day,
          one.profile,
          one.pods,
          one.askedSeconds,
          one.servedSeconds,
          one.lostSeconds,
          one.waitSeconds,
          one.started,
          one.longestWaitSeconds,
          one.evictions,
          '',
        ]),
      [name, index + 1, '', '', '', '', '', '', '', '', '', relaid],
    ]),
  );
  return [columns.join(','), ...rows.map((row) => row.map(writeCell).join(','))];
}

function writeCell(value: string | number): string {
  return typeof value === 'string' && /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : String(value);
}
