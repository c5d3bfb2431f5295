import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { LiveScreen, printLines } from '../../src/cli/screen.ts';
import { Output } from '../../src/cli/terminal.ts';
import { type Line, span } from '../../src/core/view/line.ts';

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
