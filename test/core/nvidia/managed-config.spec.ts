import { expect } from 'chai';
import { stringify } from 'yaml';
import {
  composeDevicePluginConfig,
  lintDevicePluginConfig,
  checkSharing,
  managedConfig,
  sharingOf,
  type SharingSpec,
} from '../../../src/core/nvidia/plugin-config.ts';
import { MIG_STRATEGIES } from '../../../src/core/nvidia/labels.ts';
import { writePath } from '../../../src/core/text/findings.ts';

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
    expect(sharingOf(aSpec('mixed', [small, 4]))).to.deep.equal({
      migStrategy: 'mixed',
      sharing: {
        strategy: 'time-slicing',
        renameByDefault: false,
        failRequestsGreaterThanOne: false,
        resources: [{ name: small, replicas: 4 }],
      },
    });
    expect(sharingOf({ strategy: 'none' })).to.deep.equal({ migStrategy: 'none' });
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
