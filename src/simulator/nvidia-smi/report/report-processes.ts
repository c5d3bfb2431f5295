import type { ReportFacts } from '../nvml/gpu-facts.ts';
import type { GpuProcess } from '../state/node-state.ts';
import type { ReportNode } from './report.ts';
import { group, leaf, mib } from './report.ts';

/** The processes of a GPU. The text form with processes is recalled from real output, not recorded. */
export function describeProcesses(facts: ReportFacts): readonly ReportNode[] {
  const { processes } = facts;
  if (typeof processes === 'string') return [leaf('Processes', 'processes', processes)];
  const text =
    processes.length === 0
      ? leaf('Processes', null, 'None')
      : group('Processes', null, processes.flatMap(describeInText));
  return [group(null, 'processes', processes.map(describeInXml)), text];
}

function describeInXml(process: GpuProcess): ReportNode {
  return group(null, 'process_info', [
    leaf(null, 'gpu_instance_id', idOf(process.instance?.gi)),
    leaf(null, 'compute_instance_id', idOf(process.instance?.ci)),
    leaf(null, 'pid', String(process.pid)),
    leaf(null, 'type', 'C'),
    leaf(null, 'process_name', process.name),
    leaf(null, 'used_memory', mib(process.memoryMiB)),
  ]);
}

function describeInText(process: GpuProcess): readonly ReportNode[] {
  return [
    leaf('GPU instance ID', null, idOf(process.instance?.gi)),
    leaf('Compute instance ID', null, idOf(process.instance?.ci)),
    leaf('Process ID', null, String(process.pid)),
    leaf('    Type', null, 'C'),
    leaf('    Name', null, process.name),
    leaf('    Used GPU Memory', null, mib(process.memoryMiB)),
  ];
}

function idOf(id: number | undefined): string {
  return id === undefined ? 'N/A' : String(id);
}
