import { expect } from 'chai';
import { join } from 'node:path';
import { findFreePorts } from '../../src/simulator/control-plane/components.ts';
import { installRights } from '../../src/simulator/rig/install.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { run } from '../cli/run.ts';
import { eventually, stays } from '../support/eventually.ts';
import { type TestRig, useRig } from '../support/rig.ts';
import type { SeenRequest } from '../support/seen-request.ts';

const nodes: readonly RigNode[] = [{ name: 'n', gpus: ['A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed' }];
const [healthPort = 0] = await findFreePorts(1);
const leasePath = '/apis/coordination.k8s.io/v1/namespaces/gpu-partition-system/leases/gpu-partition-controller';
const watched = ['gpunodepartitions', 'gpupartitionpolicies', 'nodes', 'pods'];

async function fetchHealth(path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${healthPort}${path}`);
  return `${response.status} ${await response.text()}`;
}

/** Starts another controller whose readiness can be asked for. */
async function startStandby({ rig }: TestRig): Promise<void> {
  const health = ['--health-port', String(healthPort)];
  (await rig.addController('controller-1', (given) => [...given, ...health])).start();
}

async function untilReady(answers: (answer: string) => boolean): Promise<void> {
  const ask = () => fetchHealth('/readyz').catch(String);
  await eventually(ask, answers, { timeoutMs: 60_000, what: 'readiness of the standby' });
}

describe('a standby @all', function () {
  const rig = useRig(nodes, { proxied: ['controller-1'] });
  /** Events of policies that its watch has not brought. */
  const held: string[] = [];
  let holds = false;

  async function ask(profiles: Readonly<Record<string, number>>): Promise<void> {
    await rig().apply('p', { nodeSelector: { matchLabels: { pool: 'p' } }, layouts: [{ profiles }] });
  }
  const seen = (): readonly SeenRequest[] => rig().proxy('controller-1').requests;
  const writes = (): readonly string[] =>
    seen()
      .filter(({ method, resource }) => method !== 'GET' && resource !== 'leases')
      .map(({ method, path }) => `${method} ${path}`);
  const leader = async (): Promise<string> => {
    const lease = (await rig().controlPlane.client.demand({ path: leasePath })) as {
      readonly spec: { readonly holderIdentity: string };
    };
    return lease.spec.holderIdentity;
  };
  before(async () => {
    await ask({ '1g.5gb': 7 });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    rig().proxy('controller-1').rule = ({ verb, resource }) =>
      verb === 'watch' && resource === 'gpupartitionpolicies'
        ? {
            lines: (line) => {
              if (!holds || line === '') return { send: [...held.splice(0), line] };
              held.push(line);
              return { send: [] };
            },
          }
        : undefined;
    await startStandby(rig());
    await untilReady((answer) => answer.startsWith('200'));
  });

  it('watches what a leader watches, is ready, writes nothing, and tells nothing of the fleet', async () => {
    const resources = seen()
      .filter(({ verb }) => verb === 'watch')
      .map(({ resource }) => resource);
    expect([...new Set(resources)].toSorted()).to.deep.equal(watched);
    await ask({ '2g.10gb': 3 });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    expect(writes()).to.deep.equal([]);
    expect(await fetchHealth('/healthz')).to.match(/^200/);
    const metrics = (await fetchHealth('/metrics')).split('\n');
    expect(metrics).to.include('gpu_partition_leader{program="controller"} 0');
    const names = metrics.filter((line) => /^gpu_partition_(nodes|gpus|instances|policy_in_flight)\b/.test(line));
    expect(names).to.deep.equal([]);
    // Its own watches it does tell of.
    expect(metrics.filter((line) => line.startsWith('gpu_partition_watch_silence_seconds'))).to.have.length(4);
  });

  it('decides nothing as the next leader by what it saw before the last writes of its predecessor', async () => {
    holds = true;
    await ask({ '3g.20gb': 2 });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    expect(held.length, 'events held back').to.be.above(0);
    await rig().rig.controller.stop('SIGTERM');
    await eventually(leader, (holder) => holder === 'controller-1', { timeoutMs: 30_000, what: 'the lease' });
    // With the stale policy it would report, and ask for, the previous layout.
    await stays(writes, (list) => list.length === 0, { forMs: 3_000, intervalMs: 50 });
    holds = false;
    await ask({ '3g.20gb': 1 });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    expect((await rig().partition('n')).status?.layout).to.equal('1 GPU: 1×3g.20gb');
  });
});

describe('a controller of a cluster without the CRDs @all', function () {
  const rig = useRig([]);

  it('is not ready and says what it lacks, as kubectl and the command do, until they are there', async () => {
    await rig().kubectl('delete', '-k', 'config/crd', '--timeout=60s');
    await startStandby(rig());
    await untilReady((answer) => /^5\d\d [^]*no complete list yet of .*gpupartitionpolicies/.test(answer));
    // Somebody whose kubectl has not seen the kinds before.
    const cache = join(rig().rig.folder, 'discovery');
    const apply = ['apply', '-f', 'samples/first-policy.yaml', '--cache-dir', cache];
    const { code, stderr } = await rig().controlPlane.kubectl(apply);
    expect(code).to.equal(1);
    expect(stderr)
      .to.include('no matches for kind "GpuPartitionPolicy"')
      .and.include('ensure CRDs are installed first');
    const asked = await run(['status', '--kubeconfig', await rig().controlPlane.kubeconfigFile()]);
    expect(asked).to.include({ code: 3, stdout: '' });
    expect(asked.stderr).to.match(/^error: .*CRDs are not there; kubectl apply --server-side -f crds\.yaml/);
    await installRights(rig().controlPlane);
    await untilReady((answer) => answer.startsWith('200'));
  });
});
