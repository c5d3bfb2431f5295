import { readFileSync } from 'node:fs';

import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';

import type { Validation } from '../../src/cli/validation.ts';
import type { GpuPartitionPolicy } from '../../src/api/types.ts';
import { RULE_MESSAGES } from '../../src/core/policy/broken-rule.ts';
import { uniqueName, useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { badYamlValues, yamlValues } from './input/yaml-cases.ts';
import { aPolicy, yamlOf } from './policy-text.ts';
import { fixtures, jsonRunner, run } from './run.ts';

const runJson = jsonRunner<Validation>();
const crdFile = new URL('../../crds/gpupartition.dev_gpupartitionpolicies.yaml', import.meta.url).pathname;

type Spec = GpuPartitionPolicy['spec'];
const profile = (name: string): Partial<Spec> => ({ layouts: [{ profiles: { [name]: 1 } }] });
/** Values of wrong types reach the checks as files hold them. */
const wrong = (spec: object): Partial<Spec> => spec;

const slices = [{ profiles: ['1g.5gb'], count: 4 }];
/** A demand instead of layouts. */
const instead = (spec: object): Partial<Spec> => wrong({ layouts: undefined, demand: { slices }, ...spec });

/** A policy with a schedule for each of these. */
const scheduled = (...contents: readonly object[]): Partial<Spec> =>
  wrong({ schedules: contents.map((one) => ({ name: 'night', schedule: '0 22 * * *', duration: '8h', ...one })) });

/** What the API server must refuse, with the rule that it breaks where it is a rule and not the schema. */
const bad: Readonly<Record<string, readonly [Partial<Spec>, string?]>> = {
  'an empty selector': [{ nodeSelector: {} }, RULE_MESSAGES.emptySelector],
  'a selector on a label that changes': [
    { nodeSelector: { matchLabels: { 'nvidia.com/gpu.product': 'x' } } },
    RULE_MESSAGES.changingLabel,
  ],
  'a selector on a slice label': [
    { nodeSelector: { matchLabels: { 'nvidia.com/mig-1g.5gb.count': '7' } } },
    RULE_MESSAGES.changingLabel,
  ],
  'an expression on our own label': [
    { nodeSelector: { matchExpressions: [{ key: 'gpupartition.dev/state', operator: 'Exists' }] } },
    RULE_MESSAGES.changingLabel,
  ],
  'a selector on a label that is borrowed': [
    { nodeSelector: { matchLabels: { 'nvidia.com/gpu.deploy.dcgm': 'true' } } },
    RULE_MESSAGES.changingLabel,
  ],
  'a label key of two slashes': [{ nodeSelector: { matchLabels: { 'a/b/c': 'x' } } }, RULE_MESSAGES.impossibleLabel],
  'a label value with a space': [{ nodeSelector: { matchLabels: { pool: 'a b' } } }, RULE_MESSAGES.impossibleLabel],
  'a key that no label has, and that shall not be there': [
    { nodeSelector: { matchExpressions: [{ key: '!!', operator: 'DoesNotExist' }] } },
    RULE_MESSAGES.impossibleLabel,
  ],
  'a value that no label has, and that shall not be there': [
    { nodeSelector: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b', 'c d'] }] } },
    RULE_MESSAGES.impossibleLabel,
  ],
  'In without values': [
    { nodeSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
    RULE_MESSAGES.operatorValues,
  ],
  'Exists with values': [
    { nodeSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } },
    RULE_MESSAGES.operatorValues,
  ],
  'single with two profiles': [{ strategy: 'single' }, RULE_MESSAGES.singleProfile],
  'mixed with a compute instance': [profile('1c.3g.20gb'), RULE_MESSAGES.mixedComputeInstance],
  'neither profiles, preset nor mig': [{ layouts: [{}] }, RULE_MESSAGES.exclusive],
  'both profiles and mig': [{ layouts: [{ profiles: { '1g.5gb': 1 }, mig: 'Disabled' }] }, RULE_MESSAGES.exclusive],
  'a profile in upper case': [profile('1G.5GB'), RULE_MESSAGES.profileName],
  'a profile by its id': [profile('19'), RULE_MESSAGES.profileName],
  'a profile with the dot of labels': [profile('1g.5gb.me'), RULE_MESSAGES.profileName],
  'a percentage above 100': [{ rollout: { maxUnavailable: '101%' } }],
  'a negative number of nodes': [{ rollout: { maxUnavailable: -1 } }],
  'a threshold of no node': [{ rollout: { failureThreshold: 0 } }],
  'a threshold that is no percentage': [{ rollout: { failureThreshold: '5' } }],
  'a threshold that is true': [wrong({ rollout: { failureThreshold: true } })],
  'no layout': [{ layouts: [] }],
  'no slice': [{ layouts: [{ profiles: {} }] }],
  'a count of 0': [{ layouts: [{ profiles: { '1g.5gb': 0 } }] }],
  'a count in quotes': [wrong({ layouts: [{ profiles: { '1g.5gb': '2' } }] })],
  'a preset that does not exist': [{ layouts: [{ preset: 'all-of-them' }] }],
  'a PCI id of another vendor': [{ layouts: [{ gpus: { pciDeviceIds: ['0x20B01234'] }, mig: 'Disabled' }] }],
  'an unknown strategy': [wrong({ strategy: 'both' })],
  'an unknown field': [wrong({ poool: 1 })],
  'a priority out of bounds': [{ priority: 2_000_000_000 }],
  'a timeout without a unit': [{ drain: { timeout: '10' } }],
  'a missing strategy': [wrong({ strategy: undefined })],
  'layouts beside a demand': [{ demand: { slices } }, RULE_MESSAGES.layoutsOrDemand],
  'neither layouts nor a demand': [wrong({ layouts: undefined }), RULE_MESSAGES.layoutsOrDemand],
  'a demand with strategy single': [instead({ strategy: 'single' }), RULE_MESSAGES.demandStrategy],
  'a demand that evicts nobody with a drain of whole nodes': [
    instead({ drain: { scope: 'Node' } }),
    RULE_MESSAGES.demandDrain,
  ],
  'a rest that is laid with a drain of whole nodes': [
    instead({ demand: { slices, evict: 'IfNeeded', rest: 'Whole' }, drain: { scope: 'Node' } }),
    RULE_MESSAGES.demandRest,
  ],
  'a demand with shared slices': [
    instead({ sharing: { timeSlicing: [{ resource: 'nvidia.com/mig-1g.5gb', replicas: 2 }] } }),
    RULE_MESSAGES.demandSharing,
  ],
  'two slices of one name': [
    instead({ demand: { slices: [...slices, { name: '1g.5gb', profiles: ['2g.10gb'], count: 1 }] } }),
    RULE_MESSAGES.sliceNames,
  ],
  'a demand for nothing': [instead({ demand: { slices: [] } })],
  'a slice without profiles': [instead({ demand: { slices: [{ profiles: [], count: 1 }] } })],
  'a slice of nothing': [instead({ demand: { slices: [{ name: 'x', count: 1 }] } }), RULE_MESSAGES.sliceKind],
  'a slice of profiles and of memory': [
    instead({ demand: { slices: [{ profiles: ['1g.5gb'], memory: '4Gi', count: 1 }] } }),
    RULE_MESSAGES.sliceKind,
  ],
  'two slices of whole GPUs, one without a name': [
    instead({
      demand: {
        slices: [
          { mig: 'Disabled', count: 1 },
          { name: 'whole', memory: '4Gi', count: 1 },
        ],
      },
    }),
    RULE_MESSAGES.sliceNames,
  ],
  'a memory without a unit': [instead({ demand: { slices: [{ memory: '5', count: 1 }] } })],
  'whole GPUs with MIG mode on': [instead({ demand: { slices: [{ mig: 'Enabled', count: 1 }] } })],
  'a rest that there is not': [instead({ demand: { slices, rest: 'Off' } })],
  'a slice of a compute instance': [instead({ demand: { slices: [{ profiles: ['1c.3g.20gb'], count: 1 }] } })],
  'a slice without a count that follows nothing': [
    instead({ demand: { slices: [{ profiles: ['1g.5gb'], min: 1 }] } }),
    RULE_MESSAGES.declaredCount,
  ],
  'a stabilization of what follows nothing': [
    instead({ demand: { slices, stabilization: '5m' } }),
    RULE_MESSAGES.declaredSteady,
  ],
  'a count beside a spare': [
    instead({ demand: { from: 'Pods', slices: [{ profiles: ['1g.5gb'], count: 1, spare: '5%' }] } }),
    RULE_MESSAGES.sliceCount,
  ],
  'a demand from Kueue under backend DRA': [
    instead({ backend: 'DRA', demand: { from: 'Kueue', slices: [{ profiles: ['1g.5gb'], min: 1 }] } }),
    RULE_MESSAGES.draDemand,
  ],
  'a demand from pods under backend Auto': [
    instead({ backend: 'Auto', demand: { from: 'Pods', slices: [{ profiles: ['1g.5gb'], min: 1 }] } }),
    RULE_MESSAGES.draDemand,
  ],
  'backend Auto with another strategy than the DRA driver has': [
    { backend: 'Auto', strategy: 'single' },
    RULE_MESSAGES.draStrategy,
  ],
  'backend Auto with time slicing': [
    { backend: 'Auto', sharing: { timeSlicing: [{ resource: 'nvidia.com/mig-1g.5gb', replicas: 2 }] } },
    RULE_MESSAGES.draSharing,
  ],
  'a backend that does not exist': [wrong({ backend: 'Automatic' })],
  'a demand from elsewhere': [instead({ demand: { from: 'Elsewhere', slices: [{ profiles: ['1g.5gb'], count: 1 }] } })],
  'a min above max': [
    instead({ demand: { from: 'Pods', slices: [{ profiles: ['1g.5gb'], min: 3, max: 2 }] } }),
    RULE_MESSAGES.sliceRange,
  ],
  'a schedule with layouts and a demand': [
    scheduled({ layouts: [{ mig: 'Disabled' }], demand: { slices } }),
    RULE_MESSAGES.scheduleContent,
  ],
  'a schedule with neither': [scheduled({}), RULE_MESSAGES.scheduleContent],
  'two schedules of one name': [
    scheduled({ demand: { slices } }, { layouts: [{ mig: 'Disabled' }] }),
    RULE_MESSAGES.scheduleNames,
  ],
  'a schedule with a demand under strategy single': [
    { strategy: 'single', layouts: [{ profiles: { '1g.5gb': 7 } }], ...scheduled({ demand: { slices } }) },
    RULE_MESSAGES.demandStrategy,
  ],
  'a schedule with two profiles under strategy single': [
    {
      strategy: 'single',
      layouts: [{ profiles: { '1g.5gb': 7 } }],
      ...scheduled({ layouts: [{ profiles: { '1g.5gb': 1, '2g.10gb': 1 } }] }),
    },
    RULE_MESSAGES.singleProfile,
  ],
  'a schedule with a compute instance': [
    scheduled({ layouts: [{ profiles: { '1c.3g.20gb': 1 } }] }),
    RULE_MESSAGES.mixedComputeInstance,
  ],
  'a schedule with a slice without a count': [
    scheduled({ demand: { slices: [{ profiles: ['1g.5gb'] }] } }),
    RULE_MESSAGES.declaredCount,
  ],
  'a schedule with a demand of shared slices': [
    {
      sharing: { timeSlicing: [{ resource: 'nvidia.com/mig-1g.5gb', replicas: 2 }] },
      ...scheduled({ demand: { slices } }),
    },
    RULE_MESSAGES.demandSharing,
  ],
  'a schedule without a duration': [
    wrong({ schedules: [{ name: 'night', schedule: '0 22 * * *', demand: { slices } }] }),
  ],
  'a cooldown without a unit': [instead({ demand: { slices, cooldown: '30' } })],
};

describe('gpu-partition validate beside the API server', () => {
  const cluster = useSharedCluster();
  const dryRun = async (text: string) => cluster().kubectl(['apply', '--dry-run=server', '-f', '-'], { input: text });
  const validate = async (text: string) => runJson(['validate', '-f', '-'], { stdin: text });

  before(async function () {
    const applied = await cluster().kubectl(['apply', '-f', crdFile]);
    expect(applied.stderr).to.equal('');
    const established = [
      'wait',
      '--for=condition=Established',
      'crd/gpupartitionpolicies.gpupartition.dev',
      '--timeout=30s',
    ];
    await eventually(
      async () => (await cluster().kubectl(established)).code,
      (code) => code === 0,
      { timeoutMs: 30_000 },
    );
    await eventually(
      async () => (await dryRun(yamlOf(aPolicy(uniqueName('probe'))))).stderr,
      (stderr) => stderr === '',
      { timeoutMs: 30_000 },
    );
  });

  for (const [what, [spec, message]] of Object.entries(bad)) {
    it(`refuses ${what}, as the API server does`, async () => {
      const text = yamlOf(aPolicy(uniqueName('bad'), spec));
      const [server, ours] = await Promise.all([dryRun(text), validate(text)]);
      expect(server.code, server.stdout).to.not.equal(0);
      expect(ours.code).to.equal(1);
      if (message === undefined) return;
      expect(server.stderr).to.contain(message);
      expect(ours.answer.findings.map((finding) => finding.message)).to.include(message);
    });
  }

  it('refuses names that the API server refuses', async () => {
    for (const name of ['Upper', 'under_score', '-dash', 'a'.repeat(64)]) {
      const text = yamlOf({ ...aPolicy('x'), metadata: { name } });
      expect((await dryRun(text)).code, name).to.not.equal(0);
      expect((await validate(text)).code, name).to.equal(1);
    }
  });

  it('refuses a key that is given twice, of which kubectl takes the last without a word', async () => {
    const text = yamlOf(aPolicy(uniqueName('twice'))).replace(
      '  strategy: mixed',
      '  strategy: both\n  strategy: mixed',
    );
    expect((await dryRun(text)).stderr).to.equal('');
    const { code, answer } = await validate(text);
    expect(code).to.equal(1);
    expect(answer.findings.map((finding) => `${finding.code} ${finding.path}`)).to.deep.equal([
      'DuplicateKey spec.strategy',
    ]);
  });

  it('knows every rule of the CRD by its own sentence', () => {
    const messages: string[] = [];
    JSON.stringify(parse(readFileSync(crdFile, 'utf8')), (key, value: unknown) => {
      if (key === 'message' && typeof value === 'string') messages.push(value);
      return value;
    });
    expect(new Set(messages)).to.deep.equal(new Set(Object.values(RULE_MESSAGES)));
  });

  it('accepts what the API server accepts', async () => {
    const text = yamlOf(
      aPolicy(uniqueName('good')),
      aPolicy(uniqueName('good'), { strategy: 'single', layouts: [{ profiles: { '1g.5gb': 3 } }], priority: -5 }),
      aPolicy(uniqueName('good'), {
        layouts: [{ gpus: { models: ['A30'], indices: [0] }, preset: 'all-balanced' }, { mig: 'Disabled' }],
      }),
      aPolicy(uniqueName('good'), instead({})),
      aPolicy(uniqueName('good'), instead({ demand: { slices, evict: 'IfNeeded' }, drain: { scope: 'Node' } })),
    );
    expect((await dryRun(text)).stderr).to.equal('');
    expect((await validate(text)).answer.findings).to.deep.equal([]);
  });

  it('takes a whole number with a fraction of zero, as the API server does', async () => {
    const text = JSON.stringify(aPolicy(uniqueName('fraction'), { rollout: { maxUnavailable: 7 }, priority: 7 }));
    const body = text.replaceAll(':7', ':7.0');
    const path = '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies?dryRun=All&fieldValidation=Strict';
    const raw = await cluster().kubectl(['create', '--raw', path, '-f', '-'], { input: body });
    expect(raw.code, raw.stderr).to.equal(0);
    expect((await validate(body)).answer.findings).to.deep.equal([]);
  });

  describe('reads YAML as kubectl does', () => {
    const wrap = (yaml: string) =>
      `---\napiVersion: gpupartition.dev/v1alpha1\nkind: GpuPartitionPolicy\nmetadata: {name: x}\nv: ${yaml}\n`;
    const convert = async (text: string) =>
      cluster().kubectl(['create', '--dry-run=client', '--validate=false', '-o', 'json', '-f', '-'], { input: text });

    it('in every value of the table', async () => {
      const { stdout, stderr } = await convert(yamlValues.map(([yaml]) => wrap(yaml)).join(''));
      expect(stderr).to.equal('');
      const objects = JSON.parse(`[${stdout.trim().replaceAll('\n}\n{', '\n},\n{')}]`) as readonly {
        readonly v: unknown;
      }[];
      expect(objects.map(({ v }) => v)).to.deep.equal(yamlValues.map(([, value]) => value));
    });

    it('in every value of the table that it refuses', async function () {
      for (const [yaml] of badYamlValues) {
        const { code, stdout } = await convert(wrap(yaml));
        expect({ yaml, isRefused: code !== 0 }, stdout).to.deep.equal({ yaml, isRefused: true });
      }
    });
  });

  it('parts documents where kubectl does, each with or without a byte order mark', async () => {
    const named = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
    const list = async (input: string) => {
      const { stdout } = await cluster().kubectl(['create', '--dry-run=client', '-o', 'name', '-f', '-'], { input });
      return stdout.trim().split('\n');
    };
    const [a, b] = [uniqueName('a'), uniqueName('b')];
    const marked = `\uFEFF${named(a)}--- # b\n\uFEFF${named(b)}`;
    expect(await list(marked)).to.deep.equal([`configmap/${a}`, `configmap/${b}`]);
    expect((await validate(marked)).answer.objects.skipped).to.equal(2);
  });

  it('writes policies from both files of mig-parted that the API server takes', async function () {
    for (const file of ['gpu-operator-HEAD-default-mig-parted-config.yaml', 'mig-parted-HEAD-examples-config.yaml']) {
      const imported = await run(['import', 'mig-parted', `${fixtures}mig-parted/${file}`]);
      expect(imported.code).to.equal(0);
      const server = await dryRun(imported.stdout);
      expect(server.stderr).to.equal('');
      expect(server.stdout.trim().split('\n')).to.have.length(parseAllDocuments(imported.stdout).length);
    }
  });
});
