import { expect } from 'chai';
import { pluginPodsOf } from '../../../src/core/node/plugin-pods.ts';
import { chooseKey, roleOf, readDaemonSettings } from '../../../src/simulator/kubelet/daemon-config.ts';
import type { Container, PodObject } from '../../../src/simulator/kubelet/node.ts';

const labels = { 'app.kubernetes.io/name': 'nvidia-device-plugin' };

function aPod(
  containers: readonly Container[],
  { podLabels = labels, init = [] }: { podLabels?: Record<string, string>; init?: readonly Container[] } = {},
): PodObject {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd', controller: true }];
  return {
    metadata: { name: 'p', namespace: 'n', labels: podLabels, ownerReferences },
    spec: {
      containers,
      initContainers: init,
      volumes: [
        { name: 'entrypoint', configMap: { name: 'nvidia-device-plugin-entrypoint' } },
        { name: 'available-configs', configMap: { name: 'configs' } },
      ],
    },
  };
}

const main = { name: 'nvidia-device-plugin-ctr' };
const mounts = [{ name: 'available-configs', mountPath: '/available-configs' }];
const sidecar = { name: 'nvidia-device-plugin-sidecar', command: ['config-manager'], volumeMounts: mounts };

describe('the role of a pod', () => {
  it('is by its containers where the three DaemonSets of the Helm chart share their labels', () => {
    expect(roleOf(aPod([main]))).to.equal('device-plugin');
    expect(roleOf(aPod([{ name: 'gpu-feature-discovery-ctr' }]))).to.equal('gpu-feature-discovery');
    expect(roleOf(aPod([{ name: 'mps-control-daemon-ctr' }]))).to.equal(undefined);
  });

  it('is by the labels of gpu-operator and of the static manifests', () => {
    const roles = [
      { app: 'nvidia-device-plugin-daemonset' },
      { name: 'nvidia-device-plugin-ds' },
      { app: 'gpu-feature-discovery' },
      { 'app.kubernetes.io/name': 'gpu-feature-discovery' },
      { app: 'nvidia-dcgm' },
    ].map((podLabels) => roleOf(aPod([{ name: 'main' }], { podLabels })));
    const gfd = 'gpu-feature-discovery';
    expect(roles).to.deep.equal(['device-plugin', 'device-plugin', gfd, gfd, undefined]);
  });

  it('is the device plugin where the controller sees one, and nowhere else', () => {
    const containers = [
      [main],
      [{ name: 'gpu-feature-discovery-ctr' }],
      [{ name: 'mps-control-daemon-ctr' }],
      [sidecar, main],
    ];
    const labelSets = [
      labels,
      { app: 'nvidia-device-plugin-daemonset' },
      { name: 'nvidia-device-plugin-ds' },
      { app: 'x' },
    ];
    const pods = containers.flatMap((list) => labelSets.map((podLabels) => aPod(list, { podLabels })));
    expect(pods.filter((pod) => roleOf(pod) === 'device-plugin')).to.deep.equal(pluginPodsOf(pods));
    expect(pluginPodsOf(pods)).to.have.length(6);
  });
});

describe('the settings of a daemon’s pod', () => {
  const read = (container: Partial<Container>) =>
    readDaemonSettings(aPod([sidecar, { ...main, ...container }]), 'device-plugin');

  it('take an argument before the environment, of several the last', () => {
    const env = [{ name: 'MIG_STRATEGY', value: 'single' }];
    expect(read({ args: ['--mig-strategy=none', '--mig-strategy', 'mixed'], env }).strategy).to.equal('mixed');
    expect(read({ command: ['nvidia-device-plugin', '--mig-strategy=none'], env }).strategy).to.equal('none');
    expect(read({ env }).strategy).to.equal('single');
    expect(read({})).not.to.have.property('strategy');
  });

  it('name the ConfigMap that config-manager mounts, and the container that keeps watching', () => {
    expect(read({}).configManager).to.include({ configMap: 'configs', sidecar: 'nvidia-device-plugin-sidecar' });
    const once = readDaemonSettings(
      aPod([main], { init: [{ ...sidecar, name: 'config-manager-init' }] }),
      'device-plugin',
    );
    expect(once.configManager).to.include({ configMap: 'configs' }).and.not.have.property('sidecar');
    expect(readDaemonSettings(aPod([main]), 'device-plugin')).to.deep.equal({ container: 'nvidia-device-plugin-ctr' });
  });
});

describe('config-manager', () => {
  const fallbacks = ['named', 'single', 'empty'];

  it('takes the key of the label, then the default, then the fallbacks in order', () => {
    expect(chooseKey(['a', 'b'], 'b', { defaultKey: 'a', fallbacks })).to.deep.equal({ key: 'b' });
    expect(chooseKey(['a', 'b'], '', { defaultKey: 'a', fallbacks })).to.deep.equal({ key: 'a' });
    expect(chooseKey(['a', 'default'], '', { fallbacks })).to.deep.equal({ key: 'default' });
    expect(chooseKey(['a'], '', { fallbacks })).to.deep.equal({ key: 'a' });
    expect(chooseKey(['a', 'b'], '', { fallbacks })).to.deep.equal({});
  });

  it('fails in its own words where there is no such key', () => {
    expect(chooseKey(['a'], 'b', { fallbacks })).to.deep.equal({ failure: 'specified config b does not exist' });
    expect(chooseKey([], '', { fallbacks })).to.deep.equal({ failure: 'no configuration files available' });
    expect(chooseKey(['a', 'b'], '', { fallbacks: ['named', 'single'] })).to.deep.equal({
      failure: 'no config was set, no default was provided, and all fallbacks failed',
    });
  });
});
