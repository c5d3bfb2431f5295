import { expect } from 'chai';
import { Command, CommanderError } from 'commander';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { equalitySelector, makeConfigurable, integer, list, oneOf, reason } from '../../src/process/options.ts';

describe('the configuration of a program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'configuration-'));
  const variables = ['GPU_PARTITION_SECONDS', 'GPU_PARTITION_LEVEL', 'GPU_PARTITION_ELECT', 'GPU_PARTITION_CONFIG'];
  afterEach(() => {
    for (const name of variables) Reflect.deleteProperty(process.env, name);
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Runs a program with these arguments. @returns its options, or what it says of them */
  async function run(args: readonly string[], file?: string): Promise<Readonly<Record<string, unknown>> | string> {
    const path = join(folder, 'config.yaml');
    if (file !== undefined) writeFileSync(path, file);
    let found: Readonly<Record<string, unknown>> = {};
    let words = '';
    const command = new Command('program')
      .exitOverride()
      .configureOutput({ writeErr: (text) => (words += text) })
      .requiredOption('--node <name>', 'a name')
      .option('--seconds <n>', 'a number', integer(1, 10), 5)
      .option('--level <level>', 'a word', oneOf(['info', 'debug'] as const), 'info')
      .option('--roots <folders>', 'a list', list)
      .option('--freeze <reason>', 'words', reason)
      .option('--no-elect', 'a switch')
      .action((options: Readonly<Record<string, unknown>>) => {
        found = { ...options };
      });
    makeConfigurable(command);
    try {
      const config = file === undefined ? [] : ['--config', path];
      await command.parseAsync(['node', 'program', ...config, ...args]);
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      return `${error.exitCode} ${words.replaceAll(folder, '')}`;
    }
    const { config: _path, ...options } = found;
    return options;
  }

  it('is that of the command line, else of the environment, else of the file, else the default', async () => {
    const file = 'node: n\nseconds: 2\nlevel: debug\nroots: [/a, /b]\nelect: false\n';
    expect(await run([], file)).to.deep.equal({
      node: 'n',
      seconds: 2,
      level: 'debug',
      roots: ['/a', '/b'],
      elect: false,
    });
    process.env['GPU_PARTITION_SECONDS'] = '3';
    process.env['GPU_PARTITION_ELECT'] = 'true';
    expect(await run([], file)).to.include({ seconds: 3, elect: true, level: 'debug' });
    expect(await run(['--seconds', '4'], file)).to.include({ seconds: 4 });
    Reflect.deleteProperty(process.env, 'GPU_PARTITION_SECONDS');
    expect(await run(['--node', 'x'])).to.deep.equal({ node: 'x', seconds: 5, level: 'info', elect: true });
    expect(await run(['--node', 'x', '--no-elect', '--roots', '/a,/b'])).to.deep.include({
      elect: false,
      roots: ['/a', '/b'],
    });
  });

  it('stops the start with all that is wrong at once, each with the place where it stands', async () => {
    process.env['GPU_PARTITION_LEVEL'] = 'loud';
    const words = await run(['--seconds', '99'], 'roots: {a: b}\nelect: maybe\nsecond: 1\n');
    expect(words).to.match(/^2 /);
    for (const finding of [
      '--seconds: "99" must be a whole number from 1 to 10.',
      'GPU_PARTITION_LEVEL: "loud" must be one of info, debug.',
      '/config.yaml: elect: "maybe" must be true or false.',
      '/config.yaml: second: unknown option; known: node, seconds, level, roots, freeze, elect',
      '/config.yaml: roots: must be a text',
      '--node: requires a value',
    ]) {
      expect(words).to.include(finding);
    }
  });

  it('ends with 2 for a wrong command line, too', async () => {
    expect(await run(['--node', 'x', '--second', '1'])).to.match(/^2 error: unknown option '--second'/);
    expect(await run(['--node', 'x', '--seconds'])).to.match(/^2 error: option '--seconds <n>' argument missing/);
    expect(await run(['--node', 'x', 'more'])).to.match(/^2 error: too many arguments/);
  });

  it('takes no switch for a reason: whoever writes false means that there is none', async () => {
    expect(await run(['--node', 'x'], 'freeze: incident 7\n')).to.include({ freeze: 'incident 7' });
    expect(await run(['--node', 'x', '--freeze', 'upgrade'])).to.include({ freeze: 'upgrade' });
    const words = 'must be a reason in words, for people who read it; leave the option out to say no';
    for (const value of ['false', 'true', 'no', '0', '""']) {
      expect(await run(['--node', 'x'], `freeze: ${value}\n`)).to.include(words);
    }
    expect(await run(['--node', 'x', '--freeze', ' '])).to.include(words);
  });

  it('says of a file that it cannot be read, or is none', async () => {
    expect(await run(['--node', 'n', '--config', '/nowhere.yaml'])).to.include('/nowhere.yaml cannot be read');
    expect(await run(['--node', 'n'], '- a\n')).to.include('must be an object');
    expect(await run(['--node', 'n'], 'a: [\n')).to.include('cannot be read');
  });
});

describe('labels as an option', () => {
  it('reads what kubectl does, of equality', () => {
    expect(equalitySelector('app=mine, example.com/tier==gpu')).to.deep.equal({
      app: 'mine',
      'example.com/tier': 'gpu',
    });
  });

  it('refuses everything else', () => {
    for (const text of ['', 'app', 'app!=x', 'app in (a)', 'a=b,']) {
      expect(() => equalitySelector(text), text).to.throw('must be labels as in app=my-plugin,tier=gpu.');
    }
  });
});
