import { Command, Option } from 'commander';

import { integer, list } from '../../process/option.ts';
import { addConnectionOptions, connect, type ConnectionOptions } from '../cluster/connection.ts';
import type { CommandContext } from '../command-table.ts';
import { demandNewFile, saveNewFile } from '../new-file.ts';
import { writeYaml } from '../node/layout-yaml.ts';
import { type OutputFormat, outputOption } from '../output-option.ts';
import { type BundleOptions, readClusterBundle } from '../support/cluster-bundle.ts';
import { LenientReader } from '../support/lenient-reader.ts';
import { paint, printJson, printLine, type Terminal } from '../terminal.ts';

interface Options extends ConnectionOptions, BundleOptions {
  readonly output: OutputFormat;
}

/** Contents of a bundle; the shape of `-o json`. */
export interface SupportBundleAnswer {
  readonly file: string;
  /** Objects by kind. */
  readonly objects: Readonly<Record<string, number>>;
  /** What the API server refused, one sentence each. */
  readonly notRead: readonly string[];
}

const namespaces = ['gpu-partition-system', 'gpu-partition-agents'];

export function supportBundleCommand({ terminal, outcome }: CommandContext): Command {
  return addConnectionOptions(new Command('support-bundle'))
    .description(
      'Collects what others need to help: policies, node partitions, GPU nodes, their pods and claims, Events, and the logs of our programs. ' +
        'Secrets, environments, arguments and annotations of others are left out. plan, explain, status and ui accept the file as --snapshot.',
    )
    .argument('<file>', 'a new file, or - for standard output')
    .addOption(
      new Option('--namespaces <names>', 'namespaces of the operator: only pods there count as its own')
        .argParser(list)
        .default(namespaces, namespaces.join(',')),
    )
    .option('--log-lines <n>', 'number of last lines of each log; 0: no logs', integer(0, 100_000), 1000)
    .option(
      '--log-pods <n>',
      'maximum number of pods with logs; those of nodes that are not Ready first',
      integer(0, 10_000),
      20,
    )
    .addOption(outputOption())
    .action(async (file: string, options: Options) => {
      demandNewFile(file, terminal);
      const reader = new LenientReader(connect(options));
      const items = await readClusterBundle(reader, options, Date.now());
      const bundle = writeYaml({ apiVersion: 'v1', kind: 'List', items });
      if (file === '-') terminal.stdout.write(bundle);
      else await saveNewFile(file, bundle, terminal);
      const { notRead } = reader;
      if (notRead.length > 0) outcome.code = 1;
      print({ file, objects: countKinds(items), notRead }, options, terminal);
    });
}

function print(answer: SupportBundleAnswer, { output }: Options, terminal: Terminal): void {
  const { stderr } = terminal;
  // With the bundle on standard output the answer goes to standard error.
  const out = answer.file === '-' ? { ...terminal, stdout: stderr } : terminal;
  if (output === 'json') return printJson(out, answer);
  const kinds = Object.entries(answer.objects).map(([kind, count]) => `${count} ${kind}`);
  printLine(out.stdout, `${answer.file}: ${kinds.join(', ')}`);
  for (const one of answer.notRead) printLine(stderr, `${paint(stderr, 'yellow', 'not read:')} ${one}`);
}

function countKinds(items: readonly { readonly kind?: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { kind = 'unknown' } of items) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
