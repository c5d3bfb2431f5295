import { readFileSync } from 'node:fs';

import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';

import type { Validation } from '../../src/cli/validation.ts';
import { RULE_MESSAGES } from '../../src/core/policy/schema.ts';
import { badSpecs, instead, slices } from '../core/policy/bad-specs.ts';
import { uniqueName, useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { badYamlValues, yamlValues } from './input/yaml-cases.ts';
import { aPolicy, yamlOf } from './policy-text.ts';
import { fixtures, jsonRunner, run } from './run.ts';

const runJson = jsonRunner<Validation>();
const crdFile = new URL('../../crds/gpupartition.dev_gpupartitionpolicies.yaml', import.meta.url).pathname;

describe('gpu-partition validate beside the API server', () => {
  const cluster = useSharedCluster();
  const dryRun = async (text: string) => cluster().kubectl(['apply', '--dry-run=server', '-f', '-'], { input: text });
  const validate = async (text: string) => runJson(['validate', '-f', '-'], { stdin: text });

  before(async function () {
    await eventually(
      async () => (await dryRun(yamlOf(aPolicy(uniqueName('probe'))))).stderr,
      (stderr) => stderr === '',
      { timeoutMs: 30_000 },
    );
  });

  for (const [what, [spec, message]] of Object.entries(badSpecs)) {
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
