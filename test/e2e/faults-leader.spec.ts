import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { useRig } from '../support/rig.ts';

const nodes: readonly RigNode[] = [{ name: 'n', gpus: ['A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed' }];
const leasePath = '/apis/coordination.k8s.io/v1/namespaces/gpu-partition-system/leases/gpu-partition-controller';

interface Lease {
  readonly spec: { readonly holderIdentity: string; readonly acquireTime: string };
}

describe('a leader that was stopped for longer than its lease @all', function () {
  const rig = useRig(nodes, { proxied: ['controller-0', 'controller-1'] });

  async function ask(profiles: Readonly<Record<string, number>>): Promise<void> {
    await rig().apply('p', { nodeSelector: { matchLabels: { pool: 'p' } }, layouts: [{ profiles }] });
  }
  const lease = async (): Promise<Lease['spec']> =>
    ((await rig().controlPlane.client.demand({ path: leasePath })) as Lease).spec;

  it('writes nothing more when it continues and another leads', async () => {
    await ask({ '3g.20gb': 2 });
    await rig().waitFor('p', 'Ready', 'True');
    const old = rig().rig.controller;
    const pid = old.pid ?? 0;
    const proxy = rig().proxy('controller-0');
    const next = await rig().rig.addController('controller-1');
    next.start();
    // Stopped in the middle of its work: it has just written a wish, and timers of what it is to do next are running.
    let isStopped = false;
    proxy.rule = ({ verb, resource }) => {
      if (isStopped || verb === 'watch' || verb === 'list' || resource !== 'gpunodepartitions') return undefined;
      isStopped = process.kill(pid, 'SIGSTOP');
      return undefined;
    };
    await ask({ '3g.20gb': 1 });
    const { acquireTime } = await eventually(lease, ({ holderIdentity }) => holderIdentity === 'controller-1', {
      timeoutMs: 30_000,
      what: 'the lease',
    });
    await rig().waitFor('p', 'Ready', 'True');
    const sentBefore = proxy.requests.length;
    process.kill(pid, 'SIGCONT');
    await eventually(
      () => old.readLog(),
      (log) => log.includes('leadership lost'),
      { timeoutMs: 20_000 },
    );
    await rig().waitFor('p', 'Ready', 'True');
    const sent = proxy.requests.slice(sentBefore);
    const writes = sent.filter(({ method, resource }) => method !== 'GET' && resource !== 'leases');
    expect(writes.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([]);
    const audited = (await rig().controlPlane.auditedWrites()).filter(
      ({ userAgent, resource, time }) =>
        userAgent === 'controller-0' && !resource.startsWith('leases.') && time > acquireTime,
    );
    expect(audited).to.deep.equal([]);
    expect((await lease()).holderIdentity).to.equal('controller-1');
    expect((await rig().partition('n')).status?.layout).to.equal('1 GPU: 1×3g.20gb');
  });
});
