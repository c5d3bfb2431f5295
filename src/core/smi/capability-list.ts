import type { Execution } from './output.ts';
import { isBusId, normalizeBusId } from './smi-command.ts';

/** Compute capabilities by GPU, undefined for a GPU without one; undefined as a whole if the driver does not know the field. */
export function readCapabilities({
  rc,
  stdout,
  end,
}: Execution):
  readonly { readonly pciBusId: string; readonly uuid: string; readonly capability: string | undefined }[] | undefined {
  if (rc !== 0 || end !== 'Exited') return undefined;
  return stdout.split('\n').flatMap((line) => {
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
