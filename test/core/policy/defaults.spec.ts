import { expect } from 'chai';
import { fillDefaults } from '../../../src/core/policy/defaults.ts';
import { aPolicy } from '../../support/builders.ts';

describe('the defaults of a policy', () => {
  it('complete what is written of a part', () => {
    const { rollout, drain, allow } = fillDefaults(
      aPolicy({ rollout: { maxUnavailable: 2 }, drain: { timeout: '1m' }, allow: { replaceForeignInstances: true } })
        .spec,
    );
    expect(rollout).to.deep.equal({ maxUnavailable: 2, failureThreshold: 1, paused: false, rollback: 'OnFailure' });
    expect(drain).to.deep.equal({ scope: 'Affected', timeout: '1m', onTimeout: 'Skip' });
    expect(allow).to.deep.equal({ gpuReset: true, replaceForeignInstances: true });
    const { priority: _none, ...spec } = aPolicy().spec;
    expect(fillDefaults(spec)).to.include({ priority: 0, mode: 'Enforce', backend: 'DevicePlugin', onDelete: 'Keep' });
  });
});
