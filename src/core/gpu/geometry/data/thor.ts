import type { GpuModel } from '../model.ts';
import { buildProfiles } from '../profile-rows.ts';

const GB10B = {
  chip: 'GB10B',
  architecture: 'blackwell',
  computeSlices: 3,
  memorySlices: 0,
  resetToChangeMode: false,
  modeSurvivesReboot: false,
} as const;

/** Jetson Thor: an integrated GPU without its own memory, so every profile is `.0gb` and has no placement. */
export const THOR_MODELS: readonly GpuModel[] = [
  // At most one instance for compute and one for graphics; 3g excludes both.
  {
    ...GB10B,
    id: 'thor-igpu',
    products: [{ name: 'NVIDIA Thor' }],
    minDriver: '595',
    confidence: 'inferred',
    sources: ['guide-latest'],
    profiles: buildProfiles(
      [
        ['1g.0gb+me', null, 1, 0, [], 1, [1, 1, 1, 1, 1]],
        ['1g.0gb', null, 1, 0, [], 1, [1, 1, 1, 1, 0]],
        ['1g.0gb+gfx', null, 1, 0, [], 1, [1, 1, 1, 1, 0]],
        ['2g.0gb', null, 2, 0, [], 1, [1, 1, 1, 1, 0]],
        ['2g.0gb+gfx', null, 2, 0, [], 1, [1, 1, 1, 1, 0]],
        ['3g.0gb', null, 3, 0, [], 1, [1, 2, 2, 2, 1]],
        ['3g.0gb+gfx', null, 3, 0, [], 1, [1, 2, 2, 2, 1]],
      ],
      ['memorySlices'],
    ),
    exclusive: [
      ['1g.0gb', '1g.0gb+me', '2g.0gb', '3g.0gb'],
      ['1g.0gb+gfx', '2g.0gb+gfx', '3g.0gb+gfx'],
    ],
  },
];
