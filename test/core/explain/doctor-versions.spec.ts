import { expect } from 'chai';
import type { GpuReport } from '../../../src/api/types.ts';
import { diagnoseCluster, type DoctorFacts } from '../../../src/core/explain/doctor.ts';
import { trimDefinition } from '../../../src/core/host/support-bundle.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';
import { aGpu, aPolicy } from '../../support/builders.ts';
import { aCluster, type StoryNode } from '../kubernetes/cluster-builder.ts';
import { dropField, fieldAt, type FieldTree, ownCrds, withSchema } from './own-crds.ts';

type Crds = NonNullable<DoctorFacts['crds']>;

interface Story {
  readonly nodes?: readonly StoryNode[];
  readonly pods?: readonly PodView[];
  readonly crds?: DoctorFacts['crds'];
  readonly version?: string;
  readonly agentVersion?: string;
}

function tell({ nodes, pods = [], version = '0.1.0', agentVersion, ...more }: Story): DoctorFacts {
  const facts = aCluster(nodes ?? [{ gpus: [aGpu({ slices: ['1g.5gb@0'] })], policy: aPolicy() }], pods);
  const partitions = facts.partitions.map((one) => ({
    ...one,
    status: { ...one.status, device: { ...one.status?.device, ...(agentVersion !== undefined && { agentVersion }) } },
  }));
  const crds = 'crds' in more ? more.crds : ownCrds;
  return { ...facts, partitions, events: [], configFiles: new Map(), crds, version };
}

const findingsOf = (story: Story) => diagnoseCluster(tell(story)).findings;
const onlyOf = (story: Story) => {
  const [found, ...others] = findingsOf(story);
  expect(others).to.deep.equal([]);
  return found;
};
const whysOf = (story: Story, code: string): readonly string[] =>
  diagnoseCluster(tell(story)).notChecked.flatMap((one) => (one.code === code ? [one.why] : []));

const controller = (tag: string): PodView => ({
  metadata: {
    name: 'c',
    namespace: 'gpu-partition-system',
    labels: { 'app.kubernetes.io/name': 'gpu-partition-controller' },
  },
  spec: { containers: [{ image: `registry:5000/gpu-partition${tag}` }] },
});

describe('the versions of a cluster', () => {
  it('do not fit where an agent is more than one minor version from the controller', () => {
    const pods = [controller(`:0.2.1@sha256:${'0'.repeat(64)}`)];
    const found = onlyOf({ pods, agentVersion: '0.4.0', version: '0.2.1' });
    expect(found).to.include({ code: 'VersionSkew', node: 'n' });
    expect(found?.evidence).to.contain('the agent is 0.4.0, the controller 0.2.1');
    expect(findingsOf({ pods, agentVersion: '0.3.0', version: '0.2.1' })).to.deep.equal([]);
  });

  it('do not fit where this program is as far from it, and are not known of an image without a release', () => {
    expect(onlyOf({ pods: [controller(':0.9.0')], agentVersion: '0.9.0' })?.evidence).to.contain(
      'this gpu-partition is 0.1.0, the controller 0.9.0',
    );
    expect(whysOf({ pods: [controller('')] }, 'VersionSkew')).to.deep.equal([
      'the image of the controller has no tag: its version is not known',
    ]);
    expect(whysOf({ pods: [controller(':dev')] }, 'VersionSkew')).to.deep.equal([
      'the image of the controller is dev: its version is not known',
    ]);
    expect(whysOf({}, 'VersionSkew')).to.deep.equal([
      'no pod of gpu-partition-controller was found: its version is not known',
    ]);
  });
});

/** The CRDs after a change of one schema. */
function changed(plural: string, change: (schema: FieldTree) => void): Crds {
  return ownCrds.map((crd) => (crd.metadata.name.startsWith(plural) ? withSchema(crd, change) : crd));
}

describe('the CRDs of a cluster', () => {
  const pods = [controller(':0.1.0')];

  it('are right as this release has them, whole or as a support bundle keeps them', () => {
    expect(findingsOf({ pods })).to.deep.equal([]);
    const crds = ownCrds.map(trimDefinition);
    expect(findingsOf({ pods, crds })).to.deep.equal([]);
    expect(whysOf({ pods, crds }, 'VersionSkew')).to.deep.equal([]);
    expect(JSON.stringify(crds).length).to.be.below(20_000);
  });

  it('are older than this program where a field is missing, in spec, status or a list', () => {
    const crds = changed('gpupartitionpolicies', (schema) => {
      dropField(schema, 'spec', 'layouts', '[]', 'gpus', 'pciDeviceIds');
      dropField(schema, 'spec', 'kueue');
      dropField(schema, 'status', 'inForce');
    });
    const found = onlyOf({ pods, crds });
    expect(found).to.deep.equal({
      code: 'VersionSkew',
      evidence:
        'CRD gpupartitionpolicies.gpupartition.dev lacks spec.kueue, spec.layouts[].gpus.pciDeviceIds and status.inForce of gpu-partition 0.1.0: ' +
        'the API server drops what is written there',
      remedy:
        'apply the CRDs, in the folder of release 0.1.0: kubectl apply --server-side --force-conflicts -f crds.yaml ' +
        '(helm upgrade does it, unless crds.enabled=false; docs/upgrade.md)',
    });
    expect(findingsOf({ pods, crds: crds.map(trimDefinition) })).to.deep.equal([found]);
  });

  it('names five fields of many, and both CRDs', () => {
    const keepOne = (schema: FieldTree): void => {
      for (const field of Object.keys(fieldAt(schema, 'spec').properties ?? {}).slice(1))
        dropField(schema, 'spec', field);
    };
    const both = [...changed('gpupartitionpolicies', keepOne), ...changed('gpunodepartitions', keepOne)];
    const crds = [both[0], both[3]].flatMap((crd) => crd ?? []);
    const found = findingsOf({ pods, crds });
    expect(found.map(({ evidence }) => evidence.split(' ')[1])).to.deep.equal([
      'gpupartitionpolicies.gpupartition.dev',
      'gpunodepartitions.gpupartition.dev',
    ]);
    for (const { evidence } of found)
      expect(evidence).to.match(/lacks (spec\.\w+, ){4}spec\.\w+ and \d+ more fields? of/);
  });

  it('drop nothing where they keep unknown fields', () => {
    const crds = changed('gpunodepartitions', (schema) => {
      const status = fieldAt(schema, 'status');
      delete status.properties;
      status['x-kubernetes-preserve-unknown-fields'] = true;
    });
    expect(findingsOf({ pods, crds })).to.deep.equal([]);
  });

  it('are those of an older controller, which this program cannot judge', () => {
    const crds = changed('gpupartitionpolicies', (schema) => dropField(schema, 'spec', 'kueue'));
    const story = { pods: [controller(':v0.1.3')], version: '0.2.0', crds };
    expect(findingsOf(story)).to.deep.equal([]);
    expect(whysOf(story, 'VersionSkew')).to.deep.equal([
      'CRD gpupartitionpolicies.gpupartition.dev lacks spec.kueue of gpu-partition 0.2.0, and the controller is 0.1.3: ask gpu-partition 0.1.3',
    ]);
  });

  it('show by fields of their own that this program is older, but not after a rollback, when they stay', () => {
    const crds = changed('gpupartitionpolicies', (schema) => {
      Object.assign(fieldAt(schema, 'spec', 'rollout').properties ?? {}, { tempo: { type: 'string' } });
    });
    const found = onlyOf({ pods: [controller(':0.2.0')], crds });
    expect(found?.evidence).to.equal(
      'CRD gpupartitionpolicies.gpupartition.dev has spec.rollout.tempo, which this gpu-partition (0.1.0) does not know: it is older, and may misjudge what it reads',
    );
    expect(found?.remedy).to.equal('use gpu-partition 0.2.0');
    expect(findingsOf({ pods, crds })).to.deep.equal([]);
  });

  it('are not known if they were not read, or one of them', () => {
    const command = 'kubectl get crd gpupartitionpolicies.gpupartition.dev gpunodepartitions.gpupartition.dev -o yaml';
    expect(whysOf({ pods, crds: undefined }, 'VersionSkew')).to.deep.equal([`the CRDs were not read (${command})`]);
    expect(whysOf({ pods, crds: ownCrds.slice(1) }, 'VersionSkew')).to.deep.equal([
      `CRD gpupartitionpolicies.gpupartition.dev was not read (${command})`,
    ]);
  });
});

/** A pod of dcgm-exporter on a node, as gpu-operator deploys it. */
function anExporter(image: string, node = 'n', set = 'nvidia-dcgm-exporter'): PodView {
  return {
    metadata: {
      name: `${set}-${node}`,
      namespace: 'gpu-operator',
      labels: { app: set },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: set, controller: true }],
    },
    spec: {
      nodeName: node,
      nodeSelector: { 'nvidia.com/gpu.deploy.dcgm-exporter': 'true' },
      containers: [{ name: 'nvidia-dcgm-exporter', image: `nvcr.io/nvidia/k8s/dcgm-exporter${image}` }],
    },
    status: { phase: 'Running' },
  };
}

const nodeOf = (product: string, slices: readonly string[], name = 'n'): StoryNode => ({
  name,
  gpus: [{ ...aGpu({ product, slices }), uuid: `GPU-${name}` }],
});

describe('names of profiles in metrics of DCGM', () => {
  const old = ':4.2.3-4.1.3-ubuntu22.04';
  const threads: readonly {
    readonly from: string;
    readonly product: string;
    readonly slices: readonly string[];
    readonly image?: string;
    readonly wrong: string | undefined;
  }[] = [
    {
      from: 'dcgm-exporter#544',
      product: 'NVIDIA H100 NVL',
      slices: ['1g.12gb@0', '1g.12gb@1'],
      wrong: '1g.12gb as 1g.11gb',
    },
    { from: 'dcgm-exporter#544, H200', product: 'NVIDIA H200', slices: ['1g.18gb@0'], wrong: '1g.18gb as 1g.16gb' },
    {
      from: 'dcgm-exporter#713, gpu-operator#687',
      product: 'NVIDIA A100 80GB PCIe',
      slices: ['7g.80gb@0'],
      wrong: '7g.80gb as 7g.79gb',
    },
    {
      from: 'dcgm-exporter#369',
      product: 'NVIDIA A100-SXM4-80GB',
      slices: ['1g.10gb@0', '1g.10gb@1', '2g.20gb@2', '3g.40gb@4'],
      wrong: undefined,
    },
    {
      from: 'an A100 40GB',
      product: 'NVIDIA A100-SXM4-40GB',
      slices: ['1g.5gb@0', '2g.10gb@2', '3g.20gb@4'],
      wrong: undefined,
    },
    {
      from: 'an H100 80GB',
      product: 'NVIDIA H100 80GB HBM3',
      slices: ['1g.10gb@0', '2g.20gb@2', '3g.40gb@4'],
      wrong: undefined,
    },
    {
      from: 'a suffix',
      product: 'NVIDIA A100-SXM4-40GB',
      slices: ['1g.5gb+me@0', '1g.5gb@1'],
      wrong: '1g.5gb+me as 1g.5gb',
    },
  ];

  for (const { from, product, slices, wrong } of threads) {
    it(`are ${wrong ?? 'right'} on ${product} (${from})`, () => {
      const found = onlyOf({ nodes: [nodeOf(product, slices)], pods: [anExporter(old)] });
      expect(
        found && {
          code: found.code,
          node: found.node,
          told: / reports (.*) on 1 node: DCGM/.exec(found.evidence)?.[1],
        },
      ).to.deep.equal(
        wrong && { code: 'ProfileNames', node: undefined, told: `${wrong} (${product.replace('NVIDIA ', '')})` },
      );
      expect(
        findingsOf({ nodes: [nodeOf(product, slices)], pods: [anExporter(':4.6.1-4.8.4-distroless')] }),
      ).to.deep.equal([]);
    });
  }

  const h100 = (name = 'n') => nodeOf('NVIDIA H100 NVL', ['1g.12gb@0', '2g.24gb@2'], name);

  it('are one finding for a DaemonSet and version, with each kind of slice once and the number of nodes', () => {
    const nodes = [
      h100('a'),
      nodeOf('NVIDIA H100 NVL', ['1g.12gb@0'], 'b'),
      h100('c'),
      nodeOf('NVIDIA H200', ['1g.18gb@0'], 'd'),
    ];
    const newer = ':4.6.0-4.8.3-distroless';
    const pods = [anExporter(old, 'a'), anExporter(old, 'b'), anExporter(newer, 'c'), anExporter(newer, 'd')];
    const found = findingsOf({ nodes, pods });
    const set = 'DaemonSet gpu-operator/nvidia-dcgm-exporter';
    const why = 'DCGM makes the name from the memory, rounded up to GiB';
    expect(found.map(({ evidence }) => evidence)).to.deep.equal([
      `${set}: dcgm-exporter 4.1.3 (image tag 4.2.3-4.1.3-ubuntu22.04) reports 1g.12gb as 1g.11gb, 2g.24gb as 2g.22gb (H100 NVL) on 2 nodes: ${why}`,
      `${set}: dcgm-exporter 4.8.3 (image tag 4.6.0-4.8.3-distroless) reports 1g.12gb as 1g.11gb, 2g.24gb as 2g.22gb (H100 NVL) and ` +
        `1g.18gb as 1g.16gb (H200) on 2 nodes: ${why}`,
    ]);
    expect(found[0]?.remedy).to.equal(
      'update dcgm-exporter to 4.8.4 or newer (image tag 4.6.1-4.8.4-…); until then take the profile from gpu_partition_slice_info, ' +
        'by UUID and GPU_I_ID (docs/metrics.md)',
    );
  });

  it('are the driver’s business: its own table counts before the built-in one', () => {
    const facts = tell({ nodes: [h100()], pods: [anExporter(old)] });
    const profiles = ['1g.12gb', '2g.24gb'].map((name, at) => ({
      name,
      computeSlices: at + 1,
      memorySlices: at + 1,
      starts: [0],
      maxInstances: 1,
      memoryMiB: 12 * 1024 * (at + 1),
    }));
    const models = [{ product: 'NVIDIA H100 NVL', computeSlices: 7, memorySlices: 8, profiles }];
    const partitions = facts.partitions.map((one) => ({
      ...one,
      status: { ...one.status, device: { ...one.status?.device, models } },
    }));
    expect(diagnoseCluster({ ...facts, partitions }).findings).to.deep.equal([]);
  });

  it('are not known of an image without its usual tag, by a digest, or where the memory of a slice is not published', () => {
    for (const [image, words] of [
      [':latest', 'its image has the tag latest'],
      [`@sha256:${'0'.repeat(64)}`, 'its image has no tag'],
    ]) {
      const story = { nodes: [h100()], pods: [anExporter(image ?? '')] };
      expect(findingsOf(story)).to.deep.equal([]);
      expect(whysOf(story, 'ProfileNames')).to.deep.equal([
        `DaemonSet gpu-operator/nvidia-dcgm-exporter: ${words}, which does not say whether dcgm-exporter is older than 4.8.4`,
      ]);
    }
    const story = { nodes: [nodeOf('NVIDIA GH200 480GB', ['1g.12gb@0'])], pods: [anExporter(old)] };
    expect(whysOf(story, 'ProfileNames')).to.deep.equal(['the memory of 1g.12gb of GH200 480GB is not known']);
  });

  it('concern nobody where there is no slice, no exporter, or a pod that no DaemonSet made', () => {
    const whole: GpuReport = aGpu({ product: 'NVIDIA H100 NVL' });
    const [pod] = [anExporter(old)];
    const { ownerReferences: _owners, ...metadata } = pod?.metadata ?? { name: '' };
    for (const story of [
      { nodes: [{ gpus: [whole] }], pods: [anExporter(':latest')] },
      { nodes: [h100()] },
      { nodes: [h100()], pods: [{ ...pod, metadata }] },
    ]) {
      expect(findingsOf(story)).to.deep.equal([]);
      expect(whysOf(story, 'ProfileNames')).to.deep.equal([]);
    }
  });
});
