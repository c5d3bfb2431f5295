import { isCompleted, type Execution } from './output.ts';
import { isBusId, normalizeBusId } from './smi-command.ts';

/** Compute capabilities by GPU, undefined for a GPU without one; undefined as a whole if there is no answer. */
export function readCapabilities(
  execution: Execution,
):
  readonly { readonly pciBusId: string; readonly uuid: string; readonly capability: string | undefined }[] | undefined {
  if (!isCompleted(execution)) return undefined;
  return execution.stdout.split('\n').flatMap((line) => {
    const [busId = '', uuid = '', capability = ''] = line.split(',').map((cell) => cell.trim());
    if (!isBusId(busId)) return [];
    return [
      {
        pciBusId: normalizeBusId(busId),
        uuid,
        capability: /^\d+\.\d+$/.test(capability) ? capability : undefined,
      },
    ];
  });
}

/** Whether the driver does not know a field that was asked for: it never will. */
export function rejectsField({ end, stdout }: Execution): boolean {
  return end === 'Exited' && /^Field "\w+" is not a valid field to query/m.test(stdout);
}
