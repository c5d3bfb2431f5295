import { expect } from 'chai';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { agentCommand } from '../../src/agent/command.ts';
import { nodeReasons } from '../../src/api/names.ts';
import { controllerCommand } from '../../src/controller/command.ts';

const page = readFileSync('docs/install.md', 'utf8');
const paths = ['gpu-operator', 'EKS', 'GKE', 'AKS', 'On-premises', 'k3s'];

function section(title: string): string {
  const [, text = ''] = page.split(`\n## ${title}\n`);
  return text.split('\n## ')[0] ?? '';
}

describe('docs/install.md', () => {
  for (const path of paths) {
    it(`leads from zero to a pod on a slice: ${path}`, () => {
      const text = section(path);
      expect(text).to.match(/^\$ /m);
      expect(text, 'what the reader sees').to.match(/^NAME +STATUS|labeled$/m);
      const [, overlay = ''] = /\]\(#install-the-operator\) with `OVERLAY=([\w-]+)`/.exec(text) ?? [];
      expect(existsSync(`config/overlays/${overlay}/kustomization.yaml`), overlay).to.equal(true);
      expect(text).to.include('[First slice](#first-slice)');
    });
  }

  it('has the overlay and the values of every platform in its table', () => {
    for (const name of readdirSync('config/overlays')) expect(page).to.include(`\`config/overlays/${name}\``);
    for (const name of readdirSync('charts/gpu-partition/platforms')) expect(page).to.include(`\`platforms/${name}\``);
  });

  it('names files of this checkout that are there', () => {
    const files = [...page.matchAll(/(?:^|[\s`])((?:config|charts|samples)\/[\w./-]*\w)/gm)].map(
      ([, file = '']) => file,
    );
    expect(files).to.have.length.above(12);
    for (const file of files) expect(existsSync(file), file).to.equal(true);
  });

  it('names options that controller and agent have', () => {
    const known = [controllerCommand(), agentCommand()].flatMap(({ options }) => options.map(({ long }) => long));
    const table = section('Settings') + section('Device plugin');
    const named = [...table.matchAll(/`(--[a-z-]+)/g)].map(([, option = '']) => option);
    expect(named).to.have.length.above(10);
    for (const option of named) expect(known).to.include(option);
  });

  it('names reasons that a node can have', () => {
    const named = [...section('Troubleshooting').matchAll(/^\| `([A-Z]\w+)`/gm)].map(([, reason = '']) => reason);
    const reasons: readonly string[] = nodeReasons;
    for (const reason of named.filter((one) => one !== 'FailedCreate')) expect(reasons).to.include(reason);
  });

  it('shows YAML that can be read, in fences and in commands', () => {
    const fences = [...page.matchAll(/```yaml\n([^`]+)```/g)].map(([, text = '']) => text);
    const typed = [...page.matchAll(/<<'EOF' .*\n([^]*?)\nEOF\n/g)].map(([, text = '']) => text);
    expect(fences.length + typed.length).to.be.at.least(4);
    for (const text of [...fences, ...typed]) {
      for (const document of parseAllDocuments(text)) expect(document.errors, text).to.deep.equal([]);
    }
  });

  it('gives the limits of memory that the manifests have', () => {
    const rows = section('Resources');
    for (const [program, file] of [
      ['controller', 'config/controller/deployment.yaml'],
      ['agent', 'config/agent/daemonset.yaml'],
    ] as const) {
      const text = readFileSync(file, 'utf8');
      const [, request = ''] = /requests: \{.*memory: (\d+)Mi\}/.exec(text) ?? [];
      const [, limit = ''] = /limits: \{memory: (\d+)Mi\}/.exec(text) ?? [];
      expect(rows).to.match(new RegExp(`^\\| ${program} \\| .* ${request} MiB \\| ${limit} MiB \\|`, 'm'));
    }
  });
});
