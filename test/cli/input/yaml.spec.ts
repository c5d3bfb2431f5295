import { expect } from 'chai';
import { parseYaml, type Position, type YamlDocument } from '../../../src/cli/input/yaml.ts';
import { badYamlValues, yamlValues } from './yaml-cases.ts';

const valuesOf = (text: string): readonly unknown[] => documentsOf(text).map(({ value }) => value);
const at = ({ line, column }: Position): string => `${line}:${column}`;

function documentsOf(text: string): readonly YamlDocument[] {
  const parsed = parseYaml(text);
  if ('error' in parsed) throw new Error(`${at(parsed.error)} ${parsed.error.message}`);
  return parsed.documents;
}

function faultOf(text: string): string {
  const parsed = parseYaml(text);
  return 'error' in parsed ? at(parsed.error) : 'none';
}

/** A document in which aliases make ten to the ninth of ten. */
function aBomb(): string {
  const levels = Array.from(
    { length: 9 },
    (_, level) =>
      `b${level}: &b${level} [${Array(10)
        .fill(level === 0 ? '*a' : `*b${level - 1}`)
        .join(', ')}]`,
  );
  return ['a: &a [x, x, x, x, x, x, x, x, x, x]', ...levels].join('\n');
}

describe('YAML as kubectl reads it', () => {
  for (const [yaml, value] of yamlValues) {
    it(`takes ${yaml} for ${JSON.stringify(value)}`, () => {
      expect(valuesOf(`v: ${yaml}\n`)).to.deep.equal([{ v: value }]);
    });
  }

  for (const [yaml, line, column] of badYamlValues) {
    it(`refuses ${JSON.stringify(yaml)} where the fault stands`, () => {
      expect(faultOf(`x: 1\nv: ${yaml}\n`)).to.equal(`${line + 1}:${column + 3}`);
    });
  }

  it('ends a line where go-yaml does', () => {
    for (const end of ['\n', '\r\n', '\r', '\u0085', '\u2028']) {
      expect(valuesOf(`a: 1${end}b:${end}  c: 2${end}`), JSON.stringify(end)).to.deep.equal([{ a: 1, b: { c: 2 } }]);
    }
    expect(at(documentsOf('a: 1\rb: 2\r')[0]?.locate(['b']) ?? { line: 0, column: 0 })).to.equal('2:1');
  });

  it('takes a stream of JSON objects, and reads JSON with tabs and line separators in texts', () => {
    expect(valuesOf('{"a": "}{"}\n{"b":\t[1]}{"c": {}}')).to.deep.equal([{ a: '}{' }, { b: [1] }, { c: {} }]);
    expect(valuesOf('{\n\t"a": "x\u2028\u0085y"\n}')).to.deep.equal([{ a: 'x\u2028\u0085y' }]);
    expect(at(documentsOf('{"a": 1}\n{"b":\n 2}')[1]?.locate(['b']) ?? { line: 0, column: 0 })).to.equal('2:2');
    expect(faultOf('{"a": 1}\n{"b": 2')).to.not.equal('none');
  });

  it('begins each document without its byte order mark, as where marked files are put together', () => {
    const text = '\uFEFFa: 1\n---\n\uFEFFb: 2\n--- # more\r\n\uFEFFc:\n  d: 3\n';
    expect(valuesOf(text)).to.deep.equal([{ a: 1 }, { b: 2 }, { c: { d: 3 } }]);
    expect(at(documentsOf(text)[2]?.locate(['c', 'd']) ?? { line: 0, column: 0 })).to.equal('6:3');
    expect(valuesOf('a: 1\n---\n# b\n\uFEFFb: 2\n')).to.deep.equal([{ a: 1 }, { '\uFEFFb': 2 }]);
  });

  it('has no place for what kubectl does not read: directives, and text behind ---', () => {
    expect(faultOf('%YAML 1.1\n---\na: 1\n')).to.equal('1:1');
    expect(faultOf('a: 1\n--- b\n')).to.equal('2:1');
    expect(valuesOf('a: 1\n--- # b\nb: 2\n')).to.deep.equal([{ a: 1 }, { b: 2 }]);
  });

  it('names the alias that multiplies a document, not the beginning', () => {
    expect(faultOf(aBomb())).to.match(/^([2-9]|10):\d+$/);
  });

  it('stops at 500 levels, and says where', () => {
    expect(faultOf('a: 1\nb: ' + '['.repeat(20_000))).to.match(/^2:5\d\d$/);
    expect(faultOf('- '.repeat(20_000))).to.match(/^1:\d+$/);
    expect(faultOf(`a: ${'['.repeat(400)}${']'.repeat(400)}`)).to.equal('none');
  });

  it('finds merged fields where they stand, and odd keys at themselves', () => {
    const text = ['base: &base', '  a: 1', 'v:', '  <<: *base', '  yes: 2', '  0x10: 3', '  ? q', '  : 4'].join('\n');
    const [document] = documentsOf(text);
    const places = ['a', 'true', '16', 'q', 'nowhere'].map((key) =>
      at(document?.locate(['v', key]) ?? { line: 0, column: 0 }),
    );
    expect(places).to.deep.equal(['2:3', '5:3', '6:3', '7:5', '3:1']);
  });

  it('lists keys that are given twice, whatever they are written like', () => {
    const [document] = documentsOf('a:\n- {b: 1, "b": 2}\n- {16: 1, 0x10: 2}\n- {<<: {c: 1}, c: 2, <<: {c: 3}}\n');
    expect(document?.duplicates).to.deep.equal([
      ['a', 0, 'b'],
      ['a', 1, '16'],
    ]);
  });

  it('keeps the library quiet', async () => {
    const warnings: string[] = [];
    const listen = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', listen);
    parseYaml('? [a]\n: 1\n');
    parseYaml('a: !odd 1\nb: !!set {c}\n');
    parseYaml('%FOO\n---\na: 1\n');
    // Warnings are emitted in a later turn.
    await new Promise((done) => setImmediate(done));
    process.off('warning', listen);
    expect(warnings).to.deep.equal([]);
  });
});
