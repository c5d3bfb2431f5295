import { expect } from 'chai';

import { onceEach } from '../../../src/core/text/once-each.ts';

describe('onceEach', () => {
  it('makes a thing of each object once, also of equal ones, and an empty text is one', () => {
    const asked: object[] = [];
    const nameOf = onceEach((one: { readonly name: string }) => {
      asked.push(one);
      return one.name;
    });
    const [first, second, empty] = [{ name: 'a' }, { name: 'a' }, { name: '' }];
    expect([first, second, first, empty, empty].map(nameOf)).to.deep.equal(['a', 'a', 'a', '', '']);
    expect(asked).to.have.ordered.members([first, second, empty]);
  });
});
