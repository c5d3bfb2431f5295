import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import type { GpuPartitionPolicy } from '../../../src/api/types.ts';
import type { LocatedFinding } from '../../../src/cli/input/files.ts';
import type { Validation } from '../../../src/cli/validation.ts';
import { fixtures, jsonRunner, run } from '../run.ts';

interface Imported {
  readonly policies: readonly GpuPartitionPolicy[];
  readonly findings: readonly LocatedFinding[];
}

const runJson = jsonRunner<Imported>();
const catalogue = `${fixtures}mig-parted/gpu-operator-HEAD-default-mig-parted-config.yaml`;
const examples = `${fixtures}mig-parted/mig-parted-HEAD-examples-config.yaml`;
const configsOf = (file: string) =>
  (parse(readFileSync(file, 'utf8')) as { readonly 'mig-configs': object })['mig-configs'];
const importText = (stdin: string, ...rest: readonly string[]) =>
  runJson(['import', 'mig-parted', '-', ...rest], { stdin });

describe('gpu-partition import mig-parted', () => {
  for (const [what, file] of [
    ['the default catalogue', catalogue],
    ['the examples', examples],
  ] as const) {
    it(`makes a policy of each config of ${what}, for the nodes that its label selects`, async () => {
      const { code, answer } = await runJson(['import', 'mig-parted', file]);
      expect(code).to.equal(0);
      expect(answer.policies.map(({ spec }) => spec.nodeSelector.matchLabels)).to.deep.equal(
        Object.keys(configsOf(file)).map((name) => ({ 'nvidia.com/mig.config': name })),
      );
      expect(answer.findings.filter(({ severity }) => severity === 'error')).to.deep.equal([]);
    });

    it(`writes YAML of ${what} that validate takes`, async () => {
      const { stdout } = await run(['import', 'mig-parted', file]);
      const { code, answer } = await jsonRunner<Validation>()(['validate', '-f', '-'], { stdin: stdout });
      expect(code).to.equal(0);
      expect(answer.objects.policies).to.equal(parseAllDocuments(stdout).length);
      expect(answer.findings.filter(({ severity }) => severity === 'error')).to.deep.equal([]);
    });
  }

  it('imports one config where one is named', async () => {
    const { answer } = await runJson(['import', 'mig-parted', examples, '--config', 'custom-config']);
    expect(answer.policies.map(({ spec }) => spec)).to.deep.equal([
      {
        nodeSelector: { matchLabels: { 'nvidia.com/mig.config': 'custom-config' } },
        mode: 'Plan',
        allow: { takeOver: ['mig-manager'] },
        strategy: 'mixed',
        layouts: [
          { gpus: { indices: [0, 1, 2, 3] }, mig: 'Disabled' },
          { gpus: { indices: [4] }, profiles: { '1g.5gb': 7 } },
          { gpus: { indices: [5] }, profiles: { '2g.10gb': 3 } },
          { gpus: { indices: [6] }, profiles: { '3g.20gb': 2 } },
          { gpus: { indices: [7] }, profiles: { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 } },
        ],
      },
    ]);
  });

  it('imports several configs, and only those that nodes have: a node has one of the eighty', async () => {
    const labels = (policies: readonly GpuPartitionPolicy[]) =>
      policies.map(({ spec }) => spec.nodeSelector.matchLabels?.['nvidia.com/mig.config']);
    const two = ['--config', 'all-balanced', '--config', 'all-disabled'];
    const { answer: named } = await runJson(['import', 'mig-parted', ...two, catalogue]);
    expect(labels(named.policies)).to.have.members(['all-balanced', 'all-disabled']);

    const node = (name: string, config?: string) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { ...(config !== undefined && { 'nvidia.com/mig.config': config }) } },
    });
    const list = (...items: readonly object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const byNodes = (stdin: string) => runJson(['import', 'mig-parted', catalogue, '--nodes', '-'], { stdin });
    const { code, answer } = await byNodes(
      list(node('n1', 'all-balanced'), node('n2', 'all-balanced'), node('n3', 'ours'), node('cpu')),
    );
    expect(labels(answer.policies)).to.deep.equal(['all-balanced']);
    expect(code).to.equal(0);
    const notes = ({ findings }: Imported) =>
      findings
        .filter(({ code: what }) => what === 'NothingToImport')
        .map(({ severity, message }) => `${severity}: ${message}`);
    expect(notes(answer)).to.deep.equal([
      'warning: no config "ours" here, which n3 asked for by nvidia.com/mig.config',
    ]);
    const { answer: nobody } = await byNodes(list(node('cpu')));
    expect(nobody.policies).to.deep.equal([]);
    expect(notes(nobody)).to.deep.equal([
      'warning: none of the nodes has the label nvidia.com/mig.config: there is no config to import',
    ]);
    const empty = await run(['import', 'mig-parted', catalogue, '--nodes', '-'], { stdin: list() });
    expect([empty.code, empty.stderr]).to.deep.equal([
      2,
      'error: -: there is no Node; save them with: kubectl get nodes -o yaml\n',
    ]);
    const both = await run(['import', 'mig-parted', catalogue, '--nodes', catalogue, '--config', 'all-balanced']);
    expect(both.code).to.equal(2);
  });

  it('says after dozens of policies how to choose, and between what', async () => {
    const all = await run(['import', 'mig-parted', catalogue]);
    expect(all.code).to.equal(0);
    expect(all.stderr).to.match(
      /\n81 policies, of which a node has one by its label .*--nodes FILE.*--config NAME: all-disabled, all-enabled, /,
    );
    const one = await run(['import', 'mig-parted', catalogue, '--config', 'all-balanced']);
    expect(one.stderr).not.to.contain('--config');
  });

  it('finds the file in the Helm values of gpu-operator, and in those of a chart that depends on it', async () => {
    const config = ['version: v1', 'mig-configs:', '  halves:', '    - devices: all', '      mig-enabled: true'];
    const text = [...config, '      mig-devices: {"3g.20gb": 2}'];
    const values = ['migManager:', '  config:', '    create: true', '    data:', '      config.yaml: |-'];
    const own = [...values, ...text.map((line) => `        ${line}`)];
    for (const lines of [own, ['gpu-operator:', ...own.map((line) => `  ${line}`)]]) {
      const { answer } = await runJson(['import', 'mig-parted', '-'], { stdin: lines.join('\n') });
      expect(answer.policies.map(({ metadata }) => metadata.name)).to.deep.equal(['halves']);
    }
  });

  it('names the configs that exist where one does not', async () => {
    const { code, stderr } = await run(['import', 'mig-parted', examples, '--config', 'all-balancd']);
    expect(code).to.equal(2);
    expect(stderr).to.contain('all-balanced');
  });

  it('takes the strategy that it is told, and refuses configs that cannot have it', async () => {
    const { code, answer } = await runJson(['import', 'mig-parted', examples, '--strategy', 'single']);
    expect(code).to.equal(1);
    expect(
      answer.findings.filter(({ severity }) => severity === 'error').map(({ code: what, path }) => `${what} ${path}`),
    ).to.have.members([
      'SingleNeedsOneProfile mig-configs.all-enabled',
      'StrategyMismatch mig-configs.all-balanced',
      'StrategyMismatch mig-configs.custom-config',
    ]);
    expect(answer.policies.every(({ spec }) => spec.strategy === 'single')).to.equal(true);
    expect(answer.policies).to.have.length(Object.keys(configsOf(examples)).length - 3);
  });

  it('writes findings to stderr with their place, and policies to stdout', async () => {
    const { code, stdout, stderr } = await run(['import', 'mig-parted', '-'], {
      stdin:
        'version: v1\nmig-configs:\n  "yes":\n  - devices: all\n    mig-enabled: false\n  bad:\n  - devices: all\n    mig-enabled: true\n    mig-devices: {1g.99gb: 7}\n',
    });
    expect(code).to.equal(1);
    expect(stderr).to.match(/^-:9:5: error: mig-configs\.bad\[0\]\.mig-devices: /);
    expect(stdout).to.contain('nvidia.com/mig.config: "yes"');
    expect(parseAllDocuments(stdout)).to.have.length(1);
  });

  it('opens a ConfigMap', async () => {
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'm' },
      data: { 'config.yaml': readFileSync(examples, 'utf8') },
    };
    const { code, answer } = await importText(JSON.stringify(map));
    expect(code).to.equal(0);
    expect(answer.policies).to.have.length(9);
  });

  it('says where mig-parted takes the last of two configs of one name', async () => {
    const config = (enabled: boolean) =>
      `  a:\n  - devices: all\n    mig-enabled: ${enabled}\n${enabled ? '    mig-devices: {}\n' : ''}`;
    const { answer } = await importText(`version: v1\nmig-configs:\n${config(true)}${config(false)}`);
    expect(answer.findings.map(({ code, line }) => ({ code, line }))).to.deep.equal([
      { code: 'DuplicateConfig', line: 7 },
    ]);
    expect(answer.policies.map(({ spec }) => spec.layouts)).to.deep.equal([[{ mig: 'Disabled' }]]);
  });

  it('says so of the one config that is named, too', async () => {
    const config = (name: string) => `  ${name}:\n  - {devices: all, mig-enabled: false}\n`;
    const stdin = `version: v1\nmig-configs:\n${config('a')}${config('b')}${config('a')}${config('b')}`;
    const { answer } = await importText(stdin, '--config', 'a');
    expect(answer.findings.map(({ code, path }) => `${code} ${path}`)).to.deep.equal(['DuplicateConfig mig-configs.a']);
  });

  it('makes one policy of a config that several files have, and refuses another content under its name', async () => {
    const config = (fields: string) => `version: v1\nmig-configs:\n  a:\n  - {devices: all, ${fields}}\n`;
    const [off, on] = [config('mig-enabled: false'), config('mig-enabled: true, mig-devices: {}')];
    const same = await importText([off, off].join('---\n'));
    expect(same.code).to.equal(0);
    expect(same.answer.policies).to.have.length(1);
    const other = await importText([off, off, on].join('---\n'));
    expect(other.code).to.equal(1);
    expect(other.answer.policies.map(({ spec }) => spec.layouts)).to.deep.equal([[{ mig: 'Disabled' }]]);
    const errors = other.answer.findings.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code, line, path }) => ({ code, line, path }))).to.deep.equal([
      { code: 'DuplicatePolicy', line: 13, path: 'mig-configs.a' },
    ]);
  });

  it('answers a file that is not mig-parted’s, or not readable, with code 2', async () => {
    for (const [stdin, words] of [
      ['a: [', 'neither YAML nor JSON'],
      ['kind: Pod', 'no config file of mig-parted'],
      ['', 'no config file'],
    ] as const) {
      const { code, stdout, stderr } = await run(['import', 'mig-parted', '-'], { stdin });
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr).to.contain(words);
    }
    expect((await run(['import', 'mig-parted', '/nowhere.yaml'])).stderr).to.contain(
      '/nowhere.yaml: there is no such file',
    );
  });
});
