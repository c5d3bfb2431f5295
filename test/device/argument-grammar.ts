/**
 * Every command line that nvidia-smi may ever be given, whole, written from its manual and not from our code. Words are joined by
 * the unit separator, which no word may hold.
 */
const separator = '\u001F';
const busId = String.raw`[0-9A-F]{8}:[0-9A-F]{2}:[0-9A-F]{2}\.[0-7]`;
const id = String.raw`(?:0|[1-9]\d{0,3})`;
const gpus = `(?:-i (?:${busId}|${id})(?:,(?:${busId}|${id}))* )?`;
const gpu = `-i ${busId}`;

const lines = [
  `${gpus}-q -x`,
  '-L',
  String.raw`${gpus}--query-gpu=pci\.bus_id,uuid,compute_cap --format=csv,noheader,nounits`,
  `mig ${gpus}(?:-lgip|-lgipp|-lgi|-lci)`,
  `mig ${gpu} -lcip -gi ${id}`,
  `${gpu} -mig [01]`,
  `--gpu-reset ${gpu}`,
  `${gpu} -pm [01]`,
  `mig ${gpu} -cgi ${id}:${id}(?:,${id}:${id})*(?: -C)?`,
  `mig ${gpu} -cci(?: ${id})? -gi ${id}`,
  `mig ${gpu} -dci -gi ${id}(?:,${id})*(?: -ci ${id}(?:,${id})*)?`,
  `mig ${gpu} -dgi -gi ${id}(?:,${id})*`,
].map((line) => new RegExp(`^(?:${line.replaceAll(' ', separator)})$`));

/** Command lines beyond the grammar. */
export function listStrangeCommands(commands: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return commands.filter(
    (args) => args.some((arg) => arg.includes(separator)) || !lines.some((line) => line.test(args.join(separator))),
  );
}
