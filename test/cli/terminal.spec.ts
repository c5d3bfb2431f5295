import { expect } from 'chai';
import { PassThrough, Readable, Writable } from 'node:stream';
import { LiveScreen, printLines, Output, openTerminal, printJson, printLine } from '../../src/cli/terminal.ts';
import { type Line, span } from '../../src/core/view/lines.ts';

/** A stream that keeps what is written; a terminal where it has rows. */
function aStream(size: { readonly columns?: number; readonly rows?: number; readonly hasColors?: () => boolean } = {}) {
  const stream = Object.assign(new PassThrough(), size);
  return { output: new Output(stream), stream, read: (): string => String((stream.read() as Buffer | null) ?? '') };
}

const lines = (...texts: readonly string[]): readonly Line[] => texts.map((text) => [span(text)]);

describe('a screen that follows', () => {
  it('draws in place on a terminal, and only what has changed anything', () => {
    const { output, read } = aStream({ columns: 80, rows: 24 });
    const screen = new LiveScreen(output);
    screen.show(lines('one'));
    expect(read()).to.equal('\u001B[2J\u001B[Hone\u001B[K\n\u001B[J');
    screen.show(lines('one'));
    expect(read()).to.equal('');
    screen.show(lines('two'));
    expect(read()).to.equal('\u001B[Htwo\u001B[K\n\u001B[J');
  });

  it('draws no more rows than there are, and draws again when the terminal is resized', () => {
    const { output, stream, read } = aStream({ columns: 80, rows: 3 });
    const screen = new LiveScreen(output);
    let resized = 0;
    const end = output.onResize(() => {
      resized += 1;
      screen.forget();
    });
    screen.show(lines('a', 'b', 'c', 'd'));
    expect(read().match(/[a-d]/g)?.join('')).to.equal('ab');
    stream.emit('resize');
    screen.show(lines('a', 'b', 'c', 'd'));
    expect(read()).to.contain('a');
    end();
    stream.emit('resize');
    expect(resized).to.equal(1);
  });

  it('writes one picture below the other where there is no terminal', () => {
    const { output, read } = aStream();
    const screen = new LiveScreen(output);
    screen.show(lines('one'));
    screen.show(lines('two'));
    expect(read()).to.equal('one\n\ntwo\n');
    expect(output.columns).to.equal(80);
  });

  it('cuts a line to the width of a terminal, and leaves it whole in a file or for another program', () => {
    const long = lines(`waiting for ${'x'.repeat(200)}`);
    const terminal = aStream({ columns: 30 });
    printLines(terminal.output, long);
    expect(terminal.read()).to.equal(`waiting for ${'x'.repeat(17)}…\n`);
    const piped = aStream();
    printLines(piped.output, long);
    expect(piped.read()).to.equal(`waiting for ${'x'.repeat(200)}\n`);
  });

  it('has colours where the terminal shows them, and shows what a name would do to it', () => {
    const painted = aStream({ hasColors: () => true });
    printLines(painted.output, [[span('used', 'used'), span('\u001B[2J')]]);
    const [before, used, rest, ...others] = painted.read().split('\u001B');
    expect({ before, used, others }).to.deep.equal({ before: '', used: '[33mused', others: [] });
    expect(rest).to.match(/^\[39m.+\[2J\n$/);
    const plain = aStream();
    printLines(plain.output, [[span('used', 'used')]]);
    expect(plain.read()).to.equal('used\n');
  });
});

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
