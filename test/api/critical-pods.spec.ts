import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { applyFolder } from '../../src/simulator/rig/install.ts';
import { useOwnCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';

/** As GKE sets its API server up: critical pods only where a quota names their class. */
const admission = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AdmissionConfiguration',
  plugins: [
    {
      name: 'ResourceQuota',
      configuration: {
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'ResourceQuotaConfiguration',
        limitedResources: [
          {
            resource: 'pods',
            matchScopes: [
              {
                scopeName: 'PriorityClass',
                operator: 'In',
                values: ['system-node-critical', 'system-cluster-critical'],
              },
            ],
          },
        ],
      },
    },
  ],
};

describe('an API server that takes critical pods only with a quota @all', function () {
  const folder = mkdtempSync(join(tmpdir(), 'gpu-partition-admission-'));
  const file = join(folder, 'admission.yaml');
  writeFileSync(file, stringify(admission));
  const cluster = useOwnCluster({ apiServerArguments: [`--admission-control-config-file=${file}`] });
  after(() => rmSync(folder, { recursive: true }));

  const namesOf = async (...args: readonly string[]): Promise<string> =>
    (await cluster().kubectl(['get', ...args, '-o', 'name'])).stdout;

  before(async () => {
    const labels = { 'cloud.google.com/gke-gpu': 'true', 'nvidia.com/gpu.present': 'true' };
    const body = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'gke', labels } };
    await cluster().client.demand({ method: 'POST', path: '/api/v1/nodes', body });
  });

  it('makes none of the pods of config/default', async () => {
    await applyFolder(cluster(), 'config/default');
    for (const namespace of ['gpu-partition-system', 'gpu-partition-agents']) {
      await eventually(
        async () => (await cluster().kubectl(['get', 'events', '-n', namespace])).stdout,
        (text) => text.includes('insufficient quota to match these scopes'),
        { timeoutMs: 30_000, what: `the refusal in ${namespace}` },
      );
      expect(await namesOf('pods', '-n', namespace)).to.equal('');
    }
  });

  it('makes those of config/overlays/gke-cos', async () => {
    await applyFolder(cluster(), 'config/overlays/gke-cos');
    await cluster().kubectl(['rollout', 'restart', '-n', 'gpu-partition-system', 'deploy/gpu-partition-controller']);
    for (const [namespace, count] of [
      ['gpu-partition-system', 2],
      ['gpu-partition-agents', 1],
    ] as const) {
      await eventually(
        async () => (await namesOf('pods', '-n', namespace)).trim().split('\n').filter(Boolean),
        (pods) => pods.length >= count,
        { timeoutMs: 40_000, what: `the pods of ${namespace}` },
      );
    }
  });
});
