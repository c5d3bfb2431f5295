import { expect } from 'chai';

import { runHelm } from '../support/helm.ts';
import { gpus } from './gpus.ts';
import type { Profiles } from './operator.ts';
import { killPrograms } from './processes.ts';
import { isOnNode } from './real-node.ts';
import { useRealNode } from './shared-node.ts';

const whole: Profiles = { '7g.40gb': 1 };
const small: Profiles = { '1g.5gb': 7 };
const mixed: Profiles = { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 };

/** What people set, and nothing that their cluster would have to have. */
const ownValues = [
  'fullnameOverride=own',
  'namespaces.controller=own-controller',
  'namespaces.agents=own-agents',
  'image.repository=docker.io/library/gpu-partition-operator',
  'image.tag=dev',
  'image.pullPolicy=IfNotPresent',
  'controller.replicas=1',
  'controller.extraArgs={--log-level=debug,--plugin-refresh=Evict}',
  'controller.nodeSelector.kubernetes\\.io/os=linux',
  'controller.tolerations[0].operator=Exists',
  'controller.resources.limits.memory=384Mi',
  'agent.extraArgs={--log-level=debug,--read-interval-ms=5000}',
  'agent.driverRoots={/run/nvidia/driver}',
  'agent.resources.limits.memory=160Mi',
  'podDisruptionBudget.enabled=false',
  'networkPolicy.enabled=false',
];

describe('the chart on a real kubelet', function () {
  this.timeout(240_000);
  const operator = useRealNode();

  async function helm(...args: readonly string[]): Promise<void> {
    const kubeconfig = await operator().node.controlPlane.kubeconfigFile();
    const { code, stdout, stderr } = await runHelm(...args, '--kubeconfig', kubeconfig);
    expect(code, `helm ${args[0]}: ${stderr} ${stdout}`).to.equal(0);
  }

  /** Our taints and labels on the node. */
  async function findMarks(): Promise<readonly string[]> {
    const { metadata } = await operator().readNode();
    const marks = Object.keys(metadata.labels).filter((key) => /^gpupartition\.dev\/|mig\.config\.state$/.test(key));
    return [...(await operator().taints()), ...marks];
  }

  async function findFinalizers(): Promise<string> {
    return operator().kubectl('get', 'gpp', '-o', 'jsonpath={.items[*].metadata.finalizers[*]}');
  }

  after(async () => {
    if (!isOnNode()) return;
    await helm('uninstall', 'gpu-partition', '--ignore-not-found', '--wait', '--timeout=150s');
    await operator().kubectl('delete', '-k', 'config/crd', '--ignore-not-found', '--timeout=60s');
  });

  it('with its own values starts agent and controllers, and a policy becomes Ready', async () => {
    // The image of this checkout, which is what the node has: a release's chart takes the one of its version.
    await helm(
      'install',
      'gpu-partition',
      'charts/gpu-partition',
      '--set',
      'image.tag=dev',
      '--wait',
      '--timeout=150s',
    );
    await operator().rollOut();
    await operator().untilRead(gpus);
    await operator().runPlugin('mixed');
    await operator().ask(mixed);
    await operator().untilDone(mixed);
  });

  it('does the same with strategy single: slices of one profile, which the node offers and is labelled as GPUs', async () => {
    await operator().runPlugin('single');
    await operator().ask(small, { strategy: 'single' });
    await operator().untilOffered({ 'nvidia.com/gpu': 14 });
    const { labels } = (await operator().readNode()).metadata;
    expect(labels).to.include({
      'nvidia.com/mig.strategy': 'single',
      'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-40GB-MIG-1g.5gb',
      'nvidia.com/gpu.count': '14',
    });
  });

  it('is uninstalled with a node closed and a policy at work, and leaves no mark of ours: the policies stay', async () => {
    const policy = { strategy: 'single', onDelete: 'DisableMig', drain: { scope: 'None' } } as const;
    await operator().runGpuPod('holder', 'nvidia.com/gpu');
    await operator().ask(whole, policy);
    await operator().untilTainted('gpupartition.dev/repartitioning');
    expect(await findMarks()).to.include.members(['gpupartition.dev/policy', 'nvidia.com/mig.config.state']);
    expect(await findFinalizers()).to.equal('gpupartition.dev/cleanup');
    await helm('uninstall', 'gpu-partition', '--wait', '--timeout=150s');
    expect(await findMarks()).to.deep.equal([]);
    expect(await findFinalizers()).to.equal('');
    expect(await operator().kubectl('get', 'gpp', '-o', 'name')).to.include('/slices');
    for (const program of ['/app/agent.mjs', '/app/controller.mjs']) expect(await killPrograms(program)).to.equal(0);
    const namespaces = await operator().kubectl('get', 'namespaces', '-o', 'name');
    expect(namespaces).to.not.include('gpu-partition');
    await operator().kubectl('delete', 'gpp', '--all', '--timeout=20s');
    await operator().kubectl('delete', 'pod', 'holder');
  });

  it('starts with names, image, options and limits of one’s own, and is uninstalled when its CRDs are gone already', async () => {
    const values = ownValues.flatMap((value) => ['--set', value]);
    await helm('install', 'gpu-partition', 'charts/gpu-partition', ...values, '--wait', '--timeout=150s');
    await operator().rollOut({ controllers: 'own-controller', agents: 'own-agents', names: 'own' });
    await operator().untilRead(gpus);
    await operator().kubectl('delete', '-k', 'config/crd', '--timeout=60s');
    await helm('uninstall', 'gpu-partition', '--wait', '--timeout=150s');
    expect(await findMarks()).to.deep.equal([]);
  });
});
