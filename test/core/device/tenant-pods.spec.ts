import { expect } from 'chai';
import {
  aGpuPod,
  aHolderPod,
  aManagedPartition,
  aNode,
  aPluginPod,
  aWish,
  judge,
  noMemory,
  noon,
  taints,
  wholeGpu,
} from '../../support/node-builders.ts';
import { NodeWorld } from '../../support/node-world.ts';
import { planWish } from '../../../src/core/device/plan.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';

/** The same pod as a tenant can make it: in its own namespace, or without the DaemonSet. */
function forged(pod: PodView): readonly PodView[] {
  const { ownerReferences: _none, ...bare } = pod.metadata;
  return [
    { ...pod, metadata: { ...pod.metadata, namespace: 'tenant' } },
    { ...pod, metadata: bare },
  ];
}

describe('pods that a tenant labels as the cluster’s own', () => {
  const plan = { ...planWish(wholeGpu, aWish).report, modeChanges: 1 };

  it('have no say in the settings of the device plugin', () => {
    const pods = [aPluginPod(), ...forged(aPluginPod({ name: 'forged', strategy: 'none' }))];
    expect(judge({}, { pods }).verdict.reason).to.equal('AwaitingGrant');
  });

  it('do not keep a node closed after its change, and are never evicted', () => {
    const world = new NodeWorld({ pods: [aPluginPod({ tolerates: true }), ...forged(aPluginPod({ name: 'forged' }))] });
    const evicted = new Set<string>();
    for (let second = 0; second < 30; second += 1) {
      for (const command of world.step(1000).commands) if (command.name === 'EvictPod') evicted.add(command.pod.name);
    }
    expect([...evicted]).to.not.include('forged');
  });

  it('are not waited for as holders of GPUs, and are never evicted', () => {
    const world = new NodeWorld({
      partition: aManagedPartition({ device: { ...wholeGpu, plan } }),
      pods: [aPluginPod({ tolerates: true }), ...forged(aHolderPod('dcgm-exporter', { name: 'forged' }))],
    });
    const steps = Array.from({ length: 6 }, () => world.step(1000));
    expect(steps.flatMap(({ commands }) => commands).filter(({ name }) => name === 'WriteGrant')).to.have.length(1);
    expect(steps.map(({ verdict }) => verdict.reason)).to.not.include('ClientsStay');
  });

  it('do not use a GPU by asking for a resource that the node does not have', () => {
    const limits = [{ 'k8s.amazonaws.com/vgpu': 1 }, { 'nvidia.com/mig-9g.999gb': 1 }];
    const pods = limits.map((amounts, index): PodView => {
      const pod = aGpuPod(`forged-${index}`);
      const containers = [{ name: 'main', resources: { limits: amounts } }];
      return { ...pod, spec: { containers } };
    });
    const node = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });
    const settled = { ...noMemory, waits: { Closed: { since: noon - 1000 } } };
    const reasonOf = (more: readonly PodView[]): string =>
      judge({ node }, { pods: [aPluginPod(), ...more] }, settled).verdict.reason;
    expect(reasonOf(pods)).to.equal('ClientsStay');
    expect(reasonOf([aGpuPod()])).to.equal('Draining');
  });
});
