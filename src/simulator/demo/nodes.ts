import type { RigNode } from '../rig/rig.ts';

/** The four nodes of the demo, one of each kind: samples/ selects them by pool. */
export const demoNodes: readonly RigNode[] = [
  { name: 'sim-a100', gpus: Array<string>(8).fill('A100-SXM4-40GB'), labels: { pool: 'inference' }, strategy: 'mixed' },
  { name: 'sim-h100', gpus: ['H100-80GB-HBM3', 'H100-80GB-HBM3'], labels: { pool: 'inference' }, strategy: 'mixed' },
  { name: 'sim-a30', gpus: ['A30'], labels: { pool: 'notebooks' }, strategy: 'single' },
  { name: 'sim-t4', gpus: ['T4'], labels: { pool: 'training' }, strategy: 'none' },
];
