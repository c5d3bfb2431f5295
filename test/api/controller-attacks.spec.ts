import { expect } from 'chai';
import { listMissingClasses } from '../../src/core/policy/device-classes.ts';
import { aPolicy } from '../support/builders.ts';
import { createNamespace, uniqueName, useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type Attempt, attempt } from './attempt.ts';
import { accountOf, renderFolder } from './installation.ts';

/** As the controller's own client asks. */
const asController = 'fieldManager=gpu-partition-controller';
const monday = '2026-01-05T00:00:00Z';

describe('whoever has the controller’s token', () => {
  const cluster = useSharedCluster();
  const name = uniqueName('node');
  const node = `/api/v1/nodes/${name}`;
  let token = '';
  let tenant = '';
  let policy = '';
  const attack = (wish: Attempt): Promise<string> => attempt(cluster(), token, wish);
  const patchNode = (body: unknown): Promise<string> => attack({ path: `${node}?${asController}`, body });

  before(async function () {
    const [namespace, account] = accountOf(await renderFolder('config/default'), 'Deployment');
    token = await cluster().serviceAccountToken(namespace, account);
    tenant = await createNamespace(cluster(), 'tenant');
    const spec = { taints: [{ key: 'gpupartition.dev/uninitialized', effect: 'NoSchedule' }], podCIDR: '10.9.0.0/24' };
    const labels = {
      team: 'a',
      'nvidia.com/gpu.present': 'true',
      'nvidia.com/gpu.deploy.driver': 'true',
      'nvidia.com/gpu.deploy.dcgm': 'true',
    };
    const annotations = { 'projectcalico.org/IPv4Address': '10.0.0.1/24' };
    const body = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels, annotations }, spec };
    await cluster().client.demand({ method: 'POST', path: '/api/v1/nodes', body });
    policy = await createPolicy();
    // A ValidatingAdmissionPolicy works a moment after it was made: each denies something first. One that succeeds before that must
    // not be all that the next one asks for.
    let attempts = 0;
    const denied = async (wish: (attempt: number) => Attempt, words: string): Promise<void> => {
      await eventually(
        () => attack(wish((attempts += 1))),
        (answer) => answer.includes(words),
        { what: words, timeoutMs: 20_000 },
      );
    };
    await denied(
      (attempt) => ({ path: `${node}?${asController}`, body: { metadata: { labels: { team: `b${attempt}` } } } }),
      'not in its list',
    );
    await denied(
      (attempt) => ({ path: `${policyPath(policy)}?${asController}`, body: { spec: { priority: attempt } } }),
      'is its users',
    );
    await denied(() => evictionOf('kube-public', 'x'), 'no pod of this namespace');
    await denied(() => anEvent('kubelet'), 'as gpupartition.dev/controller alone');
    const partition = await createPartition();
    await denied(
      (attempt) => ({ path: `${partitionPath(partition)}/status`, body: { status: { layout: `x${attempt}` } } }),
      'own field manager',
    );
  });

  const policyPath = (of: string): string => `/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies/${of}`;
  const partitionPath = (of: string): string => `/apis/gpupartition.dev/v1alpha1/gpunodepartitions/${of}`;

  async function createPolicy(): Promise<string> {
    const made = uniqueName('policy');
    const spec = { nodeSelector: { matchLabels: { pool: made } }, strategy: 'mixed', layouts: [{ mig: 'Disabled' }] };
    const body = {
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuPartitionPolicy',
      metadata: { name: made },
      spec,
    };
    const path = '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies';
    await eventually(
      () => cluster().client.send({ method: 'POST', path, body }),
      ({ status }) => status === 201,
    );
    return made;
  }

  async function createPartition(): Promise<string> {
    const made = uniqueName('partition');
    const body = {
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuNodePartition',
      metadata: { name: made },
      spec: { nodeUID: 'u' },
    };
    await cluster().client.demand({ method: 'POST', path: '/apis/gpupartition.dev/v1alpha1/gpunodepartitions', body });
    return made;
  }

  async function createPod(namespace: string, limits: Readonly<Record<string, string>> = {}): Promise<string> {
    const made = uniqueName('pod');
    const containers = [{ name: 'main', image: 'example.com/x:1', resources: { limits } }];
    const spec = { nodeName: name, containers, tolerations: [{ operator: 'Exists' }] };
    const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: made }, spec };
    await cluster().client.demand({ method: 'POST', path: `/api/v1/namespaces/${namespace}/pods`, body });
    return made;
  }

  function evictionOf(namespace: string, pod: string, uid?: string): Attempt {
    const deleteOptions = { gracePeriodSeconds: 0, ...(uid !== undefined && { preconditions: { uid } }) };
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace }, deleteOptions };
    return { method: 'POST', path: `/api/v1/namespaces/${namespace}/pods/${pod}/eviction`, body };
  }

  function anEvent(reportingController: string): Attempt {
    const regarding = { kind: 'Node', name, namespace: '' };
    const body = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: uniqueName('event'), namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      type: 'Warning',
      reason: 'Forged',
      action: 'Forge',
      reportingController,
      reportingInstance: 'x',
      regarding,
    };
    return { method: 'POST', path: '/apis/events.k8s.io/v1/namespaces/default/events', body };
  }

  it('changes the labels and taints that the controller changes', async () => {
    const labels = {
      'gpupartition.dev/state': 'ready',
      'nvidia.com/gpu.deploy.dcgm': 'paused-for-mig-change',
      'nvidia.com/mig-1g.10gb.me.slices.gi': '1',
      'nvidia.com/gpu.product': 'x',
      'nvidia.com/mig.config.state': 'pending',
    };
    expect(await patchNode({ metadata: { labels, annotations: { 'gpupartition.dev/on-loan': '{}' } } })).to.equal('');
    const taint = { key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule' };
    const { body } = await cluster().client.send({ path: node });
    const { taints = [] } = (body as { readonly spec: { readonly taints?: readonly { readonly key: string }[] } }).spec;
    expect(await patchNode({ spec: { taints: [...taints, taint] } })).to.equal('');
    const kept = taints.filter(({ key }) => key !== 'gpupartition.dev/uninitialized');
    expect(await patchNode({ spec: { taints: kept } })).to.equal('');
  });

  it('advertises quantities of GPU resources, and changes nothing else of a node’s status', async () => {
    const patchStatus = (status: unknown, of = node, metadata = {}): Promise<string> =>
      attack({ path: `${of}/status?${asController}`, body: { metadata, status } });
    const status = { capacity: { cpu: '8', 'nvidia.com/mig-1g.5gb': '7' }, allocatable: { cpu: '8' } };
    const contentType = 'application/merge-patch+json';
    await cluster().client.demand({ method: 'PATCH', path: `${node}/status`, contentType, body: { status } });
    const slices = { 'nvidia.com/mig-1g.5gb': '7', 'nvidia.com/gpu': '0' };
    expect(await patchStatus({ allocatable: slices, capacity: slices })).to.equal('');
    expect(await patchStatus({ allocatable: { 'nvidia.com/gpu': null } })).to.equal('');
    const quantities = 'changes only capacity and allocatable';
    for (const key of ['cpu', 'nvidia.com/hostdev', 'nvidia.com/rdma_shared_device', 'example.com/x']) {
      expect(await patchStatus({ allocatable: { [key]: '9' } }), key).to.include(quantities);
      expect(await patchStatus({ capacity: { [key]: '9' } }), key).to.include(quantities);
    }
    expect(await patchStatus({ allocatable: { cpu: null } })).to.include(quantities);
    const rest = 'nothing but the quantities';
    const ready = { type: 'Ready', status: 'False', reason: 'x', message: 'x' };
    expect(await patchStatus({ conditions: [ready] })).to.include(rest);
    expect(await patchStatus({ addresses: [{ type: 'InternalIP', address: '10.0.0.9' }] })).to.include(rest);
    expect(await patchStatus({ nodeInfo: { kubeletVersion: 'v1.0.0' } })).to.include(rest);
    expect(await patchStatus({}, node, { labels: { 'gpupartition.dev/state': 'waiting' } })).to.include(rest);
    expect(await patchStatus({}, node, { annotations: { 'gpupartition.dev/x': 'y' } })).to.include(rest);
  });

  it('writes the condition by which other programs gate nodes, and no other’s', async () => {
    const type = 'GpuPartitionReady';
    const own = { type, status: 'True', reason: 'Ready', message: 'all match', lastTransitionTime: monday };
    const patchConditions = (conditions: readonly object[], of = node): Promise<string> =>
      attack({
        path: `${of}/status?${asController}`,
        patch: 'strategic',
        body: { metadata: {}, status: { conditions } },
      });
    const conditionsNow = async (): Promise<readonly { readonly type: string; readonly status: string }[]> => {
      const { body } = await cluster().client.send({ path: node });
      return (body as { readonly status: { readonly conditions?: readonly (typeof own)[] } }).status.conditions ?? [];
    };
    const theirs = [
      { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'as the kubelet says' },
      { type: 'XidProblem', status: 'False', reason: 'NoXid', message: 'as the node problem detector says' },
    ];
    const contentType = 'application/merge-patch+json';
    const conditions = { status: { conditions: theirs } };
    await cluster().client.demand({ method: 'PATCH', path: `${node}/status`, contentType, body: conditions });
    expect(await patchConditions([own])).to.equal('');
    expect(await patchConditions([{ ...own, status: 'False', reason: 'Applying' }])).to.equal('');
    // The node controller changes others’ conditions, too, on a node without a kubelet.
    expect((await conditionsNow()).map((one) => one.type)).to.have.members(['Ready', 'XidProblem', type]);
    const rest = 'nothing but the quantities';
    for (const one of theirs) expect(await patchConditions([{ ...one, status: 'Unknown' }])).to.include(rest);
    expect(await patchConditions([{ type: 'XidProblem', $patch: 'delete' }])).to.include(rest);
    expect(await patchConditions([{ ...own, type: 'GpuPartitionReady2' }])).to.include(rest);
    const shape = 'True or False, with a reason in one word';
    expect(await patchConditions([{ ...own, status: 'Unknown' }])).to.include(shape);
    expect(await patchConditions([{ ...own, reason: 'not a reason' }])).to.include(shape);
    expect(await patchConditions([{ ...own, message: 'x'.repeat(1025) }])).to.include(shape);
    const twice = [...theirs, own, own];
    expect(
      await attack({ path: `${node}/status?${asController}`, body: { status: { conditions: twice } } }),
    ).not.to.equal('');
    expect(await patchConditions([{ type, $patch: 'delete' }])).to.equal('');
    expect((await conditionsNow()).map((one) => one.type)).to.have.members(['Ready', 'XidProblem']);
    const plain = uniqueName('plain');
    const body = { apiVersion: 'v1', kind: 'Node', metadata: { name: plain } };
    await cluster().client.demand({ method: 'POST', path: '/api/v1/nodes', body });
    expect(await patchConditions([own], `/api/v1/nodes/${plain}`)).to.include('only nodes with GPUs');
  });

  it('gives a node without GPUs none, and so cannot close it either', async () => {
    const plain = uniqueName('plain');
    const body = { apiVersion: 'v1', kind: 'Node', metadata: { name: plain } };
    await cluster().client.demand({ method: 'POST', path: '/api/v1/nodes', body });
    const status = { capacity: { 'nvidia.com/gpu': '1' } };
    const path = `/api/v1/nodes/${plain}/status?${asController}`;
    expect(await attack({ path, body: { status } })).to.include('closes only nodes with GPUs');
  });

  it('cannot empty the cluster by a taint, whatever its key', async () => {
    const keys = ['gpupartition.dev/x', 'gpupartition.dev/repartitioning', 'gpupartition.dev/uninitialized', 'mine'];
    for (const key of keys) {
      const taints = [{ key, effect: 'NoExecute' }];
      expect(await patchNode({ spec: { taints } }), key).to.include('only the taint gpupartition.dev/repartitioning');
    }
  });

  it('cannot close a node without GPUs, however it is labelled before', async () => {
    const plain = uniqueName('node');
    const body = { apiVersion: 'v1', kind: 'Node', metadata: { name: plain } };
    await cluster().client.demand({ method: 'POST', path: '/api/v1/nodes', body });
    const path = `/api/v1/nodes/${plain}?${asController}`;
    // The node controller has taints of its own for a node without a kubelet, at any time.
    const close = async (): Promise<string> => {
      const { body: now } = await cluster().client.send({ path: `/api/v1/nodes/${plain}` });
      const { taints = [] } = (now as { readonly spec: { readonly taints?: readonly object[] } }).spec;
      const taint = { key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule' };
      return attack({ path, body: { spec: { taints: [...taints, taint] } } });
    };
    const labels = { 'gpupartition.dev/policy': 'x', 'nvidia.com/gpu.count': '8', 'nvidia.com/mig.capable': 'true' };
    expect(await attack({ path, body: { metadata: { labels } } })).to.equal('');
    await eventually(close, (why) => why.includes('only nodes with GPUs'));
    expect(await attack({ path, body: { metadata: { labels: { 'nvidia.com/gpu.present': 'true' } } } })).to.include(
      'not in its list',
    );
    const status = { capacity: { 'nvidia.com/gpu': '0' } };
    const patch = { method: 'PATCH', contentType: 'application/merge-patch+json' } as const;
    await cluster().client.demand({ ...patch, path: `/api/v1/nodes/${plain}/status`, body: { status } });
    // One that advertises GPUs.
    await eventually(close, (why) => why === '');
  });

  it('cannot fill a node with labels, nor with names of field managers', async () => {
    const state = { 'gpupartition.dev/state': 'ready' };
    for (const query of ['', '?fieldManager=another']) {
      expect(await attack({ path: `${node}${query}`, body: { metadata: { labels: state } } })).to.include(
        'own field manager alone',
      );
    }
    const labels = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`nvidia.com/mig-${i}g.5gb.count`, '1']));
    expect(await patchNode({ metadata: { labels } })).to.include('512 labels at the most');
  });

  it('cannot take a foreign taint off', async () => {
    const foreign = { key: 'team', value: 'a', effect: 'NoSchedule' };
    await cluster().kubectl(['taint', 'node', name, 'team=a:NoSchedule']);
    expect(await patchNode({ spec: { taints: [] } })).to.include('only taints of gpupartition.dev');
    const other = { ...foreign, effect: 'PreferNoSchedule' };
    expect(await patchNode({ spec: { taints: [other] } })).to.include('forbidden');
    await cluster().kubectl(['taint', 'node', name, 'team-']);
  });

  it('cannot switch off the driver, nor set any label but those of its list', async () => {
    const keys = [
      'nvidia.com/gpu.deploy.driver',
      'nvidia.com/gpu.deploy.container-toolkit',
      'nvidia.com/gpu.deploy.operator-validator',
      'nvidia.com/gpu.present',
      'nvidia.com/gfd.timestamp',
      'gpupartition.dev/x',
      'kubernetes.io/hostname',
      'team',
    ];
    for (const key of keys) {
      expect(await patchNode({ metadata: { labels: { [key]: 'false' } } }), key).to.include('not in its list');
    }
    expect(await patchNode({ metadata: { labels: { team: null } } })).to.include('not in its list');
  });

  it('cannot rewrite the annotations of the network, nor fill a node with its own', async () => {
    const annotations = { 'projectcalico.org/IPv4Address': '10.0.0.66/24' };
    expect(await patchNode({ metadata: { annotations } })).to.include('only annotations of gpupartition.dev');
    const long = { 'gpupartition.dev/x': 'x'.repeat(20_000) };
    expect(await patchNode({ metadata: { annotations: long } })).to.include('16 KiB at the most');
  });

  it('cannot have the garbage collector delete a node, nor keep one from being deleted', async () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'none' }];
    expect(await patchNode({ metadata: { ownerReferences } })).to.include('neither owner references nor finalizers');
    expect(await patchNode({ metadata: { finalizers: ['a.example/x'] } })).to.include('neither owner references');
    expect(await attack({ method: 'DELETE', path: node })).to.include('403');
    expect(await attack({ path: `${node}/status`, body: { status: { allocatable: {} } } })).to.include('403');
  });

  it('cannot cordon a node, nor change where it is', async () => {
    expect(await patchNode({ spec: { unschedulable: true } })).to.include('never cordons');
    expect(await patchNode({ spec: { providerID: 'x://y' } })).to.include('changes nothing of its spec but taints');
  });

  it('evicts a pod that it names by uid, and none of the control plane, nor of a namespace that is closed', async () => {
    const pod = await createPod(tenant);
    const uid = await uidOf(tenant, pod);
    expect(await attack(evictionOf(tenant, pod))).to.include('names the uid');
    await cluster().kubectl(['label', 'namespace', tenant, 'gpupartition.dev/evictions=Never']);
    const asked = evictionOf(tenant, pod, uid);
    // A dry run: until the API server's own watch has seen the label, it would evict the pod.
    await eventually(
      () => attack({ ...asked, path: `${asked.path}?dryRun=All` }),
      (words) => words.includes('no pod of this namespace'),
    );
    expect(await attack(asked)).to.include('no pod of this namespace');
    await cluster().kubectl(['label', 'namespace', tenant, 'gpupartition.dev/evictions-']);
    await eventually(
      () => attack(asked),
      (words) => words === '',
    );
    for (const system of ['coredns-7f', 'kube-proxy-x', 'ebs-csi-node-1', 'csi-rbdplugin-1']) {
      expect(await attack(evictionOf('kube-system', system, 'u')), system).to.include('only pods of the device plugin');
    }
    expect(await attack(evictionOf('kube-system', 'nvidia-device-plugin-daemonset-x', 'u'))).to.include('404');
    expect(await attack(evictionOf('gpu-partition-system', 'x', 'u'))).to.include('no pod of this namespace');
  });

  it('deletes only pods that ask for a GPU, and none of kube-system', async () => {
    const path = (namespace: string, pod: string): string => `/api/v1/namespaces/${namespace}/pods/${pod}`;
    const plain = await createPod(tenant, { cpu: '1' });
    expect(await attack({ method: 'DELETE', path: path(tenant, plain) })).to.include('only pods that ask for a GPU');
    const other = await createPod(tenant, { 'devices.kubevirt.io/kvm': '1' });
    expect(await attack({ method: 'DELETE', path: path(tenant, other) })).to.include('only pods that ask for a GPU');
    const user = await createPod(tenant, { 'nvidia.com/mig-1g.5gb': '1' });
    expect(await attack({ method: 'DELETE', path: path(tenant, user) })).to.equal('');
    const system = await createPod('kube-system', { 'nvidia.com/gpu': '1' });
    expect(await attack({ method: 'DELETE', path: path('kube-system', system) })).to.include('none deleted');
    expect(await attack({ method: 'DELETE', path: `/api/v1/namespaces/${tenant}/pods` })).to.include('403');
  });

  it('cannot forge what an agent says, nor give a partition to another node', async () => {
    const made = partitionPath(await createPartition());
    const device = { driverVersion: '1', gpus: [] };
    const status = { path: `${made}/status?${asController}`, body: { status: { device } } };
    expect(await attack(status)).to.include('is the agent');
    expect(await attack({ path: `${made}/status?${asController}`, body: { status: { layout: 'x' } } })).to.equal('');
    expect(await attack({ path: `${made}?${asController}`, body: { spec: { nodeUID: 'other' } } })).to.include(
      'for good',
    );
    const finalizers = ['a.example/x'];
    expect(await attack({ path: `${made}?${asController}`, body: { metadata: { finalizers } } })).to.include(
      'no finalizers',
    );
  });

  it('writes the status of a policy and its own finalizer, and nothing else of it', async () => {
    const path = policyPath(policy);
    const put = (body: unknown, manager = 'gpu-partition-controller'): Promise<string> =>
      attack({ path: `${path}?fieldManager=${manager}`, body });
    expect(await put({ metadata: { finalizers: ['gpupartition.dev/cleanup'] } })).to.equal('');
    expect(await put({ metadata: { finalizers: [] } })).to.equal('');
    expect(await put({ metadata: { finalizers: ['a.example/x'] } })).to.include('only the finalizer');
    expect(await put({ spec: { strategy: 'single' } })).to.include('is its users');
    expect(await put({ metadata: { labels: { a: 'b' } } })).to.include('is its users');
    expect(await attack({ method: 'DELETE', path })).to.include('403');
    const ledger = { path: `${path}/status?fieldManager=gpu-partition-ledger`, body: { status: { inFlight: [] } } };
    expect(await attack(ledger)).to.equal('');
    const other = { path: `${path}/status?fieldManager=another`, body: { status: { summary: 'x' } } };
    expect(await attack(other)).to.include('own field managers');
  });

  it('reports events as itself, and not as the kubelet', async () => {
    expect(await attack(anEvent('gpupartition.dev/controller'))).to.equal('');
    expect(await attack(anEvent('kubelet'))).to.include('as gpupartition.dev/controller alone');
    const { body } = anEvent('gpupartition.dev/controller') as { readonly body: object };
    const forged = { ...body, deprecatedSource: { component: 'kubelet' } };
    expect(await attack({ ...anEvent('x'), body: forged })).to.not.equal('');
  });

  it('writes DeviceClasses of slices, and neither those of others nor any that hands out more', async () => {
    const base = '/apis/resource.k8s.io/v1/deviceclasses';
    const slices = "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig'";
    const put = (of: string, spec: object, manager = 'gpu-partition-controller'): Promise<string> => {
      const body = { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: of }, spec };
      return attack({ path: `${base}/${of}?fieldManager=${manager}`, body, patch: 'apply' });
    };
    const made = `mig-${uniqueName('x')}.gpu.nvidia.com`;
    const good = { selectors: [{ cel: { expression: slices } }], extendedResourceName: 'nvidia.com/mig-1g.5gb' };
    const words = 'only DeviceClasses of slices';
    // The admission policy works a moment after it was made.
    await eventually(
      () => put(`${uniqueName('other')}.example.com`, good),
      (answer) => answer.includes(words),
      { what: words, timeoutMs: 20_000 },
    );
    expect(await put(made, good)).to.equal('');
    const demand = { slices: [{ profiles: ['*', '*+*', '*-me'], count: 1 }] };
    const kept = listMissingClasses([aPolicy({ strategy: 'mixed', demand })], []);
    expect(kept).to.have.length.above(200);
    const refused = await Promise.all(
      kept.map(({ wanted: { metadata, spec = {} } }) =>
        put(metadata.name, spec, 'gpu-partition-controller&dryRun=All'),
      ),
    );
    expect(refused.filter((answer) => answer !== '')).to.deep.equal([]);
    const body = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: { name: 'gpu.nvidia.com' },
      spec: {},
    };
    await cluster().client.demand({ method: 'POST', path: base, body });
    expect(await put('gpu.nvidia.com', { selectors: [{ cel: { expression: 'false' } }] })).to.include(words);
    for (const expression of ['true', `${slices} || true`, "device.driver == 'nic.example.com'"])
      expect(await put(made, { ...good, selectors: [{ cel: { expression } }] }), expression).to.include(words);
    expect(await put(made, { extendedResourceName: 'nvidia.com/mig-1g.5gb' }), 'every device').to.include(words);
    expect(await put(made, { ...good, extendedResourceName: 'example.com/nic' })).to.include(words);
    const config = [{ opaque: { driver: 'gpu.nvidia.com', parameters: { kind: 'x' } } }];
    expect(await put(made, { ...good, config })).to.include(words);
    expect(await put(made, good, 'another')).to.include('own field manager');
    expect(await attack({ method: 'DELETE', path: `${base}/${made}` })).to.include('403');
    await cluster().client.demand({ method: 'DELETE', path: `${base}/gpu.nvidia.com` });
    await cluster().client.demand({ method: 'DELETE', path: `${base}/${made}` });
  });

  it('reads no secret, and makes no config map, role, CRD or admission policy', async () => {
    expect(await attack({ path: '/api/v1/secrets' })).to.include('403');
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };
    const path = `/api/v1/namespaces/${tenant}/configmaps`;
    expect(await attack({ method: 'POST', path, body: configMap })).to.include('403');
    const own = '/api/v1/namespaces/gpu-partition-system/pods';
    expect(await attack({ method: 'POST', path: own, body: { metadata: { name: 'x' } } })).to.include('403');
    const admission = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/gpu-partition-agent';
    expect(await attack({ method: 'DELETE', path: admission })).to.include('403');
    const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gpunodepartitions.gpupartition.dev';
    expect(await attack({ path: crd, body: { metadata: { labels: { a: 'b' } } } })).to.include('403');
    const binding = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/gpu-partition-controller';
    expect(await attack({ path: binding, body: { metadata: { labels: { a: 'b' } } } })).to.include('403');
  });

  async function uidOf(namespace: string, pod: string): Promise<string> {
    const { body } = await cluster().client.send({ path: `/api/v1/namespaces/${namespace}/pods/${pod}` });
    return (body as { readonly metadata: { readonly uid: string } }).metadata.uid;
  }
});
