import { expect } from 'chai';
import fc from 'fast-check';
import { parseConfigFile } from '../../../src/core/host/mig-parted.ts';
import { ConfigFile } from '../../../src/core/host/import.ts';
import { file, off, spec, specWithout } from './config-builder.ts';

const messages = (value: unknown) =>
  parseConfigFile(value).findings.map(({ severity, message }) => `${severity}: ${message}`);
const codes = (value: unknown) => parseConfigFile(value).findings.map(({ severity, code }) => `${severity} ${code}`);

describe('parseConfigFile', () => {
  /** Upstream's own parser accepted each of these (mig-parted v0.15). */
  const accepted: Readonly<Record<string, unknown>> = {
    'an index list': file(spec({ devices: [0, 3] })),
    'MIG off with an empty layout': file(off({ 'mig-devices': {} })),
    'MIG off with a null layout': file(off({ 'mig-devices': null })),
    'MIG on without instances': file(spec({ 'mig-devices': {} })),
    'a filter': file(spec({ 'device-filter': '0x20B010DE' })),
    'a filter in lower case': file(spec({ 'device-filter': '0x20b010de' })),
    'a filter in decimal': file(spec({ 'device-filter': '548409566' })),
    'a filter with its subsystem': file(spec({ 'device-filter': ['0x20B010DE:0x134F10DE'] })),
    'an empty filter': file(spec({ 'device-filter': '' })),
    'an empty list of filters': file(spec({ 'device-filter': [] })),
    'a compute instance': file(spec({ 'mig-devices': { '1c.3g.20gb': 2 } })),
    'attributes of profiles': file(spec({ 'mig-devices': { '1g.5gb+me': 1, '1g.24gb+me.all': 1, '1g.24gb-me': 1 } })),
    'a profile that no GPU has': file(spec({ 'mig-devices': { '1g.99gb': 1 } })),
    'two attributes': file(spec({ 'mig-devices': { '1g.24gb+gfx,me': 1 } })),
    'a count beyond measure': file(spec({ 'mig-devices': { '1g.5gb': 999 } })),
    'no configs': { version: 'v1' },
  };
  for (const [what, value] of Object.entries(accepted)) {
    it(`takes ${what}, as mig-parted does`, () => expect(messages(value)).to.deep.equal([]));
  }

  /** Upstream's own parser refused each of these. */
  const refused: Readonly<Record<string, unknown>> = {
    'no object': [],
    'no version': { 'mig-configs': { a: [off()] } },
    'version v2': { version: 'v2', 'mig-configs': { a: [off()] } },
    'an unknown field': { ...file(off()), extra: 1 },
    'no config at all': { version: 'v1', 'mig-configs': {} },
    'a config without entries': file(),
    'an entry that is no object': file('x'),
    'an unknown field of an entry': file(off({ extra: 1 })),
    'a number for devices': file(off({ devices: 7 })),
    'a string of a number for devices': file(off({ devices: '0' })),
    'ALL in upper case': file(off({ devices: 'ALL' })),
    'null for devices': file(off({ devices: null })),
    'no devices': file({ 'mig-enabled': false }),
    'no mig-enabled': file(specWithout('mig-enabled')),
    'MIG on without mig-devices': file(specWithout('mig-devices')),
    'MIG on with null': file(spec({ 'mig-devices': null })),
    'MIG off with a layout': file(off({ 'mig-devices': { '1g.5gb': 1 } })),
    'counts that are all 0': file(spec({ 'mig-devices': { '1g.5gb': 0 } })),
    'a negative count': file(spec({ 'mig-devices': { '1g.5gb': -1 } })),
    'a count in quotes': file(spec({ 'mig-devices': { '1g.5gb': '2' } })),
    'a profile in upper case': file(spec({ 'mig-devices': { '1G.5GB': 1 } })),
    'a profile with its prefix': file(spec({ 'mig-devices': { 'MIG 1g.5gb': 1 } })),
    'a profile by its id': file(spec({ 'mig-devices': { 19: 1 } })),
    'a filter that YAML reads as a number': file(spec({ 'device-filter': 0x20b010de })),
  };
  for (const [what, value] of Object.entries(refused)) {
    it(`refuses ${what}, as mig-parted does, and says why`, () => {
      const { findings, configs } = parseConfigFile(value);
      expect(findings.map(({ severity }) => severity)).to.include('error');
      if (findings.some(({ path }) => path.length > 1)) expect(configs).to.deep.equal([]);
    });
  }

  it('warns of what mig-parted ignores or never completes', () => {
    expect(codes(file(off({ devices: [] })))).to.deep.equal(['warning MatchesNoGpu']);
    expect(codes(file(off({ devices: [-1, 0] })))).to.deep.equal(['warning MatchesNoGpu']);
    expect(codes(file(spec({ 'mig-devices': { '1g.5gb': 0, '2g.10gb': 1 } })))).to.deep.equal(['warning ZeroCount']);
  });

  it('refuses a filter that matches no GPU, which mig-parted takes without a word', () => {
    for (const text of [
      'A100-SXM4-40GB',
      '20B010DE',
      '0x20B010DE:',
      '0x20B01002',
      '0x120B010DE',
      '0x20B010DE ',
      ' 0x20B010DE',
    ]) {
      expect(codes(file(spec({ 'device-filter': ['0x20B010DE', text] }))), text).to.deep.equal(['error MatchesNoGpu']);
    }
  });

  it('refuses a name that no label can have', () => {
    const name = (text: string) => codes({ version: 'v1', 'mig-configs': { [text]: [off()] } });
    for (const text of ['has space', '-dash', 'a'.repeat(64), 'x/y'])
      expect(name(text), text).to.deep.equal(['error InvalidConfigName']);
    for (const text of ['all-1g.24gb.me.all', 'A_b', 'a'.repeat(63)]) expect(name(text), text).to.deep.equal([]);
  });

  it('reads filters, indices and layouts into one form', () => {
    const { configs } = parseConfigFile(
      file(
        spec({
          'device-filter': ['548409566', '0x20f110de:0x134f10de'],
          devices: [1, 1, 0],
          'mig-devices': { '3c.3g.20gb': 1, '3g.20gb': 1 },
        }),
      ),
    );
    expect(configs[0]?.specs[0]).to.deep.include({
      filters: [{ id: '0x20B010DE' }, { id: '0x20F110DE', subsystem: '0x134F10DE' }],
      devices: [1, 0],
      layout: { '3g.20gb': 2 },
    });
  });

  it('keeps the configs that are right where others are not', () => {
    const { configs } = parseConfigFile({ version: 'v1', 'mig-configs': { bad: [{}], good: [off()] } });
    expect(configs.map(({ name }) => name)).to.deep.equal(['good']);
  });
});

describe('parseConfigFile on anything', () => {
  it('never throws, whatever a file holds', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.jsonValue().map((configs) => ({ version: 'v1', 'mig-configs': configs })),
    );
    const entry = fc.record(
      {
        devices: fc.jsonValue(),
        'mig-enabled': fc.jsonValue(),
        'mig-devices': fc.jsonValue(),
        'device-filter': fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          value,
          entry.map((one) => file(one)),
        ),
        (any) => {
          const read = new ConfigFile(any);
          expect(read.toPolicies()).to.have.keys('policies', 'findings');
          expect(read.names).to.be.an('array');
        },
      ),
    );
  });
});
