import { expect } from 'chai';
import { uuidOfDeviceId } from '../../../src/core/device/kubelet.ts';
import { advertise } from '../../../src/simulator/kubelet/gpu-devices.ts';
import { allocate } from '../../../src/simulator/kubelet/allocation.ts';
import { patchGpus } from '../../../src/simulator/kubelet/node.ts';
import { assembleGpus } from '../../../src/simulator/nvidia-smi/device.ts';
import { parseState } from '../../../src/simulator/nvidia-smi/state.ts';
import { a100, states } from '../../support/gpu-nodes.ts';

const gpus = assembleGpus([a100]);
const twoSlices = parseState(states.twoSlices, 1);

describe('what a simulated device plugin advertises', () => {
  it('is a device for each replica of a shared slice, all with the slice’s UUID', () => {
    const sharing = {
      strategy: 'time-slicing',
      renameByDefault: false,
      failRequestsGreaterThanOne: false,
      resources: [{ name: 'nvidia.com/mig-1g.5gb', replicas: 4 }],
    } as const;
    const { resources, deviceIds } = advertise(gpus, twoSlices, 'mixed', sharing);
    expect(resources).to.deep.equal({ 'nvidia.com/mig-1g.5gb': 4, 'nvidia.com/mig-3g.20gb': 1 });
    const ids = deviceIds.get('nvidia.com/mig-1g.5gb') ?? [];
    expect(ids).to.have.length(4);
    expect(new Set(ids.map((id) => uuidOfDeviceId(id))).size).to.equal(1);
  });

  it('is nothing, and a reason, where the plugin exits', () => {
    const { resources, deviceIds, failure } = advertise(gpus, twoSlices, 'single');
    expect(resources).to.deep.equal({});
    expect(deviceIds.size).to.equal(0);
    expect(failure).to.contain('more than one MIG device type');
  });

  it('has as many device ids as it says, under every strategy', () => {
    for (const strategy of ['none', 'single', 'mixed'] as const) {
      const { resources, deviceIds } = advertise(gpus, parseState(states.sevenSlices, 1), strategy);
      const counts = [...deviceIds].map(([name, ids]) => [name, ids.length] as const);
      expect(Object.fromEntries(counts)).to.deep.equal(resources);
    }
  });
});

describe('what a simulated kubelet gives a pod', () => {
  const advertised = advertise(gpus, parseState(states.sevenSlices, 1), 'mixed');
  const pod = {
    metadata: { name: 'p' },
    spec: {
      containers: ['a', 'b'].map((name) => ({ name, resources: { limits: { cpu: 1, 'nvidia.com/mig-1g.5gb': '3' } } })),
    },
  };

  it('is different devices for each of its containers', () => {
    const given = allocate(pod, advertised, []);
    if ('reason' in given) throw new Error(given.message);
    const ids = given.flatMap(({ deviceIds }) => deviceIds['nvidia.com/mig-1g.5gb'] ?? []);
    expect(new Set(ids).size).to.equal(6);
  });

  it('is nothing where one of its containers cannot have enough', () => {
    const first = allocate(pod, advertised, []);
    if ('reason' in first) throw new Error(first.message);
    expect(allocate(pod, advertised, [first])).to.deep.include({ reason: 'UnexpectedAdmissionError' });
  });
});

describe('the change of a Node’s status', () => {
  it('is empty if the Node shows all that is advertised', () => {
    const shown = { allocatable: { cpu: '1', 'nvidia.com/gpu': '1' }, capacity: { cpu: '1', 'nvidia.com/gpu': '1' } };
    expect(patchGpus(shown, { 'nvidia.com/gpu': 1 })).to.equal(undefined);
  });

  it('leaves alone what is not a GPU, and what is 0 already', () => {
    const shown = {
      allocatable: { 'example.com/dongle': '1', 'nvidia.com/gpu': '0' },
      capacity: { 'nvidia.com/gpu': '1' },
    };
    expect(patchGpus(shown, {})).to.equal(undefined);
  });

  it('is of GPUs alone: a NIC under the same prefix keeps its amount', () => {
    const shown = { allocatable: { 'nvidia.com/hostdev': '4' }, capacity: { 'nvidia.com/hostdev': '4' } };
    expect(patchGpus(shown, {})).to.equal(undefined);
  });
});
