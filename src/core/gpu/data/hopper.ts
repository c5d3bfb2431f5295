import type { GpuModel } from '../geometry.ts';
import { ALL_BUT_NAME, HOPPER_ENGINES, buildSevenSliceProfiles } from './rows.ts';

const GH100 = {
  chip: 'GH100',
  architecture: 'hopper',
  computeSlices: 7,
  memorySlices: 8,
  engines: { copy: 8, decoder: 7, encoder: 0, jpeg: 7, ofa: 1 },
  resetToChangeMode: false,
  modeSurvivesReboot: false,
} as const;

/** H100, H800, H20, GH200, H200. No reset to change MIG mode; the mode is lost when the driver unloads. */
export const HOPPER_MODELS: readonly GpuModel[] = [
  {
    ...GH100,
    id: 'h100-80gb-sxm',
    products: [
      { name: 'NVIDIA H100 80GB HBM3', pciDeviceId: '0x233010DE' },
      { name: 'NVIDIA H800', pciDeviceId: '0x232410DE' },
    ],
    memoryMiB: 81559,
    multiprocessors: 132,
    minDriver: '525.85.12',
    confidence: 'observed',
    sources: [
      'cap-h100gcp',
      'cap-h100sxm-a',
      'cap-h100sxm-b',
      'cap-h100sxm-c',
      'gke',
      'gonvml-mock',
      'guide-latest',
      'instaslice',
      'migparted',
      'ogkm-src',
      'tf',
      'vgpu-hopper',
    ],
    profiles: buildSevenSliceProfiles({
      gb: [10, 20, 40, 80],
      engines: HOPPER_ENGINES,
      memoryMiB: [9984, 9984, 20096, 20096, 40448, 40448, 81152],
      multiprocessors: [16, 16, 26, 32, 60, 64, 132],
    }),
  },
  {
    ...GH100,
    id: 'h100-80gb-pcie',
    products: [
      { name: 'NVIDIA H100 PCIe', pciDeviceId: '0x233110DE' },
      { name: 'NVIDIA H800 PCIe', pciDeviceId: '0x232210DE' },
    ],
    memoryMiB: 81559,
    multiprocessors: 114,
    minDriver: '525.85.12',
    confidence: 'observed',
    sources: ['cap-h100pcie-a', 'cap-h100pcie-b', 'guide-latest', 'migparted', 'ogkm-src', 'tf', 'vgpu-hopper'],
    profiles: buildSevenSliceProfiles({
      gb: [10, 20, 40, 80],
      engines: HOPPER_ENGINES,
      memoryMiB: [9984, 9984, 20096, 20096, 40448, 40448, 81152],
      multiprocessors: [14, 14, 14, 30, 46, 62, 114],
    }),
  },
  // Early mig-parted shipped 1g.11gb, 2g.22gb and 3g.44gb, which the driver never printed.
  {
    ...GH100,
    id: 'h100-94gb',
    products: [
      { name: 'NVIDIA H100 NVL', pciDeviceId: '0x232110DE' },
      { name: 'NVIDIA H800 NVL', pciDeviceId: '0x233A10DE' },
    ],
    memoryMiB: 95830,
    multiprocessors: 132,
    minDriver: '525.85.12',
    confidence: 'observed',
    sources: [
      'cap-h100nvl-a',
      'cap-h100nvl-b',
      'cap-h100nvl-c',
      'guide-latest',
      'migparted',
      'ogkm-src',
      'vgpu-hopper',
    ],
    profiles: buildSevenSliceProfiles({
      gb: [12, 24, 47, 94],
      engines: HOPPER_ENGINES,
      memoryMiB: [11008, 11008, 22144, 22144, 47488, 47488, 95360],
      multiprocessors: [16, 16, 26, 32, 60, 64, 132],
    }),
  },
  // That 0x2339 is the 64GB board is a guess from the vGPU documentation.
  {
    ...GH100,
    id: 'h100-64gb',
    products: [{ name: 'NVIDIA H100', pciDeviceId: '0x233910DE', uncertain: true }],
    confidence: 'inferred',
    sources: ['vgpu-hopper'],
    profiles: buildSevenSliceProfiles({
      gb: [8, 16, 32, 64],
      engines: HOPPER_ENGINES,
      inferred: ALL_BUT_NAME,
    }),
  },
  // The product name includes the memory of the CPU: "GH200 480GB" has 96GB of HBM3. mig-parted lists 0x233D as H100-96GB.
  {
    ...GH100,
    id: 'gh200-96gb',
    products: [
      { name: 'NVIDIA GH200 480GB', pciDeviceId: '0x234210DE' },
      { name: 'NVIDIA GH200 120GB', pciDeviceId: '0x234210DE' },
    ],
    unnamedPciDeviceIds: ['0x233D10DE'],
    otherIds: ['h100-96gb'],
    memoryMiB: 97871,
    multiprocessors: 132,
    minDriver: '525.85.12',
    confidence: 'documented',
    sources: ['cap-gh200-96', 'guide-latest', 'migparted', 'ogkm-src'],
    profiles: buildSevenSliceProfiles({
      gb: [12, 24, 48, 96],
      engines: HOPPER_ENGINES,
      memoryMiB: [undefined, undefined, 23552, 23552, 47616, 47616, 95232],
      multiprocessors: [16, 16, 26, 32, 60, 64, 132],
    }),
  },
  {
    ...GH100,
    id: 'gh200-144gb',
    products: [{ name: 'NVIDIA GH200 144G HBM3e', pciDeviceId: '0x234810DE' }],
    multiprocessors: 132,
    confidence: 'documented',
    sources: ['cap-gh200-144', 'migparted', 'ogkm-src'],
    profiles: buildSevenSliceProfiles({
      gb: [18, 36, 72, 144],
      engines: HOPPER_ENGINES,
      memoryMiB: [17920, 17920, 36096, 36096, undefined, undefined, undefined],
      multiprocessors: [16, 16, 26, 32, undefined, undefined, undefined],
    }),
  },
  {
    ...GH100,
    id: 'h20-96gb',
    products: [
      { name: 'NVIDIA H20', pciDeviceId: '0x232910DE' },
      { name: 'NVIDIA H20 NVL16', pciDeviceId: '0x230E10DE' },
    ],
    memoryMiB: 97871,
    multiprocessors: 78,
    minDriver: '535.161.07',
    confidence: 'documented',
    sources: ['cap-h20', 'migparted', 'ogkm-src', 'vgpu-hopper'],
    profiles: buildSevenSliceProfiles({
      gb: [12, 24, 48, 96],
      engines: HOPPER_ENGINES,
      memoryMiB: [12032, undefined, undefined, undefined, undefined, undefined, undefined],
      multiprocessors: [8, undefined, undefined, undefined, undefined, undefined, undefined],
      inferred: { engines: 'all' },
    }),
  },
  // Names as on H200 (vGPU documentation).
  {
    ...GH100,
    id: 'h20-141gb',
    products: [{ name: 'NVIDIA H20-3e', pciDeviceId: '0x232C10DE' }],
    memoryMiB: 143771,
    multiprocessors: 78,
    confidence: 'inferred',
    sources: ['vgpu-hopper'],
    profiles: buildSevenSliceProfiles({
      gb: [18, 35, 71, 141],
      engines: HOPPER_ENGINES,
      inferred: ALL_BUT_NAME,
    }),
  },
  // 1g.18gb has 16.00 GiB: names derived from memory (1g.16gb, 1g.33gb, 3g.70gb) are wrong.
  {
    ...GH100,
    id: 'h200-141gb',
    products: [
      { name: 'NVIDIA H200', pciDeviceId: '0x233510DE' },
      { name: 'NVIDIA H200 NVL', pciDeviceId: '0x233B10DE' },
    ],
    memoryMiB: 143771,
    multiprocessors: 132,
    minDriver: '550.90.07',
    confidence: 'documented',
    sources: [
      'cap-h200',
      'gke',
      'guide-latest',
      'hyperpod',
      'instaslice',
      'migparted',
      'ogkm-src',
      'tf',
      'vgpu-hopper',
    ],
    profiles: buildSevenSliceProfiles({
      gb: [18, 35, 71, 141],
      engines: HOPPER_ENGINES,
      memoryMiB: [16384, 16384, 33024, 33024, 71168, 71168, 143104],
      multiprocessors: [16, 16, 26, 32, 60, 64, 132],
    }),
  },
];
