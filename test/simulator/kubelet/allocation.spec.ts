import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { PodResourcesClient } from '../../../src/kubelet/pod-resources.ts';
import type { KubeObject, Resource } from '../../../src/kube/watch.ts';
import { driverDaemonSet, driverDeviceClasses } from '../../../src/simulator/rig/workloads.ts';
import type { PodObject, SimulatedNode } from '../../../src/simulator/kubelet/node.ts';
import { pods as podsResource } from '../../../src/api/resources.ts';
import { clusterTimeoutMs, uniqueName, useClusterAlone } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { GpuNodes, states } from '../../support/gpu-nodes.ts';
import { DaemonBench } from './daemon-bench.ts';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeAllocatable, encodeList, servePodResources } from '../../../src/simulator/kubelet/allocation.ts';

const claimTemplates: Resource = {
  group: 'resource.k8s.io',
  version: 'v1',
  plural: 'resourceclaimtemplates',
  kind: 'ResourceClaimTemplate',
};
const claims: Resource = { ...claimTemplates, plural: 'resourceclaims', kind: 'ResourceClaim' };
const deviceClasses: Resource = { ...claimTemplates, plural: 'deviceclasses', kind: 'DeviceClass' };
const resource = 'nvidia.com/mig-3g.20gb';

/** One slice of a profile. */
function requestOf(profile: string): object {
  const expression = `device.attributes['gpu.nvidia.com'].profile == '${profile}'`;
  const exactly = { deviceClassName: 'mig.nvidia.com', selectors: [{ cel: { expression } }] };
  return { devices: { requests: [{ name: 'slice', exactly }] } };
}

describe('claims on a simulated node with the DRA driver, allocated by the real scheduler', function () {
  // The name of an extended resource would take the pods of other suites.
  const cluster = useClusterAlone();
  let bench: DaemonBench;

  before(async function () {
    this.timeout(clusterTimeoutMs);
    bench = new DaemonBench(await GpuNodes.start(cluster(), { restartMs: 100 }));
    const extended = {
      metadata: { name: 'mig-3g-20gb.gpu.nvidia.com' },
      spec: {
        selectors: [{ cel: { expression: `device.attributes['gpu.nvidia.com'].profile == '3g.20gb'` } }],
        extendedResourceName: resource,
      },
    };
    for (const object of [...driverDeviceClasses, extended]) {
      await bench.nodes.client.create(deviceClasses, object as KubeObject);
    }
  });

  after(async () => {
    await bench.nodes.stop();
  });

  /** A node of its own label, whose driver has published a 1g.5gb and a 3g.20gb. */
  async function boot(state: string = states.twoSlices): Promise<SimulatedNode> {
    const name = uniqueName('n');
    const podResourcesSocket = `${bench.nodes.folder}/${name}.sock`;
    const node = await bench.nodes.boot(state, { name, plugin: 'pod', podResourcesSocket });
    await bench.deploy(driverDaemonSet, name);
    await bench.waitForReady(name);
    return node;
  }

  async function createPod(node: string, spec: object, container: object): Promise<string> {
    const name = uniqueName('pod');
    const { namespace } = bench.nodes;
    const containers = [{ name: 'main', image: 'example.com/train:1', ...container }];
    const nodeSelector = { 'kubernetes.io/hostname': node };
    await bench.nodes.client.create(podsResource, {
      metadata: { name, namespace },
      spec: { containers, nodeSelector, ...spec },
    } as KubeObject);
    return name;
  }

  /** A pod with a claim from a template of its own. */
  async function createClaimPod(node: string, profile: string): Promise<string> {
    const template = uniqueName('slice');
    const { namespace } = bench.nodes;
    const metadata = { name: template, namespace };
    await bench.nodes.client.create(claimTemplates, { metadata, spec: { spec: requestOf(profile) } } as KubeObject);
    const resourceClaims = [{ name: 'gpu', resourceClaimTemplateName: template }];
    return createPod(node, { resourceClaims }, { resources: { claims: [{ name: 'gpu' }] } });
  }

  function processesOn({ stateFile }: SimulatedNode): readonly string[] {
    return readFileSync(stateFile, 'utf8')
      .split('\n')
      .flatMap((line) => /^proc (gpu \d+ gi \d+ ci \d+) .* name (.*)$/.exec(line)?.slice(1).join(' ') ?? []);
  }

  async function waitForMessage(pod: string, words: string): Promise<PodObject | undefined> {
    return eventually(
      () => bench.nodes.readPod(pod),
      (seen) => seen?.status?.containerStatuses?.[0]?.state?.waiting?.message?.includes(words) === true,
      { what: `${pod} to say ${words}` },
    );
  }

  it('runs a pod with a claim from a template on the slice that the scheduler chose, and PodResources says which', async () => {
    const node = await boot();
    const pod = await createClaimPod(node.name, '1g.5gb');
    const { namespace } = bench.nodes;
    const running = await bench.nodes.waitForPhase(pod, 'Running');
    expect(processesOn(node)).to.deep.equal([`gpu 0 gi 13 ci 0 ${namespace}/${pod}/main`]);
    const client = new PodResourcesClient({ socket: node.podResourcesSocket ?? '' });
    const holding = (await client.list()).find(({ name }) => name === pod);
    const [status] = running.status?.resourceClaimStatuses ?? [];
    expect(holding?.devices).to.deep.equal([]);
    expect(holding?.claimed).to.have.length(1);
    expect(holding?.claimed?.[0]).to.deep.include({
      claim: `${namespace}/${status?.resourceClaimName}`,
      driver: 'gpu.nvidia.com',
      device: 'gpu-0-mig-1g5gb-19-6',
    });
    await bench.nodes.deletePod(pod, 1);
    await bench.nodes.waitForNoPod(pod);
    expect(processesOn(node)).to.deep.equal([]);
  });

  it('runs a pod with a claim by name, that another pod on the node may share', async () => {
    const node = await boot();
    const { namespace, client } = bench.nodes;
    const claim = uniqueName('claim');
    await client.create(claims, { metadata: { name: claim, namespace }, spec: requestOf('1g.5gb') } as KubeObject);
    const resourceClaims = [{ name: 'gpu', resourceClaimName: claim }];
    const container = { resources: { claims: [{ name: 'gpu', request: 'slice' }] } };
    const pods = [
      await createPod(node.name, { resourceClaims }, container),
      await createPod(node.name, { resourceClaims }, container),
    ];
    for (const pod of pods) await bench.nodes.waitForPhase(pod, 'Running');
    expect(processesOn(node)).to.have.members(pods.map((pod) => `gpu 0 gi 13 ci 0 ${namespace}/${pod}/main`));
  });

  it('runs a pod that was written for the device plugin, by the DeviceClass with the resource’s name', async () => {
    const node = await boot();
    const pod = await createPod(node.name, {}, { resources: { limits: { [resource]: 1 } } });
    const running = await bench.nodes.waitForPhase(pod, 'Running');
    expect(running.status?.extendedResourceClaimStatus?.requestMappings[0]).to.deep.include({
      containerName: 'main',
      resourceName: resource,
    });
    expect(processesOn(node)).to.deep.equal([`gpu 0 gi 1 ci 0 ${bench.nodes.namespace}/${pod}/main`]);
    const [holding] = bench.nodes.fleet.listHoldings(node.name).filter(({ name }) => name === pod);
    expect(holding?.containers[0]?.claims?.[0]?.devices[0]?.device).to.equal('gpu-0-mig-3g20gb-9-0');
  });

  it('leaves a pod waiting whose device the driver no longer finds, and starts it once it does', async () => {
    const node = await boot();
    const { nodes } = bench;
    nodes.fleet.setDriverFault(node.name, 'Stale');
    nodes.writeState(node.stateFile, states.sevenSlices);
    nodes.fleet.hangUpDriver(node.name);
    await eventually(
      () => bench.pod(node.name),
      (seen) =>
        seen?.status?.containerStatuses?.[0]?.restartCount === 1 && seen.status.containerStatuses[0].ready === true,
    );
    const pod = await createClaimPod(node.name, '3g.20gb');
    const waiting = await waitForMessage(pod, 'allocatable not found for device "gpu-0-mig-3g20gb-9-0"');
    expect(waiting?.status?.phase).to.equal('Pending');
    nodes.fleet.setDriverFault(node.name, undefined);
    nodes.writeState(node.stateFile, states.twoSlices);
    nodes.fleet.hangUpDriver(node.name);
    await nodes.waitForPhase(pod, 'Running');
  });

  it('gives a whole GPU to a pod that asks for nvidia.com/gpu, by the class of the driver’s chart', async () => {
    const node = await boot(states.whole);
    const pod = await createPod(node.name, {}, { resources: { limits: { 'nvidia.com/gpu': 1 } } });
    await bench.nodes.waitForPhase(pod, 'Running');
    const [holding] = bench.nodes.fleet.listHoldings(node.name).filter(({ name }) => name === pod);
    expect(holding?.containers[0]?.claims?.[0]?.devices[0]?.device).to.equal('gpu-0');
  });

  it('leaves a pod waiting whose device another claim has, until that is unprepared', async () => {
    const node = await boot();
    const { namespace, client } = bench.nodes;
    const first = await createClaimPod(node.name, '1g.5gb');
    const running = await bench.nodes.waitForPhase(first, 'Running');
    const [had] = running.status?.resourceClaimStatuses ?? [];
    const taken = await client.get<KubeObject>({ resource: claims, namespace, name: had?.resourceClaimName ?? '' });
    // A scheduler that knows of the device too late: claims of pods that were removed by force.
    const claim = uniqueName('claim');
    await client.create(claims, { metadata: { name: claim, namespace }, spec: requestOf('1g.5gb') } as KubeObject);
    const resourceClaims = [{ name: 'gpu', resourceClaimName: claim }];
    const placed = { resourceClaims, nodeSelector: {}, nodeName: node.name };
    const second = await createPod(node.name, placed, { resources: { claims: [{ name: 'gpu' }] } });
    const { uid } = (await bench.nodes.readPod(second))?.metadata ?? {};
    const result = { request: 'slice', driver: 'gpu.nvidia.com', pool: node.name, device: 'gpu-0-mig-1g5gb-19-6' };
    const status = {
      allocation: { devices: { results: [result] } },
      reservedFor: [{ resource: 'pods', name: second, uid }],
    };
    await client.merge({ resource: claims, namespace, name: claim, subresource: 'status' }, { status });
    await waitForMessage(
      second,
      `requested device gpu-0-mig-1g5gb-19-6 is already allocated to different claim ${taken.metadata.uid}`,
    );
    await bench.nodes.deletePod(first, 1);
    await bench.nodes.waitForPhase(second, 'Running');
  });

  it('leaves a pod Terminating while the driver is away, without a process, and lets it go when the driver is back', async () => {
    const node = await boot();
    const { nodes } = bench;
    const pod = await createClaimPod(node.name, '1g.5gb');
    await nodes.waitForPhase(pod, 'Running');
    nodes.fleet.setDriverFault(node.name, 'NeverReady');
    await bench.replacePod(node.name);
    await nodes.deletePod(pod, 1);
    await eventually(
      () => processesOn(node),
      (processes) => processes.length === 0,
    );
    expect((await nodes.readPod(pod))?.metadata.deletionTimestamp).to.be.a('string');
    expect(nodes.fleet.listHoldings(node.name).map(({ name }) => name)).to.include(pod);
    nodes.fleet.setDriverFault(node.name, undefined);
    await nodes.waitForNoPod(pod);
  });
});

describe('PodResources of a simulated kubelet', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sock-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('encodes one entry for each device id, as api.proto numbers the fields', () => {
    const encoded = encodeAllocatable(new Map([['r/a', ['x', 'y']]]));
    // field 1 (devices), 8 bytes: field 1 (resource_name) "r/a", field 2 (device_ids) "x"; then the same for "y"
    expect(encoded.toString('hex')).to.equal(
      `0a08${text(1, 'r/a')}${text(2, 'x')}0a08${text(1, 'r/a')}${text(2, 'y')}`,
    );
  });

  it('lists pods without devices too', () => {
    const encoded = encodeList([
      { namespace: 'ns', name: 'p', uid: 'u', containers: [{ container: 'c', deviceIds: {} }] },
    ]);
    expect(encoded.toString('hex')).to.equal(`0a0c${text(1, 'p')}${text(2, 'ns')}1a03${text(1, 'c')}`);
  });

  it('encodes lengths of more than seven bits', () => {
    const id = 'x'.repeat(200);
    const encoded = encodeAllocatable(new Map([['r', [id]]]));
    expect(encoded.subarray(0, 3).toString('hex')).to.equal('0ace01');
    expect(encoded).to.have.length(3 + 3 + 3 + 200);
  });

  it('answers gRPC calls on a Unix socket, in place of a socket that was left behind', async () => {
    const socket = join(folder, 'pod-resources/kubelet.sock');
    const message = Buffer.from('hello');
    const first = await servePodResources(socket, {});
    const server = await servePodResources(socket, { '/v1.PodResourcesLister/List': () => message });
    const { status, body } = await call(socket, '/v1.PodResourcesLister/List');
    const unknown = await call(socket, '/v1.PodResourcesLister/Get');
    await server.close();
    await first.close();
    expect(status).to.equal('0');
    expect(body.toString('hex')).to.equal(`0000000005${message.toString('hex')}`);
    expect(unknown.status).to.equal('12');
  });
});

function text(field: number, value: string): string {
  return Buffer.from([(field << 3) | 2, value.length, ...Buffer.from(value)]).toString('hex');
}

async function call(socket: string, path: string): Promise<{ readonly status: unknown; readonly body: Buffer }> {
  const session = connect('http://localhost', { path: socket });
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.end(Buffer.alloc(5));
  let status: unknown;
  const chunks: Buffer[] = [];
  stream.on('response', (headers) => (status ??= headers['grpc-status']));
  stream.on('trailers', (headers) => (status ??= headers['grpc-status']));
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve, reject) => stream.once('end', resolve).once('error', reject));
  await new Promise<void>((resolve) => session.close(resolve));
  return { status, body: Buffer.concat(chunks) };
}
