import { readFileSync } from 'node:fs';

import { expect } from 'chai';

import { findDevices, type DriverDevice, type OfferedDevice } from '../../../src/simulator/dra-driver/devices.ts';
import { assembleGpus, type SimulatedGpu } from '../../../src/simulator/nvidia-smi/device.ts';
import { parseState } from '../../../src/simulator/nvidia-smi/state.ts';

/** What the real driver published on a mock of NVML. */
const golden = readGolden();

const names = [
  'NVIDIA A100-SXM4-40GB',
  'NVIDIA H100 80GB HBM3',
  'NVIDIA A30',
  'NVIDIA A100-SXM4-80GB',
  'Tesla T4',
] as const;

/** The instances of the recorded node, in the order in which the driver met them. */
const instances = [
  [0, 9, '0:4', 2],
  [0, 14, '4:2', 1],
  [0, 20, '6:1', 0],
  [1, 9, '4:4', 2],
  [1, 15, '0:2', 7],
  [1, 14, '2:2', 1],
  [2, 5, '2:2', 1],
  [2, 14, '0:1', 0],
  [2, 14, '1:1', 0],
] as const;

const state = [
  ...[0, 1, 2].map((gpu) => `gpu ${gpu} mig 1 pending 1`),
  ...instances.flatMap(([gpu, profile, place, ciProfile], id) => [
    `gi ${gpu} ${id} profile ${profile} place ${place}`,
    `ci ${gpu} ${id} 0 profile ${ciProfile} place 0:${{ 2: 3, 1: 2, 0: 1, 7: 1 }[ciProfile]}`,
  ]),
].join('\n');

describe('what the stand-in of the DRA driver publishes', () => {
  it('is what the real driver published for the same GPUs, device by device and field by field', () => {
    const devices = offeredBy(findAll(recordedGpus(), state));
    expect(devices.map(({ name }) => name)).to.deep.equal(golden.map(({ name }) => name));
    devices.forEach((device, i) => {
      expect(withoutUuid(device), device.name).to.deep.equal(withoutUuid(golden[i]));
    });
  });

  it('is known by UUID, which the rule of the recorded mock gives other values', () => {
    for (const { uuid, offered } of findAll(recordedGpus(), state)) {
      expect(offered.attributes['uuid']).to.deep.equal({ string: uuid });
    }
  });

  it('lacks a GPU instance without a compute instance, and a GPU whose MIG mode is on without any', () => {
    const text = ['gpu 0 mig 1 pending 1', 'gpu 1 mig 1 pending 1', 'gi 0 1 profile 9 place 0:4'].join('\n');
    const devices = offeredBy(findAll(recordedGpus(), text));
    expect(devices.map(({ name }) => name)).to.deep.equal(['gpu-2', 'gpu-3', 'gpu-4']);
  });

  it('is nothing at all, with the reason, if one compute instance is smaller than its GPU instance', () => {
    const small = ['gi 2 9 profile 5 place 0:2', 'ci 2 9 0 profile 0 place 0:1'];
    const found = findDevices(recordedGpus(), parseState(['gpu 2 mig 1 pending 1', ...small].join('\n'), 5));
    expect('failure' in found && found.failure)
      .to.contain('gpu-2')
      .and.contain('2g.12gb')
      .and.contain('1c.2g.12gb');
  });
});

function findAll(gpus: readonly SimulatedGpu[], text: string): readonly DriverDevice[] {
  const found = findDevices(gpus, parseState(text, gpus.length));
  if ('failure' in found) throw new Error(found.failure);
  return found;
}

function offeredBy(devices: readonly DriverDevice[]): readonly OfferedDevice[] {
  return devices.map(({ offered }) => offered);
}

/** The simulated GPUs with the UUIDs and PCI addresses of the recorded ones. */
function recordedGpus(): readonly SimulatedGpu[] {
  return assembleGpus(names).map((gpu): SimulatedGpu => {
    const recorded = golden.find(({ name }) => name.startsWith(`gpu-${gpu.index}`));
    const read = (key: string): string => {
      const value = recorded?.attributes[key];
      return value !== undefined && 'string' in value ? value.string : '';
    };
    const uuid = read('parentUUID') === '' ? read('uuid') : read('parentUUID');
    return { ...gpu, uuid, busId: `0000${read('resource.kubernetes.io/pciBusID')}` };
  });
}

/** A slice without its UUID; a whole GPU keeps it. */
function withoutUuid(device: OfferedDevice | undefined): unknown {
  if (device?.attributes['parentUUID'] === undefined) return device;
  const attributes = Object.entries(device.attributes).filter(([key]) => key !== 'uuid');
  return { ...device, attributes: Object.fromEntries(attributes) };
}

function readGolden(): readonly OfferedDevice[] {
  const text = readFileSync(new URL('../../fixtures/dra/resourceslice-static-mig.json', import.meta.url), 'utf8');
  const list = JSON.parse(text) as {
    readonly items: readonly { readonly spec: { readonly devices: OfferedDevice[] } }[];
  };
  return list.items.flatMap(({ spec }) => spec.devices);
}
