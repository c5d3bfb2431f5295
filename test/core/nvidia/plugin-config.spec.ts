import { expect } from 'chai';
import fc from 'fast-check';
import {
  composeDevicePluginConfig,
  lintDevicePluginConfig,
  parseDevicePluginConfig,
} from '../../../src/core/nvidia/plugin-config.ts';
import { times } from './node-builder.ts';

const DECODING = 'error unmarshaling JSON: while decoding JSON: ';

describe('parseDevicePluginConfig', () => {
  it('takes an empty file as a config that shares nothing', () => {
    for (const empty of [undefined, null, {}, { version: 'v1', sharing: null }]) {
      expect(parseDevicePluginConfig(empty)).to.deep.equal({ ok: true, config: {}, findings: [] });
    }
  });

  it('completes names and reads the strategy and flags', () => {
    const parsed = parseDevicePluginConfig({
      version: 'v1',
      flags: { migStrategy: 'mixed' },
      sharing: { timeSlicing: { renameByDefault: true, resources: [{ name: 'mig-1g.5gb', replicas: 4 }] } },
    });
    expect(parsed).to.deep.equal({
      ok: true,
      findings: [],
      config: {
        migStrategy: 'mixed',
        sharing: {
          strategy: 'time-slicing',
          renameByDefault: true,
          failRequestsGreaterThanOne: false,
          resources: [{ name: 'nvidia.com/mig-1g.5gb', replicas: 4 }],
        },
      },
    });
  });

  it('lets MPS win over time-slicing, as upstream does without a word, and says so', () => {
    const resources = [{ name: 'nvidia.com/gpu', replicas: 2 }];
    const parsed = parseDevicePluginConfig({ sharing: { timeSlicing: { resources }, mps: { resources } } });
    expect(parsed.ok && parsed.config.sharing).to.include({ strategy: 'mps', failRequestsGreaterThanOne: true });
    expect(parsed.findings).to.have.length(1);
    expect(parsed.findings[0]).to.include({ severity: 'warning', path: 'sharing.timeSlicing' });
  });

  it('reads back what it composes without a finding', () => {
    const resources = [{ name: 'nvidia.com/mig-1g.5gb', replicas: 4 }];
    const parsed = parseDevicePluginConfig(composeDevicePluginConfig('mixed', resources));
    expect(parsed.findings).to.deep.equal([]);
    expect(parsed.ok && parsed.config.sharing?.resources).to.deep.equal(resources);
    expect(composeDevicePluginConfig('none', [])).to.deep.equal({ version: 'v1', flags: { migStrategy: 'none' } });
  });

  it('has a text for every error, whatever the file holds', () => {
    const resource = fc.record(
      { name: fc.jsonValue(), replicas: fc.jsonValue(), devices: fc.jsonValue(), rename: fc.jsonValue() },
      { requiredKeys: [] },
    );
    const section = fc.oneof(fc.jsonValue(), fc.record({ resources: fc.oneof(fc.jsonValue(), fc.array(resource)) }));
    const file = fc.oneof(fc.jsonValue(), fc.record({ sharing: fc.record({ timeSlicing: section, mps: section }) }));
    fc.assert(
      fc.property(file, (value) => {
        const parsed = parseDevicePluginConfig(value);
        const errors = parsed.findings.filter(({ severity }) => severity === 'error');
        expect(parsed.ok).to.equal(errors.length === 0);
        expect(errors.filter(({ upstream = '' }) => upstream === '')).to.deep.equal([]);
      }),
    );
  });
});

describe('lintDevicePluginConfig', () => {
  const MIG = 'nvidia.com/mig-1g.5gb';
  const REFUSED: readonly (readonly [string, unknown, string, string])[] = [
    ['replicas below 2', { name: MIG, replicas: 1 }, '.replicas', 'number of replicas must be >= 2'],
    ['no replicas', { name: MIG }, '.replicas', 'no replicas specified'],
    ['no name', { replicas: 2 }, '.name', 'no resource name specified'],
    [
      'replicas in quotes',
      { name: MIG, replicas: '4' },
      '.replicas',
      'json: cannot unmarshal string into Go value of type int',
    ],
    [
      'half a replica',
      { name: MIG, replicas: 2.5 },
      '.replicas',
      'json: cannot unmarshal number 2.5 into Go value of type int',
    ],
    [
      'a plus in a name',
      { name: 'nvidia.com/mig-1g.5gb+me', replicas: 2 },
      '.name',
      "incorrect format for resource name 'nvidia.com/mig-1g.5gb+me': [a lowercase RFC 1123 subdomain must consist of " +
        "lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. " +
        "'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')]",
    ],
    [
      'a long name',
      { name: `nvidia.com/${'x'.repeat(53)}`, replicas: 2 },
      '.name',
      `fully-qualified resource name must be 63 characters or less: nvidia.com/${'x'.repeat(53)}`,
    ],
    [
      'devices that are no list',
      { name: MIG, replicas: 2, devices: 'some' },
      '.devices',
      "devices set as 'some' but the only valid string input is 'all'",
    ],
    [
      'an entry that is no object',
      MIG,
      '',
      'json: cannot unmarshal string into Go value of type map[string]json.RawMessage',
    ],
  ];

  for (const [what, resource, path, text] of REFUSED) {
    it(`refuses ${what} with the text of the plugin and the field`, () => {
      const [finding, ...others] = lintDevicePluginConfig({ sharing: { timeSlicing: { resources: [resource] } } });
      expect(others).to.deep.equal([]);
      expect(finding).to.include({
        severity: 'error',
        path: `sharing.timeSlicing.resources[0]${path}`,
        upstream: DECODING + text,
      });
    });
  }

  it('refuses an empty section, a null in timeSlicing, and takes a null in mps as absent', () => {
    for (const sharing of [{ timeSlicing: {} }, { timeSlicing: null }, { mps: { resources: [] } }]) {
      expect(upstreamTexts({ sharing })).to.deep.equal([`${DECODING}no resources specified`]);
    }
    expect(lintDevicePluginConfig({ sharing: { mps: null } })).to.deep.equal([]);
  });

  it('refuses another version after everything else', () => {
    expect(upstreamTexts({ version: 'v2', sharing: { timeSlicing: {} } })).to.deep.equal([
      `${DECODING}no resources specified`,
      'unknown version: v2',
    ]);
  });

  it('warns of what upstream ignores with a line in its log', () => {
    const resource = { name: MIG, replicas: 2, rename: 'nvidia.com/small', devices: [0, '1:0'] };
    const config = {
      resources: { gpus: [{ pattern: '*', name: 'gpu' }] },
      sharing: { timeSlicing: { resources: [resource] } },
    };
    expect(lintDevicePluginConfig(config).map(({ severity }) => severity)).to.deep.equal(times(3, 'warning'));
    expect(upstreamTexts(config)).to.deep.equal([
      "Customizing the 'resources' field is not yet supported in the config. Ignoring...",
      "Customizing the 'devices' field in sharing.timeSlicing.resources is not yet supported in the config. Ignoring...",
      "Setting the 'rename' field in sharing.timeSlicing.resources is not yet supported in the config. Ignoring...",
    ]);
  });

  it('warns of what upstream ignores in silence', () => {
    const resources = [
      { name: 'gpu', replicas: 2, replica: 3 },
      { name: 'nvidia.com/gpu', replicas: 3 },
    ];
    const findings = lintDevicePluginConfig({
      flag: {},
      flags: { migStrategy: 'both' },
      sharing: { timeslicing: {}, mps: { failRequestsGreaterThanOne: false, resources } },
    });
    expect(findings.map(({ severity, path }) => `${severity} ${path}`)).to.deep.equal([
      'warning flag',
      'warning flags.migStrategy',
      'warning sharing.timeslicing',
      'warning sharing.mps.failRequestsGreaterThanOne',
      'warning sharing.mps.resources[0].replica',
      'warning sharing.mps.resources',
    ]);
  });
});

function upstreamTexts(config: unknown): readonly (string | undefined)[] {
  return lintDevicePluginConfig(config).map(({ upstream }) => upstream);
}
