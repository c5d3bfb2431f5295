import { expect } from 'chai';
import { parseEqualitySelector, pluginPodsOf } from '../../../src/core/pods/plugin-pods.ts';
import { isReady, type PodView, tolerates } from '../../../src/core/pods/pod-view.ts';

const taint = { key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule' };

function aPod(labels: Readonly<Record<string, string>>, more: Partial<PodView> = {}): PodView {
  const ownerReferences = [{ kind: 'DaemonSet', controller: true }];
  return { metadata: { name: 'p', labels, ownerReferences }, ...more };
}

describe('pluginPodsOf', () => {
  const known = [
    { app: 'nvidia-device-plugin-daemonset' },
    { 'app.kubernetes.io/name': 'nvidia-device-plugin' },
    { name: 'nvidia-device-plugin-ds' },
  ];

  it('knows the pods of gpu-operator, of the chart and of the static manifest', () => {
    for (const labels of known) {
      const pod = aPod({ ...labels, other: 'x' });
      expect(pluginPodsOf([pod, aPod({ app: 'other' })])).to.deep.equal([pod]);
    }
  });

  it('tells the chart’s GPU Feature Discovery and MPS daemon apart, which have the plugin’s labels', () => {
    const containers = ['gpu-feature-discovery-ctr', 'mps-control-daemon-ctr', 'nvidia-device-plugin-ctr'];
    const pods = containers.map((name) => aPod(known[1] ?? {}, { spec: { containers: [{ name }] } }));
    expect(pluginPodsOf(pods)).to.deep.equal(pods.slice(2));
  });

  it('takes no pod without a controller, and none that has ended', () => {
    const labels = known[0] ?? {};
    expect(pluginPodsOf([{ metadata: { name: 'bare', labels } }])).to.deep.equal([]);
    expect(pluginPodsOf([aPod(labels, { status: { phase: 'Failed' } })])).to.deep.equal([]);
  });

  it('takes pods with all labels of a selector besides', () => {
    const pods = [aPod({ app: 'mine', tier: 'gpu' }), aPod({ app: 'mine' })];
    expect(pluginPodsOf(pods, { app: 'mine', tier: 'gpu' })).to.deep.equal(pods.slice(0, 1));
  });
});

describe('tolerates', () => {
  const pod = (toleration: object): PodView => aPod({}, { spec: { tolerations: [toleration] } });

  it('holds for the operator Exists, alone or with the key', () => {
    expect(tolerates(pod({ operator: 'Exists' }).spec?.tolerations, taint)).to.equal(true);
    expect(
      tolerates(pod({ key: taint.key, operator: 'Exists', effect: 'NoSchedule' }).spec?.tolerations, taint),
    ).to.equal(true);
  });

  it('holds for the key with the same value', () => {
    expect(tolerates(pod({ key: taint.key }).spec?.tolerations, taint)).to.equal(true);
    expect(tolerates(pod({ key: taint.key, value: 'x' }).spec?.tolerations, taint)).to.equal(false);
  });

  it('does not hold for another key, another effect, or none', () => {
    expect(tolerates(pod({ key: 'nvidia.com/gpu', operator: 'Exists' }).spec?.tolerations, taint)).to.equal(false);
    expect(tolerates(pod({ operator: 'Exists', effect: 'NoExecute' }).spec?.tolerations, taint)).to.equal(false);
    expect(tolerates(aPod({}).spec?.tolerations, taint)).to.equal(false);
  });
});

describe('isReady', () => {
  it('is so with the condition, and no longer when the pod is told to end', () => {
    const pod = aPod({}, { status: { conditions: [{ type: 'Ready', status: 'True' }] } });
    expect(isReady(pod)).to.equal(true);
    expect(isReady({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: 'now' } })).to.equal(false);
    expect(isReady(aPod({}))).to.equal(false);
  });
});

describe('parseEqualitySelector', () => {
  it('reads what kubectl does, of equality', () => {
    expect(parseEqualitySelector('app=mine, example.com/tier==gpu')).to.deep.equal({
      app: 'mine',
      'example.com/tier': 'gpu',
    });
  });

  it('refuses everything else', () => {
    for (const text of ['', 'app', 'app!=x', 'app in (a)', 'a=b,']) {
      expect(parseEqualitySelector(text), text).to.equal(undefined);
    }
  });
});
