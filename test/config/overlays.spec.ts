import { expect } from 'chai';
import { agentCommand } from '../../src/agent/command.ts';
import { repartitioningTaint, startupTaintKeys } from '../../src/api/names.ts';
import { controllerCommand } from '../../src/controller/command.ts';
import { renderFolder } from '../api/installation.ts';
import { clusterTimeoutMs } from '../support/cluster.ts';
import { argsOf, installedFolders, templateOf, workloadKinds } from './workload.ts';

describe('the manifests', function () {
  this.timeout(clusterTimeoutMs);

  for (const folder of installedFolders) {
    it(`of ${folder} demand nothing of a host: no folder has to be there for the pod to start`, async () => {
      const { volumes } = templateOf(await renderFolder(folder), 'DaemonSet').spec;
      const types = volumes.flatMap(({ hostPath }) => (hostPath ? [hostPath.type] : []));
      expect(new Set(types)).to.deep.equal(new Set(['DirectoryOrCreate']));
    });

    it(`of ${folder} have probes, limits of memory, and no warning of Node in the logs`, async () => {
      const objects = await renderFolder(folder);
      for (const kind of workloadKinds) {
        const [container] = templateOf(objects, kind).spec.containers;
        expect(container, kind).to.include.keys('livenessProbe', 'readinessProbe');
        expect(container?.resources?.limits?.memory, kind).to.match(/Mi$/);
        expect(container?.command, kind).to.include('--disable-warning=DEP0040');
        expect(container?.args, kind).to.include('--health-port=8081');
      }
    });
  }

  it('have probes and metrics served on the address of the pod alone', async () => {
    const objects = await renderFolder('config/default');
    for (const kind of workloadKinds) {
      const { env = [] } = templateOf(objects, kind).spec.containers[0] ?? {};
      const address = env.find(({ name }) => name === 'POD_IP');
      expect(address?.valueFrom?.fieldRef?.fieldPath, kind).to.equal('status.podIP');
    }
    for (const { options } of [controllerCommand(), agentCommand()]) {
      const host = options.find(({ long }) => long === '--health-host');
      expect(host?.defaultValueDescription).to.equal('$POD_IP, else 127.0.0.1');
    }
  });

  it('let an agent that is stopped finish a reset, which is not to be killed halfway', async () => {
    const reset = agentCommand().options.find(({ long }) => long === '--reset-timeout-seconds');
    const limit = Number(/default: (\d+)/.exec(reset?.description ?? '')?.[1]);
    const { terminationGracePeriodSeconds } = templateOf(await renderFolder('config/default'), 'DaemonSet').spec;
    expect(terminationGracePeriodSeconds).to.be.at.least(limit + 30);
  });

  it('stand up to a drain: two controllers on two machines, one of which may go at a time', async () => {
    const objects = await renderFolder('config/default');
    const labels = { matchLabels: { 'app.kubernetes.io/name': 'gpu-partition-controller' } };
    const controller = objects.find(({ kind }) => kind === 'Deployment');
    expect(controller?.spec).to.include({ replicas: 2 });
    const [preferred] =
      templateOf(objects, 'Deployment').spec.affinity?.podAntiAffinity
        .preferredDuringSchedulingIgnoredDuringExecution ?? [];
    expect(preferred?.podAffinityTerm).to.deep.equal({ topologyKey: 'kubernetes.io/hostname', labelSelector: labels });
    const budget = objects.find(({ kind }) => kind === 'PodDisruptionBudget');
    const counted = { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' };
    expect(budget?.spec).to.deep.equal({ ...counted, selector: labels });
  });

  it('let controllers start on a node that they have closed: it may be the only one', async () => {
    const { tolerations = [] } = templateOf(await renderFolder('config/default'), 'Deployment').spec;
    const keys = [repartitioningTaint.key, ...startupTaintKeys];
    expect(tolerations).to.deep.equal(keys.map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' })));
  });

  it('let pods speak to the API server and to names, and listen to those who scrape, in both namespaces', async () => {
    const policies = (await renderFolder('config/default')).filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies.map(({ metadata }) => metadata.namespace)).to.have.members([
      'gpu-partition-system',
      'gpu-partition-agents',
    ]);
    const from = [{ namespaceSelector: { matchLabels: { 'gpupartition.dev/metrics': 'true' } } }];
    const open = ([protocol, port]: readonly [string, number]): object => ({ protocol, port });
    const ports = (
      [
        ['TCP', 443],
        ['TCP', 6443],
        ['UDP', 53],
        ['TCP', 53],
      ] as const
    ).map(open);
    for (const { spec } of policies) {
      expect(spec).to.deep.equal({
        podSelector: {},
        policyTypes: ['Ingress', 'Egress'],
        ingress: [{ from, ports: [open(['TCP', 8081])] }],
        egress: [{ ports }],
      });
    }
  });

  it('find the driver where each platform has it', async () => {
    const agent = async (name: string) => argsOf(await renderFolder(`config/${name}`), 'DaemonSet');
    expect(await agent('default')).to.include('--driver-root=/run/nvidia/driver,/proc/1/root');
    expect(await agent('overlays/host-driver')).to.include('--driver-root=/proc/1/root');
    expect(await agent('overlays/gke-cos')).to.include('--library-path=/usr/local/nvidia/lib64');
    expect(await agent('overlays/talos')).to.include('--library-path=/usr/local/glibc/usr/lib');
    const gke = templateOf(await renderFolder('config/overlays/gke-cos'), 'DaemonSet').spec;
    expect(gke.nodeSelector).to.deep.equal({ 'cloud.google.com/gke-gpu': 'true' });
  });

  it('leave OpenShift the choice of the controller’s user id, ask for the agents’ constraint, and know its gpu-operator', async () => {
    const objects = await renderFolder('config/overlays/openshift');
    expect(templateOf(objects, 'Deployment').spec.securityContext).to.not.have.property('runAsUser');
    expect(objects.map(({ metadata }) => metadata.name)).to.include('gpu-partition-agent-scc');
    const [namespaces] = argsOf(objects, 'Deployment').filter((arg) => arg.startsWith('--system-namespaces='));
    expect(namespaces).to.include('nvidia-gpu-operator').and.include('kube-system');
  });

  it('give the controller its one ConfigMap under gpu-operator', async () => {
    const objects = await renderFolder('config/overlays/gpu-operator');
    const place = '--device-plugin-config-map=gpu-operator/gpu-partition-device-plugin';
    expect(argsOf(objects, 'Deployment')).to.include(place);
    const found = objects.filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.namespace === 'gpu-operator');
    expect(found.map(({ metadata }) => metadata.name)).to.deep.equal(['gpu-partition-device-plugin']);
  });
});
