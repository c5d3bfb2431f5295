import { expect } from 'chai';
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

  it('find the driver where each platform has it', async () => {
    const agent = async (name: string) => argsOf(await renderFolder(`config/${name}`), 'DaemonSet');
    expect(await agent('default')).to.include('--driver-root=/run/nvidia/driver,/proc/1/root');
    expect(await agent('overlays/host-driver')).to.include('--driver-root=/proc/1/root');
    expect(await agent('overlays/gke-cos')).to.include('--library-path=/usr/local/nvidia/lib64');
    expect(await agent('overlays/talos')).to.include('--library-path=/usr/local/glibc/usr/lib');
    const gke = templateOf(await renderFolder('config/overlays/gke-cos'), 'DaemonSet').spec;
    expect(gke.nodeSelector).to.deep.equal({ 'cloud.google.com/gke-gpu': 'true' });
  });

  it('leave OpenShift the choice of the controller’s user id, and ask for the agents’ constraint', async () => {
    const objects = await renderFolder('config/overlays/openshift');
    expect(templateOf(objects, 'Deployment').spec.securityContext).to.not.have.property('runAsUser');
    expect(objects.map(({ metadata }) => metadata.name)).to.include('gpu-partition-agent-scc');
  });

  it('give the controller its one ConfigMap under gpu-operator', async () => {
    const objects = await renderFolder('config/overlays/gpu-operator');
    const place = '--device-plugin-config-map=gpu-operator/gpu-partition-device-plugin';
    expect(argsOf(objects, 'Deployment')).to.include(place);
    const found = objects.filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.namespace === 'gpu-operator');
    expect(found.map(({ metadata }) => metadata.name)).to.deep.equal(['gpu-partition-device-plugin']);
  });
});
