import { expect } from 'chai';
import { readdir, readFile } from 'node:fs/promises';
import { parse, parseAllDocuments } from 'yaml';

import { checkHolders } from '../../src/core/pods/holder-check.ts';
import { lintDevicePluginConfig } from '../../src/core/nvidia/plugin-config/device-plugin-config.ts';

async function fencesOf(page: string): Promise<readonly string[]> {
  return [...(await readFile(page, 'utf8')).matchAll(/```yaml\n([^`]+)```/g)].map(([, text = '']) => text);
}

describe('YAML shown in docs', () => {
  it('is YAML', async () => {
    const pages = (await readdir('docs')).filter((name) => name.endsWith('.md'));
    for (const page of pages) {
      for (const text of await fencesOf(`docs/${page}`)) {
        const errors = parseAllDocuments(text).flatMap((document) => document.errors);
        expect(errors, `${page}: ${text}`).to.deep.equal([]);
      }
    }
  });
});

describe('docs/device-plugin.md', () => {
  it("shows a config file that NVIDIA's device plugin takes as it is", async () => {
    const files = (await fencesOf('docs/device-plugin.md')).filter((text) => text.startsWith('version: v1'));
    expect(files).to.have.lengthOf(1);
    for (const text of files) expect(lintDevicePluginConfig(parse(text))).to.deep.equal([]);
  });

  it('shows a file of GPU clients that the controller takes', async () => {
    const files = (await fencesOf('docs/device-plugin.md')).filter((text) => text.startsWith('clients:'));
    expect(files).to.have.lengthOf(1);
    for (const text of files) expect(checkHolders(parse(text))).to.be.an('array');
  });
});
