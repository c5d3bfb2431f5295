import { expect } from 'chai';

import { changesWithLayout, isGfdLabelKey, migProfileOfLabelKey } from '../../../src/core/nvidia/labels/label-key.ts';
import { readVectors } from './label-fixtures.ts';

const FOREIGN = [
  'nvidia.com/gpu.present',
  'nvidia.com/gpu.deploy.device-plugin',
  'nvidia.com/gpu.deploy.operands',
  'nvidia.com/gpu.workload.config',
  'nvidia.com/gpu-driver-upgrade-state',
  'nvidia.com/mig.config',
  'nvidia.com/mig.config.state',
  'nvidia.com/device-plugin.config',
  'nvidia.com/mig-mine.count',
  'nvidia.com/mig-1g.5gb.colour',
  'nvidia.com/mig-1g.5gb',
  'kubernetes.io/hostname',
  'example.com/gpu.product',
  'constructor',
];

describe('keys of labels', () => {
  it('knows every key in every vector as one of GFD', () => {
    const keys = readVectors().flatMap(({ expected }) => Object.keys(expected.labels ?? {}));
    expect(keys.filter((key) => !isGfdLabelKey(key))).to.deep.equal([]);
    expect(new Set(keys).size).to.be.greaterThan(80);
  });

  it('knows keys that only some versions or nodes have', () => {
    const rare = [
      'gfd.timestamp',
      'gpu.clique',
      'gpu.imex-domain',
      'vgpu.host-driver-version',
      'vgpu.host-driver-branch',
    ];
    expect(rare.filter((name) => !isGfdLabelKey(`nvidia.com/${name}`))).to.deep.equal([]);
  });

  for (const key of FOREIGN) {
    it(`leaves ${key} to its owner`, () => {
      expect(isGfdLabelKey(key)).to.equal(false);
      expect(changesWithLayout(key)).to.equal(false);
    });
  }

  it('reads the profile from the end of the key', () => {
    const profileOf = (rest: string) => migProfileOfLabelKey(`nvidia.com/mig-${rest}`);
    expect(profileOf('1g.10gb.count')).to.equal('1g.10gb');
    expect(profileOf('1g.10gb.me.count')).to.equal('1g.10gb.me');
    expect(profileOf('1g.24gb.me.all.engines.copy')).to.equal('1g.24gb.me.all');
    expect(profileOf('2g.48gb-me.sharing-strategy')).to.equal('2g.48gb-me');
    expect(profileOf('1c.3g.20gb.slices.gi')).to.equal('1c.3g.20gb');
    expect(migProfileOfLabelKey('nvidia.com/mig.strategy')).to.equal(undefined);
  });

  it('knows which keys a new layout may change', () => {
    const changing = ['gpu.product', 'gpu.count', 'gpu.slices.ci', 'mig.strategy', 'mig-1g.5gb.me.count'];
    expect(changing.filter((name) => !changesWithLayout(`nvidia.com/${name}`))).to.deep.equal([]);
    const lasting = ['gpu.family', 'gpu.machine', 'gpu.present', 'mig.capable', 'cuda.driver.major'];
    expect(lasting.filter((name) => changesWithLayout(`nvidia.com/${name}`))).to.deep.equal([]);
  });
});
