import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect } from 'chai';
import { useFreshFolder } from '../../device/scratch-folder.ts';
import { parse } from 'yaml';
import type { PolicyLayout } from '../../../src/api/types.ts';
import type { Validation } from '../../../src/cli/validation.ts';
import { aPolicy, yamlOf } from '../policy-text.ts';
import { jsonRunner, run } from '../run.ts';

const runJson = jsonRunner<Validation>();
const validate = (text: string) => runJson(['validate', '-f', '-'], { stdin: text });

describe('gpu-partition validate', () => {
  const folder = useFreshFolder();
  const write = async (name: string, text: string) => {
    await mkdir(dirname(folder.path(name)), { recursive: true });
    await writeFile(folder.path(name), text);
  };

  it('finds nothing wrong with a good policy', async () => {
    const { code, answer } = await validate(yamlOf(aPolicy('good')));
    expect(code).to.equal(0);
    expect(answer).to.deep.equal({
      files: 1,
      objects: { policies: 1, migParted: 0, skipped: 0 },
      templates: [],
      findings: [],
    });
  });

  it('finds nothing wrong with a policy as kubectl get prints it, with the specs that its status keeps', async () => {
    const policy = aPolicy('live');
    const kept = { generation: 3, spec: policy.spec };
    const { answer } = await validate(yamlOf({ ...policy, status: { inForce: kept } }));
    expect(answer.findings).to.deep.equal([]);
  });

  it('lets the hook for pre-commit pass templates of Helm charts, and find two policies of which one is edited', async () => {
    const sample = new URL('../../../samples/pre-commit/.pre-commit-config.yaml', import.meta.url);
    const { repos } = parse(await readFile(sample, 'utf8')) as {
      repos: { hooks: { entry: string; pass_filenames?: boolean }[] }[];
    };
    const { entry = '', pass_filenames: passes = true } = repos[0]?.hooks[0] ?? {};
    await write('templates/service.yaml', 'kind: Service\nmetadata:\n  name: {{ .Release.Name }}\n');
    const { nodeSelector } = aPolicy('shared').spec;
    for (const name of ['old', 'new']) await write(`${name}.yaml`, yamlOf(aPolicy(name, { nodeSelector })));
    const edited = passes ? ['templates/service.yaml', 'new.yaml'] : [];
    const { code, stdout } = await run([...entry.split(' ').slice(1), ...edited], { cwd: folder.path() });
    expect(code).to.equal(0);
    expect(stdout).to.contain('selects the same nodes');
  });

  it('finds nothing wrong with the samples', async () => {
    const samples = new URL('../../../samples', import.meta.url).pathname;
    const { code, answer } = await runJson(['validate', '-f', samples]);
    expect(code).to.equal(0);
    expect(answer.objects.policies).to.be.above(2);
    expect(answer.findings).to.deep.equal([]);
  });

  it('reports everything at once, each with its place', async () => {
    const text = [
      'apiVersion: gpupartition.dev/v1alpha1',
      'kind: GpuPartitionPolicy',
      'metadata: {name: bad}',
      'spec:',
      '  nodeSelector: {}',
      '  strategy: single',
      '  pool: x',
      '  layouts:',
      '    - profiles: {1g.5gb: 0}',
      '      mig: Disabled',
      '    - profiles:',
      '        1g.10gb: 1',
      '        foo: 1',
    ].join('\n');
    const { code, answer } = await validate(text);
    expect(code).to.equal(1);
    expect(answer.findings.map(({ line, column, path }) => `${line}:${column} ${path}`)).to.deep.equal([
      '5:3 spec.nodeSelector',
      '7:3 spec.pool',
      '9:7 spec.layouts[0]',
      '9:18 spec.layouts[0].profiles["1g.5gb"]',
      '11:7 spec.layouts[1].profiles',
      '13:9 spec.layouts[1].profiles.foo',
    ]);
    for (const { severity, file, message } of answer.findings) {
      expect({ severity, file }).to.deep.equal({ severity: 'error', file: '-' });
      expect(message).to.not.match(/[{}]|undefined/);
    }
  });

  it('prints a finding as editors read it', async () => {
    await write('bad.yaml', yamlOf({ ...aPolicy('bad'), spec: {} }));
    const { code, stdout } = await run(['validate', '-f', 'bad.yaml'], { cwd: folder.path() });
    expect(code).to.equal(1);
    expect(stdout.split('\n')[0]).to.match(/^bad\.yaml:6:1: error: spec: \w+ is missing$/);
    expect(stdout).to.contain('1 policy in 1 file: 3 errors, 0 warnings');
  });

  it('reads folders, JSON, several documents and lists, and skips what is not ours', async () => {
    await write(
      'a.yaml',
      yamlOf(aPolicy('a'), { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' } }, aPolicy('b')),
    );
    await write('deep/er/c.yml', yamlOf({ apiVersion: 'v1', kind: 'List', items: [aPolicy('c'), aPolicy('d')] }));
    await write('e.json', JSON.stringify({ kind: 'GpuPartitionPolicyList', items: [aPolicy('e')] }));
    await write('kustomization.yaml', 'resources: [a.yaml]\n');
    await write('readme.md', 'kind: GpuPartitionPolicy');
    await write('node_modules/x/y.yaml', 'kind: GpuPartitionPolicy');
    await write('chart/templates/t.yaml', '{{- if .Values.x }}\na: {{ .Values.y }}\n{{- end }}\n');
    const { code, answer } = await runJson(['validate', '-f', '.', 'a.yaml'], { cwd: folder.path() });
    expect(answer.findings).to.deep.equal([]);
    expect(code).to.equal(0);
    expect(answer).to.include({ files: 5 });
    expect(answer.objects).to.deep.equal({ policies: 5, migParted: 0, skipped: 2 });
    expect(answer.templates).to.deep.equal(['chart/templates/t.yaml']);
  });

  it('finds an item of a list at its own place', async () => {
    const broken = aPolicy('broken', { strategy: 'single' });
    const { answer } = await validate(yamlOf({ apiVersion: 'v1', kind: 'List', items: [aPolicy('fine'), broken] }));
    expect(answer.findings.map(({ path }) => path)).to.deep.equal(['items[1].spec.layouts[0].profiles']);
    expect(answer.findings[0]?.line).to.be.above(20);
  });

  it('answers what it cannot read with code 2, and still checks the rest', async () => {
    await write('good.yaml', yamlOf(aPolicy('bad', { strategy: 'single' })));
    await write('broken.yaml', 'a: [1,\nb: 2');
    const { code, answer } = await runJson(['validate', '-f', '.', 'nowhere'], { cwd: folder.path() });
    expect(code).to.equal(2);
    expect(answer.findings.map(({ file, code: what }) => `${file} ${what}`)).to.deep.equal([
      'broken.yaml InvalidYaml',
      'good.yaml RuleBroken',
      'nowhere Unreadable',
    ]);
  });

  it('reads YAML as kubectl does: yes is a boolean, 010 is 8, a time is a string', async () => {
    const text = yamlOf(aPolicy('x')).replace('pool: x', 'pool: yes');
    const { answer } = await validate(text);
    expect(answer.findings[0]).to.include({
      path: 'spec.nodeSelector.matchLabels.pool',
      message: 'must be a string; put it in quotes',
    });
    expect((await validate(yamlOf(aPolicy('x')).replace('pool: x', 'pool: 22:30'))).answer.findings[0]?.code).to.equal(
      'RuleBroken',
    );
  });

  it('does not overflow on a document that is nested thousands deep, nor on aliases that multiply', async () => {
    expect((await validate('['.repeat(20_000))).code).to.equal(2);
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 0; level < 9; level += 1)
      bomb.push(
        `b${level}: &b${level} [${Array(10)
          .fill(level === 0 ? '*a' : `*b${level - 1}`)
          .join(', ')}]`,
      );
    expect((await validate(bomb.join('\n'))).code).to.equal(2);
  });

  it('refuses another version of our group, and a kind that does not exist', async () => {
    const version = { ...aPolicy('x'), apiVersion: 'gpupartition.dev/v1' };
    expect((await validate(yamlOf(version))).answer.findings[0]).to.include({
      path: 'apiVersion',
      code: 'InvalidField',
    });
    const kind = { ...aPolicy('x'), kind: 'GpuPartitionPolcy' };
    expect((await validate(yamlOf(kind))).answer.findings[0]).to.include({ path: 'kind', code: 'InvalidField' });
  });

  describe('geometry', () => {
    const findingsOf = async (...layouts: readonly PolicyLayout[]) =>
      (await validate(yamlOf(aPolicy('x', { layouts })))).answer.findings;

    it('refuses a layout that no GPU it can meet takes, with the numbers', async () => {
      const [finding] = await findingsOf({
        gpus: { models: ['A100-*-40GB'] },
        profiles: { '3g.20gb': 2, '1g.5gb': 1 },
      });
      expect(finding).to.include({ severity: 'error', code: 'DoesNotFit', path: 'spec.layouts[0].profiles' });
      expect(finding?.message).to.contain('needs 9 of 8 memory slices').and.to.contain('nearest layouts that fit');
      expect((await findingsOf({ profiles: { '1g.99gb': 1 } }))[0]).to.include({
        severity: 'error',
        code: 'UnknownProfile',
      });
      expect((await findingsOf({ gpus: { models: ['A30'] }, preset: 'all-7g.40gb' }))[0]).to.include({
        code: 'UnknownPreset',
      });
    });

    it('warns of each model that a glob meets and that cannot take the layout', async () => {
      const findings = await findingsOf({ gpus: { models: ['h100-80gb-*', 'H100-NVL'] }, profiles: { '1g.10gb': 7 } });
      expect(findings.map(({ severity, models }) => ({ severity, models }))).to.deep.equal([
        { severity: 'warning', models: ['h100-94gb'] },
      ]);
      expect(findings[0]?.message).to.contain('1g.12gb');
    });

    it('does not warn of models that an entry without a selector merely could meet', async () => {
      expect(await findingsOf({ profiles: { '1g.5gb': 7 } })).to.deep.equal([]);
    });

    it('leaves to an earlier entry the models that it takes', async () => {
      const narrow = {
        gpus: { models: ['A100-*-40GB', 'A100-PG509-200', 'A800-*-40GB', 'A800-40GB-*'] },
        profiles: { '1g.5gb': 7 },
      };
      const wide = { gpus: { models: ['a100-40gb', 'a100-80gb'] }, profiles: { '1g.10gb': 7 } };
      expect(await findingsOf(narrow, wide)).to.deep.equal([]);
      expect(
        (await findingsOf({ ...narrow, gpus: { ...narrow.gpus, indices: [0] } }, wide)).map(({ models }) => models),
      ).to.deep.equal([['a100-40gb']]);
    });

    it('warns of an entry that never applies and of an unknown model', async () => {
      const findings = await findingsOf({ mig: 'Disabled' }, { gpus: { models: ['A30'] }, profiles: { '1g.6gb': 4 } });
      expect(findings.map(({ severity, code, path }) => ({ severity, code, path }))).to.deep.equal([
        { severity: 'warning', code: 'NeverApplies', path: 'spec.layouts[1]' },
      ]);
      const unknown = await findingsOf({ gpus: { models: ['Z9000'] }, profiles: { '1g.6gb': 4 } });
      expect(unknown[0]).to.include({ severity: 'warning', code: 'NoSuchModel', path: 'spec.layouts[0].gpus.models' });
    });
  });

  describe('several policies', () => {
    it('warns where two select the same nodes at the same priority, however the selectors are written', async () => {
      await write('a.yaml', yamlOf(aPolicy('a', { nodeSelector: { matchLabels: { pool: 'x' } } })));
      const expression = { key: 'pool', operator: 'In' as const, values: ['x'] };
      await write('b.yaml', yamlOf(aPolicy('b', { nodeSelector: { matchExpressions: [expression] } })));
      await write('c.yaml', yamlOf(aPolicy('c', { nodeSelector: { matchLabels: { pool: 'x' } }, priority: 1 })));
      const { code, answer } = await runJson(['validate', '-f', '.'], { cwd: folder.path() });
      expect(code).to.equal(0);
      expect(answer.findings.map(({ file, code: what }) => `${file} ${what}`)).to.deep.equal(['b.yaml SameNodes']);
      expect(answer.findings[0]?.message).to.contain('policy a (a.yaml:7)');
    });

    it('refuses two policies of one name in one file, of which kubectl would leave the last', async () => {
      const other = aPolicy('a', { nodeSelector: { matchLabels: { pool: 'other' } } });
      await write('a.yaml', yamlOf(aPolicy('a'), aPolicy('b'), other));
      const { code, answer } = await runJson(['validate', '-f', '.'], { cwd: folder.path() });
      expect(code).to.equal(1);
      expect(answer.findings.map(({ code: what, path }) => `${what} ${path}`)).to.deep.equal([
        'DuplicatePolicy metadata.name',
      ]);
      expect(answer.findings[0]?.message).to.match(/^policy a is in this file already \(line 5\)/);
    });

    it('takes one policy in two overlays for one policy', async () => {
      await write('one.yaml', yamlOf(aPolicy('a')));
      await write('two.yaml', yamlOf(aPolicy('a')));
      expect((await runJson(['validate', '-f', '.'], { cwd: folder.path() })).answer.findings).to.deep.equal([]);
    });
  });

  describe('mig-parted files', () => {
    const config =
      'version: v1\nmig-configs:\n  mine:\n  - devices: all\n    mig-enabled: true\n    mig-devices: {"1g.99gb": 7}\n';

    it('refuses what would wipe a GPU, at its place', async () => {
      const { code, answer } = await validate(config);
      expect(code).to.equal(1);
      expect(answer.objects.migParted).to.equal(1);
      expect(answer.findings[0]).to.include({ severity: 'error', code: 'WipesGpu', line: 6, column: 5 });
      expect(answer.findings[0]?.path).to.equal('mig-configs.mine[0].mig-devices');
    });

    it('looks into ConfigMaps, and names the line of the file', async () => {
      const text = [
        'apiVersion: v1',
        'kind: ConfigMap',
        'metadata: {name: m}',
        'data:',
        '  config.yaml: |',
        ...config.split('\n').map((line) => `    ${line}`),
      ];
      const { answer } = await validate(text.join('\n'));
      expect(answer.findings[0]).to.include({ code: 'WipesGpu', line: 11, column: 9 });
      expect(answer.findings[0]?.path).to.equal('data["config.yaml"].mig-configs.mine[0].mig-devices');
    });

    const configMap = (key: string, text: string) =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { [key]: text } });

    it('names the line at which the file in a ConfigMap is no YAML', async () => {
      const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  config.yaml: |\n';
      const { code, answer } = await validate(`${head}    version: v1\n    mig-configs:\n      a: "b\n`);
      expect(code).to.equal(2);
      expect(answer.findings[0]).to.include({ code: 'InvalidYaml', path: 'data["config.yaml"]' });
      expect(answer.findings[0]?.line).to.be.within(8, 9);
      // A script that writes such a file is no YAML either, and nothing is wrong with it.
      const script = await validate(configMap('run.sh', 'cat <<E\nmig-configs: {\nE\n'));
      expect(script.code).to.equal(0);
    });

    it('looks into a ConfigMap whose file is JSON in one line', async () => {
      const value = {
        version: 'v1',
        'mig-configs': { a: [{ devices: 'all', 'mig-enabled': true, 'mig-devices': { '9g.5gb': 1 } }] },
      };
      const { answer } = await validate(configMap('config.yaml', JSON.stringify(value)));
      expect(answer.objects.migParted).to.equal(1);
      expect(answer.findings[0]).to.include({ code: 'WipesGpu' });
    });
  });
});
