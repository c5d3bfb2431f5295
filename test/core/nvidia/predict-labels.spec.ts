import { expect } from 'chai';
import fc from 'fast-check';
import { dropInvalidLabels, invalidLabels, MIG_STRATEGIES, computeLabels } from '../../../src/core/nvidia/labels.ts';
import { computeResources } from '../../../src/core/nvidia/predict.ts';
import type { Sharing } from '../../../src/core/nvidia/plugin-config.ts';
import { aGpu, aMigDevice, aMigGpu, aNode, SLICES, times } from './node-builder.ts';

const GPUS_OF_ONE_MODEL = fc.array(
  fc.oneof(
    fc.constant(aGpu()),
    fc.array(fc.constantFrom(...Object.values(SLICES)), { maxLength: 7 }).map((devices) => aMigGpu(devices)),
  ),
  { minLength: 1, maxLength: 8 },
);
const STRATEGY = fc.constantFrom(...MIG_STRATEGIES);
const SHARING: fc.Arbitrary<Sharing> = fc.record({
  strategy: fc.constantFrom('time-slicing', 'mps'),
  renameByDefault: fc.boolean(),
  failRequestsGreaterThanOne: fc.boolean(),
  resources: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('nvidia.com/gpu', 'nvidia.com/mig-1g.5gb', 'nvidia.com/mig-1g.5gb.me'),
      replicas: fc.integer({ min: 2, max: 9 }),
    }),
    { minLength: 1, selector: ({ name }) => name },
  ),
});

describe('computeLabels', () => {
  it('does not depend on the order of the GPUs of one model', () => {
    const permuted = GPUS_OF_ONE_MODEL.chain((gpus) =>
      fc.tuple(fc.constant(gpus), fc.shuffledSubarray(gpus, { minLength: gpus.length, maxLength: gpus.length })),
    );
    fc.assert(
      fc.property(permuted, STRATEGY, SHARING, ([gpus, shuffled], strategy, sharing) => {
        const before = computeLabels(aNode(gpus), strategy, { sharing });
        expect(computeLabels(aNode(shuffled), strategy, { sharing })).to.deep.equal(before);
        const resources = computeResources(aNode(gpus), strategy, { sharing }).resources;
        expect(computeResources(aNode(shuffled), strategy, { sharing }).resources).to.deep.equal(resources);
      }),
    );
  });

  it('labels each profile with a count and replicas whose product is the capacity', () => {
    fc.assert(
      fc.property(GPUS_OF_ONE_MODEL, SHARING, (gpus, sharing) => {
        const { labels } = computeLabels(aNode(gpus), 'mixed', { sharing });
        const { resources, errors } = computeResources(aNode(gpus), 'mixed', { sharing });
        fc.pre(errors.length === 0);
        const profiles = Object.keys(labels).flatMap((key) => /^(.*\/mig-.*)\.count$/.exec(key)?.[1] ?? []);
        for (const name of profiles) {
          const capacity = resources[name] ?? resources[`${name}.shared`];
          expect(Number(labels[`${name}.count`]) * Number(labels[`${name}.replicas`])).to.equal(capacity);
        }
        expect(Object.keys(resources).filter((name) => name.includes('/mig-'))).to.have.length(profiles.length);
      }),
    );
  });

  it('never writes a value that Kubernetes refuses unless it is reported, whatever the GPU and machine are called', () => {
    const name = fc.oneof(fc.string(), fc.string({ minLength: 40, maxLength: 90 }));
    fc.assert(
      fc.property(name, name, STRATEGY, fc.boolean(), (model, machine, strategy, isMig) => {
        const gpu = isMig ? aMigGpu([SLICES['1g']], { name: model }) : aGpu({ name: model });
        const { labels } = computeLabels(aNode([gpu], { machine }), strategy);
        const refused = Object.keys(labels).filter((key) => !isAcceptedByKubernetes(labels[key] ?? ''));
        expect(invalidLabels(labels).map(({ key }) => key)).to.deep.equal(refused);
        expect(invalidLabels(dropInvalidLabels(labels))).to.deep.equal([]);
      }),
    );
  });

  it('names the keys that upstream fills at random on a node with two models, and no others', () => {
    const node = aNode([aGpu(), aGpu({ name: 'Tesla T4', memoryMiB: 15360, computeCapability: [7, 5] }), aGpu()]);
    const { labels, undetermined } = computeLabels(node, 'none');
    expect(undetermined).to.deep.equal({
      'nvidia.com/gpu.product': ['NVIDIA-A100-SXM4-40GB', 'Tesla-T4'],
      'nvidia.com/gpu.count': ['2', '1'],
      'nvidia.com/gpu.memory': ['40960', '15360'],
      'nvidia.com/gpu.family': ['ampere', 'turing'],
      'nvidia.com/gpu.compute.major': ['8', '7'],
      'nvidia.com/gpu.compute.minor': ['0', '5'],
    });
    expect(undetermined['nvidia.com/gpu.product']).to.include(labels['nvidia.com/gpu.product']);
  });

  it('counts slices over two models under strategy single and takes the product of the first', () => {
    const other = { name: 'NVIDIA A100-PCIE-40GB' };
    const node = aNode([aMigGpu(times(7, SLICES['1g'])), aMigGpu(times(7, SLICES['1g']), other)]);
    const { labels, undetermined } = computeLabels(node, 'single');
    expect(labels['nvidia.com/gpu.product']).to.equal('NVIDIA-A100-SXM4-40GB-MIG-1g.5gb');
    expect(labels['nvidia.com/gpu.count']).to.equal('14');
    expect(undetermined).to.deep.equal({});
  });

  it('finds no fault in one profile with two sets of attributes under single, although the plugin does', () => {
    const odd = aMigDevice('1g.5gb', 4864, 16, [1, 0, 0, 0, 0]);
    const node = aNode([aMigGpu([SLICES['1g'], odd])]);
    expect(computeLabels(node, 'single').labels['nvidia.com/gpu.count']).to.equal('2');
    expect(computeResources(node, 'single').errors[0]?.message).to.contain('more than one MIG device type');
  });

  it('writes gpu.mode unknown for GPUs of different classes, and leaves it out where a class was not read', () => {
    const mode = (...classes: readonly (string | undefined)[]) => {
      const { pciClass: _, ...unread } = aGpu();
      const gpus = classes.map((pciClass) => (pciClass === undefined ? unread : aGpu({ pciClass })));
      return computeLabels(aNode(gpus), 'none').labels['nvidia.com/gpu.mode'];
    };
    expect(mode('0x030200', '0x0302')).to.equal('compute');
    expect(mode('0x030000')).to.equal('graphics');
    expect(mode('0x030000', '0x030200')).to.equal('unknown');
    expect(mode('0x030200', undefined)).to.equal(undefined);
  });

  it('names architectures by compute capability', () => {
    const family = (...computeCapability: readonly [number, number]) =>
      computeLabels(aNode([aGpu({ computeCapability })]), 'none').labels['nvidia.com/gpu.family'];
    expect([family(7, 0), family(7, 5), family(8, 7), family(8, 9), family(9, 0)]).to.deep.equal([
      'volta',
      'turing',
      'ampere',
      'ada-lovelace',
      'hopper',
    ]);
    expect([family(10, 0), family(12, 0), family(13, 0), family(11, 0), family(0, 0)]).to.deep.equal([
      'blackwell',
      'blackwell',
      'rubin',
      'undefined',
      undefined,
    ]);
  });

  it('writes machine unknown where DMI cannot be read, and the clique of an NVLink fabric', () => {
    const { machine: _, ...node } = aNode([aGpu()]);
    const { labels } = computeLabels({ ...node, clique: '2a2b.1' }, 'none');
    expect(labels['nvidia.com/gpu.machine']).to.equal('unknown');
    expect(labels['nvidia.com/gpu.clique']).to.equal('2a2b.1');
  });

  it('takes a driver version of two parts and fails on one', () => {
    const { labels } = computeLabels(aNode([aGpu()], { driverVersion: '535.54' }), 'none');
    expect(labels['nvidia.com/cuda.driver-version.revision']).to.equal('');
    const failed = computeLabels(aNode([aGpu()], { driverVersion: '535' }), 'none');
    expect(failed.labels).to.deep.equal({});
    expect(failed.errors[0]?.message).to.contain('Version "535" does not match format "X.Y[.Z]"');
  });

  it('labels whole GPUs shared by MPS as capable and shared', () => {
    const sharing: Sharing = {
      strategy: 'mps',
      renameByDefault: false,
      failRequestsGreaterThanOne: true,
      resources: [{ name: 'nvidia.com/gpu', replicas: 4 }],
    };
    const { labels } = computeLabels(aNode([aGpu()]), 'single', { sharing });
    expect(labels).to.include({
      'nvidia.com/mps.capable': 'true',
      'nvidia.com/gpu.sharing-strategy': 'mps',
      'nvidia.com/gpu.replicas': '4',
      'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-40GB-SHARED',
    });
  });
});

/** Kubernetes' rule, written down a second time and differently. */
function isAcceptedByKubernetes(value: string): boolean {
  const isAlphanumeric = (text: string | undefined) => text !== undefined && /^[0-9A-Za-z]$/.test(text);
  if (value === '') return true;
  const isClean = value.split('').every((letter) => isAlphanumeric(letter) || '-_.'.includes(letter));
  return value.length < 64 && isClean && isAlphanumeric(value.at(0)) && isAlphanumeric(value.at(-1));
}
