import { expect } from 'chai';
import fc from 'fast-check';

import { diffLabels, nfdOwnedLabelKeys } from '../../../src/core/nvidia/labels/label-diff.ts';

const OURS = [
  'nvidia.com/gpu.product',
  'nvidia.com/gpu.count',
  'nvidia.com/mig.strategy',
  'nvidia.com/mig-1g.5gb.count',
  'nvidia.com/mig-1g.5gb.me.count',
  'gpupartition.dev/state',
];
const FOREIGN = [
  'kubernetes.io/hostname',
  'nvidia.com/gpu.present',
  'nvidia.com/gpu.deploy.dcgm',
  'nvidia.com/mig.config',
  'nvidia.com/mig.config.state',
  'nvidia.com/device-plugin.config',
  'nvidia.com/gfd.timestamp',
  '__proto__x',
];
const VALUE = fc.constantFrom('', '1', '7', 'true');
const CURRENT = fc.dictionary(fc.constantFrom(...OURS, ...FOREIGN), VALUE);
const WANTED = fc.dictionary(fc.constantFrom(...OURS), VALUE);
const MANAGED = fc.array(fc.constantFrom(...OURS, ...FOREIGN));

describe('diffLabels', () => {
  it('makes the wanted labels true, removes what we wrote before, leaves the rest, and then has nothing to do', () => {
    fc.assert(
      fc.property(CURRENT, MANAGED, WANTED, (current, managed, wanted) => {
        const change = diffLabels(current, managed, wanted);
        const after = apply(current, change);
        for (const key of OURS) {
          const left = managed.includes(key) ? undefined : current[key];
          expect(after[key], key).to.equal(wanted[key] ?? left);
        }
        for (const key of FOREIGN) expect(after[key], key).to.equal(current[key]);
        expect(Object.entries(change.set).filter(([key, value]) => current[key] === value)).to.deep.equal([]);
        const again = diffLabels(after, managed, wanted);
        expect([again.set, again.remove]).to.deep.equal([{}, []]);
      }),
    );
  });

  it('removes the keys of a profile that is gone and keeps those of a profile whose name begins alike', () => {
    const current = { 'nvidia.com/mig-1g.10gb.count': '2', 'nvidia.com/mig-1g.10gb.me.count': '1' };
    const wanted = { 'nvidia.com/mig-1g.10gb.me.count': '1' };
    expect(diffLabels(current, Object.keys(current), wanted)).to.deep.equal({
      set: {},
      remove: ['nvidia.com/mig-1g.10gb.count'],
    });
  });

  it('leaves keys of other owners alone even if the list of managed keys names them', () => {
    const current = { 'nvidia.com/gpu.present': 'true', 'kubernetes.io/hostname': 'n1' };
    const change = diffLabels(current, Object.keys(current), { 'nvidia.com/mig.config': 'all-1g.5gb' });
    expect(change).to.deep.equal({
      set: {},
      remove: [],
    });
  });
});

describe('nfdOwnedLabelKeys', () => {
  it('reads the lists of all NFD instances and completes short names', () => {
    const annotations = {
      'nfd.node.kubernetes.io/feature-labels': 'cpu-model.id,nvidia.com/gpu.count',
      'gpu.nfd.node.kubernetes.io/feature-labels': 'nvidia.com/gpu.product, ',
      'nfd.node.kubernetes.io/extended-resources': 'example.com/x',
    };
    expect([...nfdOwnedLabelKeys(annotations)]).to.deep.equal([
      'feature.node.kubernetes.io/cpu-model.id',
      'nvidia.com/gpu.count',
      'nvidia.com/gpu.product',
    ]);
  });
});

function apply(
  current: Readonly<Record<string, string>>,
  change: { readonly set: Readonly<Record<string, string>>; readonly remove: readonly string[] },
): Readonly<Record<string, string>> {
  const kept = Object.entries(current).filter(([key]) => !change.remove.includes(key));
  return { ...Object.fromEntries(kept), ...change.set };
}
