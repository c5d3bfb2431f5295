import { expect } from 'chai';
import { readdirSync } from 'node:fs';

import { coverFolder, writeDriverFiles } from './platform-files.ts';
import { platforms } from './platforms.ts';
import { nodeName } from './node-config.ts';
import { isOnNode } from './real-node.ts';
import { useRealNode } from './shared-node.ts';

describe('the overlays on a real kubelet', function () {
  this.timeout(240_000);
  const operator = useRealNode();

  after(async () => {
    if (!isOnNode()) return;
    await operator().kubectl('delete', '-k', 'config/overlays/openshift', '--timeout=60s');
    await operator().kubectl('delete', 'namespace', 'gpu-operator', '--timeout=60s');
  });

  for (const { overlay, where, gpus, driver, controllerUser, nodeLabels = [], namespaces = [] } of platforms) {
    it(`start with config/overlays/${overlay}: the agent reads the GPUs of a driver that is ${where}`, async function () {
      const cover = driver && (await coverFolder(driver.covers));
      if (typeof cover === 'string') {
        console.log(`      skipped: ${cover}`);
        return this.skip();
      }
      await using _cover = cover;
      if (driver) await writeDriverFiles(driver.files);
      for (const label of nodeLabels) await operator().kubectl('label', 'node', nodeName, '--overwrite', label);
      for (const name of namespaces) await operator().kubectl('create', 'namespace', name);
      await operator().applyFolder(`config/overlays/${overlay}`);
      if (controllerUser !== undefined) await operator().setControllerUser(controllerUser);
      await operator().rollOut();
      await operator().untilRead(gpus);
    });
  }

  it('do not continue an update whose agents cannot read the GPUs that those before them could read', async () => {
    const target = ['-n', 'gpu-partition-agents', 'daemonset/gpu-partition-agent'];
    const patch = [{ op: 'replace', path: '/spec/template/spec/containers/0/args/0', value: '--driver-root=/nowhere' }];
    await operator().kubectl('patch', ...target, '--type=json', '-p', JSON.stringify(patch));
    await operator().untilUnreadable('ToolMissing');
    const counts = '-o=jsonpath={.status.updatedNumberScheduled} {.status.numberReady}';
    expect(await operator().kubectl('get', ...target, counts)).to.equal('1 0');
  });

  it('are all of them', () => {
    expect(platforms.map(({ overlay }) => overlay)).to.have.members(readdirSync('config/overlays'));
  });
});
