import type { DriverVersions } from './board.ts';
import recorded from './help.json' with { type: 'json' };

/** `nvidia-smi mig -h`, the same from 525 to 555; 470 lacks `-lcipp`. */
export function migHelp({ isAfter470 }: DriverVersions): string {
  const help = recorded.mig.join('\n');
  return isAfter470 ? help : help.replace(/^ *\[-lcipp [^[]*(?= {4}\[)/m, '');
}

/** `nvidia-smi -h`, driver 550.163.01. */
export const OVERVIEW_HELP = recorded.overview.join('\n');

/** `nvidia-smi --help-query-gpu`, driver 550.163.01. */
export const QUERY_GPU_HELP = recorded.queryGpu.join('\n');

/** `nvidia-smi --help-query-compute-apps`, driver 550.163.01. */
export const QUERY_COMPUTE_APPS_HELP = recorded.queryComputeApps.join('\n');

/** The names of all fields that a help page explains. */
export function listFields(help: string): readonly string[] {
  const headings = help.match(/^"[\w.]+"(?: or "[\w.]+")*$/gm) ?? [];
  return headings.flatMap((heading) => heading.replaceAll('"', '').split(' or '));
}
