import type { OptionSpec } from '../option.ts';

export const MIG_OPTIONS = [
  { name: 'help', spellings: ['-h', '--help'], value: 'none' },
  { name: 'id', spellings: ['-i', '--id'], value: 'required' },
  { name: 'gi', spellings: ['-gi', '--gpu-instance-id'], value: 'required' },
  { name: 'ci', spellings: ['-ci', '--compute-instance-id'], value: 'required' },
  { name: 'lgip', spellings: ['-lgip', '--list-gpu-instance-profiles'], value: 'none' },
  { name: 'lgipp', spellings: ['-lgipp', '--list-gpu-instance-possible-placements'], value: 'none' },
  { name: 'C', spellings: ['-C', '--default-compute-instance'], value: 'none' },
  { name: 'cgi', spellings: ['-cgi', '--create-gpu-instance'], value: 'required' },
  { name: 'dgi', spellings: ['-dgi', '--destroy-gpu-instance'], value: 'none' },
  { name: 'lgi', spellings: ['-lgi', '--list-gpu-instances'], value: 'none' },
  { name: 'lcip', spellings: ['-lcip', '--list-compute-instance-profiles'], value: 'none' },
  { name: 'lcipp', spellings: ['-lcipp', '--list-compute-instance-possible-placements'], value: 'none' },
  { name: 'cci', spellings: ['-cci', '--create-compute-instance'], value: 'optional' },
  { name: 'dci', spellings: ['-dci', '--destroy-compute-instance'], value: 'none' },
  { name: 'lci', spellings: ['-lci', '--list-compute-instances'], value: 'none' },
] as const satisfies readonly OptionSpec<string>[];

export type MigOption = (typeof MIG_OPTIONS)[number]['name'];

/** Options that ask for an action; the others restrict it. */
export type MigAction = Exclude<MigOption, 'help' | 'id' | 'gi' | 'ci' | 'C'>;
