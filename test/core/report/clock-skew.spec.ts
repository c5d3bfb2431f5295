import { expect } from 'chai';
import { reportSkew } from '../../../src/core/report/clock-skew.ts';

describe('a wrong clock of a node', () => {
  it('is reported from ten seconds on, ahead or behind', () => {
    expect(reportSkew(9_400)).to.deep.equal({});
    expect(reportSkew(3_600_400)).to.deep.equal({ clockSkewSeconds: 3600 });
    expect(reportSkew(-11_000)).to.deep.equal({ clockSkewSeconds: -11 });
    expect(reportSkew(1e18)).to.deep.equal({ clockSkewSeconds: 2_000_000_000 });
  });

  it('is not reported again while it is about the same, nor forgotten before anything is measured', () => {
    expect(reportSkew(3_609_000, { clockSkewSeconds: 3600 })).to.deep.equal({ clockSkewSeconds: 3600 });
    expect(reportSkew(3_611_000, { clockSkewSeconds: 3600 })).to.deep.equal({ clockSkewSeconds: 3611 });
    expect(reportSkew(0, { clockSkewSeconds: 3600 })).to.deep.equal({});
    expect(reportSkew(undefined, { clockSkewSeconds: 3600 })).to.deep.equal({ clockSkewSeconds: 3600 });
    expect(reportSkew(undefined)).to.deep.equal({});
  });
});
