import type { ReportFacts } from '../nvml/gpu-facts.ts';
import { gatherGpuFacts } from '../nvml/gpu-facts.ts';
import { selectGpus } from '../gpu-selection.ts';
import type { Nvml } from '../nvml/nvml.ts';
import { describeConnection } from './report-connection.ts';
import { describeIdentity } from './report-identity.ts';
import { describeMemory } from './report-memory.ts';
import { describePower } from './report-power.ts';
import type { ReportNode } from './report.ts';
import { renderReportText, renderReportXml } from './report.ts';
import { formatDate } from './timestamp.ts';
import type { World } from '../state/world.ts';

/** `nvidia-smi -q`, with `-x` as XML. */
export function printReport(world: World, nvml: Nvml, selector: string | undefined, asXml: boolean): void {
  const state = world.readState();
  const all = selectGpus(nvml, selector).map((gpu) => gatherGpuFacts(gpu, nvml, state));
  const render = asXml ? renderXml : renderText;
  world.print(render(nvml, formatDate(world.now), all));
}

function describe(facts: ReportFacts): readonly ReportNode[] {
  return [describeIdentity, describeConnection, describeMemory, describePower].flatMap((part) => part(facts));
}

function renderText({ driver: { driver, cuda }, gpus }: Nvml, now: string, all: readonly ReportFacts[]): string {
  const head = [
    '',
    '==============NVSMI LOG==============',
    '',
    `Timestamp                                 : ${now}`,
    `Driver Version                            : ${driver}`,
    `CUDA Version                              : ${cuda}`,
    '',
    `Attached GPUs                             : ${gpus.length}`,
    '',
  ].join('\n');
  return head + all.map((facts) => `GPU ${facts.gpu.busId}\n${renderReportText(describe(facts), 4)}\n`).join('');
}

function renderXml({ driver: { driver, cuda, dtd }, gpus }: Nvml, now: string, all: readonly ReportFacts[]): string {
  const head = [
    '<?xml version="1.0" ?>',
    `<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v${dtd}.dtd">`,
    '<nvidia_smi_log>',
    `\t<timestamp>${now}</timestamp>`,
    `\t<driver_version>${driver}</driver_version>`,
    `\t<cuda_version>${cuda}</cuda_version>`,
    `\t<attached_gpus>${gpus.length}</attached_gpus>`,
    '',
  ].join('\n');
  const body = all.map(
    (facts) => `\t<gpu id="${facts.gpu.busId}">\n${renderReportXml(describe(facts), 2)}\t</gpu>\n\n`,
  );
  return `${head}${body.join('')}</nvidia_smi_log>\n`;
}
