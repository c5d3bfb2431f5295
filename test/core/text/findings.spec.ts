import { expect } from 'chai';
import { writePath } from '../../../src/core/text/words.ts';

describe('writePath', () => {
  it('writes a path as jq does', () => {
    expect(writePath(['spec', 'layouts', 0, 'profiles', '1g.5gb'])).to.equal('spec.layouts[0].profiles["1g.5gb"]');
    expect(writePath([0, 'a'])).to.equal('[0].a');
    expect(writePath(['data', 'config.yaml', 'mig-configs'])).to.equal('data["config.yaml"].mig-configs');
  });

  it('calls the whole document $', () => {
    expect(writePath([])).to.equal('$');
  });
});
