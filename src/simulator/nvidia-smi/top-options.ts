import type { OptionSpec } from './option.ts';

export const TOP_OPTIONS = [
  { name: 'help', spellings: ['-h', '--help'], value: 'none' },
  { name: 'helpQueryGpu', spellings: ['--help-query-gpu'], value: 'none' },
  { name: 'helpQueryComputeApps', spellings: ['--help-query-compute-apps'], value: 'none' },
  { name: 'version', spellings: ['--version'], value: 'none' },
  { name: 'list', spellings: ['-L', '--list-gpus'], value: 'none' },
  { name: 'query', spellings: ['-q', '--query'], value: 'none' },
  { name: 'xml', spellings: ['-x', '--xml-format'], value: 'none' },
  { name: 'id', spellings: ['-i', '--id'], value: 'required' },
  { name: 'queryGpu', spellings: ['--query-gpu'], value: 'required' },
  { name: 'queryComputeApps', spellings: ['--query-compute-apps'], value: 'required' },
  { name: 'format', spellings: ['--format'], value: 'required' },
  { name: 'mig', spellings: ['-mig', '--multi-instance-gpu'], value: 'required' },
  { name: 'persistence', spellings: ['-pm', '--persistence-mode'], value: 'required' },
  { name: 'reset', spellings: ['-r', '--gpu-reset'], value: 'none' },
] as const satisfies readonly OptionSpec<string>[];

export type TopOption = (typeof TOP_OPTIONS)[number]['name'];

/** First words that the real nvidia-smi accepts and the simulator rejects, rather than doing something half right. */
export const NOT_SIMULATED: readonly string[] = [
  '-B --list-excluded-gpus -f --filename -l --loop -lms --loop-ms -u --unit --dtd -d --display',
  '--query-supported-clocks --query-accounted-apps --query-retired-pages --query-remapped-rows',
  '-e --ecc-config -p --reset-ecc-errors -c --compute-mode --gom -vm --virt-mode',
  '-lgc --lock-gpu-clocks -rgc --reset-gpu-clocks -lmc --lock-memory-clocks -rmc --reset-memory-clocks',
  '-ac --applications-clocks -rac --reset-applications-clocks -pl --power-limit -cc --cuda-clocks -am',
  '--accounting-mode -caa --clear-accounted-apps -gtt --gpu-target-temp -t --toggle-led dmon daemon',
  'replay pmon topo drain nvlink c2c clocks encodersessions fbcsessions vgpu compute-policy',
  'boost-slider power-hint base-clocks conf-compute gpm pci',
].flatMap((line) => line.split(' '));
