import { expect } from 'chai';
import { GFD_TIMESTAMP_KEY, isGfdLabelKey, computeLabels } from '../../../src/core/nvidia/labels.ts';
import { readArticleDump, readRealDump } from './label-fixtures.ts';
import { aGpu, aMigGpu, aNode, SLICES, times } from './node-builder.ts';

type Labels = Readonly<Record<string, string>>;

/** Since GFD v0.15, v0.16 or later; the dumps of 2020 and 2021 cannot have them. */
const YOUNGER_KEYS = [
  ...['full', 'major', 'minor', 'revision'].map((part) => `cuda.driver-version.${part}`),
  ...['full', 'major', 'minor'].map((part) => `cuda.runtime-version.${part}`),
  'gpu.mode',
  'gpu.replicas',
  'gpu.sharing-strategy',
  'mig.capable',
  'mps.capable',
  'vgpu.present',
].map((name) => `nvidia.com/${name}`);

/** As GFD 0.2 saw a DGX A100 with driver 450, whose product names lacked the word NVIDIA. */
const DGX = { driverVersion: '450.80.02', cudaDriverVersion: [11, 0], machine: 'NVIDIA DGX' } as const;
const DGX_A100 = { name: 'A100-SXM4-40GB', memoryMiB: 40537 };
const BALANCED = [SLICES['1g'], SLICES['2g'], SLICES['3g']];

describe('labels of real nodes', () => {
  it('agrees with the DGX A100 without MIG of the article', () => {
    const computed = computeLabels(aNode([aGpu(DGX_A100)], DGX), 'none').labels;
    expectAgreement(computed, withoutBlanks(readArticleDump('none')), YOUNGER_KEYS);
  });

  it('agrees with the DGX A100 of seven equal slices of the article', () => {
    const computed = computeLabels(aNode([aMigGpu(times(7, SLICES['1g']), DGX_A100)], DGX), 'single').labels;
    expectAgreement(computed, withoutBlanks(readArticleDump('single')), YOUNGER_KEYS);
  });

  it('agrees with the DGX A100 of three different slices of the article', () => {
    const computed = computeLabels(aNode([aMigGpu(BALANCED, DGX_A100)], DGX), 'mixed').labels;
    const younger = ['1g.5gb', '2g.10gb', '3g.20gb'].flatMap(youngerKeysOf);
    expectAgreement(computed, withoutBlanks(readArticleDump('mixed')), [...YOUNGER_KEYS, ...younger]);
  });

  it("agrees with NVIDIA's own dump of that node once GFD's old name 3g.21gb is read as 3g.20gb", () => {
    const computed = computeLabels(aNode([aMigGpu(BALANCED, DGX_A100)], DGX), 'mixed').labels;
    const dump = Object.entries(readRealDump('a100-40gb-mixed-1g2g3g-driver450'));
    const renamed = Object.fromEntries(dump.map(([key, value]) => [key.replace('3g.21gb', '3g.20gb'), value]));
    const younger = ['1g.5gb', '2g.10gb', '3g.20gb'].flatMap(youngerKeysOf);
    expectAgreement(computed, withoutBlanks(renamed), [...YOUNGER_KEYS, ...younger]);
  });

  it('agrees with a cloud node of seven equal slices and driver 460', () => {
    const node = aNode([aMigGpu(times(7, SLICES['1g']), DGX_A100)], {
      driverVersion: '460.73.01',
      cudaDriverVersion: [11, 2],
      machine: 'Google Compute Engine',
    });
    const dump = readRealDump('a100-40gb-single-1g.5gb-gce-driver460');
    expectAgreement(computeLabels(node, 'single').labels, dump, YOUNGER_KEYS);
  });

  it('agrees with an H100 out of MIG mode under strategy single, but for two keys that its GFD did not write', () => {
    const h100 = aGpu({ name: 'NVIDIA H100 80GB HBM3', memoryMiB: 81559, computeCapability: [9, 0] });
    const node = aNode([h100], { machine: 'PIO-4124GS-TNR-01-NC24B' });
    const dump = readRealDump('h100-80gb-single-mig-disabled');
    expectAgreement(computeLabels(node, 'single').labels, dump, ['nvidia.com/gpu.mode', 'nvidia.com/vgpu.present']);
  });

  it('takes none of the labels of other owners in those dumps for one of GFD', () => {
    const dumps = ['a100-40gb-single-1g.5gb-gce-driver460', 'h100-80gb-single-mig-disabled'].map(readRealDump);
    const foreign = dumps.flatMap((labels) => Object.keys(labels).filter((key) => !isGfdLabelKey(key)));
    expect([...new Set(foreign.map((key) => key.replace(/(gpu\.deploy)\..*/, '$1.*')))].toSorted()).to.deep.equal([
      'nvidia.com/gpu-driver-upgrade-state',
      'nvidia.com/gpu.deploy.*',
      'nvidia.com/gpu.present',
      'nvidia.com/mig.config',
      'nvidia.com/mig.config.state',
    ]);
  });
});

function youngerKeysOf(profile: string): readonly string[] {
  return ['product', 'replicas', 'sharing-strategy'].map((suffix) => `nvidia.com/mig-${profile}.${suffix}`);
}

/** GFD of 2020 kept the blank in the machine's name, which Kubernetes refuses today. */
function withoutBlanks(dump: Labels): Labels {
  return { ...dump, 'nvidia.com/gpu.machine': (dump['nvidia.com/gpu.machine'] ?? '').replaceAll(' ', '-') };
}

/** Every key of GFD in the dump is computed with its value, and exactly the younger keys come on top. */
function expectAgreement(computed: Labels, dump: Labels, younger: readonly string[]): void {
  const ofGfd = Object.entries(dump).filter(([key]) => isGfdLabelKey(key) && key !== GFD_TIMESTAMP_KEY);
  const known = Object.fromEntries(Object.entries(computed).filter(([key]) => Object.hasOwn(dump, key)));
  expect(known).to.deep.equal(Object.fromEntries(ofGfd));
  expect(Object.keys(computed).filter((key) => !Object.hasOwn(dump, key))).to.have.members(younger);
}
