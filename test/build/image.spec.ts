import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { renderFolder } from '../api/installation.ts';
import { bundledPackages, readPartsList } from './parts.ts';
import { templateOf, workloadKinds } from '../config/workload.ts';
import { clusterTimeoutMs } from '../support/cluster.ts';

/** What a `COPY` of the Dockerfile takes from the folder that it is built in. */
async function copiedFiles(): Promise<readonly string[]> {
  const text = await readFile('Dockerfile', 'utf8');
  return [...text.matchAll(/^COPY (?!--from)(.+) \/app\/$/gm)].flatMap(([, files = '']) => files.split(/\s+/));
}

describe('the image', () => {
  it('copies files that are there after a build, and that the context is not kept from', async function () {
    if (!existsSync('dist')) return this.skip();
    const files = await copiedFiles();
    expect(files).to.include.members(['dist/agent.mjs', 'dist/controller.mjs', 'dist/NOTICES.txt', 'LICENSE']);
    const kept = (await readFile('.dockerignore', 'utf8')).trim().split('\n');
    expect(kept.shift()).to.equal('*');
    expect(kept.toSorted()).to.deep.equal(files.map((file) => `!${file}`).toSorted());
    for (const file of files) expect(existsSync(file), file).to.equal(true);
    return undefined;
  });

  it('has the programs that the pods run, and no simulator nor source map', async function () {
    this.timeout(clusterTimeoutMs);
    const files = (await copiedFiles()).map((file) => file.replace('dist/', '/app/'));
    const objects = await renderFolder('config/default');
    for (const kind of workloadKinds) {
      expect(files).to.include(templateOf(objects, kind).spec.containers[0]?.command.at(-1));
    }
    expect(files.join(' ')).to.not.match(/sim|\.map/);
  });

  it('does not run as root: only the agent’s pod asks for that', async () => {
    expect(await readFile('Dockerfile', 'utf8')).to.match(/^USER 65532:65532\n*$/m);
  });

  it('carries the licence of every package of which a bundle has a part', async function () {
    if (!existsSync('dist/NOTICES.txt')) return this.skip();
    const notices = await readFile('dist/NOTICES.txt', 'utf8');
    const lacking = (await bundledPackages()).filter((name) => !`\n${notices}`.includes(`\n${name} `));
    expect(lacking).to.deep.equal([]);
    return undefined;
  });

  it('has a list of parts in CycloneDX that names every package of the bundles by version and hash', async function () {
    if (!existsSync('dist')) return this.skip();
    const { components, ...list } = await readPartsList();
    expect(list).to.include({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    expect(list.serialNumber).to.match(/^urn:uuid:[0-9a-f-]{36}$/);
    for (const { name, purl, hashes = [] } of components) {
      expect(purl, name).to.match(/^pkg:npm\/.+@\d+\./);
      expect(hashes[0]?.content, name).to.match(/^[0-9a-f]{128}$/);
    }
    const names = new Set(components.map(({ name }) => name));
    expect((await bundledPackages()).filter((name) => !names.has(name))).to.deep.equal([]);
    return undefined;
  });
});
