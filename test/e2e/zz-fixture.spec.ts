import { writeFile } from 'node:fs/promises';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { applyObjects } from '../support/gpu-pods.ts';
import { useRig } from '../support/rig.ts';

const nodes = ['gpu-a1', 'gpu-a2', 'gpu-a3', 'gpu-a4'].map(
  (name): RigNode => ({ name, gpus: ['A100-SXM4-40GB', 'A100-SXM4-40GB'], labels: { pool: 'inference' }, strategy: 'mixed' }),
);
const half = 'nvidia.com/mig-3g.20gb';
const workload = (name: string, node: string, replicas: number, kind = 'Deployment') => ({
  apiVersion: 'apps/v1', kind, metadata: { name, namespace: 'default' },
  spec: { replicas, selector: { matchLabels: { app: name } }, ...(kind === 'StatefulSet' && { serviceName: name }),
    template: { metadata: { labels: { app: name } }, spec: { nodeSelector: { 'kubernetes.io/hostname': node },
      containers: [{ name: 'main', image: `example.com/${name}:1`, resources: { limits: { [half]: 1 } } }] } } },
});
describe('fixture', function () {
  this.timeout(180_000);
  const rig = useRig(nodes, { controllerArguments: ['--max-concurrent-nodes', '100%'] });
  it('is made', async () => {
    await rig().apply('inference', { nodeSelector: { matchLabels: { pool: 'inference' } }, layouts: [{ profiles: { '3g.20gb': 2 } }] });
    await rig().waitFor('inference', 'Ready', 'True', 'Ready', 90_000);
    for (const { name } of nodes) await rig().kubectl('label', 'node', name, `kubernetes.io/hostname=${name}`, '--overwrite');
    await applyObjects(rig(), [
      workload('ranker', 'gpu-a1', 4, 'StatefulSet'),
      workload('speech', 'gpu-a2', 3, 'StatefulSet'),
      workload('triton', 'gpu-a3', 2, 'StatefulSet'),
      { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'speech', namespace: 'default' }, spec: { minAvailable: 3, selector: { matchLabels: { app: 'speech' } } } },
      { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'ranker', namespace: 'default' }, spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'ranker' } } } },
    ]);
    const pods = async (node: string) => ((await rig().partition(node)).status?.device?.gpus ?? []).flatMap(({ instances }) => instances.flatMap(({ pods: p = [] }) => p));
    for (const [node, count] of [['gpu-a1', 4], ['gpu-a2', 3], ['gpu-a3', 2]] as const)
      await eventually(() => pods(node), (p) => p.length === count, { timeoutMs: 60_000, what: node });
    await rig().kubectl('wait', 'pdb/speech', '--for=jsonpath={.status.currentHealthy}=3', '--timeout=40s');
    await rig().kubectl('wait', 'pdb/ranker', '--for=jsonpath={.status.currentHealthy}=4', '--timeout=40s');
    await writeFile('/tmp/plancli-snapshot.yaml', await rig().kubectl('get', 'nodes,gpn,gpp,pods,pdb', '-A', '-o', 'yaml'));
  });
});
