import { serveResource, type ResourceServer } from '../../src/kubelet/device-plugin.ts';
import { pluginFolder } from './plugin-daemon-set.ts';
import type { Profiles } from './operator.ts';
import { useRealNode } from './shared-node.ts';

const mixed: Profiles = { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 };
const small: Profiles = { '1g.5gb': 7 };

/**
 * What the kubelet does where a plugin registers again just as its previous connection ends: it does not notice when that plugin dies. A
 * registration whose server lives on shows the same, at any time.
 */
describe('a kubelet that still offers what a dead device plugin had', function () {
  this.timeout(180_000);
  const operator = useRealNode();
  const orphans: ResourceServer[] = [];

  before(async function () {
    await operator().applyFolder('config/default');
    await operator().runPlugin('mixed');
    await operator().rollOut();
  });

  afterEach(() => {
    for (const orphan of orphans.splice(0)) orphan.close();
  });

  after(async () => operator().remove());

  async function keepOffering(name: string): Promise<void> {
    orphans.push(await serveResource(pluginFolder, { name, deviceIds: ['MIG-gone-1', 'MIG-gone-2'] }, 'orphan.sock'));
  }

  it('is relieved of it, so that the plugin’s pod can come, which our taint keeps away until nothing is offered', async () => {
    await keepOffering('nvidia.com/mig-3g.20gb');
    await operator().ask(mixed);
    await operator().untilDone(mixed);
  });

  it('is relieved of what the new layout does not have', async () => {
    await keepOffering('nvidia.com/mig-4g.20gb');
    await operator().ask(small);
    await operator().untilDone(small);
  });
});
