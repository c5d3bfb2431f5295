import { Readable, Writable } from 'node:stream';

import { expect } from 'chai';

import { openTerminal, Output, printJson, printLine } from '../../src/cli/terminal.ts';

class Screen extends Writable {
  readonly colours: boolean;

  constructor(colours: boolean) {
    super();
    this.colours = colours;
  }

  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }

  hasColors(): boolean {
    return this.colours;
  }
}

const HOSTILE = 'a\u001B[31mb\u0007\u009B2Jc\u202Ed\u2066e\u0000\u007F\u{E0001}f';
const VISIBLE = String.raw`a\u001b[31mb\u0007\u009b2Jc\u202ed\u2066e\u0000\u007f\udb40\udc01f`;

describe('what is printed', () => {
  it('is coloured on a terminal that shows colours', () => {
    const screen = new Screen(true);
    const output = new Output(screen);
    printLine(output, `${output.paint('red', 'error')} x`);
    expect(screen.text).to.equal('\u001B[31merror\u001B[39m x\n');
  });

  it('is left alone on one that does not, as with NO_COLOR, and in a file', () => {
    expect(new Output(new Screen(false)).paint('red', 'error')).to.equal('error');
    expect(new Output(new Writable()).paint('red', 'error')).to.equal('error');
  });

  for (const colours of [true, false]) {
    it(`has nothing in it that a terminal obeys, ${colours ? 'between colours' : 'and no colours'}`, () => {
      const screen = new Screen(colours);
      const output = new Output(screen);
      printLine(output, `${output.paint('bold', HOSTILE)} ${HOSTILE}\nx`);
      const [on, off] = colours ? ['\u001B[1m', '\u001B[22m'] : ['', ''];
      expect(screen.text).to.equal(`${on}${VISIBLE}${off} ${VISIBLE}\\nx\n`);
    });
  }

  it('is the same JSON as without escapes', () => {
    const screen = new Screen(false);
    const terminal = openTerminal({ stdin: Readable.from([]), stdout: screen, stderr: screen, cwd: '/' });
    const value = { [HOSTILE]: [HOSTILE, 'ä\n\t\u{1F600}'] };
    printJson(terminal, value);
    expect(JSON.parse(screen.text)).to.deep.equal(value);
    expect(screen.text).to.include('ä');
    expect(screen.text).to.not.match(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });
});
