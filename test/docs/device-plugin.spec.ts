import { expect } from 'chai';
import { parse } from 'yaml';

import { checkClients } from '../../src/core/node/plugin-pods.ts';
import { lintDevicePluginConfig } from '../../src/core/nvidia/plugin-config.ts';
import { readFences } from './pages.ts';

/** The one block of the page that begins so, parsed. */
async function readBlock(beginning: string): Promise<unknown> {
  const fences = await readFences('yaml', 10);
  const found = fences.filter(({ page, text }) => page === 'docs/device-plugin.md' && text.startsWith(beginning));
  expect(found, beginning).to.have.lengthOf(1);
  return parse(found[0]?.text ?? '');
}

describe('docs/device-plugin.md', () => {
  it("shows a config file that NVIDIA's device plugin takes as it is", async () => {
    expect(lintDevicePluginConfig(await readBlock('version: v1'))).to.deep.equal([]);
  });

  it('shows a file of GPU clients that the controller takes', async () => {
    expect(checkClients(await readBlock('clients:')).length).to.be.above(2);
  });
});
