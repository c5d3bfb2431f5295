import { expect } from 'chai';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { readMachine } from '../../../src/cli/commands/doctor.ts';
import type { Diagnosis } from '../../../src/core/explain/doctor.ts';
import { diagnoseHost } from '../../../src/core/explain/doctor-host.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';
import { allocatableResponse } from '../../../src/kubelet/pod-resources.ts';
import { encodeList, servePodResources } from '../../../src/simulator/kubelet/allocation.ts';
import { aGpu, aPolicy } from '../../support/builders.ts';
import { uniqueName, useClusterAlone, useSharedCluster } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { ownCrds, withoutField } from '../../core/explain/own-crds.ts';
import { aCluster } from '../../core/kubernetes/cluster-builder.ts';
import { useScratchFolder } from '../../device/scratch-folder.ts';
import { jsonRunner, run } from '../run.ts';
import { TestedNode } from '../selftest/tested-node.ts';
import { SimulatedHost } from '../simulated-host.ts';

const diagnosis = jsonRunner<Diagnosis>();
type Crd = (typeof ownCrds)[number];
const pluginDaemon: PodView = {
  metadata: {
    name: 'plugin-x7',
    namespace: 'gpu-operator',
    labels: { app: 'nvidia-device-plugin-daemonset' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'plugin', uid: 'ds', controller: true }],
  },
  spec: {
    nodeName: 'n',
    tolerations: [{ operator: 'Exists' }],
    containers: [
      {
        name: 'nvidia-device-plugin',
        args: ['--config-file=/config/any'],
        volumeMounts: [{ name: 'files', mountPath: '/config' }],
      },
    ],
    volumes: [{ name: 'files', configMap: { name: 'plugin-files' } }],
  },
  status: { phase: 'Running' },
};

describe('gpu-partition doctor', () => {
  const scratch = useScratchFolder();

  function save(name: string, more: readonly object[] = [], error?: string): string {
    const gpu = aGpu({ slices: ['1g.5gb@0'], ...(error !== undefined && { error }) });
    const { nodes, partitions, policies } = aCluster([{ gpus: [gpu], policy: aPolicy() }]);
    const items = [
      ...nodes.map((one) => ({ kind: 'Node', ...one })),
      ...partitions,
      ...policies,
      { kind: 'Pod', ...pluginDaemon },
      ...more,
    ];
    const file = scratch.path(name);
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    return file;
  }

  const sharing = { resources: [{ name: 'nvidia.com/gpu', replicas: 2 }] };
  const configMap = (how: object) => ({
    kind: 'ConfigMap',
    metadata: { name: 'plugin-files', namespace: 'gpu-operator' },
    data: { any: JSON.stringify({ version: 'v1', sharing: how }) },
  });

  it('exits with 0 where nothing is wrong, and says what it did not check', async () => {
    const file = save('well.json', [configMap({ timeSlicing: sharing })]);
    const { code, stdout, stderr } = await run(['doctor', '--snapshot', file]);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.match(/^not checked: StaleCdi, CapsMissing, PersistenceOff, NumaMissing: only the/);
    expect(stdout).to.match(/\nno finding\n$/);
    expect((await diagnosis(['doctor', 'n', '--snapshot', file])).answer.findings).to.deep.equal([]);
  });

  it('exits with 1 and has evidence and remedy of each finding, the remedy in one line', async () => {
    const file = save('ill.json', [configMap({ timeSlicing: sharing, mps: sharing })], 'GpuLost: Xid 79');
    const { code, stdout } = await run(['doctor', '--snapshot', file]);
    expect(code).to.equal(1);
    expect(stdout).to.match(
      /^GpuFault {2}n\n {2}GPU 0 \(A100-SXM4-40GB\) cannot be read: GpuLost: Xid 79\n {2}-> .*drain and reboot the node.*\nPluginConfig {2}n\n/,
    );
    expect(stdout)
      .to.contain('  -> kubectl -n gpu-operator edit configmap plugin-files')
      .and.to.match(/\n2 findings\n$/);
    const { answer } = await diagnosis(['doctor', '--snapshot', file]);
    expect(answer.findings.map((one) => Object.keys(one))).to.deep.equal(
      [0, 1].map(() => ['code', 'node', 'evidence', 'remedy']),
    );
  });

  it('judges the CRDs that were saved beside the rest, and names the command where they were not', async () => {
    const file = save('without.json', [configMap({ timeSlicing: sharing })]);
    const unread = (await diagnosis(['doctor', '--snapshot', file])).answer.notChecked.filter(
      ({ code }) => code === 'VersionSkew',
    );
    expect(unread.map(({ why }) => why)).to.include(
      'the CRDs were not read (kubectl get crd gpupartitionpolicies.gpupartition.dev gpunodepartitions.gpupartition.dev -o yaml)',
    );
    const crds = ownCrds.map((crd, at) => (at === 0 ? withoutField(crd, 'spec', 'kueue') : crd));
    const saved = scratch.path('crds.yaml');
    writeFileSync(saved, stringify({ apiVersion: 'v1', kind: 'List', items: crds }));
    const { code, answer } = await diagnosis(['doctor', '--snapshot', file, saved]);
    expect(code).to.equal(1);
    expect(answer.findings.map((found) => found.evidence)).to.deep.equal([
      'CRD gpupartitionpolicies.gpupartition.dev lacks spec.kueue of gpu-partition 0.1.0: the API server drops what is written there',
    ]);
    writeFileSync(saved, stringify({ ...crds[0], spec: { versions: 'v1alpha1' } }));
    const { code: refused, stderr } = await run(['doctor', '--snapshot', file, saved]);
    expect(refused).to.equal(2);
    expect(stderr).to.match(
      /crds\.yaml: CustomResourceDefinition gpupartitionpolicies\.gpupartition\.dev: spec\.versions must be array/,
    );
  });

  it('shows five findings of a kind, and says how many there are', async () => {
    const many = Array.from({ length: 7 }, (_, at) => ({
      name: `n${at}`,
      gpus: [{ ...aGpu({ error: 'GpuLost: gone' }), uuid: `GPU-${at}` }],
    }));
    const { nodes, partitions } = aCluster(many);
    const items = [...nodes.map((one) => ({ kind: 'Node', ...one })), ...partitions, { kind: 'Pod', ...pluginDaemon }];
    const file = scratch.path('many.json');
    writeFileSync(file, JSON.stringify({ kind: 'List', items }));
    expect((await run(['doctor', '--snapshot', file])).stdout).to.contain('GpuFault: 2 more (-o json has all)\n');
  });

  it('refuses by name what it cannot use', async () => {
    const file = save('names.json');
    const said = async (...argv: readonly string[]) => {
      const { code, stderr } = await run(['doctor', ...argv], { cwd: dirname(file) });
      return `${code} ${stderr.split('\n')[0]}`;
    };
    expect(await said('m', '--snapshot', file)).to.match(/^2 error: there is no node m; did you mean n\?/);
    writeFileSync(scratch.path('none.txt'), 'a: 1\n');
    expect(await said('--snapshot', 'none.txt')).to.match(/^2 error: none\.txt: /);
    expect(await said('--snapshot', 'missing.yaml')).to.match(/^2 error: missing\.yaml/);
    expect(await said('--nvidia-smi', '/bin/x')).to.equal('2 error: --nvidia-smi and --driver-root are for --host');
    expect(await said('--system-namespaces', 'kube system')).to.match(
      /^2 error: --system-namespaces: "kube system" is not/,
    );
    expect(await said('n', '--host')).to.equal('2 error: give a node or --host, not both');
    expect(await said('--host', '--snapshot', file)).to.match(/^2 error: .*--host.* cannot be used with .*--snapshot/);
    expect(await said('--host', '--nvidia-smi', '/nowhere/nvidia-smi')).to.match(/^3 error: /);
  });
});

describe('gpu-partition doctor on a cluster @all', () => {
  const cluster = useSharedCluster();
  const name = uniqueName('doctor');
  const nodePath = `/api/v1/nodes/${name}`;
  const partitionPath = `/apis/gpupartition.dev/v1alpha1/gpunodepartitions/${name}`;
  const stateLabel = 'nvidia.com/mig.config.state';

  afterEach(async () => {
    for (const path of [nodePath, partitionPath]) await cluster().client.send({ method: 'DELETE', path });
  });

  it('takes the time of a label from the API server, and reads the rest as others do', async () => {
    const { client } = cluster();
    const merge = 'application/merge-patch+json';
    // As a kubelet does: the server follows no fields of an object that was created without any.
    const own = { metadata: { name, labels: { 'nvidia.com/gpu.present': 'true' } } };
    await client.demand({ method: 'POST', path: '/api/v1/nodes?fieldManager=kubelet', body: own });
    const { gpus } =
      aCluster([{ gpus: [aGpu({ slices: ['1g.5gb@0'], error: 'GpuLost: Xid 79' })] }]).partitions[0]?.status?.device ??
      {};
    const body = {
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuNodePartition',
      metadata: { name },
      spec: { nodeUID: 'uid' },
    };
    await client.demand({ method: 'POST', path: dirname(partitionPath), body });
    await client.demand({
      method: 'PATCH',
      path: `${partitionPath}/status`,
      contentType: merge,
      body: { status: { device: { gpus } } },
    });
    await client.demand({
      method: 'PATCH',
      path: `${nodePath}?fieldManager=nvidia-mig-manager`,
      contentType: merge,
      body: { metadata: { labels: { [stateLabel]: 'pending' } } },
    });
    const kubeconfig = await cluster().kubeconfigFile();
    const doctor = () => diagnosis(['doctor', name, '--kubeconfig', kubeconfig]);
    const gone = await doctor();
    expect(gone.code).to.equal(1);
    expect(gone.answer.findings.map(({ code }) => code)).to.deep.equal(['MigManagerGone', 'GpuFault']);
    expect(gone.answer.notChecked.map(({ code }) => code)).to.not.include('TwoOwners');

    const template = { containers: [{ name: 'main', image: 'k8s-mig-manager:v0.15.0' }], nodeName: name };
    const labels = { app: 'nvidia-mig-manager' };
    const pod = { metadata: { name, labels }, spec: { ...template, tolerations: [{ operator: 'Exists' }] } };
    await client.demand({ method: 'POST', path: '/api/v1/namespaces/default/pods', body: pod });
    try {
      const inAnHour = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '');
      const ready = {
        type: 'Ready',
        status: 'True',
        reason: 'x',
        message: '',
        lastHeartbeatTime: inAnHour,
        lastTransitionTime: inAnHour,
      };
      await client.demand({
        method: 'PATCH',
        path: `${nodePath}/status`,
        contentType: merge,
        body: { status: { conditions: [ready] } },
      });
      const [stuck] = (await doctor()).answer.findings;
      expect(stuck?.code).to.equal('MigManagerStuck');
      expect(stuck?.evidence).to.match(/=pending for (59 min|1 h|60 min).* \(v0\.15\.0; it never retries/);
    } finally {
      await client.send({ method: 'DELETE', path: `/api/v1/namespaces/default/pods/${name}?gracePeriodSeconds=0` });
    }
  });
});

describe('gpu-partition doctor and the CRDs of a cluster @all', () => {
  const cluster = useClusterAlone();
  const scratch = useScratchFolder();
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gpupartitionpolicies.gpupartition.dev';
  const policyPath = '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies';
  const lacks =
    'CRD gpupartitionpolicies.gpupartition.dev lacks spec.priority of gpu-partition 0.1.0: the API server drops what is written there';

  /** What is said of CRDs. */
  async function ofCrds(kubeconfig: string): Promise<readonly string[]> {
    const { answer } = await diagnosis(['doctor', '--kubeconfig', kubeconfig]);
    const told = [...answer.findings.map(({ evidence }) => evidence), ...answer.notChecked.map(({ why }) => why)];
    return told.filter((text) => text.includes('CRD'));
  }

  it('names the field that the API server drops after an upgrade without them, live and as kubectl saves them', async () => {
    const { client } = cluster();
    const kubeconfig = await cluster().kubeconfigFile();
    expect(await ofCrds(kubeconfig)).to.deep.equal([]);
    const crd = (await client.demand({ path })) as Crd;
    await client.demand({ method: 'PUT', path, body: withoutField(crd, 'spec', 'priority') });
    expect(await ofCrds(kubeconfig)).to.deep.equal([lacks]);
    const command = 'get crd gpupartitionpolicies.gpupartition.dev gpunodepartitions.gpupartition.dev -o yaml';
    const { code, stdout } = await cluster().kubectl(command.split(' '));
    expect(code).to.equal(0);
    const [saved, rest] = [scratch.path('crds.yaml'), scratch.path('rest.json')];
    writeFileSync(saved, stdout);
    const { nodes, partitions } = aCluster([{ gpus: [aGpu()] }]);
    const items = [...nodes.map((one) => ({ kind: 'Node', ...one })), ...partitions, { kind: 'Pod', ...pluginDaemon }];
    writeFileSync(rest, JSON.stringify({ kind: 'List', items }));
    const ofSaved = await diagnosis(['doctor', '--snapshot', rest, saved]);
    expect(ofSaved.answer.findings.map(({ evidence }) => evidence)).to.deep.equal([lacks]);
    const { metadata: _metadata, ...policy } = aPolicy({ priority: 7 });
    const body = { ...policy, metadata: { name: uniqueName('dropped') } };
    await eventually(
      () => client.demand({ method: 'POST', path: `${policyPath}?dryRun=All`, body }),
      (made) => !Object.hasOwn((made as typeof policy).spec, 'priority'),
      { what: 'the new schema' },
    );
  });

  it('says what its user may not read: gpu-partition-planner has no right to CRDs', async () => {
    const { client } = cluster();
    const body = {
      metadata: { name: 'planner' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'gpu-partition-planner' },
    };
    await client.demand({
      method: 'POST',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
      body,
    });
    const token = await cluster().serviceAccountToken('default', 'default');
    const [why, ...others] = await ofCrds(await cluster().kubeconfigFile({ token }));
    expect(others).to.deep.equal([]);
    expect(why).to.match(/^the CRDs were not read/);
  });
});

describe('gpu-partition doctor --host', () => {
  const scratch = useScratchFolder();
  let count = 0;

  const twoSlices = [
    'gpu 0 mig 1 pending 1',
    'gi 0 1 profile 9 place 0:4',
    'ci 0 1 0 profile 2 place 0:3',
    'gi 0 13 profile 19 place 6:1',
    'ci 0 13 0 profile 0 place 0:1',
    '',
  ].join('\n');

  /** A machine with two slices, of which everything is as it should be. */
  function aMachine(state = twoSlices) {
    count += 1;
    const folder = scratch.path(`machine-${count}`);
    const node = new TestedNode(folder, ['A100-SXM4-40GB'], state);
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    write('proc/driver/nvidia/capabilities/gpu0/mig/gi1/access', 'DeviceFileMinor: 12\nDeviceFileMode: 292\n');
    mkdirSync(join(folder, 'dev/nvidia-caps'), { recursive: true });
    const addCap = (): void => symlinkSync('/dev/null', join(folder, 'dev/nvidia-caps/nvidia-cap12'));
    const read = () =>
      readMachine(node.openDriver(), { podResourcesSocket: node.socket, nvidiaSmi: 'simulated' }, node.host, folder);
    const uuidsOf = async () =>
      (await read()).device.gpus.flatMap(({ instances }) =>
        instances.flatMap(({ computeInstances }) => computeInstances.flatMap(({ uuid }) => uuid ?? [])),
      );
    const find = async () => diagnoseHost(await read());
    const codes = async () => (await find()).findings.map(({ code }) => code);
    return { node, folder, write, addCap, uuidsOf, find, codes };
  }

  const specOf = (names: readonly string[]): string =>
    JSON.stringify({
      cdiVersion: '0.5.0',
      kind: 'nvidia.com/gpu',
      devices: names.map((name) => ({ name, containerEdits: {} })),
    });

  it('finds nothing on a machine where all is well', async () => {
    const machine = aMachine();
    machine.addCap();
    machine.write('run/cdi/nvidia.yaml', specOf(['all', '0', '0:0', '0:1', ...(await machine.uuidsOf())]));
    expect((await machine.find()).findings).to.deep.equal([]);
  });

  it('StaleCdi is a spec with a MIG device that is gone, by its UUID or its index', async () => {
    for (const gone of ['MIG-11111111-2222-3333-4444-555555555555', '0:2']) {
      const machine = aMachine();
      machine.addCap();
      machine.write('etc/cdi/nvidia.yaml', specOf([...(await machine.uuidsOf()), gone]));
      const [found, ...others] = (await machine.find()).findings;
      expect(others).to.deep.equal([]);
      expect(found).to.include({
        code: 'StaleCdi',
        evidence: `CDI spec nvidia.yaml (nvidia.com/gpu) names ${gone}, which nvidia-smi -L does not list`,
      });
      expect(found?.remedy).to.contain('nvidia-ctk cdi generate');
    }
  });

  it('CapsMissing is a capability of the driver without its device node', async () => {
    const [found] = (await aMachine().find()).findings;
    expect(found?.code).to.equal('CapsMissing');
    expect(found?.evidence).to.match(
      /^\/dev\/nvidia-caps\/nvidia-cap12 \(gpu0\/mig\/gi1\): the device node is missing/,
    );
  });

  it('ModePending and PersistenceOff are what nvidia-smi says', async () => {
    expect(await aMachine('gpu 0 mig 0 pending 1\n').codes()).to.deep.equal(['ModePending']);
    expect(await aMachine('gpu 0 mig 0 pending 0\npersistence gpu 0 off\n').codes()).to.deep.equal(['PersistenceOff']);
  });

  it('NumaMissing is a slice of which the kubelet has no NUMA node, on a machine that has several', async () => {
    const machine = aMachine();
    machine.addCap();
    const uuids = await machine.uuidsOf();
    const answer = (topology?: { readonly nodes: readonly object[] }) => () =>
      allocatableResponse.encode({
        devices: uuids.map((uuid) => ({
          resourceName: 'nvidia.com/mig-1g.5gb',
          deviceIds: [uuid],
          ...(topology && { topology }),
        })),
      });
    let allocatable = answer();
    const kubelet = await servePodResources(machine.node.socket, {
      '/v1.PodResourcesLister/List': () => encodeList([]),
      '/v1.PodResourcesLister/GetAllocatableResources': () => allocatable(),
    });
    try {
      machine.write('sys/devices/system/node/node0/cpulist', '0-7\n');
      machine.write('sys/bus/pci/devices/0000:07:00.0/numa_node', '1\n');
      expect(await machine.codes()).to.deep.equal([]);
      machine.write('sys/devices/system/node/node1/cpulist', '8-15\n');
      const [found] = (await machine.find()).findings;
      expect(found?.code).to.equal('NumaMissing');
      expect(found?.evidence).to.contain(
        `the kubelet has no NUMA node of ${uuids[0]} and 1 more; GPU 0 is on NUMA node 1 of 2`,
      );
      allocatable = answer({ nodes: [{ ID: 1 }] });
      expect(await machine.codes()).to.deep.equal([]);
    } finally {
      await kubelet.close();
    }
  });

  it('reads this machine by the nvidia-smi that is named', async () => {
    using host = new SimulatedHost(['A100-SXM4-40GB'], { mig: false });
    const { code, answer } = await diagnosis(['doctor', '--host', '--nvidia-smi', host.nvidiaSmi]);
    expect(code).to.equal(0);
    expect(answer.findings).to.deep.equal([]);
  });
});
