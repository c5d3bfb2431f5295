import { expect } from 'chai';
import fc from 'fast-check';

import { holdersOf, listGpuHolders, listInstanceHolders, listUuids } from '../../../src/core/pods/slice-holders.ts';
import type { HeldDevice, PodHolding } from '../../../src/core/pods/holding.ts';
import { aDevice, aGpu, uuidOf } from '../../support/builders.ts';
import { aSlicedGpu, anInstance } from './sliced-gpu.ts';

const slice = 'nvidia.com/mig-1g.5gb';

function aPod(name: string, ...devices: readonly HeldDevice[]): PodHolding {
  return { namespace: 'ml', name, devices };
}

const split = anInstance(2, 'MIG-a', 'MIG-b');
const lone = anInstance(3, 'MIG-c');
const sliced = aSlicedGpu(0, split, lone);
const whole = aGpu({ index: 1 });
const device = aDevice(sliced, whole);

describe('who holds what', () => {
  it('names the pods on a GPU instance, whichever compute instance they have', () => {
    const holders = holdersOf(device, [
      aPod('z', { resource: slice, id: 'MIG-b' }),
      aPod('a', { resource: slice, id: 'MIG-a' }),
      aPod('none'),
    ]);
    expect(listInstanceHolders(holders, split)).to.deep.equal(['ml/a', 'ml/z']);
    expect(listInstanceHolders(holders, lone)).to.deep.equal([]);
    expect(holders.ofDevice.get('MIG-a')).to.deep.equal(['ml/a']);
  });

  it('names the pods that have a whole GPU, each once', () => {
    const id = uuidOf(1);
    const holders = holdersOf(device, [
      aPod(
        'b',
        { resource: 'nvidia.com/gpu.shared', id: `${id}::0` },
        { resource: 'nvidia.com/gpu.shared', id: `${id}::1` },
      ),
      aPod('a', { resource: 'nvidia.com/gpu.shared', id: `${id}::2` }),
    ]);
    expect(listGpuHolders(holders, whole)).to.deep.equal(['ml/a', 'ml/b']);
    expect(listGpuHolders(holders, sliced)).to.deep.equal([]);
  });

  it('knows pods that hold a device that was destroyed', () => {
    const { ofDevice, stale } = holdersOf(device, [aPod('a', { resource: slice, id: 'MIG-gone' })]);
    expect(ofDevice.size).to.equal(0);
    expect(stale).to.deep.equal([{ pod: 'ml/a', resource: slice, id: 'MIG-gone' }]);
  });

  it('leaves out what other plugins hand out under the same prefix', () => {
    const pods = [
      aPod(
        'a',
        { resource: 'nvidia.com/hostdev', id: '0000:03:00.2' },
        { resource: 'nvidia.com/GA102GL_A10', id: '1' },
      ),
    ];
    const { ofDevice, stale } = holdersOf(device, pods);
    expect([ofDevice.size, stale]).to.deep.equal([0, []]);
  });

  it('loses no holding and invents none', () => {
    const ids = fc.constantFrom(...listUuids(device), 'MIG-gone', '0:0', '1', 'MIG-a::3');
    const pod = fc.record({
      namespace: fc.constantFrom('n', 'm'),
      name: fc.constantFrom('p', 'q', 'r'),
      devices: fc.array(fc.record({ resource: fc.constant(slice), id: ids }), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(pod, { maxLength: 6 }), (pods) => {
        const { ofDevice, stale } = holdersOf(device, pods);
        const named = new Set([...ofDevice.values()].flat().concat(stale.map((one) => one.pod)));
        const holding = pods.filter(({ devices }) => devices.length > 0);
        expect([...named]).to.have.members([...new Set(holding.map(({ namespace, name }) => `${namespace}/${name}`))]);
        expect(listUuids(device)).to.include.members([...ofDevice.keys()]);
      }),
    );
  });
});
