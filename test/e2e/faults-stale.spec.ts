import { expect } from 'chai';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually, stays } from '../support/eventually.ts';
import { refusal, type EarlierList } from '../support/fault.ts';
import { Injector } from '../support/injection.ts';
import { isResume } from '../support/seen-request.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const nodes: readonly RigNode[] = [{ name: 'n', gpus: ['A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed' }];
const policiesPath = '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies';

describe('what the controller sees late or never @all', function () {
  const rig = useRig(nodes, { proxied: ['controller-0'] });

  async function ask(profiles: Readonly<Record<string, number>>): Promise<void> {
    await rig().apply('p', { nodeSelector: { matchLabels: { pool: 'p' } }, layouts: [{ profiles }] });
  }
  // One command may name several instances.
  const destroyed = async (): Promise<number> =>
    (await rig().rig.deviceOperations('n'))
      .filter((argv) => argv.includes('-dgi'))
      .flatMap((argv) => argv[argv.indexOf('-gi') + 1]?.split(',') ?? []).length;

  it('destroys nothing for a policy that an old list brings back, however long that list is all there is', async () => {
    await ask({ '1g.5gb': 7 });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    const stale = (await rig().controlPlane.client.demand({ path: policiesPath })) as EarlierList;
    await ask({ '3g.20gb': 2 });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    const before = await destroyed();
    const proxy = rig().proxy('controller-0');
    let staleLists = 0;
    proxy.rule = (request) => {
      const { resource, verb } = request;
      if (resource !== 'gpupartitionpolicies' || (verb !== 'list' && verb !== 'watch')) return undefined;
      // Its own server has nothing newer than the old list.
      if (isResume(request)) return refusal(410, 'Expired');
      staleLists += 1;
      return { stale };
    };
    proxy.reset();
    // Refused some times, and then believed.
    await eventually(
      () => rig().rig.controller.readLog(),
      (log) => log.includes('restored from a backup; its list is taken as it is'),
      { timeoutMs: 30_000, what: 'the old list to be believed' },
    );
    await stays(destroyed, (count) => count === before, { forMs: 8_000, intervalMs: 250 });
    expect(staleLists, 'faults made').to.be.above(0);
    proxy.rule = () => undefined;
    proxy.reset();
    await ask({ '2g.10gb': 3 });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    expect((await rig().partition('n')).status?.layout).to.equal('1 GPU: 3×2g.10gb');
    expect((await destroyed()) - before, 'the two of the layout before').to.equal(2);
  });

  it('continues although the event of its own write to a Node never comes', async () => {
    const proxy = rig().proxy('controller-0');
    const injector = new Injector();
    proxy.rule = injector.rule;
    const seen = proxy.requests.length;
    proxy.reset();
    await eventually(
      () => proxy.requests.slice(seen).filter(({ verb, resource }) => verb === 'watch' && resource === 'nodes').length,
      (watches) => watches > 0,
      { timeoutMs: 15_000, what: 'a watch of nodes' },
    );
    // What a server forgets it never makes up for. Until the grant, the second write to the partition, nothing else comes of the node.
    const from = proxy.requests.length;
    const isGranted = (): boolean =>
      proxy.requests.slice(from).filter(({ verb, resource }) => verb === 'patch' && resource === 'gpunodepartitions')
        .length > 1;
    injector.injectEvents('nodes', ({ object }) =>
      object.metadata.name === 'n' && !isGranted() ? { send: [] } : undefined,
    );
    await ask({ '3g.20gb': 1 });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 30_000);
    expect(injector.count, 'faults made').to.be.above(0);
    expect(ownTaints(await rig().node('n'))).to.deep.equal([]);
    expect((await rig().partition('n')).status?.layout).to.equal('1 GPU: 1×3g.20gb');
  });
});
