import type { GpuModel } from '../geometry.ts';
import { buildProfiles, ALL_BUT_NAME, AMPERE_ENGINES, buildSevenSliceProfiles } from './rows.ts';

const GA100 = {
  chip: 'GA100',
  architecture: 'ampere',
  computeSlices: 7,
  memorySlices: 8,
  engines: { copy: 7, decoder: 5, encoder: 0, jpeg: 1, ofa: 1 },
  resetToChangeMode: true,
  modeSurvivesReboot: true,
} as const;

/** A100, A800 and their unreleased relatives. MIG mode needs a GPU reset and is stored on the board. */
const A100_MODELS: readonly GpuModel[] = [
  // 1g.5gb+me from R470, 4g+3g together from R510, 1g.10gb (double memory) from R525. R450 to R470 print 9984, 20096 and 40448 MiB.
  {
    ...GA100,
    id: 'a100-40gb',
    products: [
      { name: 'NVIDIA A100-SXM4-40GB', pciDeviceId: '0x20B010DE' },
      { name: 'NVIDIA A100-PG509-200', pciDeviceId: '0x20B010DE' },
      { name: 'NVIDIA A100-PCIE-40GB', pciDeviceId: '0x20F110DE' },
      { name: 'NVIDIA A800-SXM4-40GB', pciDeviceId: '0x20BD10DE' },
      { name: 'NVIDIA A800 40GB Active', pciDeviceId: '0x20F610DE' },
    ],
    unnamedPciDeviceIds: ['0x20B110DE'],
    memoryMiB: 40960,
    multiprocessors: 108,
    minDriver: '450.80.02',
    confidence: 'observed',
    sources: [
      'cap-a100-40-forum',
      'gke',
      'gonvml-mock',
      'guide-latest',
      'guide-started',
      'hyperpod',
      'instaslice',
      'kep4815',
      'migparted',
      'ogkm-src',
      'tf',
    ],
    profiles: buildSevenSliceProfiles({
      gb: [5, 10, 20, 40],
      engines: AMPERE_ENGINES,
      memoryMiB: [4864, 4864, 9856, 9856, 19968, 19968, 40192],
      multiprocessors: [14, 14, 14, 28, 42, 56, 98],
    }),
  },
  // A 1g.10gb here is profile 19; on the A100-40GB the same name is profile 15 (double memory).
  {
    ...GA100,
    id: 'a100-80gb',
    products: [
      { name: 'NVIDIA A100-SXM4-80GB', pciDeviceId: '0x20B210DE' },
      { name: 'NVIDIA PG509-210', pciDeviceId: '0x20B210DE' },
      { name: 'NVIDIA A100 80GB PCIe', pciDeviceId: '0x20B510DE' },
      { name: 'NVIDIA A800-SXM4-80GB', pciDeviceId: '0x20F310DE' },
      { name: 'NVIDIA A800 80GB PCIe', pciDeviceId: '0x20F510DE' },
      { name: 'NVIDIA A800 80GB PCIe LC', pciDeviceId: '0x20F510DE' },
    ],
    memoryMiB: 81920,
    multiprocessors: 108,
    minDriver: '450.80.02',
    confidence: 'observed',
    sources: ['cap-a100-80', 'gfd-a100-80', 'gke', 'gonvml-mock', 'guide-latest', 'migparted', 'ogkm-src', 'tf'],
    profiles: buildSevenSliceProfiles({
      gb: [10, 20, 40, 80],
      engines: AMPERE_ENGINES,
      memoryMiB: [9728, 9728, 19968, 19968, 40192, 40192, 80640],
      multiprocessors: [14, 14, 14, 28, 42, 56, 98],
      formerNames: { '7g.80gb': ['7g.79gb'] },
    }),
  },
  // Names follow from go-nvlib's formula only.
  {
    ...GA100,
    id: 'a100-64gb',
    products: [{ name: 'NVIDIA A100-SXM-64GB', pciDeviceId: '0x20B310DE' }],
    memoryMiB: 65536,
    confidence: 'inferred',
    sources: [],
    profiles: buildSevenSliceProfiles({
      gb: [8, 16, 32, 64],
      engines: AMPERE_ENGINES,
      inferred: { ...ALL_BUT_NAME, name: 'all' },
    }),
  },
  // Names from mig-parted's all-balanced.
  {
    ...GA100,
    id: 'pg506-96gb',
    products: [{ name: 'NVIDIA PG506-232', pciDeviceId: '0x20B610DE' }],
    memoryMiB: 98304,
    confidence: 'inferred',
    sources: ['migparted'],
    profiles: buildSevenSliceProfiles({
      gb: [12, 24, 48, 96],
      engines: AMPERE_ENGINES,
      inferred: ALL_BUT_NAME,
    }),
  },
];

const A30 = {
  chip: 'GA100',
  architecture: 'ampere',
  computeSlices: 4,
  memorySlices: 4,
  engines: { copy: 4, decoder: 4, encoder: 0, jpeg: 1, ofa: 1 },
  resetToChangeMode: true,
  modeSurvivesReboot: true,
} as const;

/** Ids 14 and 5 mean 2g and 4g on an A100. One JPEG and one OFA engine on the chip: one `+me` of either size, none beside 4g. */
const A30_MODELS: readonly GpuModel[] = [
  // 1g.6gb+me from R470, 2g.12gb+me from R525.
  {
    ...A30,
    id: 'a30-24gb',
    products: [{ name: 'NVIDIA A30', pciDeviceId: '0x20B710DE' }],
    memoryMiB: 24576,
    multiprocessors: 56,
    minDriver: '460.73.01',
    confidence: 'documented',
    sources: ['cap-a30-a', 'cap-a30-b', 'gonvml-mock', 'guide-latest', 'migparted', 'nos', 'ogkm-src', 'tf'],
    profiles: buildProfiles([
      ['1g.6gb', 14, 1, 1, [0, 1, 2, 3], 4, [1, 0, 0, 0, 0], 5952, 14],
      ['1g.6gb+me', 21, 1, 1, [0, 1, 2, 3], 1, [1, 1, 0, 1, 1], 5952, 14],
      ['2g.12gb', 5, 2, 2, [0, 2], 2, [2, 2, 0, 0, 0], 11968, 28],
      ['2g.12gb+me', 6, 2, 2, [0, 2], 1, [2, 2, 0, 1, 1], 11968, 28],
      ['4g.24gb', 0, 4, 4, [0], 1, [4, 4, 0, 1, 1], 24064, 56],
    ]),
  },
];

export const AMPERE_MODELS: readonly GpuModel[] = [...A100_MODELS, ...A30_MODELS];
