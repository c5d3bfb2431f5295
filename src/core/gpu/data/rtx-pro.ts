import type { GpuModel } from '../geometry.ts';
import { buildProfiles } from './rows.ts';

const RTX_PRO_6000 = {
  chip: 'GB202',
  architecture: 'blackwell',
  computeSlices: 4,
  memorySlices: 12,
  engines: { copy: 4, decoder: 4, encoder: 4, jpeg: 4, ofa: 1 },
  resetToChangeMode: false,
  modeSurvivesReboot: false,
} as const;

const RTX_PRO_5000 = {
  chip: 'GB202',
  architecture: 'blackwell',
  computeSlices: 2,
  memorySlices: 2,
  engines: { copy: 4, decoder: 3, encoder: 3, jpeg: 1, ofa: 1 },
  resetToChangeMode: false,
  modeSurvivesReboot: false,
} as const;

const RTX_PRO_5000_R580 = { ...RTX_PRO_5000, computeSlices: 4, memorySlices: 4 } as const;

const RTX_PRO_4500 = {
  chip: 'GB203',
  architecture: 'blackwell',
  computeSlices: 2,
  memorySlices: 2,
  engines: { copy: 2, decoder: 3, encoder: 3, jpeg: 2, ofa: 1 },
  resetToChangeMode: false,
  modeSurvivesReboot: false,
} as const;

/** RTX PRO Blackwell boards with `+gfx`, `+me.all` and `-me` variants, which compete for the media engines. */
export const RTX_PRO_MODELS: readonly GpuModel[] = [
  // Twelve placement units. On a vGPU host -lgip prints 23680, 47616 and 95616 MiB.
  {
    ...RTX_PRO_6000,
    id: 'rtx-pro-6000-96gb',
    products: [
      { name: 'NVIDIA RTX PRO 6000 Blackwell Server Edition', pciDeviceId: '0x2BB510DE' },
      { name: 'NVIDIA RTX PRO 6000 Blackwell Workstation Edition', pciDeviceId: '0x2BB110DE' },
      { name: 'NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition', pciDeviceId: '0x2BB410DE' },
    ],
    memoryMiB: 97887,
    multiprocessors: 188,
    minDriver: '575.51.03',
    confidence: 'observed',
    sources: ['cap-rtx-a', 'cap-rtx-b', 'gke', 'guide-latest', 'migparted'],
    profiles: buildProfiles([
      ['1g.24gb', 14, 1, 3, [0, 3, 6, 9], 4, [1, 1, 1, 1, 0], 24192, 46],
      ['1g.24gb+me', 21, 1, 3, [0, 3, 6, 9], 1, [1, 1, 1, 1, 1], 24192, 46],
      ['1g.24gb+gfx', 47, 1, 3, [0, 3, 6, 9], 4, [1, 1, 1, 1, 0], 24192, 46],
      ['1g.24gb+me.all', 65, 1, 3, [0, 3, 6, 9], 1, [1, 4, 4, 4, 1], 24192, 46],
      ['1g.24gb-me', 67, 1, 3, [0, 3, 6, 9], 4, [1, 0, 0, 0, 0], 24192, 46],
      ['2g.48gb', 5, 2, 6, [0, 6], 2, [2, 2, 2, 2, 0], 48512, 94],
      ['2g.48gb+gfx', 35, 2, 6, [0, 6], 2, [2, 2, 2, 2, 0], 48512, 94],
      ['2g.48gb+me.all', 64, 2, 6, [0, 6], 1, [2, 4, 4, 4, 1], 48512, 94],
      ['2g.48gb-me', 66, 2, 6, [0, 6], 2, [2, 0, 0, 0, 0], 48512, 94],
      ['4g.96gb', 0, 4, 12, [0], 1, [4, 4, 4, 4, 1], 97408, 188],
      ['4g.96gb+gfx', 32, 4, 12, [0], 1, [4, 4, 4, 4, 1], 97408, 188],
    ]),
  },
  // Ids and placements were never published. Needs vBIOS 98.02.73 and compute display mode. The 72 GB board has the same PCI id, and
  // its profiles were not published: it is left out.
  {
    ...RTX_PRO_5000,
    id: 'rtx-pro-5000-48gb',
    products: [{ name: 'NVIDIA RTX PRO 5000 Blackwell', pciDeviceId: '0x2BB310DE' }],
    minDriver: '575.57.08',
    confidence: 'inferred',
    sources: ['guide-latest'],
    profiles: buildProfiles(
      [
        ['1g.24gb', null, 1, 1, [0, 1], 2, [1, 1, 1, 0, 0]],
        ['1g.24gb+me', null, 1, 1, [0, 1], 1, [1, 1, 1, 1, 1]],
        ['1g.24gb+gfx', null, 1, 1, [0, 1], 2, [1, 1, 1, 0, 0]],
        ['1g.24gb+me.all', null, 1, 1, [0, 1], 1, [1, 3, 3, 1, 1]],
        ['1g.24gb-me', null, 1, 1, [0, 1], 2, [1, 0, 0, 0, 0]],
        ['2g.48gb', null, 2, 2, [0], 1, [4, 3, 3, 1, 1]],
        ['2g.48gb+gfx', null, 2, 2, [0], 1, [4, 3, 3, 1, 1]],
      ],
      ['memorySlices', 'starts'],
    ),
  },
  // The r580 guide and mig-parted's fixture; the current guide shows the table above for the same board.
  {
    ...RTX_PRO_5000_R580,
    id: 'rtx-pro-5000-48gb-r580',
    products: [{ name: 'NVIDIA RTX PRO 5000 Blackwell', pciDeviceId: '0x2BB310DE' }],
    minDriver: '575.57.08',
    confidence: 'inferred',
    sources: ['guide-580', 'migparted'],
    profiles: buildProfiles([
      ['1g.12gb', null, 1, 0, [], 1, [1, 1, 1, 1, 0]],
      ['1g.12gb+me', null, 1, 0, [], 1, [1, 1, 1, 1, 1]],
      ['1g.12gb+gfx', null, 1, 0, [], 1, [1, 1, 1, 1, 0]],
      ['1g.12gb-me', null, 1, 0, [], 3, [1, 0, 0, 0, 0]],
      ['2g.24gb-me', null, 2, 0, [], 1, [2, 0, 0, 0, 0]],
      ['4g.48gb', null, 4, 0, [], 1, [4, 3, 3, 1, 1]],
      ['4g.48gb+gfx', null, 4, 0, [], 1, [4, 3, 3, 1, 1]],
    ]),
    superseded: true,
  },
  // Ids and placements were never published.
  {
    ...RTX_PRO_4500,
    id: 'rtx-pro-4500-32gb',
    products: [{ name: 'NVIDIA RTX PRO 4500 Blackwell', pciDeviceId: '0x2C3110DE' }],
    minDriver: '575.64',
    confidence: 'inferred',
    sources: ['guide-latest'],
    profiles: buildProfiles(
      [
        ['1g.16gb', null, 1, 1, [0, 1], 2, [1, 1, 1, 1, 0]],
        ['1g.16gb+gfx', null, 1, 1, [0, 1], 2, [1, 1, 1, 1, 0]],
        ['1g.16gb+me.all', null, 1, 1, [0, 1], 1, [1, 3, 3, 2, 1]],
        ['1g.16gb-me', null, 1, 1, [0, 1], 2, [1, 0, 0, 0, 0]],
        ['2g.32gb', null, 2, 2, [0], 1, [2, 3, 3, 2, 1]],
        ['2g.32gb+gfx', null, 2, 2, [0], 1, [2, 3, 3, 2, 1]],
      ],
      ['memorySlices', 'starts'],
    ),
  },
];
