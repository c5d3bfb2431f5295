import type { GpuModel } from '../geometry.ts';
import { BLACKWELL_ENGINES, buildSevenSliceProfiles, buildProfiles } from './rows.ts';

const GB100 = {
  chip: 'GB100',
  architecture: 'blackwell',
  computeSlices: 7,
  memorySlices: 8,
  engines: { copy: 16, decoder: 7, encoder: 0, jpeg: 7, ofa: 1 },
  resetToChangeMode: false,
  modeSurvivesReboot: false,
} as const;

const GB110 = { ...GB100, chip: 'GB110' } as const;

/** B200, GB200, B300, GB300. */
export const BLACKWELL_MODELS: readonly GpuModel[] = [
  // 1g.23gb changed from 22.00 to 20.50 GiB with the driver, its name did not.
  {
    ...GB100,
    id: 'b200-180gb',
    products: [{ name: 'NVIDIA B200', pciDeviceId: '0x290110DE' }],
    memoryMiB: 183359,
    multiprocessors: 148,
    minDriver: '570.133.20',
    confidence: 'documented',
    sources: ['cap-b200-a', 'cap-b200-b', 'dra', 'gke', 'guide-latest', 'hyperpod', 'migparted', 'ogkm-src'],
    profiles: buildSevenSliceProfiles({
      gb: [23, 45, 90, 180],
      engines: BLACKWELL_ENGINES,
      memoryMiB: [22528, 22528, 45312, 45312, undefined, undefined, undefined],
      multiprocessors: [18, 18, 30, 36, undefined, undefined, undefined],
      inferred: { engines: ['3g.90gb', '4g.90gb', '7g.180gb'] },
    }),
  },
  // Early boards have 189 GiB and print the former names.
  {
    ...GB100,
    id: 'gb200-186gb',
    products: [{ name: 'NVIDIA GB200', pciDeviceId: '0x294110DE' }],
    memoryMiB: 189471,
    minDriver: '570.133.20',
    confidence: 'documented',
    sources: ['cap-gb200-b', 'gke', 'hyperpod', 'migparted', 'ogkm-src'],
    profiles: buildSevenSliceProfiles({
      gb: [23, 47, 93, 186],
      engines: BLACKWELL_ENGINES,
      memoryMiB: [22528, 22528, 46592, 46592, undefined, undefined, undefined],
      multiprocessors: [18, 18, 32, 38, undefined, undefined, undefined],
      inferred: { engines: ['3g.93gb', '4g.93gb', '7g.186gb'] },
      formerNames: {
        '1g.23gb': ['1g.24gb'],
        '1g.23gb+me': ['1g.24gb+me'],
        '3g.93gb': ['3g.95gb'],
        '4g.93gb': ['4g.95gb'],
        '7g.186gb': ['7g.189gb'],
      },
    }),
  },
  // No -lgip capture published.
  {
    ...GB110,
    id: 'b300-269gb',
    products: [{ name: 'NVIDIA B300 SXM6 AC', pciDeviceId: '0x318210DE' }],
    minDriver: '580.82.07',
    confidence: 'documented',
    sources: ['hyperpod', 'migparted', 'ogkm-src'],
    profiles: buildSevenSliceProfiles({
      gb: [34, 67, 135, 269],
      engines: BLACKWELL_ENGINES,
      inferred: { id: 'all', engines: 'all' },
    }),
  },
  // GB300 NVL72, and DGX Station GB300 on driver branch 59x.
  {
    ...GB110,
    id: 'gb300-278gb',
    products: [{ name: 'NVIDIA GB300', pciDeviceId: '0x31C210DE' }],
    memoryMiB: 284208,
    confidence: 'documented',
    sources: ['dgx-station-docs', 'migparted', 'ogkm-src'],
    profiles: buildSevenSliceProfiles({
      gb: [35, 70, 139, 278],
      engines: BLACKWELL_ENGINES,
      inferred: { engines: 'all' },
    }),
  },
  // DGX Station GB300 on driver branch 61x: the same PCI id, other names. NVIDIA's table leaves 70gb in two names.
  {
    ...GB110,
    id: 'gb300-station-251gb',
    products: [{ name: 'NVIDIA GB300', pciDeviceId: '0x31C210DE' }],
    minDriver: '595.58.03',
    confidence: 'inferred',
    sources: ['dgx-station-docs', 'ogkm-src'],
    profiles: buildSevenSliceProfiles({
      gb: [31, 63, 126, 251],
      engines: BLACKWELL_ENGINES,
      inferred: { engines: 'all', name: ['1g.63gb', '2g.63gb'] },
      formerNames: { '1g.63gb': ['1g.70gb'], '2g.63gb': ['2g.70gb'] },
    }),
  },
];

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
