import { expect } from 'chai';
import { LenientReader, readLogs, type SupportBundleAnswer } from '../../../src/cli/commands/support-bundle.ts';
import { KubeClient } from '../../../src/kube/client.ts';
import { loadKubeConfig } from '../../../src/kube/kubeconfig.ts';
import { useScratchFolder } from '../../device/scratch-folder.ts';
import { SpokenApi } from '../spoken-api.ts';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { parse, stringify } from 'yaml';
import {
  deviceClasses,
  events,
  nodePartitions,
  nodes,
  pods,
  policies,
  resourceClaims,
  resourceClaimTemplates,
  resourceSlices,
  namespaces,
} from '../../../src/api/resources.ts';
import type { Diagnosis } from '../../../src/core/explain/doctor.ts';
import type { ChangePlan } from '../../../src/core/plan/change.ts';
import type { KubeObject, Resource } from '../../../src/kube/watch.ts';
import { caFileOf, keyFileOf } from '../../../src/simulator/control-plane/components.ts';
import { installRights } from '../../../src/simulator/rig/install.ts';
import { aCluster, aFleetNode, aTeamPod, inFile } from '../../core/plan/cluster-builder.ts';
import { createKubeClient, type ControlPlane, useOwnCluster } from '../../support/cluster.ts';
import { holdLease } from '../../support/controller-lease.ts';
import { jsonRunner, run } from '../run.ts';

/** As a kubelet does: of the last lines the first bytes. */
function answerAsKubelet(log: readonly string[], query: URLSearchParams): string {
  const lines = log.slice(-Number(query.get('tailLines') ?? Infinity)).join('');
  return lines.slice(0, Number(query.get('limitBytes') ?? Infinity));
}

describe('a log in a support bundle', () => {
  const scratch = useScratchFolder();

  it('is cut at its beginning where it is too long: the newest lines are those that help', async () => {
    const log = Array.from({ length: 9000 }, (_, line) => `line ${line} ${'é'.repeat(100)}\n`);
    await using api = await SpokenApi.start((_, { searchParams }) => answerAsKubelet(log, searchParams));
    const client = new KubeClient(loadKubeConfig({ kubeconfig: api.writeKubeconfig(scratch.path('config')) }), 'test');
    const pod = { metadata: { name: 'a', namespace: 'n' }, spec: { containers: [{ name: 'agent' }] } };
    const [found] = await readLogs(new LenientReader(client), [pod], { logLines: 8000, logPods: 1 });
    const lines = found?.log.split('\n') ?? [];
    expect(lines.slice(-2)).to.deep.equal([log.at(-1)?.trimEnd(), '']);
    expect(lines[0]).to.match(/^line \d+ é+$/);
    expect(Buffer.byteLength(found?.log ?? '')).to.be.within(500 * 1024, 512 * 1024);
  });
});

const halves = ['3g.20gb@0', '3g.20gb@4'];
const secret = 'hunter2-is-a-secret';
const aToken = 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJl';

/** A kubelet that has logs and nothing else, with the certificate of the API server, for 127.0.0.1. */
async function serveLogs(cluster: ControlPlane): Promise<Server> {
  const certificates = { cert: readFileSync(caFileOf(cluster.folder)), key: readFileSync(keyFileOf(cluster.folder)) };
  const server = createServer(certificates, ({ url = '' }, response) => {
    const isPrevious = url.includes('previous=true');
    response.end(`${isPrevious ? 'before' : 'after'} the restart of ${url.split('?')[0]}\nBearer ${aToken}\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Objects as they are made: what is in `status` is another request. */
async function store(client: KubeClient, resource: Resource, object: object): Promise<KubeObject> {
  const { status, ...rest } = object as KubeObject & { readonly status?: unknown };
  const { uid: _uid, resourceVersion: _version, ...metadata } = rest.metadata;
  const made = await client.create(resource, { ...rest, metadata });
  if (status === undefined) return made;
  const { name, namespace } = made.metadata;
  return client.merge({ resource, name, ...(namespace && { namespace }), subresource: 'status' }, { status });
}

describe('gpu-partition support-bundle @all', function () {
  const cluster = useOwnCluster({ controllerManager: false, scheduler: false });
  const scratch = useScratchFolder();
  let config = '';
  let kubelet: Server | undefined;
  let text = '';
  let items: readonly (KubeObject & Readonly<Record<string, unknown>>)[] = [];
  let made = { code: -1, stdout: '', stderr: '' };
  const file = scratch.path('bundle.yaml');
  const policyFile = scratch.path('policy.yaml');
  const inBundle = (kind: string) => items.filter((item) => item.kind === kind);

  before(async () => {
    await installRights(cluster());
    await holdLease(cluster());
    const client = await createKubeClient(cluster());
    config = await cluster().kubeconfigFile();
    kubelet = await serveLogs(cluster());
    await makeCluster(client, (kubelet.address() as AddressInfo).port);
    writeFileSync(policyFile, stringify(inFile({ layouts: [{ profiles: { '1g.5gb': 7 } }] })));
    made = await run(['support-bundle', file, '--kubeconfig', config]);
    text = readFileSync(file, 'utf8');
    items = (parse(text) as { readonly items: typeof items }).items;
  });
  after(() => kubelet?.close());

  it('is a List with all that concerns GPUs, that its user alone may read', () => {
    expect(made).to.include({ code: 0, stderr: '' });
    expect(made.stdout).to.match(/bundle\.yaml: 1 GpuPartitionPolicy, 2 GpuNodePartition, 2 Node, /);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(inBundle('Node').map(({ metadata }) => metadata.name)).to.deep.equal(['n1', 'n2']);
    const podNames = inBundle('Pod').map(({ metadata }) => metadata.name);
    expect(podNames).to.include.members(['a', 'gpu-partition-agent-1', 'plugin-n1']).and.not.to.include('website');
    expect(inBundle('Event').map(({ metadata }) => metadata.name)).to.deep.equal(['n1.halted']);
  });

  it('holds neither secrets nor environments, arguments or annotations of others', () => {
    expect(text).not.to.contain(secret).and.not.to.contain('last-applied').and.not.to.contain('managedFields');
    expect(text).not.to.contain('rack').and.not.to.contain('127.0.0.1');
    expect(inBundle('Secret').concat(inBundle('ConfigMap'))).to.deep.equal([]);
  });

  it('takes a pod of another namespace with our labels for a pod like any other', () => {
    expect(inBundle('Pod').map(({ metadata }) => metadata.name)).to.include('impostor');
    expect(inBundle('PodLog').map(({ metadata }) => metadata.name)).not.to.include('impostor');
  });

  it('has the labels of nodes that are about GPUs, or that a policy or a pod chooses by', () => {
    const [node] = inBundle('Node');
    expect(node?.metadata.labels).to.include({ pool: 'p', zone: 'b' }).and.not.to.have.any.keys('rack', 'team');
  });

  it('has the last lines of our logs, from before a restart too, without tokens', () => {
    const logs = inBundle('PodLog').map(({ container, isPrevious, log }) => ({ container, isPrevious, log }));
    expect(logs).to.deep.equal(
      ['before', 'after'].map((when) => ({
        container: 'agent',
        isPrevious: when === 'before',
        log: `${when} the restart of /containerLogs/gpu-partition-agents/gpu-partition-agent-1/agent\nBearer redacted\n`,
      })),
    );
  });

  it('says which versions run, and what of it could not be read', () => {
    const [about] = inBundle('SupportBundle') as unknown as readonly {
      readonly spec: { readonly versions: Record<string, unknown>; readonly notRead: readonly string[] };
    }[];
    expect(about?.spec.versions['kubernetes']).to.match(/^v1\.\d+/);
    expect(about?.spec.versions['images']).to.deep.equal(['gpu-partition-operator:dev']);
    expect(about?.spec.notRead).to.deep.equal([]);
  });

  it('is a snapshot: plan, explain and status say of it what they say of the cluster', async () => {
    const live = ['--kubeconfig', config];
    const saved = ['--snapshot', file];
    const plan = jsonRunner<ChangePlan>();
    const onCluster = await plan(['plan', '-f', policyFile, ...live]);
    expect(onCluster.answer.nodes.length).to.be.greaterThan(0);
    expect(await plan(['plan', '-f', policyFile, ...saved])).to.deep.equal(onCluster);
    for (const argv of [['explain', 'pod', 'team/waiting'], ['status']])
      expect(await run([...argv, ...saved]), argv.join(' ')).to.deep.equal(await run([...argv, ...live]));
    const diagnosis = jsonRunner<Diagnosis>();
    const { code, answer } = await diagnosis(['doctor', ...live]);
    expect(await diagnosis(['doctor', ...saved]))
      .to.deep.include({ code })
      .and.to.have.deep.nested.property('answer.findings', answer.findings);
    const ofSaved = await diagnosis(['doctor', ...saved]);
    expect(ofSaved.answer.findings.map((found) => found.code)).to.deep.equal(['HostNotRestored', 'HostNotRestored']);
    expect(inBundle('CustomResourceDefinition')).to.have.length(2);
    expect(ofSaved.answer.notChecked.filter(({ why }) => why.includes('CRD'))).to.deep.equal([]);
    expect(inBundle('SupportBundle')[0]).to.have.deep.nested.property('spec.doctor', ofSaved.answer);
    const { stdout } = await run(['status', 'n1', ...live]);
    expect(stdout).to.match(/^ {2}event .*Halted/im);
    expect((await run(['status', 'n1', ...saved])).stdout).to.equal(stdout);
  });

  it('has the claims of pods, the classes and slices that explain them, and no parameters of drivers', async () => {
    const named = (kind: string): readonly string[] => inBundle(kind).map(({ metadata }) => metadata.name);
    expect(named('DeviceClass')).to.deep.equal(['halves']);
    expect(named('ResourceClaimTemplate')).to.deep.equal(['half']);
    expect(named('ResourceClaim')).to.deep.equal(['own']);
    expect(named('ResourceSlice')).to.deep.equal(['n1-gpus']);
    for (const pod of ['by-template', 'by-claim']) {
      const live = await run(['explain', 'pod', `team/${pod}`, '--kubeconfig', config]);
      expect(live.stdout).to.include('nvidia.com/mig-3g.20gb').and.not.to.include('claim gpu: ');
      expect(await run(['explain', 'pod', `team/${pod}`, '--snapshot', file]), pod).to.deep.equal(live);
    }
  });

  it('has the namespaces of its pods where a demand goes by their labels, and these labels alone', async () => {
    const client = await createKubeClient(cluster());
    expect(inBundle('Namespace')).to.deep.equal([]);
    const labels = { metadata: { labels: { team: 'vision', owner: secret } } };
    await client.merge({ resource: namespaces, name: 'team' }, labels);
    const demand = {
      from: 'Pods',
      namespaceSelector: { matchLabels: { team: 'vision' } },
      slices: [{ profiles: ['1g.5gb'] }],
    };
    const spec = { nodeSelector: { matchLabels: { pool: 'none' } }, mode: 'Plan', strategy: 'mixed', demand };
    await client.create(policies, { metadata: { name: 'vision' }, spec });
    const { stdout } = await run(['support-bundle', '-', '--log-lines', '0', '--kubeconfig', config]);
    const found = (parse(stdout) as { readonly items: typeof items }).items.filter(({ kind }) => kind === 'Namespace');
    expect(found.map(({ metadata }) => metadata)).to.deep.include({ name: 'team', labels: { team: 'vision' } });
    expect(stdout).not.to.contain(secret);
    await client.delete({ resource: policies, name: 'vision' });
  });

  it('goes to standard output where it is told to, with what is in it beside it', async () => {
    const { code, stdout, stderr } = await run(['support-bundle', '-', '--log-lines', '0', '--kubeconfig', config]);
    expect(code).to.equal(0);
    expect((parse(stdout) as { readonly kind: string }).kind).to.equal('List');
    expect(stdout).not.to.contain('PodLog');
    expect(stderr).to.match(/^-: 1 GpuPartitionPolicy, /);
  });

  it('is made of what its user may read, and names the rest with exit code 1', async () => {
    const { client } = cluster();
    await client.demand({
      method: 'POST',
      path: '/api/v1/namespaces/team/serviceaccounts',
      body: { metadata: { name: 'dev' } },
    });
    const rules = [
      { apiGroups: ['gpupartition.dev'], resources: ['gpupartitionpolicies', 'gpunodepartitions'], verbs: ['list'] },
    ];
    await client.demand({
      method: 'POST',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      body: { metadata: { name: 'dev' }, rules },
    });
    await client.demand({
      method: 'POST',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
      body: {
        metadata: { name: 'dev' },
        subjects: [{ kind: 'ServiceAccount', name: 'dev', namespace: 'team' }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'dev' },
      },
    });
    const token = await cluster().serviceAccountToken('team', 'dev');
    const poor = await cluster().kubeconfigFile({ token });
    const refused = await run(['doctor', '--kubeconfig', poor]);
    expect(refused.code, refused.stderr).to.equal(3);
    const bundle = jsonRunner<SupportBundleAnswer>();
    const { code, answer } = await bundle(['support-bundle', scratch.path('poor.yaml'), '--kubeconfig', poor]);
    expect(code).to.equal(1);
    expect(answer.objects).to.deep.equal({ GpuPartitionPolicy: 1, GpuNodePartition: 2, SupportBundle: 1 });
    expect(answer.notRead.map((one) => one.split(':')[0] ?? '').toSorted()).to.deep.equal([
      'CRD gpunodepartitions.gpupartition.dev',
      'CRD gpupartitionpolicies.gpupartition.dev',
      'events',
      'nodes',
      'poddisruptionbudgets',
      'pods',
      'pods of gpu-partition-agents',
      'pods of gpu-partition-system',
    ]);
  });

  it('names the logs of which the kubelet does not tell, and overwrites no file', async () => {
    kubelet?.closeAllConnections();
    await new Promise((resolve) => kubelet?.close(resolve));
    const other = scratch.path('no-logs.yaml');
    const { code, stderr } = await run(['support-bundle', other, '--kubeconfig', config]);
    expect(code).to.equal(1);
    expect(stderr).to.match(/^not read: log of gpu-partition-agents\/gpu-partition-agent-1, container agent: /m);
    const again = await run(['support-bundle', other, '--kubeconfig', config]);
    expect(again.code).to.equal(2);
    expect(again.stderr).to.contain('is there already');
  });
});

describe('gpu-partition support-bundle without a cluster @all', () => {
  it('cannot find out anything, and leaves no file', async () => {
    const { code, stdout, stderr } = await run([
      'support-bundle',
      '/tmp/never-made.yaml',
      '--kubeconfig',
      '/nonexistent',
    ]);
    expect({ code, stdout }).to.deep.equal({ code: 3, stdout: '' });
    expect(stderr).to.match(/^error: no cluster to ask/);
    expect(() => statSync('/tmp/never-made.yaml')).to.throw('ENOENT');
  });
});

/** Two nodes of two halves, a pod on one, one that waits, an agent that was restarted, and things that are nobody's business. */
async function makeCluster(client: KubeClient, kubeletPort: number): Promise<void> {
  const {
    nodes: views,
    partitions,
    pods: podViews,
    policies: found,
  } = aCluster(
    [
      aFleetNode({ name: 'n1', slices: halves, pods: { '3g.20gb@0': ['a'] } }),
      aFleetNode({ name: 'n2', slices: halves }),
    ],
    { pods: [aTeamPod('a')] },
  );
  const env = [{ name: 'PASSWORD', value: secret }];
  const fill = (pod: object): object => {
    const { metadata, spec, ...rest } = pod as KubeObject & {
      readonly spec: { readonly containers: readonly object[] };
    };
    const owners = metadata.ownerReferences?.map((owner) => ({
      ...owner,
      apiVersion: 'apps/v1',
      name: 'some',
      uid: owner.uid ?? 'u',
    }));
    const containers = spec.containers.map((one, index) => ({
      name: `c${index}`,
      image: 'example.com/train:1',
      args: [`--password=${secret}`],
      env,
      ...one,
    }));
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': secret };
    return {
      ...rest,
      metadata: { ...metadata, ownerReferences: owners ?? [], annotations },
      spec: { ...spec, containers },
    };
  };
  for (const name of new Set([
    'team',
    'gpu-partition-agents',
    ...podViews.map(({ metadata }) => metadata.namespace ?? ''),
  ]))
    await client
      .create({ group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace' }, { metadata: { name } })
      .catch(() => undefined);
  const uids = new Map<string, string>();
  for (const { metadata, ...node } of views) {
    const labels = { ...metadata.labels, pool: 'p', rack: 'rack-7', team: 'vision', zone: 'b' };
    const address = { type: 'InternalIP', address: '127.0.0.1' };
    const status = {
      ...node.status,
      addresses: [address],
      daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
    };
    const object = await store(client, nodes, { ...node, metadata: { ...metadata, labels }, status });
    uids.set(metadata.name, object.metadata.uid ?? '');
  }
  for (const policy of found) await store(client, policies, policy);
  for (const { spec, status, ...partition } of partitions)
    await store(client, nodePartitions, {
      ...partition,
      // A finding of the doctor.
      status: { ...status, device: { ...status?.device, hostProblems: ['a service is stopped'] } },
      spec: { ...spec, nodeUID: uids.get(partition.metadata.name) },
    });
  for (const pod of podViews) await store(client, pods, fill(pod));
  const limits = { 'nvidia.com/mig-7g.40gb': 1 };
  const waiting = {
    metadata: { name: 'waiting', namespace: 'team' },
    spec: { nodeSelector: { zone: 'b' }, containers: [{ name: 'main', resources: { limits } }] },
  };
  const impostor = {
    metadata: { name: 'impostor', namespace: 'team', labels: { 'app.kubernetes.io/part-of': 'gpu-partition' } },
    spec: { nodeName: 'n1', containers: [{ name: 'main', args: [`--password=${secret}`], resources: { limits } }] },
  };
  const website = { metadata: { name: 'website', namespace: 'team' }, spec: { containers: [{}] } };
  const ours = {
    metadata: {
      name: 'gpu-partition-agent-1',
      namespace: 'gpu-partition-agents',
      labels: { 'app.kubernetes.io/part-of': 'gpu-partition' },
    },
    spec: {
      nodeName: 'n1',
      containers: [{ name: 'agent', image: 'gpu-partition-operator:dev', args: ['--health-port=8081'] }],
    },
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'agent',
          image: 'x',
          imageID: 'x',
          ready: true,
          restartCount: 2,
          state: { running: {} },
          lastState: {},
        },
      ],
    },
  };
  for (const pod of [waiting, website, impostor, ours]) await store(client, pods, fill(pod));
  await makeClaims(client, fill);
  const event = (name: string, kind: string, about: string) => ({
    metadata: { name, namespace: 'default' },
    involvedObject: { kind, name: about },
    reason: 'Halted',
    message: 'one node has failed',
    type: 'Warning',
    source: { component: 'gpu-partition' },
  });
  await store(client, events, event('n1.halted', 'GpuNodePartition', 'n1'));
  await store(client, events, event('other', 'Deployment', 'website'));
  const secrets = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' };
  await store(client, secrets, { metadata: { name: 'password', namespace: 'team' }, stringData: { password: secret } });
}

/** Two pods that wait for a half: one by a template, one by the claim's name. */
async function makeClaims(client: KubeClient, fill: (pod: object) => object): Promise<void> {
  const requests = [{ name: 'gpu', exactly: { deviceClassName: 'halves' } }];
  const opaque = { driver: 'gpu.nvidia.com', parameters: { apiVersion: 'v1', kind: 'Any', password: secret } };
  const spec = { devices: { requests, config: [{ opaque }] } };
  const inTeam = (name: string) => ({ name, namespace: 'team' });
  await store(client, deviceClasses, {
    metadata: { name: 'halves' },
    spec: { extendedResourceName: 'nvidia.com/mig-3g.20gb' },
  });
  await store(client, resourceClaims, { metadata: inTeam('own'), spec });
  await store(client, resourceClaimTemplates, { metadata: inTeam('half'), spec: { spec } });
  for (const [name, driver] of [
    ['n1-gpus', 'gpu.nvidia.com'],
    ['n1-network', 'net.example.com'],
  ] as const)
    await store(client, resourceSlices, {
      metadata: { name },
      spec: { driver, nodeName: 'n1', pool: { name: 'n1', generation: 1, resourceSliceCount: 1 }, devices: [] },
    });
  for (const [name, source] of [
    ['by-template', { resourceClaimTemplateName: 'half' }],
    ['by-claim', { resourceClaimName: 'own' }],
  ] as const)
    await store(
      client,
      pods,
      fill({
        metadata: inTeam(name),
        spec: {
          resourceClaims: [{ name: 'gpu', ...source }],
          containers: [{ resources: { claims: [{ name: 'gpu' }] } }],
        },
      }),
    );
}
