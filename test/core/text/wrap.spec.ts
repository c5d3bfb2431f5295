import { expect } from 'chai';
import { wrapHanging } from '../../../src/core/text/wrap.ts';

describe('wrapped text', () => {
  it('breaks at spaces, keeps the indentation of the first line, and indents the others', () => {
    expect(wrapHanging('  one two three', 9, '    ')).to.deep.equal(['  one two', '    three']);
  });

  it('leaves a word whole that is longer than a line', () => {
    expect(wrapHanging('a nvidia.com/mig-3g.20gb b', 8)).to.deep.equal(['a', 'nvidia.com/mig-3g.20gb', 'b']);
  });
});
