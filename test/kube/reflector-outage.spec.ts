import { expect } from 'chai';
import { isNotFound } from '../../src/kube/api-error.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import type { ControlPlane } from '../support/cluster.ts';
import { clusterTimeoutMs, ownCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { aConfigMap, configMapRef, configMaps, connect } from './connection.ts';
import { Follower } from './follower.ts';

const namespace = 'default';

/** Kills the API server while everything is followed, and changes things before the followers are back. */
async function killAndChange(cluster: ControlPlane, client: KubeClient): Promise<void> {
  await cluster.killApiServer();
  await cluster.startApiServer();
  await eventually(() => client.delete(configMapRef(namespace, 'gone')), undefined, { timeoutMs: 10_000 });
  await client.create(configMaps, aConfigMap(namespace, 'new'));
}

const bare = { controllerManager: false, scheduler: false } as const;
const kinds = {
  'an API server that streams lists': bare,
  'an API server without WatchList': { ...bare, apiServerArguments: ['--feature-gates=WatchList=false'] },
} as const;

for (const [kind, options] of Object.entries(kinds)) {
  describe(`Reflector with ${kind}`, () => {
    const streams = !('apiServerArguments' in options);
    let cluster: ControlPlane;
    let client: KubeClient;

    before(async function () {
      this.timeout(clusterTimeoutMs);
      cluster = await ownCluster(options);
      client = connect(cluster);
    });
    after(async () => {
      await client.config.close();
      await cluster.stop();
    });

    it('is in sync, follows, and converges after the API server was killed', async () => {
      await client.create(configMaps, aConfigMap(namespace, 'gone'));
      await client.create(configMaps, aConfigMap(namespace, 'kept'));
      await using follower = new Follower(client, namespace);
      await follower.reflector.waitForSync();
      expect(follower.names).to.deep.equal(['gone', 'kept']);
      await killAndChange(cluster, client);
      await follower.holds('kept', 'new');
      expect(follower.story.slice(2).toSorted()).to.deep.equal(['apply new', 'delete gone']);
      const refusals = follower.log.lines.filter(({ fields }) => String(fields['error']).includes('sendInitialEvents'));
      expect(refusals).to.have.length(streams ? 0 : 1);
      expect(await client.get(configMapRef(namespace, 'gone')).catch(isNotFound)).to.equal(true);
    }).timeout(40_000);
  });
}
