import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse, stringify } from 'yaml';
// @ts-expect-error -- the build scripts are plain JavaScript
import { moduleFolder, toolPath } from '../../../build/go-tools.mjs';
import { uninitializedTaint } from '../../../src/api/names.ts';
import type { GpuPartitionPolicy } from '../../../src/api/types.ts';
import { uniqueName, useSharedCluster } from '../../support/cluster.ts';
import { useScratchFolder, writeScript } from '../../device/scratch-folder.ts';
import { run } from '../run.ts';
import { SimulatedHost } from '../simulated-host.ts';

const execute = promisify(execFile);

type Spec = GpuPartitionPolicy['spec'];
type Layouts = NonNullable<Spec['layouts']>;

const a100 = { models: ['A100-SXM4-40GB'] };
const oneProfile: Layouts = [{ gpus: a100, profiles: { '1g.5gb': 7 } }];
const twoProfiles: Layouts = [{ gpus: a100, profiles: { '1g.5gb': 1, '3g.20gb': 1 } }];
/** One GPU of each node stays whole. */
const partlyWhole: Layouts = [{ gpus: { ...a100, count: 1 }, mig: 'Disabled' }, ...oneProfile];

function policyOf(layouts: Layouts | undefined, spec: Partial<Spec> = {}, name = 'inference'): string {
  return stringify({
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
    metadata: { name },
    spec: {
      nodeSelector: { matchLabels: { pool: 'inference' } },
      strategy: 'mixed',
      ...(layouts && { layouts }),
      ...spec,
    },
  });
}

const autoscaler = (cloud: string, stdin: string, ...more: readonly string[]) =>
  run(['export', 'autoscaler', '-f', '-', '--gpus', '8', '--cloud', cloud, ...more], { stdin });

const karpenter = (stdin: string, ...more: readonly string[]) => {
  const node = ['--gpus', '8', '--instance-type', 'p4d.24xlarge'];
  const nodeClass = more.includes('--node-class') ? [] : ['--node-class', 'EC2NodeClass.karpenter.k8s.aws/default'];
  return run(['export', 'karpenter', '-f', '-', ...node, ...nodeClass, ...more], { stdin });
};

/** What a command prints, which must succeed. */
async function written(running: ReturnType<typeof run>): Promise<string> {
  const { code, stdout, stderr } = await running;
  expect(code, stderr).to.equal(0);
  return stdout;
}

/** Why a command wrote nothing. */
async function refused(running: ReturnType<typeof run>, exit = 1): Promise<string> {
  const { code, stdout, stderr } = await running;
  expect({ code, stdout }, stderr).to.deep.equal({ code: exit, stdout: '' });
  return stderr;
}

describe('gpu-partition export autoscaler', () => {
  it('writes the tags of an Auto Scaling group: whole GPUs count 0 where slices replace them', async () => {
    expect(await written(autoscaler('aws', policyOf(twoProfiles)))).to.equal(
      `# Nodes to come: 8 × NVIDIA A100-SXM4-40GB under strategy mixed.
# Set them on the Auto Scaling group itself: EKS does not copy those of a managed node group.
# These tags describe nodes and change none: the pool itself must give them the start-up taint, and the labels nvidia.com/gpu.present=true and pool=inference.
# Cluster Autoscaler needs --startup-taint=gpupartition.dev/uninitialized --startup-taint=gpupartition.dev/repartitioning.
# Nodes must not have the label k8s.amazonaws.com/accelerator: without nvidia.com/gpu they would never count as ready (kubernetes-sigs/cluster-autoscaler#92).
tags:
  k8s.io/cluster-autoscaler/node-template/label/nvidia.com/gpu.count: "8"
  k8s.io/cluster-autoscaler/node-template/label/nvidia.com/gpu.present: "true"
  k8s.io/cluster-autoscaler/node-template/label/nvidia.com/gpu.product: NVIDIA-A100-SXM4-40GB
  k8s.io/cluster-autoscaler/node-template/label/nvidia.com/mig-1g.5gb.count: "8"
  k8s.io/cluster-autoscaler/node-template/label/nvidia.com/mig-1g.5gb.product: NVIDIA-A100-SXM4-40GB-MIG-1g.5gb
  k8s.io/cluster-autoscaler/node-template/label/nvidia.com/mig-3g.20gb.count: "8"
  k8s.io/cluster-autoscaler/node-template/label/nvidia.com/mig-3g.20gb.product: NVIDIA-A100-SXM4-40GB-MIG-3g.20gb
  k8s.io/cluster-autoscaler/node-template/label/nvidia.com/mig.capable: "true"
  k8s.io/cluster-autoscaler/node-template/label/nvidia.com/mig.strategy: mixed
  k8s.io/cluster-autoscaler/node-template/label/pool: inference
  k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu: "0"
  k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/mig-1g.5gb: "8"
  k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/mig-3g.20gb: "8"
  k8s.io/cluster-autoscaler/node-template/taint/gpupartition.dev/uninitialized: true:NoSchedule
`,
    );
  });

  it('writes the tags of a scale set, in which _ stands for / and ~2 for _', async () => {
    const nodeSelector = { matchLabels: { 'example.com/gpu_pool': 'a' } };
    const text = await written(autoscaler('azure', policyOf(oneProfile, { strategy: 'single', nodeSelector })));
    expect(text).to.not.contain('must not have the label');
    expect(text.slice(text.indexOf('tags:'))).to.equal(`tags:
  k8s.io_cluster-autoscaler_node-template_label_example.com_gpu~2pool: a
  k8s.io_cluster-autoscaler_node-template_label_nvidia.com_gpu.count: "56"
  k8s.io_cluster-autoscaler_node-template_label_nvidia.com_gpu.present: "true"
  k8s.io_cluster-autoscaler_node-template_label_nvidia.com_gpu.product: NVIDIA-A100-SXM4-40GB-MIG-1g.5gb
  k8s.io_cluster-autoscaler_node-template_label_nvidia.com_mig.capable: "true"
  k8s.io_cluster-autoscaler_node-template_label_nvidia.com_mig.strategy: single
  k8s.io_cluster-autoscaler_node-template_resources_nvidia.com_gpu: "56"
  k8s.io_cluster-autoscaler_node-template_taint_startup-taint.cluster-autoscaler.kubernetes.io_gpupartition: true:NoSchedule
`);
  });

  it('writes the annotations of a MachineDeployment', async () => {
    const text = await written(autoscaler('cluster-api', policyOf(oneProfile), '-o', 'json'));
    const prefix = 'capacity.cluster-autoscaler.kubernetes.io';
    expect(JSON.parse(text)).to.deep.equal({
      metadata: {
        annotations: {
          [`${prefix}/gpu-type`]: 'nvidia.com/mig-1g.5gb',
          [`${prefix}/gpu-count`]: '56',
          [`${prefix}/labels`]:
            'nvidia.com/gpu.count=8,nvidia.com/gpu.present=true,nvidia.com/gpu.product=NVIDIA-A100-SXM4-40GB,' +
            'nvidia.com/mig-1g.5gb.count=56,nvidia.com/mig-1g.5gb.product=NVIDIA-A100-SXM4-40GB-MIG-1g.5gb,' +
            'nvidia.com/mig.capable=true,nvidia.com/mig.strategy=mixed,pool=inference',
          [`${prefix}/taints`]: 'gpupartition.dev/uninitialized=true:NoSchedule',
        },
      },
    });
  });

  it('counts what is shared as often as it is shared, and GPUs that stay whole', async () => {
    const sharing = { timeSlicing: [{ resource: 'nvidia.com/mig-1g.5gb', replicas: 4 }] };
    const text = await written(autoscaler('aws', policyOf(partlyWhole, { sharing })));
    expect(text).to.contain('resources/nvidia.com/gpu: "1"').and.contain('resources/nvidia.com/mig-1g.5gb: "196"');
    expect(text).to.contain('label/nvidia.com/mig-1g.5gb.replicas: "4"').and.not.contain('must not have the label');
  });

  it('refuses the cloud’s accelerator label where no whole GPU is left, by name', async () => {
    expect(await refused(autoscaler('azure', policyOf(oneProfile)))).to.contain(
      'policy inference: AKS labels the nodes of its GPU pools kubernetes.azure.com/accelerator',
    );
    await written(autoscaler('azure', policyOf(partlyWhole)));
    const nodeSelector = { matchLabels: { 'k8s.amazonaws.com/accelerator': 'a100' } };
    expect(await refused(autoscaler('aws', policyOf(oneProfile, { nodeSelector })))).to.contain(
      'spec.nodeSelector.matchLabels has k8s.amazonaws.com/accelerator',
    );
    await written(autoscaler('aws', policyOf(oneProfile, { nodeSelector, strategy: 'single' })));
  });

  it('refuses a second resource in Cluster API, GKE, claims, a demand and more tags than a group can have', async () => {
    expect(await refused(autoscaler('cluster-api', policyOf(twoProfiles)))).to.contain(
      'such a node offers nvidia.com/mig-1g.5gb and nvidia.com/mig-3g.20gb: use one profile',
    );
    expect(await refused(autoscaler('gcp', policyOf(oneProfile)))).to.contain('GKE’s autoscaler has no templates');
    expect(await refused(autoscaler('aws', policyOf(oneProfile, { backend: 'DRA' })))).to.contain('whole devices only');
    const demand = { from: 'Declared' as const, slices: [{ profiles: ['1g.5gb'], count: 4 }] };
    expect(await refused(autoscaler('aws', policyOf(undefined, { demand })))).to.contain('it has a demand');
    const matchLabels = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`label-${index}`, 'a']));
    const kinds = ['1g.24gb', '1g.24gb+me', '1g.24gb+gfx', '1g.24gb-me', '2g.48gb', '2g.48gb+gfx', '2g.48gb-me'];
    const many: Layouts = [...kinds, '4g.96gb', '4g.96gb+gfx', '1g.24gb+me.all'].map((profile, index) => ({
      gpus: { models: ['RTX-PRO-6000-*'], indices: [index] },
      profiles: { [profile]: 1 },
    }));
    const board = ['--gpus', '10', '--model', 'RTX-PRO-6000-Blackwell-Server-Edition'];
    expect(await refused(autoscaler('aws', policyOf(many, { nodeSelector: { matchLabels } }), ...board))).to.match(
      /take \d+ tags, and aws allows 50/,
    );
  });

  it('says which nodes it cannot foresee: unknown or several boards, UUIDs, expressions, fewer GPUs, none to offer', async () => {
    const anyBoard: Layouts = [{ profiles: { '1g.5gb': 7 } }];
    expect(await refused(autoscaler('aws', policyOf(anyBoard)))).to.match(
      /the policy may mean .* choose one with --model/,
    );
    expect(await refused(autoscaler('aws', policyOf(anyBoard), '--model', 'a100-40gb'))).to.contain(
      'a100-40gb may mean A100-SXM4-40GB',
    );
    for (const name of ['A100-PCIE-40GB', '0x20F110DE'])
      expect(await written(autoscaler('aws', policyOf(anyBoard), '--model', name))).to.contain(
        'gpu.product: NVIDIA-A100-PCIE-40GB',
      );
    const newer: Layouts = [{ gpus: { models: ['RUBIN-*'] }, profiles: { '1g.36gb': 1 } }];
    expect(await refused(autoscaler('aws', policyOf(newer)))).to.contain('is selected by its layouts');
    // Two tables of one board, by driver.
    const twoTables: Layouts = [{ gpus: { models: ['RTX-PRO-5000-*'] }, preset: 'all-1g.24gb' }];
    expect(await written(autoscaler('aws', policyOf(twoTables)))).to.contain('NVIDIA-RTX-PRO-5000-Blackwell');
    expect(await refused(autoscaler('aws', policyOf(oneProfile), '--model', 'A10O'), 2)).to.contain(
      'no GPU model "A10O"',
    );
    const byUuid: Layouts = [
      { gpus: { uuids: ['GPU-1b2c3d4e-0000-0000-0000-000000000000'] }, profiles: { '1g.5gb': 7 } },
    ];
    expect(await refused(autoscaler('aws', policyOf(byUuid), '--model', 'A100-SXM4-40GB'))).to.contain(
      'spec.layouts[0].gpus.uuids: a new node has other GPUs',
    );
    const nodeSelector = { matchExpressions: [{ key: 'pool', operator: 'Exists' as const }] };
    expect(await refused(autoscaler('aws', policyOf(oneProfile, { nodeSelector })))).to.contain('matchExpressions');
    const nine: Layouts = [{ gpus: { ...a100, count: 9 }, profiles: { '1g.5gb': 7 } }];
    expect(await refused(autoscaler('aws', policyOf(nine)))).to.contain('spec.layouts[0]');
    const empty: Layouts = [{ gpus: a100, preset: 'all-enabled' }];
    expect(await refused(autoscaler('aws', policyOf(empty)))).to.contain('such a node offers no GPU resource');
  });

  it('is for one policy, and names two', async () => {
    const both = `${policyOf(oneProfile)}---\n${policyOf(oneProfile, {}, 'training')}`;
    expect(await refused(autoscaler('aws', both), 2)).to.contain('these are 2: inference, training');
  });

  it('tells of mode Plan and of schedules, which a template cannot follow', async () => {
    const schedules = [{ name: 'night', schedule: '0 20 * * *', duration: '10h', layouts: twoProfiles }];
    const text = await written(autoscaler('aws', policyOf(oneProfile, { mode: 'Plan', schedules })));
    expect(text).to.contain('# The policy is in mode Plan').and.contain('# While night applies');
  });
});

describe('gpu-partition export karpenter', () => {
  it('writes a NodePool with the start-up taint, and a NodeOverlay that takes whole GPUs away', async () => {
    const nodeSelector = { matchLabels: { pool: 'inference', 'topology.kubernetes.io/region': 'eu-1' } };
    expect(await written(karpenter(policyOf(twoProfiles, { nodeSelector })))).to.equal(
      `---
# Nodes to come: 8 × NVIDIA A100-SXM4-40GB under strategy mixed. Limits and disruption are yours to add.
# Karpenter creates no node for a pod that selects nodes by labels of GPU Feature Discovery: let pods ask for the resource alone.
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: inference
spec:
  template:
    metadata:
      labels:
        nvidia.com/gpu.present: "true"
        pool: inference
    spec:
      nodeClassRef:
        group: karpenter.k8s.aws
        kind: EC2NodeClass
        name: default
      requirements:
        - key: node.kubernetes.io/instance-type
          operator: In
          values:
            - p4d.24xlarge
        - key: topology.kubernetes.io/region
          operator: In
          values:
            - eu-1
      startupTaints:
        - key: gpupartition.dev/uninitialized
          effect: NoSchedule
---
# Needs Karpenter’s feature gate NodeOverlay. It adds to what the instance type has, so it sets nvidia.com/gpu too.
apiVersion: karpenter.sh/v1alpha1
kind: NodeOverlay
metadata:
  name: inference
spec:
  requirements:
    - key: karpenter.sh/nodepool
      operator: In
      values:
        - inference
    - key: node.kubernetes.io/instance-type
      operator: In
      values:
        - p4d.24xlarge
  capacity:
    nvidia.com/gpu: "0"
    nvidia.com/mig-1g.5gb: "8"
    nvidia.com/mig-3g.20gb: "8"
`,
    );
  });

  it('takes the pool and the instance types by which the policy selects, and refuses others', async () => {
    const matchLabels = { 'karpenter.sh/nodepool': 'gpus' };
    const matchExpressions = [
      { key: 'node.kubernetes.io/instance-type', operator: 'In' as const, values: ['p4d.24xlarge'] },
    ];
    const stdin = policyOf(oneProfile, { nodeSelector: { matchLabels, matchExpressions } });
    const text = await written(karpenter(stdin));
    expect(text.match(/ {2}name: gpus$/gm)).to.have.length(2);
    expect(text).to.not.contain('pool: gpus').and.not.contain('karpenter.sh/nodepool: ');
    expect(await refused(karpenter(stdin, '--instance-type', 'p5.48xlarge'))).to.contain('matchExpressions');
  });

  it('refuses claims, and a node class without kind, group or name', async () => {
    expect(await refused(karpenter(policyOf(oneProfile, { backend: 'DRA' })))).to.contain('whole devices only');
    for (const name of ['default', 'EC2NodeClass/default', 'EC2NodeClass.karpenter.k8s.aws/'])
      expect(await refused(karpenter(policyOf(oneProfile), '--node-class', name), 2)).to.contain('must look like');
  });
});

describe('what gpu-partition export karpenter writes, by Karpenter’s CRDs @all', function () {
  const cluster = useSharedCluster();
  const kinds = ['nodepools', 'nodeoverlays'];
  const kubectl = (args: readonly string[], input?: string) =>
    cluster().kubectl(args, input === undefined ? {} : { input });

  before(async function () {
    this.timeout(120_000);
    const folder: string | undefined = moduleFolder('karpenter', 'sigs.k8s.io/karpenter');
    if (folder === undefined) {
      console.log('      skipped: there is no Go here, or no proxy with sigs.k8s.io/karpenter');
      this.skip();
    }
    const files = kinds.map((kind) => join(folder, `pkg/apis/crds/karpenter.sh_${kind}.yaml`));
    const made = await kubectl(['apply', '--server-side', ...files.flatMap((file) => ['-f', file])]);
    expect(made.code, made.stderr).to.equal(0);
    const names = kinds.map((kind) => `crd/${kind}.karpenter.sh`);
    const waited = await kubectl(['wait', '--for=condition=Established', '--timeout=60s', ...names]);
    expect(waited.code, waited.stderr).to.equal(0);
  });

  after(async () => {
    await kubectl(['delete', '--ignore-not-found', 'crd', ...kinds.map((kind) => `${kind}.karpenter.sh`)]);
  });

  const apply = (text: string) => kubectl(['apply', '--dry-run=server', '--validate=strict', '-f', '-'], text);

  it('passes schema and CEL rules, for labels of all kinds by which a policy may select', async () => {
    const nodeSelector = {
      matchLabels: {
        'karpenter.sh/nodepool': uniqueName('pool'),
        'karpenter.sh/capacity-type': 'spot',
        'topology.kubernetes.io/zone': 'a',
        'example.com/team': 'vision',
      },
    };
    for (const spec of [{}, { nodeSelector }, { strategy: 'single' as const }]) {
      const { code, stdout, stderr } = await apply(await written(karpenter(policyOf(oneProfile, spec))));
      expect(code, stderr).to.equal(0);
      expect(stdout).to.match(/nodepool\.karpenter\.sh\/\S+ created.*\nnodeoverlay\.karpenter\.sh\/\S+ created/);
    }
  });

  it('has a sample beside it, whose start-up taints are ours and that of the sample of Node Readiness Controller', async () => {
    const [pool, rule] = ['karpenter-nodepool', 'node-readiness-rule'].map((name) =>
      readFileSync(new URL(`../../../samples/gates/${name}.yaml`, import.meta.url), 'utf8'),
    );
    const { code, stdout, stderr } = await apply(pool ?? '');
    expect([code, stdout], stderr).to.deep.equal([0, 'nodepool.karpenter.sh/inference created (server dry run)\n']);
    const { spec } = parse(pool ?? '') as { readonly spec: { readonly template: NodePoolTemplate } };
    const { taint } = (parse(rule ?? '') as { readonly spec: { readonly taint: object } }).spec;
    expect(spec.template.spec.startupTaints).to.deep.equal([uninitializedTaint, taint]);
    // Otherwise the same as what is exported for such a pool.
    const exported = parse((await written(karpenter(policyOf(oneProfile)))).split('---')[1] ?? '') as {
      readonly spec: { readonly template: NodePoolTemplate };
    };
    exported.spec.template.spec.startupTaints = spec.template.spec.startupTaints;
    expect(spec).to.deep.equal(exported.spec);
  });

  describe('and by its scheduler, for pods that wait', () => {
    const program = toolPath('karpenter-orders') as string;
    const testClass = ['--node-class', 'TestNodeClass.karpenter.test.sh/default'];

    before(function () {
      if (existsSync(program)) return;
      console.log('      skipped: Karpenter’s scheduler is not built; make test-karpenter builds it');
      this.skip();
    });

    const podFor = (name: string, resource: string, spec: object = {}): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { containers: [{ name: 'main', image: 'main', resources: { limits: { [resource]: '1' } } }], ...spec },
    });
    const pods = [
      podFor('slice', 'nvidia.com/mig-1g.5gb'),
      podFor('whole', 'nvidia.com/gpu'),
      podFor('other', 'nvidia.com/mig-2g.10gb'),
      podFor('by-label', 'nvidia.com/mig-1g.5gb', { nodeSelector: { 'nvidia.com/mig.strategy': 'mixed' } }),
    ];

    /** What Karpenter makes of the objects, completed by the API server. */
    async function order(text: string): Promise<Orders> {
      const objects = [text, ...pods.map((pod) => stringify(pod))].join('\n---\n');
      const completed = await kubectl(['apply', '--dry-run=server', '-o', 'json', '-f', '-'], objects);
      expect(completed.code, completed.stderr).to.equal(0);
      const running = execute(program, { timeout: 60_000 });
      running.child.stdin?.end(completed.stdout);
      return JSON.parse((await running).stdout) as Orders;
    }

    it('orders a node that offers the slices and no whole GPU, though no pod tolerates its start-up taint', async () => {
      const { overlays, nodeClaims, refused } = await order(
        await written(karpenter(policyOf(twoProfiles), ...testClass)),
      );
      expect(overlays).to.deep.equal({ inference: 'True ValidationSucceeded' });
      expect(nodeClaims).to.have.length(1);
      const [claim] = nodeClaims;
      expect(claim).to.deep.include({
        nodePool: 'inference',
        instanceType: 'p4d.24xlarge',
        startupTaints: [uninitializedTaint],
        pods: ['slice'],
      });
      expect(claim?.labels).to.include({ pool: 'inference', 'nvidia.com/gpu.present': 'true' });
      expect(claim?.allocatable).to.include({
        'nvidia.com/gpu': '0',
        'nvidia.com/mig-1g.5gb': '8',
        'nvidia.com/mig-3g.20gb': '8',
      });
      expect(Object.keys(refused)).to.have.members(['whole', 'other', 'by-label']);
      expect(refused['by-label']).to.contain('label "nvidia.com/mig.strategy" does not have known values');
    });

    it('would order a node with whole GPUs, and none for slices, without the NodeOverlay', async () => {
      const text = await written(karpenter(policyOf(twoProfiles), ...testClass));
      const { overlays, nodeClaims, refused } = await order(text.slice(0, text.lastIndexOf('---')));
      expect(overlays).to.deep.equal({});
      expect(nodeClaims.map((claim) => claim.pods)).to.deep.equal([['whole']]);
      expect(Object.keys(refused)).to.have.members(['slice', 'other', 'by-label']);
      expect(refused['slice']).to.contain('nvidia.com/mig-1g.5gb');
    });

    it('would order none for the sample, were its taints no start-up taints', async () => {
      const sample = readFileSync(new URL('../../../samples/gates/karpenter-nodepool.yaml', import.meta.url), 'utf8')
        .replace('group: karpenter.k8s.aws', 'group: karpenter.test.sh')
        .replace('kind: EC2NodeClass', 'kind: TestNodeClass');
      const { nodeClaims } = await order(sample);
      expect(nodeClaims.map((claim) => claim.startupTaints.length)).to.deep.equal([2]);
      const { nodeClaims: none, refused } = await order(sample.replace('startupTaints:', 'taints:'));
      expect(none).to.deep.equal([]);
      expect(refused['whole']).to.contain('did not tolerate taint');
    });
  });

  it('would fail with a label that Karpenter keeps for itself, or a capacity that it restricts', async () => {
    const text = await written(karpenter(policyOf(oneProfile)));
    const own = await apply(text.replace('pool: inference', 'karpenter.sh/nodepool: inference'));
    expect(own.stderr).to.contain('label "karpenter.sh/nodepool" is restricted');
    const cpu = await apply(text.replace('nvidia.com/gpu: "0"', 'cpu: "0"'));
    expect(cpu.stderr).to.contain('invalid resource restricted');
  });
});

interface NodePoolTemplate {
  readonly spec: { startupTaints: unknown };
}

/** What test/karpenter prints. */
interface Orders {
  readonly overlays: Readonly<Record<string, string>>;
  readonly nodeClaims: readonly {
    readonly nodePool: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly startupTaints: readonly object[];
    readonly instanceType: string;
    readonly allocatable: Readonly<Record<string, string>>;
    readonly pods: readonly string[];
  }[];
  /** By pod. */
  readonly refused: Readonly<Record<string, string>>;
}

const boot = (format: string, stdin: string, ...more: readonly string[]) =>
  run(['export', 'boot', '-f', '-', '--format', format, ...more], { stdin });

describe('gpu-partition export boot', () => {
  const scratch = useScratchFolder();

  function write(name: string, text: string): string {
    writeFileSync(scratch.path(name), text);
    return scratch.path(name);
  }

  const sampleFile = new URL('../../../samples/host/gpu-partition.service', import.meta.url);

  /** By name; none of ours is repeated. */
  function settingsOf(unit: string): ReadonlyMap<string, string> {
    return new Map([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
  }

  function readKubelets(command = ''): string | undefined {
    return /ActiveEnterTimestamp ([^)]+)\)/.exec(command)?.[1];
  }

  /** The value of a setting of the unit for a policy. */
  async function settingOf(name: string, stdin: string): Promise<string> {
    const unit = await written(boot('systemd', stdin));
    const [, value = ''] = new RegExp(`^${name}=-?(.*)$`, 'm').exec(unit) ?? [];
    return value;
  }

  it('writes a unit that has the layouts in it, for before the kubelet', async () => {
    expect(await written(boot('systemd', policyOf(oneProfile)))).to.equal(
      `# Policy inference: its layouts, made at each boot before the kubelet starts. Export again when they change.
# The machine’s image has the driver with nvidia-smi, and /usr/local/bin/gpu-partition: the file of a release that needs no Node.js.
[Unit]
Description=Partition the GPUs of this machine with MIG before its kubelet starts
After=systemd-modules-load.service systemd-udev-settle.service local-fs.target
Before=kubelet.service k3s.service k3s-agent.service rke2-server.service rke2-agent.service nvidia-dcgm.service dcgm-exporter.service

[Service]
Type=oneshot
RemainAfterExit=yes
# For lock and journal.
StateDirectory=gpu-partition
StandardInput=data
StandardInputText={"strategy":"mixed","layouts":[{"gpus":{"models":["A100-SXM4-40GB"]},"profiles":{"1g.5gb":7}}]}
# Not once a kubelet has run in this boot: then the GPUs are the agent's.
ExecCondition=/bin/sh -c 'test -z "$$(systemctl show --value -p ActiveEnterTimestamp kubelet.service k3s.service k3s-agent.service rke2-server.service rke2-agent.service)"'
# The driver may take a while.
ExecStartPre=-/bin/sh -c 'timeout 60 sh -c "until nvidia-smi -L; do sleep 1; done"'
ExecStart=/usr/local/bin/gpu-partition node apply -f - --ignore-pods --deadline 300 --allow-gpu-reset
TimeoutStartSec=540
KillMode=mixed
TimeoutStopSec=120
ProtectSystem=strict
ReadWritePaths=-/run/cdi
ProtectHome=yes

[Install]
WantedBy=multi-user.target
`,
    );
  });

  it('writes the same unit for cloud-init and Ignition', async () => {
    const stdin = policyOf(oneProfile);
    const unit = (await written(boot('systemd', stdin))).replaceAll(/^# (?:Policy|The machine).*\n/gm, '');
    const cloudConfig = await written(boot('cloud-init', stdin));
    expect(cloudConfig).to.match(/^#cloud-config\n/);
    expect(parse(cloudConfig)).to.deep.equal({
      write_files: [{ path: '/etc/systemd/system/gpu-partition.service', permissions: '0644', content: unit }],
      runcmd: [
        ['systemctl', 'daemon-reload'],
        ['systemctl', 'enable', '--now', 'gpu-partition.service'],
      ],
    });
    expect(JSON.parse(await written(boot('ignition', stdin)))).to.deep.equal({
      ignition: { version: '3.4.0' },
      systemd: { units: [{ name: 'gpu-partition.service', enabled: true, contents: unit }] },
    });
    expect(JSON.parse(await written(boot('systemd', stdin, '-o', 'json')))).to.deep.equal({ unit });
  });

  it('resets no GPU where the policy forbids it', async () => {
    expect(await settingOf('ExecStart', policyOf(oneProfile, { allow: { gpuReset: false } }))).to.match(/ 300$/);
  });

  it('has a command that makes the layouts, though the last boot has left the kubelet’s socket', async () => {
    using host = new SimulatedHost(['A100-SXM4-40GB'], { mig: false });
    host.write('kubelet.sock', 'no socket');
    const layout = host.write('layout.json', await settingOf('StandardInputText', policyOf(oneProfile)));
    const [, options = ''] = (await settingOf('ExecStart', policyOf(oneProfile))).split(' node apply -f - ');
    const applied = await host.node('apply', '-f', layout, ...options.split(' '));
    expect(applied.code, applied.stderr).to.equal(0);
    expect(host.starts(0)).to.have.length(7);
    expect((await host.node('assert', '-f', layout)).code).to.equal(0);
  });

  it('does nothing once a kubelet has run in this boot', async () => {
    const [, script = ''] = /^\/bin\/sh -c '(.*)'$/.exec(await settingOf('ExecCondition', policyOf(oneProfile))) ?? [];
    const isMet = async (times: string): Promise<boolean> => {
      writeScript(scratch.path('systemctl'), `printf '${times}'`);
      const env = { PATH: [scratch.path('.'), process.env['PATH']].join(delimiter) };
      return execute('/bin/sh', ['-c', script.replaceAll('$$', '$')], { env }).then(
        () => true,
        () => false,
      );
    };
    expect(script).to.contain('systemctl show');
    expect(await isMet('\\n\\n\\n\\n')).to.equal(true);
    expect(await isMet('Sun 2026-11-29 17:45:25 UTC\\n\\n\\n\\n')).to.equal(false);
  });

  it('has what the sample of host mode has, but for where the layout is and when it is applied', async () => {
    const unit = settingsOf(await written(boot('systemd', policyOf(oneProfile))));
    const sample = settingsOf(readFileSync(sampleFile, 'utf8'));
    const differing = [...unit].filter(([name, value]) => sample.get(name) !== value).map(([name]) => name);
    expect(differing).to.have.members([
      'Description',
      'Before',
      'StandardInput',
      'StandardInputText',
      'ExecCondition',
      'ExecStartPre',
      'ExecStart',
      'TimeoutStartSec',
    ]);
    // Slurm has no agent that would make the layouts later.
    expect(sample.get('Before')).to.equal(`${unit.get('Before')} slurmd.service`);
    expect(readKubelets(sample.get('ExecStart'))).to.equal(readKubelets(unit.get('ExecCondition')));
  });

  it('is like the sample in that a socket of the last boot is not asked, which that one tells by the kubelets of this boot', async () => {
    const [, script = ''] =
      /^\/bin\/sh -c '(.*)'$/.exec(settingsOf(readFileSync(sampleFile, 'utf8')).get('ExecStart') ?? '') ?? [];
    writeScript(scratch.path('node'), 'echo "$@"');
    const runWith = async (times: string): Promise<string> => {
      writeScript(scratch.path('systemctl'), `printf '${times}'`);
      const env = { PATH: [scratch.path('.'), process.env['PATH']].join(delimiter) };
      const here = script.replaceAll('$$', '$').replace('/usr/bin/node', scratch.path('node'));
      return (await execute('/bin/sh', ['-c', here], { env })).stdout;
    };
    expect(await runWith('\\n\\n\\n\\n')).to.match(/ node apply -f \S+ --deadline 300 --ignore-pods\n$/);
    expect(await runWith('Sun 2026-11-29 17:45:25 UTC\\n\\n\\n\\n')).to.match(/ node apply -f \S+ --deadline 300\n$/);
  });

  it('refuses a demand, and a path that a unit would take for several words', async () => {
    const demand = { from: 'Declared' as const, slices: [{ profiles: ['1g.5gb'], count: 4 }] };
    expect(await refused(boot('systemd', policyOf(undefined, { demand })))).to.contain(
      'policy inference: it has a demand',
    );
    for (const path of ['gpu-partition', '/opt/my bin/gpu-partition', '/opt/%n'])
      expect(await refused(boot('systemd', policyOf(oneProfile), '--executable', path), 2)).to.contain('absolute path');
  });

  it('is a cloud-config for cloud-init, which takes no other', async function () {
    const cloudInit = process.env['CLOUD_INIT'] ?? '/usr/bin/cloud-init';
    if (!existsSync(cloudInit)) {
      console.log(
        '      skipped: there is no cloud-init here (Debian: apt-get install cloud-init; elsewhere CLOUD_INIT=PATH)',
      );
      this.skip();
    }
    const judge = async (text: string): Promise<string> =>
      execute(cloudInit, ['schema', '--config-file', write('user-data.yaml', text)]).then(
        () => 'taken',
        ({ stdout = '', stderr = '' }: { readonly stdout?: string; readonly stderr?: string }) => stdout + stderr,
      );
    const config = await written(boot('cloud-init', policyOf(oneProfile)));
    expect(await judge(config)).to.equal('taken');
    expect(await judge(config.replace('permissions:', 'mode:'))).to.contain('write_files.0');
  });

  it('is a unit for systemd-analyze, and a config for Ignition’s validator, which take no other', async function () {
    const validator = toolPath('ignition-validate') as string;
    const analyze = '/usr/bin/systemd-analyze';
    if (!existsSync(validator) || !existsSync(analyze)) {
      console.log('      skipped: there is no systemd-analyze here, or no ignition-validate: make judges builds it');
      this.skip();
    }
    const isTaken = async (program: string, args: readonly string[]): Promise<boolean> =>
      execute(program, args).then(
        ({ stderr }) => stderr === '',
        () => false,
      );
    const unit = await written(boot('systemd', policyOf(oneProfile), '--executable', '/bin/true'));
    const config = await written(boot('ignition', policyOf(oneProfile)));
    expect(await isTaken(analyze, ['verify', write('gpu-partition.service', unit)])).to.equal(true);
    const sample = readFileSync(sampleFile, 'utf8');
    expect(await isTaken(analyze, ['verify', write('gpu-partition.service', sample)])).to.equal(true);
    expect(await isTaken(analyze, ['verify', write('bad.service', unit.replace('ExecStart=', 'Exec='))])).to.equal(
      false,
    );
    expect(await isTaken(validator, [write('config.ign', config)])).to.equal(true);
    expect(await isTaken(validator, [write('bad.ign', config.replace('3.4.0', '9.9.9'))])).to.equal(false);
  });
});
