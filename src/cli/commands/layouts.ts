import { Command } from 'commander';

import { fitLayout } from '../../core/gpu/plan/fit.ts';
import { enumerateLayouts } from '../../core/gpu/search/layout-enumeration.ts';
import { writeLayout } from '../../core/gpu/search/layout-words.ts';
import { drawGpu } from '../../core/gpu/plan/picture.ts';
import type { Geometry, Layout } from '../../core/gpu/geometry/geometry.ts';
import { MODELS } from '../../core/gpu/geometry/models.ts';
import type { CommandContext } from '../command-table.ts';
import { readModel } from '../model-argument.ts';
import { type OutputFormat, outputOption } from '../output-option.ts';
import { paint, printJson, printLine } from '../terminal.ts';

interface Options {
  readonly maximal?: boolean;
  readonly base?: boolean;
  readonly output: OutputFormat;
}

export function layoutsCommand({ terminal }: CommandContext): Command {
  return new Command('layouts')
    .description('Lists every layout that a GPU model can hold, smallest slices first, with placements.')
    .argument('<model>', 'model or product: a100-40gb, "A100-SXM4-40GB", H200, a PCI device id')
    .option('--maximal', 'only layouts to which no slice can be added')
    .option('--base', 'only plain profiles, without +me, -me, +gfx and double-memory variants')
    .addOption(outputOption())
    .addHelpText('after', `\nModels: ${MODELS.map(({ id }) => id).join(', ')}`)
    .action((name: string, { maximal = false, base = false, output }: Options) => {
      const model = readModel(name);
      const layouts = enumerateLayouts(model, { maximal, base });
      if (output === 'json') return printJson(terminal, layouts);
      const what = `${maximal ? 'maximal ' : ''}layouts${base ? ' of plain profiles' : ''}`;
      printLine(terminal.stdout, paint(terminal.stdout, 'bold', `${model.id}: ${layouts.length} ${what}`));
      for (const layout of layouts) printLine(terminal.stdout, drawLayout(model, layout));
    });
}

/** The picture followed by the layout; only the layout if placements are not published. */
function drawLayout(geometry: Geometry, layout: Layout): string {
  const fit = fitLayout(geometry, layout);
  const words = writeLayout(layout);
  return fit.fits && fit.placements !== undefined ? `${drawGpu(geometry, fit.placements)} ${words}` : words;
}
