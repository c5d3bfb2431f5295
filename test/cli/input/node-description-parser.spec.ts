import { expect } from 'chai';
import fc from 'fast-check';

import { parseNodeDescription } from '../../../src/cli/input/node-description-parser.ts';
import { MIG_STRATEGIES } from '../../../src/core/nvidia/labels/mig-strategy.ts';
import { describeNode } from '../../../src/core/nvidia/labels/node-outcome.ts';
import { aGpu, aMigGpu, aNode, SLICES } from '../../core/nvidia/node-builder.ts';

describe('parseNodeDescription', () => {
  it('takes a node with slices unchanged', () => {
    const node = aNode([aMigGpu([SLICES['1g+me'], SLICES['1c.3g']]), aGpu()]);
    expect(parseNodeDescription(JSON.parse(JSON.stringify(node)))).to.deep.equal({ ok: true, node });
  });

  it('takes a GPU out of MIG mode without a list of slices, and a node without machine', () => {
    const { migDevices: _, ...gpu } = aGpu();
    const { machine: __, ...node } = aNode([]);
    const parsed = parseNodeDescription({ ...node, gpus: [gpu] });
    expect(parsed).to.deep.equal({ ok: true, node: { ...node, gpus: [aGpu()] } });
  });

  it('names every wrong field by its path', () => {
    const { name: _, ...gpu } = aGpu();
    const device = { profile: '1g', attributes: { ...SLICES['1g'].attributes, 'slices.gi': '1' } };
    const problems = problemsOf({
      driverVersion: 550,
      cudaDriverVersion: [12],
      gpus: [
        { ...gpu, memoryMiB: -1, migEnabled: true, migDevices: [device], uuid: 'GPU-1' },
        aGpu({ migCapable: false, migEnabled: true, pciClass: '302' }),
        aGpu({ migDevices: [SLICES['1g']] }),
        'A100',
      ],
    });
    expect(problems).to.have.members([
      'driverVersion must be a string, but is 550',
      'cudaDriverVersion must be two whole numbers [major, minor], but is a list of 1',
      'gpus[0].name must be a string, but is missing',
      'gpus[0].memoryMiB must be a whole number, 0 or more, but is -1',
      'gpus[0].uuid is not a known field; known: name, memoryMiB, computeCapability, migCapable, migEnabled, pciClass, migDevices',
      'gpus[0].migDevices[0].profile must look like 1g.5gb or 1g.10gb+me, but is "1g"',
      'gpus[0].migDevices[0].attributes["slices.gi"] must be a whole number, 0 or more, but is "1"',
      'gpus[1].migEnabled must be false where migCapable is false',
      'gpus[1].pciClass must look like 0x030200, but is "302"',
      'gpus[2].migDevices must be empty where migEnabled is false, but has 1',
      'gpus[3] must be an object, but is "A100"',
    ]);
  });

  it('says of input of another kind what it is', () => {
    expect(problemsOf([aNode([])])).to.deep.equal(['$ must be an object, but is a list of 1']);
    expect(problemsOf(null)).to.deep.equal(['$ must be an object, but is null']);
    expect(problemsOf(undefined)).to.deep.equal(['$ must be an object, but is missing']);
  });

  it('says of a field once that it is wrong, however many rules it breaks', () => {
    expect(problemsOf(aNode([aGpu({ memoryMiB: -1.5 })]))).to.deep.equal([
      'gpus[0].memoryMiB must be a whole number, 0 or more, but is -1.5',
    ]);
  });

  it('does not take an empty text for a version', () => {
    expect(problemsOf({ ...aNode([]), driverVersion: '' })).to.deep.equal([
      'driverVersion must look like 550.54.15, but is ""',
    ]);
  });

  it('reports a slice that is not an object once, and one without attributes as such', () => {
    const gpu = { ...aGpu({ migEnabled: true }), migDevices: ['1g.5gb', { profile: '1g.5gb' }] };
    expect(problemsOf({ ...aNode([]), gpus: [gpu] })).to.deep.equal([
      'gpus[0].migDevices[0] must be an object, but is "1g.5gb"',
      'gpus[0].migDevices[1].attributes must be an object, but is missing',
    ]);
  });

  it('takes or refuses anything without failing itself, and what it takes can be described', () => {
    const gpu = fc.record({
      name: fc.constantFrom('NVIDIA A30', '', 5),
      memoryMiB: fc.constantFrom(24576, 0, null),
      computeCapability: fc.constantFrom([8, 0], [0, 0], 8),
      migCapable: fc.boolean(),
      migEnabled: fc.boolean(),
      migDevices: fc.constantFrom([], [SLICES['1g']], {}),
    });
    const node = fc.record({
      driverVersion: fc.constantFrom('550.54.15', '550'),
      cudaDriverVersion: fc.constant([12, 4]),
      gpus: fc.array(gpu, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), node), fc.constantFrom(...MIG_STRATEGIES), (value, strategy) => {
        const parsed = parseNodeDescription(value);
        if (parsed.ok) expect(describeNode(parsed.node, strategy)).to.have.all.keys('labels', 'resources', 'errors');
        else expect(parsed.problems).not.to.deep.equal([]);
      }),
    );
  });
});

function problemsOf(value: unknown): readonly string[] {
  const parsed = parseNodeDescription(value);
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path} ${message}`);
}
