import type { GpuModel } from '../model.ts';
import { engines } from '../seven-slices.ts';

const GB10B = {
  chip: 'GB10B',
  architecture: 'blackwell',
  computeSlices: 3,
  memorySlices: 0,
  resetToChangeMode: false,
  modeSurvivesReboot: false,
} as const;

/** Jetson Thor: an integrated GPU without memory of its own, so every profile is `.0gb` and has no placement. */
export const THOR_MODELS: readonly GpuModel[] = [
  // At most one instance for compute and one for graphics; 3g excludes both.
  {
    ...GB10B,
    id: 'thor-igpu',
    products: [{ name: 'NVIDIA Thor', label: 'NVIDIA-Thor' }],
    minDriver: '595',
    confidence: 'inferred',
    sources: ['guide-latest'],
    profiles: [
      {
        name: '1g.0gb+me',
        computeSlices: 1,
        memorySlices: 0,
        starts: [],
        maxInstances: 1,
        engines: engines(1, 1, 1, 1, 1),
        inferred: ['memorySlices'],
      },
      {
        name: '1g.0gb',
        computeSlices: 1,
        memorySlices: 0,
        starts: [],
        maxInstances: 1,
        engines: engines(1, 1, 1, 1, 0),
        inferred: ['memorySlices'],
      },
      {
        name: '1g.0gb+gfx',
        computeSlices: 1,
        memorySlices: 0,
        starts: [],
        maxInstances: 1,
        engines: engines(1, 1, 1, 1, 0),
        inferred: ['memorySlices'],
      },
      {
        name: '2g.0gb',
        computeSlices: 2,
        memorySlices: 0,
        starts: [],
        maxInstances: 1,
        engines: engines(1, 1, 1, 1, 0),
        inferred: ['memorySlices'],
      },
      {
        name: '2g.0gb+gfx',
        computeSlices: 2,
        memorySlices: 0,
        starts: [],
        maxInstances: 1,
        engines: engines(1, 1, 1, 1, 0),
        inferred: ['memorySlices'],
      },
      {
        name: '3g.0gb',
        computeSlices: 3,
        memorySlices: 0,
        starts: [],
        maxInstances: 1,
        engines: engines(1, 2, 2, 2, 1),
        inferred: ['memorySlices'],
      },
      {
        name: '3g.0gb+gfx',
        computeSlices: 3,
        memorySlices: 0,
        starts: [],
        maxInstances: 1,
        engines: engines(1, 2, 2, 2, 1),
        inferred: ['memorySlices'],
      },
    ],
    exclusive: [
      ['1g.0gb', '1g.0gb+me', '2g.0gb', '3g.0gb'],
      ['1g.0gb+gfx', '2g.0gb+gfx', '3g.0gb+gfx'],
    ],
  },
];
