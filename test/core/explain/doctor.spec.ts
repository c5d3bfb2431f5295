import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { diagnoseCluster, doctorCodes, type DoctorFacts } from '../../../src/core/explain/doctor.ts';
import type { ClusterFacts } from '../../../src/core/cluster/facts.ts';
import type { NodeView, Taint } from '../../../src/core/kubernetes/node.ts';
import type { PodView, Toleration } from '../../../src/core/kubernetes/pod.ts';
import type { DeviceReport, GpuNodePartition, GpuPartitionPolicy } from '../../../src/api/types.ts';
import { computeLabels } from '../../../src/core/nvidia/labels.ts';
import { describeReport } from '../../../src/core/nvidia/predict.ts';
import { aDevice, aGpu, aPolicy } from '../../support/builders.ts';
import { aCluster, aPod, type StoryNode } from '../kubernetes/cluster-builder.ts';
import { ownCrds } from './own-crds.ts';

const everyTaint = [{ operator: 'Exists' }];
const slices = ['1g.5gb@0', '1g.5gb@1'];

/** A pod of a DaemonSet on node `n`. */
function aDaemon(
  name: string,
  labels: Readonly<Record<string, string>>,
  spec: PodView['spec'] & { readonly tolerations?: readonly Toleration[] } = {},
): PodView {
  return {
    metadata: {
      name: `${name}-x7`,
      namespace: 'gpu-operator',
      labels,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name, controller: true }],
    },
    spec: { nodeName: 'n', tolerations: everyTaint, volumes: [], containers: [{ name: 'main' }], ...spec },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

const manager = (image = 'k8s-mig-manager:v0.14.0'): PodView =>
  aDaemon('mig-manager', { app: 'nvidia-mig-manager' }, { containers: [{ name: 'mig-manager', image }] });

interface Story {
  readonly node?: StoryNode;
  readonly pods?: readonly PodView[];
  readonly events?: DoctorFacts['events'];
  readonly files?: DoctorFacts['configFiles'];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly unknown[];
  readonly heartbeat?: string;
  readonly device?: Partial<DeviceReport>;
  readonly conditions?: NonNullable<GpuNodePartition['status']>['conditions'] | undefined;
  readonly policy?: GpuPartitionPolicy;
}

/** A cluster of one node with two slices, in which all is well but for the story. */
function tell({
  node = {},
  pods = [],
  events = [],
  files = new Map(),
  policy = aPolicy(),
  ...more
}: Story): DoctorFacts {
  const facts = aCluster([{ gpus: [aGpu({ slices })], policy, ...node }], pods);
  return { ...withParts(facts, more), events, configFiles: files, crds: ownCrds, version: '0.1.0' };
}

function withParts(
  facts: ClusterFacts,
  { annotations, managedFields, heartbeat, device, conditions }: Story,
): ClusterFacts {
  const nodes = facts.nodes.map((one): NodeView => ({
    ...one,
    metadata: { ...one.metadata, ...(annotations && { annotations }), ...(managedFields && { managedFields }) },
    status: {
      ...one.status,
      conditions: [{ type: 'Ready', status: 'True', ...(heartbeat && { lastHeartbeatTime: heartbeat }) }],
    },
  }));
  const partitions = facts.partitions.map((one): GpuNodePartition => ({
    ...one,
    status: { ...one.status, device: { ...one.status?.device, ...device }, ...(conditions && { conditions }) },
  }));
  return { ...facts, nodes, partitions };
}

const codesOf = (facts: DoctorFacts): readonly string[] => diagnoseCluster(facts).findings.map(({ code }) => code);
const onlyOf = (facts: DoctorFacts) => {
  const [found, ...others] = diagnoseCluster(facts).findings;
  expect(others).to.deep.equal([]);
  return found;
};
const whyOf = (facts: DoctorFacts, code: string): string | undefined =>
  diagnoseCluster(facts).notChecked.find((one) => one.code === code)?.why;

describe('the diagnosis of a cluster', () => {
  it('finds nothing where all is well, and names what only a machine shows', () => {
    const { findings, notChecked } = diagnoseCluster(tell({}));
    expect(findings).to.deep.equal([]);
    expect(notChecked.map(({ code }) => code)).to.deep.equal([
      'StaleCdi',
      'CapsMissing',
      'VersionSkew',
      'PersistenceOff',
      'NumaMissing',
    ]);
  });

  it('has a row for each code in docs/cli.md', async () => {
    const page = await readFile('docs/cli.md', 'utf8');
    const section = /^## doctor\n([^]*?)^## /m.exec(page)?.[1] ?? '';
    const rows = [...section.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
    expect(rows).to.have.members([...doctorCodes]);
  });

  it('looks at the node that is named alone', () => {
    const facts = aCluster([
      { name: 'a', gpus: [aGpu({ error: 'GpuLost: gone' })] },
      { name: 'b', gpus: [{ ...aGpu({ error: 'GpuLost: gone' }), uuid: 'GPU-b' }] },
    ]);
    const found = diagnoseCluster(
      { ...facts, events: [], configFiles: new Map(), crds: ownCrds, version: '0.1.0' },
      'b',
    );
    expect(found.findings.map(({ node }) => node)).to.deep.equal(['b']);
  });

  it('says that pods are not known, and judges nothing by them', () => {
    const facts = { ...tell({ node: { labels: { 'nvidia.com/gpu.deploy.mig-manager': 'true' } } }), pods: undefined };
    expect(diagnoseCluster(facts).findings).to.deep.equal([]);
    expect(whyOf(facts, 'TwoOwners')).to.equal('you may not list pods');
  });

  describe('TwoOwners', () => {
    it('is a policy that acts beside mig-manager', () => {
      const found = onlyOf(tell({ pods: [manager()] }));
      expect(found).to.include({ code: 'TwoOwners', node: 'n' });
      expect(found?.evidence).to.equal('policy p and NVIDIA mig-manager: pod gpu-operator/mig-manager-x7');
      expect(found?.remedy).to.contain('take the DaemonSet of gpu-operator/mig-manager-x7 off this node');
    });

    it('is not found if the policy only plans, or takes over from one that follows its label', () => {
      expect(codesOf(tell({ policy: aPolicy({ mode: 'Plan' }), pods: [manager()] }))).to.deep.equal([]);
      const { spec, ...rest } = manager();
      const obeying = { ...rest, spec: { ...spec, nodeSelector: { 'nvidia.com/gpu.deploy.mig-manager': 'true' } } };
      const policy = aPolicy({ allow: { takeOver: ['mig-manager'] } });
      expect(codesOf(tell({ policy, pods: [obeying] }))).to.deep.equal([]);
    });

    it('is two others without a policy of ours', () => {
      const labels = { 'nos.nebuly.com/gpu-partitioning': 'mig', 'cloud.google.com/gke-gpu-partition-size': '1g.5gb' };
      const found = onlyOf({ ...tell({ node: { labels } }), policies: [] });
      expect(found?.evidence).to.match(/^nos: label .* and GKE's device plugin: label /);
    });
  });

  describe('MigManagerGone', () => {
    const paused = {
      'nvidia.com/gpu.deploy.device-plugin': 'paused-for-mig-change',
      'nvidia.com/gpu.deploy.dcgm': 'paused-for-mig-change',
      'nvidia.com/mig.config.state': 'pending',
    };

    it('is its pause and its state without its pod', () => {
      expect(onlyOf(tell({ node: { labels: paused } }))).to.deep.equal({
        code: 'MigManagerGone',
        node: 'n',
        evidence:
          'nvidia.com/gpu.deploy.dcgm and nvidia.com/gpu.deploy.device-plugin=paused-for-mig-change, nvidia.com/mig.config.state=pending, ' +
          'and no pod of mig-manager is there to end it',
        remedy:
          'kubectl label node n nvidia.com/gpu.deploy.dcgm=true nvidia.com/gpu.deploy.device-plugin=true ' +
          'nvidia.com/mig.config.state- --overwrite; or let policy p repair them: spec.allow.takeOver: [mig-manager]',
      });
    });

    it('is not found while the driver is replaced, when everything is paused', () => {
      const labels = { ...paused, 'nvidia.com/gpu-driver-upgrade-state': 'pod-restart-required' };
      expect(codesOf(tell({ node: { labels } }))).to.deep.equal([]);
    });

    it('is not found if the pause and the state are ours', () => {
      const loan = Object.fromEntries(Object.entries(paused).map(([key, set]) => [key, { set, was: 'true' }]));
      const annotations = { 'gpupartition.dev/on-loan': JSON.stringify(loan) };
      expect(codesOf(tell({ node: { labels: paused }, annotations }))).to.deep.equal([]);
    });
  });

  describe('MigManagerStuck', () => {
    const plan = { policy: aPolicy({ mode: 'Plan' }), pods: [manager()] };
    const pending = { labels: { 'nvidia.com/mig.config.state': 'pending', 'nvidia.com/mig.config': 'all-1g.5gb' } };
    const writtenAt = (time: string) => [
      {
        manager: 'nvidia-mig-manager',
        time,
        fieldsV1: { 'f:metadata': { 'f:labels': { 'f:nvidia.com/mig.config.state': {} } } },
      },
    ];

    it('is pending for half an hour by the times of its label and of the kubelet', () => {
      const managedFields = writtenAt('2026-01-01T10:00:00Z');
      const found = onlyOf(tell({ ...plan, node: pending, managedFields, heartbeat: '2026-01-01T10:30:00Z' }));
      expect(found).to.include({ code: 'MigManagerStuck' });
      expect(found?.evidence).to.match(
        /^nvidia\.com\/mig\.config\.state=pending for 30 min or more; pod gpu-operator\/mig-manager-x7 \(v0\.14\.0; it never retries/,
      );
      expect(found?.remedy).to.contain('all-1g.5gb again');
    });

    it('is not found while it may be at work, and is unknown without the times', () => {
      const managedFields = writtenAt('2026-01-01T10:00:00Z');
      const facts = tell({ ...plan, node: pending, managedFields, heartbeat: '2026-01-01T10:10:00Z' });
      expect(codesOf(facts)).to.deep.equal([]);
      expect(whyOf(facts, 'MigManagerStuck')).to.equal(undefined);
      expect(whyOf(tell({ ...plan, node: pending }), 'MigManagerStuck')).to.contain('--show-managed-fields');
    });

    it('is a failure that left clients paused', () => {
      const labels = {
        'nvidia.com/mig.config.state': 'failed',
        'nvidia.com/gpu.deploy.device-plugin': 'paused-for-mig-change',
      };
      expect(onlyOf(tell({ ...plan, node: { labels } }))?.evidence).to.contain(
        'failed, and nvidia.com/gpu.deploy.device-plugin is still paused',
      );
      const { 'nvidia.com/mig.config.state': state } = labels;
      expect(codesOf(tell({ ...plan, node: { labels: { 'nvidia.com/mig.config.state': state } } }))).to.deep.equal([]);
    });
  });

  it('GpuFault is a GPU that cannot be read, or is reported as sick', () => {
    const health = { action: 'Reboot' as const, message: 'row remapping failed' };
    const gpus = [aGpu({ slices, error: 'GpuLost: Xid 79' }), aGpu({ index: 1, health })];
    const { findings } = diagnoseCluster(tell({ node: { gpus } }));
    expect(findings.map(({ code, evidence }) => `${code} ${evidence}`)).to.deep.equal([
      'GpuFault GPU 0 (A100-SXM4-40GB) cannot be read: GpuLost: Xid 79',
      'GpuFault GPU 1 (A100-SXM4-40GB): row remapping failed',
    ]);
    expect(findings[1]?.remedy).to.match(/^reboot the machine.*kubectl drain n /);
  });

  it('ModePending is a mode that waits for a reset, but not in the middle of a change', () => {
    const gpus = [aGpu({ migPending: 'Enabled' })];
    expect(onlyOf(tell({ node: { gpus } }))).to.include({ code: 'ModePending' });
    const taints: readonly Taint[] = [{ key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule' }];
    expect(codesOf(tell({ node: { gpus, taints } }))).to.deep.equal([]);
  });

  it('HalfMade is what a stopped change has left on a GPU that no policy covers, and not in the middle of a change', () => {
    const gpu = aGpu({ slices });
    const left = gpu.instances.map((one, at) => (at === 0 ? { ...one, computeInstances: [] } : one));
    const gpus = [{ ...gpu, instances: left }];
    /** Of a node on which no policy decides over the GPU. */
    const uncovered = (node: StoryNode): DoctorFacts => {
      const facts = tell({ node: { gpus, ...node } });
      const partitions = facts.partitions.map(({ spec: { wish: _wish, ...spec }, ...one }) => ({ ...one, spec }));
      return { ...facts, partitions };
    };
    expect(onlyOf(uncovered({}))).to.deep.equal({
      code: 'HalfMade',
      node: 'n',
      evidence: 'GPU 0 has GPU instances without compute instances, which no pod can use: 1g.5gb at 0',
      remedy: 'on the node: nvidia-smi mig -i 00000000:00:00.0 -dgi -gi 0; or cover the GPU by a policy',
    });
    const taints: readonly Taint[] = [{ key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule' }];
    expect(codesOf(uncovered({ taints }))).to.deep.equal([]);
    expect(codesOf(tell({ node: { gpus } })), 'its policy makes it right').to.deep.equal([]);
  });

  it('HostNotRestored is what the agent still owes the host', () => {
    const hostProblems = ['nvidia-ctk cdi generate failed: no space left'];
    expect(onlyOf(tell({ device: { hostProblems } }))).to.include({
      code: 'HostNotRestored',
      evidence: hostProblems[0],
    });
  });

  describe('labels', () => {
    const discovery = aDaemon('gfd', {}, { containers: [{ name: 'gpu-feature-discovery-ctr' }] });
    const { labels } = computeLabels(describeReport(aDevice(aGpu({ slices }))), 'mixed');
    const written = { ...labels, 'nvidia.com/gfd.timestamp': '1' };

    it('are missing if GPU Feature Discovery is ready and has written none', () => {
      const found = onlyOf(tell({ pods: [discovery] }));
      expect(found).to.include({ code: 'LabelsMissing' });
      expect(found?.remedy).to.contain('kubectl -n gpu-operator delete pod gfd-x7');
    });

    it('are stale if they do not describe what the agent reports, and are not while the node changes', () => {
      const stale = { ...written, 'nvidia.com/mig-1g.5gb.count': '7' };
      const found = onlyOf(tell({ node: { labels: stale }, pods: [discovery] }));
      expect(found).to.deep.equal({
        code: 'StaleLabels',
        node: 'n',
        evidence: 'by the layout that the agent reports, nvidia.com/mig-1g.5gb.count should be 2',
        remedy: 'kubectl -n gpu-operator delete pod gfd-x7',
      });
      const taints: readonly Taint[] = [{ key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule' }];
      expect(codesOf(tell({ node: { labels: stale, taints }, pods: [discovery] }))).to.deep.equal([]);
      expect(codesOf(tell({ node: { labels: written }, pods: [discovery] }))).to.deep.equal([]);
    });
  });

  describe('PluginConfig', () => {
    const plugin = aDaemon(
      'plugin',
      { app: 'nvidia-device-plugin-daemonset' },
      {
        containers: [
          { name: 'nvidia-device-plugin', env: [{ name: 'CONFIG_FILE', value: '/config/config.yaml' }] },
          {
            name: 'config-manager',
            command: ['config-manager'],
            env: [
              { name: 'CONFIG_FILE_SRCDIR', value: '/available' },
              { name: 'DEFAULT_CONFIG', value: 'any' },
            ],
            volumeMounts: [{ name: 'files', mountPath: '/available' }],
          },
        ],
        volumes: [{ name: 'files', configMap: { name: 'plugin-files' } }],
      },
    );
    const resources = [{ name: 'nvidia.com/gpu', replicas: 2 }];
    const filesOf = (file: unknown): DoctorFacts['configFiles'] =>
      new Map([['gpu-operator/plugin-files', { any: file }]]);
    const sharing = (how: object) => ({ version: 'v1', flags: { migStrategy: 'mixed' }, sharing: how });

    it('is time-slicing beside MPS, of which one wins silently', () => {
      const files = filesOf(sharing({ timeSlicing: { resources }, mps: { resources } }));
      const found = onlyOf(tell({ pods: [plugin], files, node: { labels: { 'nvidia.com/mig.strategy': 'mixed' } } }));
      expect(found).to.include({ code: 'PluginConfig', node: 'n' });
      expect(found?.evidence).to.contain(
        'any in ConfigMap gpu-operator/plugin-files: sharing.timeSlicing has no effect',
      );
      const labels = { 'nvidia.com/mig.strategy': 'mixed' };
      expect(
        codesOf(tell({ pods: [plugin], files: filesOf(sharing({ timeSlicing: { resources } })), node: { labels } })),
      ).to.deep.equal([]);
    });

    it('is MPS on slices, for which the plugin exits', () => {
      const mps = sharing({ mps: { resources: [{ name: 'nvidia.com/mig-1g.5gb', replicas: 2 }] } });
      const node = { labels: { 'nvidia.com/mig.strategy': 'mixed' } };
      expect(onlyOf(tell({ pods: [plugin], files: filesOf(mps), node }))?.evidence).to.contain(
        'is not supported with MPS',
      );
    });

    it('is a label that names a file which is not there', () => {
      const labels = { 'nvidia.com/device-plugin.config': 'other' };
      const found = onlyOf(tell({ pods: [plugin], files: filesOf({ version: 'v1' }), node: { labels } }));
      expect(found?.evidence).to.equal(
        'nvidia.com/device-plugin.config=other, which ConfigMap gpu-operator/plugin-files does not have: any',
      );
    });

    it('is not known where the file, or what tells it, was not read', () => {
      expect(whyOf(tell({ pods: [plugin] }), 'PluginConfig')).to.contain('add configmaps');
      const { volumes: _volumes, ...bundled } = plugin.spec ?? {};
      expect(whyOf(tell({ pods: [{ ...plugin, spec: bundled }] }), 'PluginConfig')).to.contain('not in the snapshot');
    });
  });

  describe('AcceleratorLabel', () => {
    const autoscaler: PodView = {
      metadata: { name: 'ca', namespace: 'kube-system', labels: { app: 'cluster-autoscaler' } },
      spec: {},
    };

    for (const key of [
      'k8s.amazonaws.com/accelerator',
      'kubernetes.azure.com/accelerator',
      'cluster-api/accelerator',
    ]) {
      it(`is ${key} on slices under strategy mixed`, () => {
        const found = onlyOf(tell({ node: { labels: { [key]: 'nvidia' } }, pods: [autoscaler] }));
        expect(found).to.include({ code: 'AcceleratorLabel', node: 'n' });
        expect(found?.evidence).to.contain(`label ${key}=nvidia`).and.to.contain('pod kube-system/ca');
        expect(found?.remedy).to.contain(`kubectl label node n ${key}-`);
      });
    }

    it('is not found with a whole GPU, under another strategy, or without the label', () => {
      const labels = { 'k8s.amazonaws.com/accelerator': 'nvidia' };
      const gpus = [aGpu({ slices }), aGpu({ index: 1 })];
      expect(codesOf(tell({ node: { labels, gpus }, pods: [autoscaler] }))).to.deep.equal([]);
      expect(codesOf(tell({ node: { labels, strategy: 'single' }, pods: [autoscaler] }))).to.deep.equal([]);
      expect(codesOf(tell({ pods: [autoscaler] }))).to.deep.equal([]);
    });

    it('is not known where nothing shows an autoscaler', () => {
      const facts = tell({ node: { labels: { 'k8s.amazonaws.com/accelerator': 'nvidia' } } });
      expect(codesOf(facts)).to.deep.equal([]);
      expect(whyOf(facts, 'AcceleratorLabel')).to.contain('no sign of Cluster Autoscaler');
    });
  });

  describe('NoScaleTemplate', () => {
    const resource = 'nvidia.com/mig-1g.10gb';
    const base = aPolicy();
    const unmet = {
      type: 'DemandMet' as const,
      status: 'False' as const,
      reason: 'NoRoom' as const,
      message: '',
      lastTransitionTime: '',
    };
    const policy: GpuPartitionPolicy = { ...base, status: { conditions: [unmet] } };
    const refused = (message: string) => [
      {
        metadata: {},
        reason: 'NotTriggerScaleUp',
        message,
        involvedObject: { kind: 'Pod', namespace: 'team', name: 'train' },
      },
    ];
    // As in NVIDIA/gpu-operator#693.
    const events = refused(
      `pod didn't trigger scale-up: 1 max node group size reached, 2 node(s) didn't match Pod's node affinity/selector, 1 Insufficient ${resource} `,
    );
    const pods = [aPod({ asks: { [resource]: '1' } })];

    it('is a slice of a pod that the autoscaler has no template of, while a demand waits', () => {
      const found = onlyOf(tell({ policy, pods, events }));
      expect(found).to.include({ code: 'NoScaleTemplate' });
      expect(found?.evidence).to.contain(
        `pod team/train: NotTriggerScaleUp, Insufficient ${resource}; the demand of policy p`,
      );
      expect(found?.remedy).to.contain(`node-template/resources/${resource}=N`);
    });

    it('is not found for another slice, without a demand that waits, or for a pod that runs', () => {
      expect(codesOf(tell({ policy, pods, events: refused(`1 Insufficient ${resource}.me`) }))).to.deep.equal([]);
      expect(codesOf(tell({ pods, events }))).to.deep.equal([]);
      expect(codesOf(tell({ policy, pods: [aPod({ asks: { [resource]: '1' }, node: 'n' })], events }))).to.deep.equal(
        [],
      );
    });

    it('is not known without Events', () => {
      expect(whyOf({ ...tell({ policy, pods }), events: undefined }, 'NoScaleTemplate')).to.contain('add events');
    });
  });

  describe('tolerations', () => {
    const nvidiaOnly = [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }];
    const exporter = (spec: PodView['spec']): PodView =>
      aDaemon('exporter', { 'app.kubernetes.io/name': 'dcgm-exporter' }, spec);

    /** As gpu-operator deploys them (assets/state-device-plugin, assets/gpu-feature-discovery). */
    const stock = (name: 'device-plugin' | 'gpu-feature-discovery', app: string): PodView =>
      aDaemon(app, { app }, { tolerations: nvidiaOnly, nodeSelector: { [`nvidia.com/gpu.deploy.${name}`]: 'true' } });
    const plugin = stock('device-plugin', 'nvidia-device-plugin-daemonset');
    const discovery = stock('gpu-feature-discovery', 'gpu-feature-discovery');
    const deployed = {
      'nvidia.com/gpu.deploy.device-plugin': 'true',
      'nvidia.com/gpu.deploy.gpu-feature-discovery': 'true',
      'nvidia.com/gpu.count': '1',
    };
    const replaced = (mark: string) => ({ 'gpupartition.dev/plugin-refreshed': mark });
    const waits = (reason: string): Story['conditions'] => [
      { type: 'Ready', status: 'False', reason, message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ];

    it('are right as gpu-operator has them, where a signal is enough and no label is awaited', () => {
      const story = { node: { labels: deployed }, pods: [plugin, discovery] };
      expect(codesOf(tell(story))).to.deep.equal([]);
      expect(codesOf(tell({ ...story, annotations: replaced('3@boot/uid-1/tolerates') }))).to.deep.equal([]);
      expect(codesOf(tell({ ...story, annotations: replaced('3@boot//nothing') }))).to.deep.equal([]);
      expect(codesOf(tell({ ...story, conditions: waits('AdvertisePending') }))).to.deep.equal([]);
    });

    it('keep a plugin away whose pod the last change replaced: OperandKeptAway, once for a DaemonSet', () => {
      const annotations = replaced('3@boot/uid-1');
      const found = onlyOf(tell({ pods: [plugin], annotations }));
      expect(found).to.include({ code: 'OperandKeptAway' });
      expect(found?.evidence).to.match(
        /^DaemonSet gpu-operator\/nvidia-device-plugin-daemonset \(1 pod\) does not tolerate gpupartition\.dev\/repartitioning:NoSchedule, and the last change replaced its pod/,
      );
      expect(found?.remedy).to.contain('daemonsets.tolerations');
      const tolerant = { ...plugin, spec: { ...plugin.spec, tolerations: everyTaint } };
      expect(codesOf(tell({ pods: [tolerant], annotations }))).to.deep.equal([]);
    });

    it('keep GPU Feature Discovery from a node that waits for its labels: OperandKeptAway', () => {
      const story = { node: { labels: deployed }, pods: [plugin, discovery], conditions: waits('LabelsStale') };
      const found = onlyOf(tell(story));
      expect(found).to.include({ code: 'OperandKeptAway' });
      expect(found?.evidence).to.match(
        /^DaemonSet gpu-operator\/gpu-feature-discovery \(1 pod\) does not tolerate .*, and node n waits for its labels/,
      );
    });

    it('bring an exporter straight back: OperandReturns, unless its deploy label removes it', () => {
      expect(onlyOf(tell({ pods: [exporter({})] }))).to.include({ code: 'OperandReturns' });
      expect(codesOf(tell({ pods: [exporter({ tolerations: nvidiaOnly })] }))).to.deep.equal([]);
      const key = 'nvidia.com/gpu.deploy.dcgm-exporter';
      const byLabel = exporter({ nodeSelector: { [key]: 'true' } });
      expect(codesOf(tell({ node: { labels: { [key]: 'true' } }, pods: [byLabel] }))).to.deep.equal([]);
    });

    it('are nobody’s business on a node without a policy, or of a tenant', () => {
      expect(codesOf({ ...tell({ pods: [exporter({})] }), policies: [] })).to.deep.equal([]);
      const tenant = { ...exporter({}), metadata: { ...exporter({}).metadata, namespace: 'team' } };
      expect(codesOf(tell({ pods: [tenant] }))).to.deep.equal([]);
    });
  });

  it('ClockSkew is what the agent measured', () => {
    const found = onlyOf(tell({ device: { clockSkewSeconds: -90 } }));
    expect(found?.evidence).to.equal('its agent measures that its clock is 90 s behind the API server’s');
  });
});
