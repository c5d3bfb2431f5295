import type { Layout } from '../../src/core/gpu/geometry.ts';

/** A change of one GPU that is cut off anywhere. */
export interface CrashTransition {
  readonly name: string;
  readonly gpu: string;
  readonly from: Layout | 'Disabled';
  readonly to: Layout | 'Disabled';
  /** An instance of this profile of `from` has a process on it: the first, by place. */
  readonly busy?: string;
  /** Fault lines that hold all the time. */
  readonly faults?: string;
}

const A100 = 'A100-SXM4-40GB';
const H100 = 'H100-80GB-HBM3';

export const crashTransitions: readonly CrashTransition[] = [
  { name: 'grow', gpu: A100, from: { '1g.5gb': 2, '3g.20gb': 1 }, to: { '1g.5gb': 4, '3g.20gb': 1 } },
  { name: 'shrink', gpu: A100, from: { '1g.5gb': 6 }, to: { '1g.5gb': 3 } },
  { name: 're-shape', gpu: A100, from: { '1g.5gb': 7 }, to: { '1g.5gb': 1, '3g.20gb': 1 }, busy: '1g.5gb' },
  { name: 'split', gpu: H100, from: { '3g.40gb': 2 }, to: { '1c.3g.40gb': 3, '3g.40gb': 1 } },
  { name: 'enable', gpu: H100, from: 'Disabled', to: { '1g.10gb': 3 } },
  { name: 'disable', gpu: H100, from: { '1g.10gb': 2, '3g.40gb': 1 }, to: 'Disabled' },
  { name: 'enable with a reset', gpu: 'A30', from: 'Disabled', to: { '2g.12gb': 2 }, faults: 'migpending rc=16' },
];
