import fc from 'fast-check';
import { expect } from 'chai';
import {
  composeDevicePluginConfig,
  lintDevicePluginConfig,
  parseDevicePluginConfig,
  checkSharing,
  managedConfig,
  type SharingSpec,
} from '../../../src/core/nvidia/plugin-config.ts';
import { times } from './node-builder.ts';
import { stringify } from 'yaml';
import { MIG_STRATEGIES } from '../../../src/core/nvidia/labels.ts';
import { writePath } from '../../../src/core/text/words.ts';

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

const small = 'nvidia.com/mig-1g.5gb';
const large = 'nvidia.com/mig-3g.20gb';

function aSpec(strategy: SharingSpec['strategy'], ...timeSlicing: readonly (readonly [string, number])[]): SharingSpec {
  return { strategy, sharing: { timeSlicing: timeSlicing.map(([resource, replicas]) => ({ resource, replicas })) } };
}

function refusal(spec: SharingSpec, offered?: readonly string[]): string | undefined {
  const finding = checkSharing(spec, offered === undefined ? undefined : new Set(offered));
  return finding === undefined ? undefined : `${writePath(finding.path)}: ${finding.message}`;
}

describe("the device plugin's config file of a policy", () => {
  it('says the strategy and what is shared', () => {
    expect(stringify(managedConfig(aSpec('mixed', [small, 4], [large, 2])).file)).to.equal(
      [
        'version: v1',
        'flags:',
        '  migStrategy: mixed',
        'sharing:',
        '  timeSlicing:',
        '    resources:',
        `      - name: ${small}`,
        '        replicas: 4',
        `      - name: ${large}`,
        '        replicas: 2',
        '',
      ].join('\n'),
    );
  });

  it('says the strategy alone where nothing is shared', () => {
    for (const strategy of MIG_STRATEGIES) {
      expect(stringify(managedConfig({ strategy }).file)).to.equal(`version: v1\nflags:\n  migStrategy: ${strategy}\n`);
    }
  });

  it('is YAML that means what was composed, and that the plugin takes without a word', () => {
    const file: unknown = managedConfig(aSpec('single', ['nvidia.com/gpu', 8])).file;
    expect(file).to.deep.equal(composeDevicePluginConfig('single', [{ name: 'nvidia.com/gpu', replicas: 8 }]));
    expect(lintDevicePluginConfig(file)).to.deep.equal([]);
  });

  it('says which shared slice a pod gets where the policy does, and nothing of it otherwise', () => {
    const spec = aSpec('mixed', [small, 4]);
    const packed = managedConfig({ ...spec, sharing: { ...spec.sharing, allocation: 'Packed' } });
    expect(packed.file['flags']).to.deep.equal({
      migStrategy: 'mixed',
      plugin: { sharedDevicesAllocationPolicy: 'packed' },
    });
    expect(lintDevicePluginConfig(packed.file)).to.deep.equal([]);
    expect(packed.key).to.not.equal(managedConfig(spec).key);
    expect(managedConfig(spec).file['flags']).to.deep.equal({ migStrategy: 'mixed' });
    expect(refusal({ strategy: 'mixed', sharing: { allocation: 'Packed' } })).to.match(
      /^spec\.sharing\.allocation: has no effect without timeSlicing/,
    );
  });

  it('has a key that tells strategy and content, and that a label value may hold', () => {
    const { key } = managedConfig(aSpec('mixed', [small, 4]));
    expect(key).to.match(/^gpu-partition-mixed-[0-9a-f]{8}$/);
    expect(managedConfig(aSpec('mixed', [small, 5])).key).to.not.equal(key);
    expect(managedConfig({ strategy: 'mixed' }).key).to.not.equal(key);
  });

  it('is the same whatever the order of the entries', () => {
    expect(managedConfig(aSpec('mixed', [large, 2], [small, 4]))).to.deep.equal(
      managedConfig(aSpec('mixed', [small, 4], [large, 2])),
    );
  });

  it('is what labels and resources are computed with', () => {
    expect(managedConfig(aSpec('mixed', [small, 4])).config).to.deep.equal({
      migStrategy: 'mixed',
      sharing: {
        strategy: 'time-slicing',
        renameByDefault: false,
        failRequestsGreaterThanOne: false,
        resources: [{ name: small, replicas: 4 }],
      },
    });
    expect(managedConfig({ strategy: 'none' }).config).to.deep.equal({ migStrategy: 'none' });
  });
});

describe('sharing in a policy', () => {
  it('is good where every shared resource is offered', () => {
    expect(refusal(aSpec('mixed', [small, 4], ['nvidia.com/gpu', 2]), [small, 'nvidia.com/gpu'])).to.equal(undefined);
    expect(refusal(aSpec('single', ['nvidia.com/gpu', 4]), ['nvidia.com/gpu'])).to.equal(undefined);
    expect(refusal({ strategy: 'mixed' }, [])).to.equal(undefined);
    expect(refusal({ strategy: 'mixed', sharing: {} }, [])).to.equal(undefined);
  });

  it('is not judged by what is offered as long as that is not known', () => {
    expect(refusal(aSpec('mixed', [small, 4]))).to.equal(undefined);
  });

  it('by MPS is refused with the reason of the device plugin', () => {
    expect(refusal({ strategy: 'single', sharing: { mps: {} } })).to.equal(
      'spec.sharing.mps: is rejected: sharing using MPS is not supported for MIG devices ' +
        "(NVIDIA's device plugin); share slices with timeSlicing, or use smaller slices",
    );
  });

  it('by one pod is refused with the error of the device plugin', () => {
    expect(refusal(aSpec('mixed', [large, 2], [small, 1]))).to.equal(
      'spec.sharing.timeSlicing[1].replicas: use 2 or more, or take the resource off the list ' +
        '(the device plugin: "error unmarshaling JSON: while decoding JSON: number of replicas must be >= 2")',
    );
  });

  it('of a name that is not a resource is refused at that name', () => {
    expect(refusal(aSpec('mixed', ['nvidia.com/mig-1g.5gb+me', 2]))).to.match(
      /^spec\.sharing\.timeSlicing\[0\]\.resource: write "\." for "\+": nvidia\.com\/mig-1g\.5gb\.me \(the device plugin: /,
    );
  });

  it('of one resource twice is refused', () => {
    expect(refusal(aSpec('mixed', [small, 2], [small, 4]))).to.equal(
      `spec.sharing.timeSlicing[1].resource: ${small} is listed twice: ` +
        'its labels would follow the first entry and its capacity the greatest; keep one',
    );
  });

  it('of slices is refused where the strategy does not offer them by profile', () => {
    expect(refusal(aSpec('single', [small, 2]), ['nvidia.com/gpu'])).to.equal(
      `spec.sharing.timeSlicing[0].resource: ${small} is not offered under strategy single, which offers slices as nvidia.com/gpu`,
    );
    expect(refusal(aSpec('none', [small, 2]))).to.equal(
      `spec.sharing.timeSlicing[0].resource: ${small} is not offered under strategy none, which offers GPUs as nvidia.com/gpu`,
    );
  });

  it('of a resource that no layout makes room for is refused with what there is', () => {
    expect(refusal(aSpec('mixed', [small, 2], [large, 2]), ['nvidia.com/mig-2g.10gb', small])).to.equal(
      `spec.sharing.timeSlicing[1].resource: ${large} is not offered by any layout of this policy, ` +
        `which offer ${small}, nvidia.com/mig-2g.10gb`,
    );
    expect(refusal(aSpec('mixed', [large, 2]), [])).to.equal(
      `spec.sharing.timeSlicing[0].resource: ${large} is not offered by any layout of this policy, which offer nothing`,
    );
  });

  it('of whole GPUs under mixed is refused where there are slices alone, with the reason', () => {
    expect(refusal(aSpec('mixed', ['nvidia.com/gpu', 2]), [small])).to.equal(
      'spec.sharing.timeSlicing[0].resource: nvidia.com/gpu is not offered by any layout of this policy, ' +
        `which offer ${small}; under strategy mixed nvidia.com/gpu means whole GPUs only`,
    );
  });

  it('under strategy none is refused where a layout makes slices, and good for whole GPUs', () => {
    const spec = aSpec('none', ['nvidia.com/gpu', 4]);
    const refused =
      'spec.sharing.timeSlicing: strategy none does not share slices: it offers a GPU in MIG mode as a whole, ' +
      'with the label gpu.replicas 0; use strategy mixed or single';
    expect(refusal({ ...spec, layouts: [{ profiles: { '1g.5gb': 7 } }] })).to.equal(refused);
    expect(refusal({ ...spec, layouts: [{ preset: 'all-balanced' }] })).to.equal(refused);
    expect(refusal({ ...spec, layouts: [{ preset: 'all-disabled' }, { mig: 'Disabled' }] })).to.equal(undefined);
  });
});
