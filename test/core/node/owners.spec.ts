import { expect } from 'chai';
import { aNode as aNodeObject, aSituation, aSlicingPolicy } from '../../support/node-builders.ts';
import { findOwners, type Owner, type OwnerEvidence, takeOver } from '../../../src/core/node/owners.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';
import { readGoldenSlices } from '../../support/golden-slice.ts';

const deploy = 'nvidia.com/gpu.deploy.mig-manager';
const vgpu = 'k8s.amazonaws.com/vgpu';

function aNode(part: Partial<OwnerEvidence> = {}): OwnerEvidence {
  const nothing = { labels: {}, annotations: {}, allocatable: {}, capacity: {}, pods: [], resourceSlices: [] };
  return { node: 'n1', systemNamespaces: ['gpu'], ...nothing, ...part };
}

function aPod(name: string, labels: Readonly<Record<string, string>> = {}, selector?: string): PodView {
  return {
    metadata: { name, namespace: 'gpu', labels, ownerReferences: [{ kind: 'DaemonSet', controller: true }] },
    spec: selector === undefined ? {} : { nodeSelector: { [selector]: 'true' } },
    status: { phase: 'Running' },
  };
}

function aUser(name: string, amounts: Readonly<Record<string, string | number>>, phase = 'Running'): PodView {
  return {
    metadata: { name, namespace: 'ml' },
    spec: { containers: [{ resources: { limits: amounts } }] },
    status: { phase },
  };
}

function ownerOf(part: Partial<OwnerEvidence>, takeOver: readonly string[] = []): Owner | undefined {
  const owners = findOwners(aNode(part), takeOver);
  expect(owners).to.have.length.at.most(1);
  return owners[0];
}

const migManager = (name: string): PodView => aPod(name, { app: 'nvidia-mig-manager' }, deploy);

describe('other owners of GPUs', () => {
  it('do not exist on a node of gpu-operator without mig-manager', () => {
    const labels = {
      [deploy]: 'false',
      'nvidia.com/gpu.deploy.device-plugin': 'true',
      'nvidia.com/mig.config': 'all-disabled',
    };
    const pods = [aPod('plugin', { app: 'nvidia-device-plugin-daemonset' }), aUser('train', { 'nvidia.com/gpu': 1 })];
    expect(findOwners(aNode({ labels, pods, allocatable: { 'nvidia.com/gpu': '8' } }), [])).to.deep.equal([]);
    expect(findOwners(aNode({ pods: undefined, resourceSlices: undefined }), [])).to.deep.equal([]);
  });

  it('are GKE with its own device plugin or partitions', () => {
    const plugin = aPod('nvidia-gpu-device-plugin-x', { 'k8s-app': 'nvidia-gpu-device-plugin' });
    const seen = ownerOf({ pods: [plugin] });
    expect(seen).to.include({ name: 'gke' });
    expect(seen?.evidence).to.contain('nvidia-gpu-device-plugin-x');
    expect(seen?.handOver).to.contain('gke-no-default-nvidia-gpu-device-plugin=true');
    const labels = { 'cloud.google.com/gke-gpu-partition-size': '1g.5gb' };
    expect(ownerOf({ labels })?.evidence).to.contain('gke-gpu-partition-size=1g.5gb');
    expect(ownerOf({ labels: { 'cloud.google.com/gke-gpu-partition-size': '' } })).to.equal(undefined);
  });

  it('are all of those that are seen at once', () => {
    const labels = { [deploy]: 'true', 'nos.nebuly.com/gpu-partitioning': 'mig' };
    const annotations = { 'hami.io/node-nvidia-register': '[…]' };
    const owners = findOwners(aNode({ labels, annotations, pods: [migManager('mig-1')] }), []);
    expect(owners.map(({ name }) => name)).to.deep.equal(['mig-manager', 'hami', 'nos']);
  });
});

describe('a host of virtual machines', () => {
  it('is known by the labels of its driver and of its workload, and is nobody’s to partition', () => {
    const version = 'nvidia.com/vgpu.host-driver-version';
    const workload = 'nvidia.com/gpu.workload.config';
    for (const [label, value] of [
      [version, '550.90'],
      [workload, 'vm-vgpu'],
      [workload, 'vm-passthrough'],
    ] as const) {
      const owner = ownerOf({ labels: { [label]: value } });
      expect(owner?.name).to.equal('vgpu-host');
      expect(owner?.evidence).to.contain(`${label}=${value}`);
      expect(owner?.handOver).to.contain(`kubectl label node n1 ${workload}=container`);
    }
    expect(findOwners(aNode({ labels: { [version]: '', [workload]: 'container' } }), [])).to.deep.equal([]);
  });
});

describe('pods of tenants', () => {
  const namesOfOthers: readonly Readonly<Record<string, string>>[] = [
    { app: 'nvidia-mig-manager' },
    { app: 'das-daemonset' },
    { name: 'instaslice-daemonset' },
    { 'app.kubernetes.io/component': 'hami-device-plugin' },
  ];
  for (const labels of namesOfOthers) {
    it(`do not become an owner by the labels of one: ${JSON.stringify(labels)}`, () => {
      const pod = aPod('p', labels, deploy);
      const bare = { ...pod, metadata: { name: 'bare', namespace: 'gpu', labels } };
      const elsewhere = { ...pod, metadata: { ...pod.metadata, namespace: 'tenant' } };
      expect(findOwners(aNode({ pods: [bare, elsewhere] }), [])).to.deep.equal([]);
      expect(findOwners(aNode({ pods: [pod] }), [])).to.have.length(1);
    });
  }

  it('do not make a node one of AWS virtual GPUs that has none', () => {
    expect(findOwners(aNode({ pods: [aUser('forged', { [vgpu]: 1 })] }), [])).to.deep.equal([]);
  });
});

describe('mig-manager', () => {
  it('owns a node that carries its label, as long as its pod was not looked for', () => {
    expect(ownerOf({ labels: { [deploy]: 'true' }, pods: undefined })).to.deep.equal({
      name: 'mig-manager',
      evidence: `NVIDIA mig-manager: label ${deploy}=true`,
      handOver:
        'set spec.allow.takeOver: [mig-manager] in the policy, or run ' +
        `"kubectl label node n1 ${deploy}=false --overwrite"`,
    });
  });

  it('does not own a node by the label alone, which gpu-operator writes even if it does not deploy it', () => {
    expect(ownerOf({ labels: { [deploy]: 'true' }, pods: [] })).to.equal(undefined);
    expect(ownerOf({ labels: { [deploy]: 'true' }, pods: [migManager('mig-1')] })?.evidence).to.equal(
      `NVIDIA mig-manager: label ${deploy}=true, pod gpu/mig-1`,
    );
  });

  it('owns a node while it is paused for a driver upgrade, since it comes back', () => {
    expect(ownerOf({ labels: { [deploy]: 'paused-for-driver-upgrade' } })?.evidence).to.equal(
      `NVIDIA mig-manager: label ${deploy}=paused-for-driver-upgrade`,
    );
  });

  it('owns a node as long as its pod is there, whatever the label says', () => {
    expect(ownerOf({ labels: { [deploy]: 'false' }, pods: [migManager('mig-1')] })?.evidence).to.equal(
      'NVIDIA mig-manager: pod gpu/mig-1',
    );
  });

  it('does not own a node when its pod has ended', () => {
    expect(ownerOf({ pods: [{ ...migManager('mig-1'), status: { phase: 'Failed' } }] })).to.equal(undefined);
  });

  it('does not own the node where the policy takes over from it', () => {
    const seen = { labels: { [deploy]: 'true' }, pods: [migManager('mig-1')] };
    expect(ownerOf(seen, ['mig-manager'])).to.equal(undefined);
  });

  it('stays an owner where its DaemonSet does not follow the label, and the hand-over says so', () => {
    const pods = [aPod('mig-1', { app: 'nvidia-mig-manager' })];
    expect(ownerOf({ pods }, ['mig-manager'])).to.deep.equal({
      name: 'mig-manager',
      evidence: 'NVIDIA mig-manager: pod gpu/mig-1',
      handOver: `take the DaemonSet of gpu/mig-1 off this node; its pods do not follow the label ${deploy}`,
    });
  });
});

describe('taking over from mig-manager', () => {
  /** What is done next on a node with this value of its label, and these pods. */
  const step = (value: string | undefined, pods: readonly PodView[] | undefined, allow = ['mig-manager' as const]) => {
    const node = aNodeObject({ labels: value === undefined ? {} : { [deploy]: value } });
    const policy = aSlicingPolicy({ allow: { takeOver: allow } });
    const outcome = takeOver(aSituation({ node, policy }, pods && { pods }), 'TakeOver');
    return outcome && 'commands' in outcome ? outcome.commands : outcome && 'waits';
  };
  it('begins with its label', () => {
    const change = { borrow: { [deploy]: 'false' } };
    expect(step('true', [migManager('m')])).to.deep.equal([{ name: 'PatchNode', change }]);
  });
  it('waits for its pod', () => {
    expect(step('false', [migManager('m')])).to.equal('waits');
  });
  it('waits for the end of a pause of somebody else, and never takes that value on loan', () => {
    expect(step('paused-for-driver-upgrade', [])).to.equal('waits');
  });
  it('is done when the pod is gone, and where mig-manager never was', () => {
    expect(step('false', [])).to.equal(undefined);
    expect(step(undefined, undefined)).to.equal(undefined);
  });
  it('does not happen unless the policy says so', () => {
    expect(step('true', [migManager('m')], [])).to.equal(undefined);
  });
});

describe("NVIDIA's DRA driver", () => {
  const counters = [{ name: 'gpu-0-counter-set', counters: {} }];
  it('owns a node where it makes slices itself, which its shared counters tell', () => {
    const resourceSlices = [
      { metadata: { name: 'n1-gpu.nvidia.com-b' }, spec: { driver: 'gpu.nvidia.com', sharedCounters: counters } },
      { metadata: { name: 'n1-gpu.nvidia.com-a' }, spec: { driver: 'gpu.nvidia.com' } },
    ];
    expect(ownerOf({ resourceSlices })).to.deep.equal({
      name: 'dra',
      evidence:
        'NVIDIA DRA driver with dynamic MIG: counters, or devices without a UUID, of driver gpu.nvidia.com in ResourceSlice n1-gpu.nvidia.com-b',
      handOver:
        'turn its gate off ("helm upgrade … --set featureGates.DynamicMIG=false" in the chart of the DRA driver) ' +
        'once no claim uses a slice that it created',
    });
  });
  it('does not own the node if it offers the slices that it finds', () => {
    expect(ownerOf({ resourceSlices: readGoldenSlices() })).to.equal(undefined);
  });
  it('owns a node where a device draws on counters, or has no UUID because it does not exist yet', () => {
    const attributes = { type: { string: 'mig' }, uuid: { string: 'MIG-1' } };
    const drawing = { name: 'gpu-0-mig-1g5gb-19-0', attributes, consumesCounters: counters };
    const unborn = { name: 'gpu-0-mig-1g5gb-19-0', attributes: { type: { string: 'mig' } } };
    for (const device of [drawing, unborn]) {
      const spec = { driver: 'gpu.nvidia.com', devices: [device] };
      expect(ownerOf({ resourceSlices: [{ metadata: { name: 'a' }, spec }] })?.name).to.equal('dra');
    }
  });
  it('owns a node where its pod has the gate on, though no slice shows it yet', () => {
    const driver = (env: readonly { readonly name: string; readonly value?: string }[]): PodView => {
      const pod = aPod('driver-1', { 'dra-driver-nvidia-gpu-component': 'kubelet-plugin' });
      return { ...pod, spec: { containers: [{ env: [] }, { env }] } };
    };
    const gates = (value: string) => ownerOf({ pods: [driver([{ name: 'FEATURE_GATES', value }])] });
    expect(gates('TimeSlicingSettings=true, DynamicMIG=true')?.evidence).to.equal(
      'NVIDIA DRA driver with dynamic MIG: FEATURE_GATES with DynamicMIG on in pod gpu/driver-1',
    );
    for (const on of ['DynamicMIG=True', 'DynamicMIG = true', 'DynamicMIG=1', 'DynamicMIG=t'])
      expect(gates(on)?.name, on).to.equal('dra');
    for (const off of ['DynamicMIG=false', 'DynamicMIG=0', 'DynamicMIG=f']) expect(gates(off), off).to.equal(undefined);
    expect(gates('NotDynamicMIG=true')).to.equal(undefined);
    expect(gates('AllAlpha=true')?.name, 'every gate of its stage').to.equal('dra');
    for (const off of ['AllAlpha=true,DynamicMIG=false', 'AllAlpha=false', 'AllBeta=true'])
      expect(gates(off), off).to.equal(undefined);
    const elsewhere = { ...driver([{ name: 'FEATURE_GATES', value: 'DynamicMIG=true' }]) };
    const tenants = { ...elsewhere, metadata: { ...elsewhere.metadata, namespace: 'ml' } };
    expect(ownerOf({ pods: [tenants] }), 'a pod of a tenant').to.equal(undefined);
    expect(ownerOf({ pods: [driver([{ name: 'FEATURE_GATES' }])] })).to.equal(undefined);
  });
  it('is not what another driver with counters is', () => {
    const spec = { driver: 'gpu.example.com', sharedCounters: counters };
    expect(ownerOf({ resourceSlices: [{ metadata: { name: 'a' }, spec }] })).to.equal(undefined);
  });
});

describe('HAMi', () => {
  it('owns a node that its device plugin has registered', () => {
    expect(ownerOf({ annotations: { 'hami.io/node-nvidia-register': '[{"id":"GPU-1"}]' } })).to.deep.equal({
      name: 'hami',
      evidence: 'HAMi: annotation hami.io/node-nvidia-register',
      handOver:
        "take this node out of the nodeSelector of HAMi's device plugin (devicePlugin.nvidiaNodeSelector in its chart), then run " +
        '"kubectl annotate node n1 hami.io/node-nvidia-register- hami.io/node-handshake-", ' +
        "and let NVIDIA's device plugin run here",
    });
  });
  it('owns a node that its scheduler shakes hands with', () => {
    const annotations = { 'hami.io/node-handshake': 'Requesting_2026-01-02 03:04:05' };
    expect(ownerOf({ annotations })?.evidence).to.equal(
      'HAMi: annotation hami.io/node-handshake=Requesting_2026-01-02 03:04:05',
    );
  });
  it('owns a node where its device plugin runs', () => {
    const pods = [aPod('hami-1', { 'app.kubernetes.io/component': 'hami-device-plugin' })];
    expect(ownerOf({ pods })?.evidence).to.equal('HAMi: pod gpu/hami-1');
  });
  it('has left a node whose plugin its scheduler calls deleted', () => {
    expect(ownerOf({ annotations: { 'hami.io/node-handshake': 'Deleted_2026.01.02 03:04:05' } })).to.equal(undefined);
  });
  it('owns no NVIDIA GPU where it shakes hands about devices of others', () => {
    const annotations = {
      'hami.io/node-handshake-dcu': 'Requesting_2026-01-02 03:04:05',
      'hami.io/node-dcu-register': 'x',
    };
    expect(ownerOf({ annotations })).to.equal(undefined);
  });
});

describe('nos', () => {
  for (const kind of ['mig', 'mps', 'hybrid']) {
    it(`owns a node of kind ${kind}`, () => {
      expect(ownerOf({ labels: { 'nos.nebuly.com/gpu-partitioning': kind } })).to.deep.equal({
        name: 'nos',
        evidence: `nos: label nos.nebuly.com/gpu-partitioning=${kind}`,
        handOver: 'run "kubectl label node n1 nos.nebuly.com/gpu-partitioning-"',
      });
    });
  }
  it('owns no node of a kind that it does not know', () => {
    expect(ownerOf({ labels: { 'nos.nebuly.com/gpu-partitioning': 'off' } })).to.equal(undefined);
  });
});

describe('the virtual GPU plugin of AWS', () => {
  it('owns a node where a pod uses it', () => {
    expect(ownerOf({ allocatable: { [vgpu]: '10' }, pods: [aUser('asr', { [vgpu]: '3' })] })).to.deep.equal({
      name: 'aws-vgpu',
      evidence: `AWS virtual GPU device plugin: ${vgpu} 10, used by ml/asr`,
      handOver:
        `move the pods that ask for ${vgpu} to other nodes, ` +
        'then run "kubectl label node n1 k8s.amazonaws.com/accelerator-"',
    });
  });
  it('owns a node that offers it as long as its users are not known', () => {
    expect(ownerOf({ allocatable: { [vgpu]: '10' }, pods: undefined })?.evidence).to.equal(
      `AWS virtual GPU device plugin: ${vgpu} 10, its users are unknown`,
    );
  });
  it('owns a node whose capacity alone still tells of it', () => {
    const part = { allocatable: { [vgpu]: '0' }, capacity: { [vgpu]: '10' }, pods: undefined };
    expect(ownerOf(part)?.name).to.equal('aws-vgpu');
  });
  it('owns no node where nobody uses it, or whose amount is 0', () => {
    expect(ownerOf({ allocatable: { [vgpu]: '10' } })).to.equal(undefined);
    expect(ownerOf({ allocatable: { [vgpu]: '10' }, pods: [aUser('a', { [vgpu]: '1' }, 'Succeeded')] })).to.equal(
      undefined,
    );
    expect(ownerOf({ allocatable: { [vgpu]: '0' }, pods: undefined })).to.equal(undefined);
    expect(ownerOf({ allocatable: { [vgpu]: '0k' }, pods: undefined })).to.equal(undefined);
  });
  it('gives GPUs to pods that ask for it, in requests and in init containers too', () => {
    const resources = { requests: { [vgpu]: '1' } };
    const pod: PodView = { metadata: { name: 'p' }, spec: { initContainers: [{ resources }] } };
    const ownerBeside = (user: PodView) => ownerOf({ allocatable: { [vgpu]: '10' }, pods: [user] })?.name;
    expect(ownerBeside(pod)).to.equal('aws-vgpu');
    expect(ownerBeside({ ...pod, status: { phase: 'Failed' } })).to.equal(undefined);
    expect(ownerBeside(aUser('p', { [vgpu]: 0 }))).to.equal(undefined);
    expect(ownerBeside(aUser('p', { 'nvidia.com/gpu': 1 }))).to.equal(undefined);
  });
});

describe('the Dynamic Accelerator Slicer', () => {
  const handOver =
    'uninstall its operator once no pod uses a slice that it created: it serves every MIG node of the cluster, ' +
    "and does not work beside NVIDIA's device plugin";
  it('owns a node that offers its resources', () => {
    const allocatable = { 'mig.das.com/1g.5gb': '7', 'mig.das.com/2g.10gb': '3', 'mig.das.com/7g.40gb': '0k' };
    expect(ownerOf({ allocatable })).to.deep.equal({
      name: 'instaslice',
      evidence: 'Dynamic Accelerator Slicer (InstaSlice): resources mig.das.com/1g.5gb 7, mig.das.com/2g.10gb 3',
      handOver,
    });
  });
  it('owns a node with the resources that it had as InstaSlice', () => {
    expect(ownerOf({ capacity: { 'instaslice.redhat.com/mig-1g.5gb': '7' } })?.name).to.equal('instaslice');
  });
  it('owns a node where its DaemonSet runs', () => {
    expect(ownerOf({ pods: [aPod('das-1', { app: 'das-daemonset' })] })?.evidence).to.equal(
      'Dynamic Accelerator Slicer (InstaSlice): pod gpu/das-1',
    );
    expect(ownerOf({ pods: [aPod('i-1', { name: 'instaslice-daemonset' })] })?.name).to.equal('instaslice');
  });
});

describe('GPUStack', () => {
  it('owns a node on which it makes instances for pods', () => {
    const found = ownerOf({ allocatable: { 'nvidia.com/gpu.partitioned.mig-1g.5gb': '2', 'nvidia.com/gpu': '0' } });
    expect(found).to.deep.include({
      name: 'gpustack',
      evidence: 'GPUStack: resources nvidia.com/gpu.partitioned.mig-1g.5gb 2',
    });
    // One MIG instance of its documentation: v0.11, modules/devices/requests.
    const offered = { 'nvidia.com/gpu.partitioned': '7', 'nvidia.com/gpu.partitioned.mig-3g.40gb': '1' };
    expect(ownerOf({ capacity: offered })?.name).to.equal('gpustack');
    expect(ownerOf({ capacity: { 'nvidia.com/gpu.partitioned': '0', 'nvidia.com/gpu.shared': '10' } })).to.equal(
      undefined,
    );
  });
});

describe('fractions of GPUs', () => {
  const reservation = (namespace: string, limits: Readonly<Record<string, number>>) => {
    const containers = [{ name: 'main', resources: { limits } }];
    return { metadata: { name: 'gpu-reservation-n1', namespace, uid: 'u' }, spec: { containers } };
  };
  it('own a node on which a reservation pod holds a GPU: the kubelet does not know the pods that share it', () => {
    for (const namespace of ['kai-resource-reservation', 'runai-reservation']) {
      expect(ownerOf({ pods: [reservation(namespace, { 'nvidia.com/gpu': 1 })] })).to.deep.include({
        name: 'gpu-fractions',
        evidence: `GPU fractions of KAI or Run:ai: reservation pod ${namespace}/gpu-reservation-n1`,
      });
      expect(ownerOf({ pods: [reservation(namespace, { cpu: 1 })] }), 'no GPU').to.equal(undefined);
    }
    expect(ownerOf({ pods: [reservation('tenant', { 'nvidia.com/gpu': 1 })] })).to.equal(undefined);
  });
});
