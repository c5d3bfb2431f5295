import { Command } from 'commander';
import type { ClusterFacts } from '../../core/cluster/facts.ts';
import { wrapHanging } from '../../core/text/words.ts';
import { drawTable, type Line, span } from '../../core/view/lines.ts';
import { reportWaste } from '../../core/explain/waste.ts';
import { addConnectionOptions, connect, type ConnectionOptions } from '../cluster/connection.ts';
import { readFacts } from '../cluster/facts.ts';
import type { CommandContext } from '../program.ts';
import { type OutputFormat, outputOption } from '../options.ts';
import { readSnapshot, snapshotCommand } from '../input/snapshot.ts';
import { printLines, printJson, type Terminal } from '../terminal.ts';

interface Options extends ConnectionOptions {
  readonly snapshot?: readonly string[];
  readonly output: OutputFormat;
}

export function reportCommand({ terminal }: CommandContext): Command {
  return addConnectionOptions(new Command('report'))
    .description(
      'Reports waste: unused slices and slices that belong to no instance, what pods hold and wait for, and the layout of the same policy that would have served more.',
    )
    .option(
      '--snapshot <file...>',
      `the cluster in files instead, one for each moment, the oldest first: ${snapshotCommand}`,
    )
    .addOption(outputOption())
    .action(async (options: Options) => {
      const report = reportWaste(await readSamples(options, terminal));
      if (options.output === 'json') printJson(terminal, report);
      else printLines(terminal.stdout, drawWaste(report, terminal.stdout.columns));
    });
}

async function readSamples(options: Options, terminal: Terminal): Promise<readonly ClusterFacts[]> {
  if (options.snapshot === undefined) return [await readFacts(connect(options))];
  const samples: ClusterFacts[] = [];
  for (const file of options.snapshot) samples.push(await readSnapshot([file], terminal));
  return samples;
}

type WasteReport = ReturnType<typeof reportWaste>;

/** The report of waste on a screen. */
export function drawWaste(report: WasteReport, columns: number): readonly Line[] {
  const { samples, gpus, resources, layouts } = report;
  const idle = samples === 1 ? 'nobody uses now' : `nobody used in any of ${samples} snapshots`;
  const sections = [
    [[span('Stranded slices: they belong to no instance and cannot be allocated', 'title')]],
    gpus.length === 0 ? [[span('no GPU is in MIG mode')]] : drawStranded(report),
    [[], [span(`Instances that ${idle}`, 'title')]],
    drawIdle(report),
    [[], [span('What is offered, held by pods, and asked for by pods that wait', 'title')]],
    resources.length === 0 ? [[span('no node offers GPUs, and no pod asks for them')]] : drawDemand(report),
    [[], [span('What another layout would have served', 'title')]],
    layouts.length === 0
      ? [[span('no other layout of a policy would have served more')]]
      : layouts.flatMap(({ message }) => wrapHanging(message, columns).map((text): Line => [span(text)])),
  ] satisfies readonly (readonly Line[])[];
  return sections.flat();
}

function drawStranded({ gpus }: WasteReport): readonly Line[] {
  const rows = gpus.map(({ policy = '-', product, gpus: count, slices, stranded }) => [
    span(policy, 'title'),
    span(product),
    span(String(count)),
    share(stranded.compute, slices.compute),
    share(stranded.memory, slices.memory),
  ]);
  return drawTable(['POLICY', 'PRODUCT', 'GPUS', 'STRANDED COMPUTE', 'STRANDED MEMORY'], rows);
}

const mostNamed = 3;

function drawIdle({ gpus }: WasteReport): readonly Line[] {
  const rows = gpus.flatMap(({ policy = '-', profiles }) =>
    profiles
      .filter(({ neverUsed }) => neverUsed > 0)
      .map(({ profile, instances, neverUsed, nodes }) => {
        const named = nodes.slice(0, mostNamed).map((one) => `${one.node} (${one.neverUsed})`);
        return [
          span(policy, 'title'),
          span(profile),
          share(neverUsed, instances),
          span([...named, ...(nodes.length > mostNamed ? ['…'] : [])].join(', '), 'dim'),
        ];
      }),
  );
  if (rows.length === 0) return [[span('none')]];
  return drawTable(['POLICY', 'PROFILE', 'UNUSED', 'MOST ON'], rows);
}

function drawDemand({ samples, resources }: WasteReport): readonly Line[] {
  const rows = resources.map(({ resource, offered, held, mostHeld, mostWaiting }) => [
    span(resource, 'title'),
    span(String(offered)),
    span(String(held), mostHeld === 0 && offered > 0 ? 'warn' : 'plain'),
    ...(samples === 1 ? [] : [span(String(mostHeld))]),
    span(mostWaiting === undefined ? 'unknown' : String(mostWaiting), (mostWaiting ?? 0) > 0 ? 'warn' : 'plain'),
  ]);
  const most = samples === 1 ? [] : ['MOST HELD'];
  const header = ['RESOURCE', 'OFFERED', samples === 1 ? 'HELD' : 'HELD (MEAN)', ...most, 'WAITING'];
  return drawTable(header, rows);
}

/** `54 of 432 (13 %)` */
function share(part: number, whole: number) {
  const percent = whole === 0 ? 0 : Math.round((100 * part) / whole);
  const tone = percent >= 25 ? 'warn' : 'plain';
  return span(`${part} of ${whole} (${percent} %)`, tone);
}
