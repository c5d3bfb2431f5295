import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderFolder } from '../api/installation.ts';

describe('docs/upgrade.md', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('keeps the newer CRDs in a rollback: what it applies has none', async () => {
    const [, rollback = ''] = (await readFile('docs/upgrade.md', 'utf8')).split('\n## Rollback\n');
    const [, part = '', resource = ''] =
      /^\(cd (config\/\w+) && kustomize edit remove resource (\S+)\)/m.exec(rollback) ?? [];
    expect(part, 'what is removed').to.equal('config/default');
    for (const each of ['config', 'crds']) await cp(each, join(folder, each), { recursive: true });
    // As kustomize, which kubectl has without its edits.
    const file = join(folder, part, 'kustomization.yaml');
    const text = await readFile(file, 'utf8');
    const edited = text.replace(`  - ${resource}\n`, '');
    expect(edited).to.have.length.below(text.length);
    await writeFile(file, edited);
    for (const overlay of ['default', ...readdirSync('config/overlays').map((name) => `overlays/${name}`)]) {
      const kinds = (await renderFolder(join(folder, 'config', overlay))).map(({ kind }) => kind);
      expect(kinds, overlay).to.include('DaemonSet').and.not.include('CustomResourceDefinition');
    }
  });
});
