import { MODELS } from '../gpu/geometry/models.ts';
import { DeviceError } from '../gpu/state/device-error.ts';
import { explainFault } from '../host/host-fault.ts';

/** Elements of the report whose value identifies a machine or a part of it: serial numbers, ids of racks and fabrics. */
const serial = /(<(\w*(?:serial|host_id|guid|hostname)\w*)>)(?!\s*(?:N\/A|\[N\/A\])\s*<)([^<]*)(?=<\/\2>)/gi;
/** A program chooses its own name, which may look like the end of the element: the parser decides where it ends. */
const processName = /(<process_name>)[^]*?(?=<\/process_name>\n|$)/g;

/**
 * Removes from an output what is not needed to understand it: serial numbers, names of processes and the name of the machine.
 * What the parsers read is unchanged, except for the names of processes.
 */
export function redactOutput(output: string, hostName: string): string {
  return hideHost(output.replace(processName, '$1redacted').replace(serial, '$1redacted'), hostName);
}

/** Words of nvidia-smi and of product names: parsers need them, and as the name of a machine they identify none. */
const common = new Set(
  [
    'gpu',
    'mig',
    'nvidia',
    'device',
    'uuid',
    ...MODELS.flatMap(({ products }) => products.flatMap(({ name }) => name.split(/[ -]/))),
  ].map((word) => word.toLowerCase()),
);

/** @param text anything; the machine's name in it, short or in full, becomes `host` */
export function hideHost(text: string, hostName: string): string {
  const [short = ''] = hostName.split('.');
  return [hostName, short]
    .filter((name) => name.length > 1 && !common.has(name.toLowerCase()))
    .reduce(replaceWord, text);
}

function replaceWord(text: string, name: string): string {
  const plain = name.replaceAll(/[^\w]/g, String.raw`\$&`);
  return text.replaceAll(new RegExp(`(?<![\\w-]|</?)${plain}(?![\\w-])`, 'gi'), 'host');
}

/** A device error in one sentence, without process names: a bundle is shared with others. */
export function redactFault({ code, tried, found, gpu, instance, holders, cause }: DeviceError): string {
  const plain = new DeviceError(code, {
    tried,
    found,
    gpu,
    instance,
    holders: holders.map((holder) => holder.replace(/^(pid \d+) \(.*\)/s, '$1')),
    cause,
  });
  return explainFault(plain).message;
}
