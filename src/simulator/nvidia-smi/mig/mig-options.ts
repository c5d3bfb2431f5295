import type { OptionSpec } from '../option.ts';

/** Actions of `nvidia-smi mig`, by the short option that asks for them. */
export type MigAction = 'lgip' | 'lgipp' | 'lgi' | 'cgi' | 'dgi' | 'lcip' | 'lcipp' | 'lci' | 'cci' | 'dci';

export type MigOption = MigAction | 'help' | 'id' | 'gi' | 'ci' | 'C';

export const MIG_OPTIONS: readonly OptionSpec<MigOption>[] = [
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
];

/**
 * Of several actions in one call only one runs, the others are silently dropped. Recorded: -lgi before -lci and -dgi,
 * -cgi before -dgi and -cci; the rest of the order is our choice.
 */
export const ACTION_ORDER: readonly MigAction[] = [
  'lgip',
  'lgipp',
  'lgi',
  'cgi',
  'dgi',
  'lcip',
  'lcipp',
  'lci',
  'cci',
  'dci',
];
