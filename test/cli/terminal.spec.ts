import { Writable } from 'node:stream';

import { expect } from 'chai';

import { paint } from '../../src/cli/terminal.ts';

class Screen extends Writable {
  readonly colours: boolean;

  constructor(colours: boolean) {
    super();
    this.colours = colours;
  }

  hasColors(): boolean {
    return this.colours;
  }
}

describe('paint', () => {
  it('colours a text on a terminal that shows colours', () => {
    expect(paint(new Screen(true), 'red', 'error')).to.equal('\u001B[31merror\u001B[39m');
  });

  it('leaves the text alone on one that does not, as with NO_COLOR, and in a file', () => {
    expect(paint(new Screen(false), 'red', 'error')).to.equal('error');
    expect(paint(new Writable(), 'red', 'error')).to.equal('error');
  });
});
