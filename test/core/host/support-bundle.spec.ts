import { expect } from 'chai';
import { trimObject } from '../../../src/core/host/support-bundle.ts';

const secret = 'hunter2';
const container = {
  name: 'main',
  image: 'example.com/a:1',
  command: [secret],
  args: ['--log-level=debug'],
  env: [{ name: 'A', value: secret }],
  envFrom: [{ secretRef: { name: secret } }],
  volumeMounts: [{ name: secret }],
  livenessProbe: { exec: { command: [secret] } },
  resources: { limits: { 'nvidia.com/gpu': 1 } },
};
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'a',
    namespace: 'team',
    labels: { app: 'train' },
    annotations: { 'example.com/token': secret, 'gpupartition.dev/evict': 'false' },
    managedFields: [{ manager: secret }],
  },
  spec: {
    nodeName: 'n1',
    containers: [container],
    initContainers: [container],
    volumes: [{ name: secret }],
    imagePullSecrets: [{ name: secret }],
    hostAliases: [{ hostnames: [secret] }],
    affinity: { podAffinity: { preferred: secret }, nodeAffinity: { required: 'kept' } },
  },
  status: {
    phase: 'Failed',
    podIP: secret,
    containerStatuses: [
      {
        name: 'main',
        restartCount: 2,
        state: { terminated: { reason: 'Error', exitCode: 1, message: secret } },
        lastState: { terminated: { reason: 'Error', exitCode: 1, message: secret } },
      },
    ],
  },
};

describe('what a support bundle holds of an object', () => {
  it('is chosen field by field: of a pod nothing that could be a secret', () => {
    const found = trimObject(pod, 'pod');
    expect(JSON.stringify(found)).not.to.contain(secret).and.not.to.contain('--log-level');
    expect(found.metadata).to.deep.equal({
      name: 'a',
      namespace: 'team',
      labels: { app: 'train' },
      annotations: { 'gpupartition.dev/evict': 'false' },
    });
    expect(found.spec.containers).to.deep.equal([
      { name: 'main', image: 'example.com/a:1', resources: { limits: { 'nvidia.com/gpu': 1 } } },
    ]);
    expect(found.status.containerStatuses[0]).to.deep.equal({
      name: 'main',
      restartCount: 2,
      state: { terminated: { reason: 'Error', exitCode: 1 } },
      lastState: { terminated: { reason: 'Error', exitCode: 1 } },
    });
  });

  it('has the options of our own programs, and their environment not', () => {
    const found = trimObject(pod, 'ownPod');
    expect(JSON.stringify(found)).not.to.contain(secret);
    expect(JSON.stringify(found)).to.contain('--log-level=debug');
  });

  it('has no address of a node, and nothing that names the machine below it', () => {
    const node = {
      metadata: { name: 'n1', annotations: { 'example.com/bmc': secret } },
      spec: { providerID: secret, podCIDR: secret, taints: [{ key: 'a', effect: 'NoSchedule' }] },
      status: {
        addresses: [{ type: 'InternalIP', address: secret }],
        images: [{ names: [secret] }],
        nodeInfo: { machineID: secret, systemUUID: secret, kubeletVersion: 'v1.36.3' },
        allocatable: { 'nvidia.com/gpu': '8' },
      },
    };
    expect(trimObject(node, 'node')).to.deep.equal({
      metadata: { name: 'n1', annotations: {} },
      spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
      status: { nodeInfo: { kubeletVersion: 'v1.36.3' }, allocatable: { 'nvidia.com/gpu': '8' } },
    });
  });
});
