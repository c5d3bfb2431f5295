import { expect } from 'chai';
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

describe('Reflector when the API server is killed', () => {
  let streaming: ControlPlane;
  let paging: ControlPlane;

  before(async function () {
    this.timeout(clusterTimeoutMs);
    const withoutWatchList = { ...bare, apiServerArguments: ['--feature-gates=WatchList=false'] };
    [streaming, paging] = await Promise.all([ownCluster(bare), ownCluster(withoutWatchList)]);
  });
  after(() => Promise.all([streaming.stop(), paging.stop()]));

  /** Follows a cluster through an outage. @returns how often the server said that it has no WatchList. */
  const surviveOutage = async (cluster: ControlPlane): Promise<number> => {
    const client = connect(cluster);
    await client.create(configMaps, aConfigMap(namespace, 'gone'));
    await client.create(configMaps, aConfigMap(namespace, 'kept'));
    await using follower = new Follower(client, namespace);
    await follower.reflector.waitForSync();
    expect(follower.names).to.deep.equal(['gone', 'kept']);
    await killAndChange(cluster, client);
    await follower.holds('kept', 'new');
    expect(follower.story.slice(2).toSorted()).to.deep.equal(['apply new', 'delete gone']);
    await client.config.close();
    return follower.log.lines.filter(({ fields }) => String(fields['error']).includes('sendInitialEvents')).length;
  };

  it('converges when it is back', async () => {
    expect(await surviveOutage(streaming)).to.equal(0);
  }).timeout(40_000);

  it('converges as well with a server without WatchList, from which it reads lists in pages', async () => {
    expect(await surviveOutage(paging)).to.equal(1);
  }).timeout(40_000);
});
