import { expect } from 'chai';
import fc from 'fast-check';
import { isChangingLabelKey } from '../../../src/api/label-keys.ts';
import { layoutLabel, migConfigStateLabel, policyLabel, stateLabel } from '../../../src/api/names.ts';
import {
  changesWithLayout,
  devicePluginConfigLabel,
  GFD_TIMESTAMP_KEY,
  isGfdLabelKey,
  MIG_STRATEGIES,
  computeLabels,
} from '../../../src/core/nvidia/labels.ts';
import { migManagerLabel } from '../../../src/api/names.ts';
import { defaultClients } from '../../../src/core/node/plugin-pods.ts';
import { readVectors } from './label-fixtures.ts';
import { aMigGpu, aNode, SLICES } from './node-builder.ts';

describe('the table of label keys that a layout changes', () => {
  it('has every key of which the value differs between two layouts or strategies of one node', () => {
    const gpu = fc
      .array(fc.constantFrom(...Object.values(SLICES)), { maxLength: 7 })
      .chain((slices) => fc.boolean().map((isOn) => (isOn ? aMigGpu(slices) : { ...aMigGpu([]), migEnabled: false })));
    const gpus = fc.array(gpu, { minLength: 2, maxLength: 2 });
    const strategy = fc.constantFrom(...MIG_STRATEGIES);
    const changed = new Set<string>();
    fc.assert(
      fc.property(gpus, strategy, gpus, strategy, (before, first, after, second) => {
        const labels = [
          computeLabels(aNode(before), first).labels,
          computeLabels(aNode(after), second).labels,
        ] as const;
        for (const key of Object.keys({ ...labels[0], ...labels[1] }))
          if (labels[0][key] !== labels[1][key]) changed.add(key);
      }),
      { numRuns: 500 },
    );
    expect([...changed].filter((key) => !isChangingLabelKey(key))).to.deep.equal([]);
    expect(changed.size).to.be.above(30);
  });

  it('has every key of the vectors that is about a layout', () => {
    const keys = new Set(readVectors().flatMap(({ expected }) => Object.keys(expected.labels ?? {})));
    const lasting = [...keys].filter((key) => !isChangingLabelKey(key));
    expect(lasting.filter((key) => changesWithLayout(key))).to.deep.equal([]);
    expect(lasting.filter((key) => !isGfdLabelKey(key) || key === GFD_TIMESTAMP_KEY)).to.deep.equal([]);
    expect(lasting.filter((key) => /mig-|slices|engines|product|count|replicas|memory/.test(key))).to.deep.equal([]);
  });

  it('has every mark of ours and every label that is borrowed', () => {
    const marks = [policyLabel, stateLabel, layoutLabel, migConfigStateLabel];
    const borrowed = [
      devicePluginConfigLabel,
      migManagerLabel,
      ...defaultClients.flatMap(({ deployLabel = [] }) => deployLabel),
    ];
    const keys = [...marks, ...borrowed];
    expect(keys.filter((key) => !isChangingLabelKey(key))).to.deep.equal([]);
  });

  it('lacks the keys by which policies select', () => {
    const good = [
      'gpu.present',
      'mig.config',
      'gpu.family',
      'gpu.machine',
      'gpu.compute.major',
      'mig.capable',
      'cuda.driver.major',
    ];
    expect(good.filter((name) => isChangingLabelKey(`nvidia.com/${name}`))).to.deep.equal([]);
    expect(['pool', 'kubernetes.io/hostname', 'example.com/gpu.product'].filter(isChangingLabelKey)).to.deep.equal([]);
  });
});
