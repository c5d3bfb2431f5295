import type { ReportFacts } from '../nvml/gpu-facts.ts';
import type { ReportNode } from './report.ts';
import { group, leaf, mib } from './report.ts';

/**
 * The processes of a GPU: in the XML each has an element of its own, in the text their lines follow each other. The text form with
 * processes is recalled from real output, not recorded.
 */
export function describeProcesses({ processes }: ReportFacts): readonly ReportNode[] {
  if (typeof processes === 'string') return [leaf('Processes', 'processes', processes)];
  const described = processes.map(({ instance, pid, name, memoryMiB }) => [
    leaf('GPU instance ID', 'gpu_instance_id', String(instance?.gi ?? 'N/A')),
    leaf('Compute instance ID', 'compute_instance_id', String(instance?.ci ?? 'N/A')),
    leaf('Process ID', 'pid', String(pid)),
    leaf('    Type', 'type', 'C'),
    leaf('    Name', 'process_name', name),
    leaf('    Used GPU Memory', 'used_memory', mib(memoryMiB)),
  ]);
  const elements = described.map((fields) => group(null, 'process_info', fields));
  const text = described.length === 0 ? leaf('Processes', null, 'None') : group('Processes', null, described.flat());
  return [group(null, 'processes', elements), text];
}
