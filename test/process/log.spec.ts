import { expect } from 'chai';
import { Program } from './program.ts';
import { Writable } from 'node:stream';
import { createLogger, type LogOptions, describeError, type Logger } from '../../src/process/log.ts';

const prepared = `
  import { exitOnUnhandled } from 'src/process/log.ts';
  import { createLogger } from 'src/process/log.ts';
  exitOnUnhandled(createLogger());
  setInterval(() => undefined, 1000);
`;

describe('exitOnUnhandled', () => {
  const mistakes = {
    'a rejection that nobody handles': `Promise.reject(new Error('the cause of it'));`,
    'an exception that nobody catches': `setTimeout(() => { throw new Error('the cause of it'); }, 1);`,
  };
  for (const [name, mistake] of Object.entries(mistakes)) {
    it(`logs ${name} with its stack and ends the process with 1`, async () => {
      await using program = new Program(prepared + mistake);
      const { code, output } = await program.end();
      expect(code).to.equal(1);
      expect(JSON.parse(output)).to.have.property('error').that.contains('the cause of it').and.contains(' at ');
    });
  }
});

class Sink extends Writable {
  text = '';
  readonly isTTY: boolean;

  constructor(isTTY = false) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    done();
  }

  get lines(): readonly Readonly<Record<string, unknown>>[] {
    return this.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  }
}

function aLog(options: LogOptions = {}, isTTY = false): { logger: Logger; sink: Sink } {
  const sink = new Sink(isTTY);
  return { logger: createLogger({ stream: sink, ...options }), sink };
}

describe('createLogger', () => {
  it('writes one JSON line with the time, the level, the message and the fields', () => {
    const { logger, sink } = aLog();
    logger.info('node updated', { node: 'n1', gpus: 8 });
    const [line] = sink.lines;
    expect(line).to.deep.include({ level: 'info', message: 'node updated', node: 'n1', gpus: 8 });
    expect(Date.parse(String(line?.['time']))).to.be.closeTo(Date.now(), 5_000);
  });

  it('leaves out what is below its level', () => {
    const { logger, sink } = aLog({ level: 'warn' });
    logger.debug('d');
    logger.info('i');
    logger.warn('w');
    logger.error('e');
    expect(sink.lines.map(({ message }) => message)).to.deep.equal(['w', 'e']);
  });

  it('gives a child’s fields with every line of the child, and those of the line before them', () => {
    const { logger, sink } = aLog();
    const child = logger.child({ node: 'n1', step: 'none' }).child({ step: 'drain' });
    child.info('a');
    child.info('b', { step: 'grant' });
    logger.info('c');
    expect(sink.lines[0]).to.deep.include({ node: 'n1', step: 'drain' });
    expect(sink.lines[1]).to.deep.include({ node: 'n1', step: 'grant' });
    expect(sink.lines[2]).not.to.have.property('node');
  });

  it('does not let a field take the place of the message, the level or the time', () => {
    const { logger, sink } = aLog();
    logger.warn('real', { message: 'forged', level: 'debug', time: 'never' });
    expect(sink.lines[0]).to.deep.include({ message: 'real', level: 'warn' });
    expect(sink.lines[0]?.['time']).not.to.equal('never');
  });

  it('keeps a line in one line, whatever is in it', () => {
    const { logger, sink } = aLog();
    logger.info('a\nb', { text: 'c\nd' });
    expect(sink.lines).to.have.length(1);
  });

  it('writes errors with their causes, and survives fields that are not JSON', () => {
    const { logger, sink } = aLog();
    const circle: { self?: unknown } = {};
    circle.self = circle;
    logger.error('failed', { error: new Error('a', { cause: new TypeError('b') }), count: 3n });
    logger.error('odd', { circle });
    expect(sink.lines[0]).to.deep.include({ error: 'Error: a (caused by TypeError: b)', count: '3' });
    expect(sink.lines[1]).to.deep.include({ message: 'odd' }).and.to.have.property('fieldsLost');
  });

  it('writes for people on a terminal', () => {
    const { logger, sink } = aLog({}, true);
    logger.warn('node lost', { node: 'n1', reason: 'no answer', gpus: [1] });
    expect(sink.text).to.match(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}node lost node=n1 reason="no answer" gpus=\[1\]\n$/);
  });

  it('writes JSON on a terminal as well when told', () => {
    const { logger, sink } = aLog({ format: 'json' }, true);
    logger.info('a');
    expect(sink.lines[0]).to.deep.include({ message: 'a' });
  });
});

describe('describeError', () => {
  it('describes what was thrown, whatever it is', () => {
    expect(describeError('text')).to.equal('text');
    expect(describeError(undefined)).to.equal('undefined');
    expect(describeError(new RangeError('r', { cause: 'c' }))).to.equal('RangeError: r (caused by c)');
  });
});

const waiting = `
  import { abortOnSignals } from 'src/process/log.ts';
  import { createLogger } from 'src/process/log.ts';
  const signal = abortOnSignals(createLogger());
  const alive = setInterval(() => undefined, 1000);
`;

describe('abortOnSignals', () => {
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    it(`lets the program end what it does on ${name}`, async () => {
      await using program = new Program(`${waiting}
        signal.addEventListener('abort', () => {
          clearInterval(alive);
          console.log('cleaned up: ' + signal.reason.message);
          process.exitCode = 0;
        });
        console.log('ready');
      `);
      await program.says('ready');
      program.child.kill(name);
      const { code, output } = await program.end();
      expect(output).to.contain(`cleaned up: stopped by ${name}`);
      expect(code).to.equal(0);
    });
  }

  it('ends a program that does not, at the second signal, with the code of the signal', async () => {
    await using program = new Program(`${waiting}
      signal.addEventListener('abort', () => console.log('stubborn'));
      console.log('ready');
    `);
    await program.says('ready');
    program.child.kill('SIGTERM');
    await program.says('stubborn');
    program.child.kill('SIGTERM');
    expect((await program.end()).code).to.equal(143);
  });
});
