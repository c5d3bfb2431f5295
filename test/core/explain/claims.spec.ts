import { expect } from 'chai';
import type { DeviceReport, GpuReport } from '../../../src/api/types.ts';
import { exportClasses } from '../../../src/core/classes/class-objects.ts';
import { listSliceKinds } from '../../../src/core/classes/slice-kind.ts';
import type { ClaimTemplate, RequestedClaim } from '../../../src/core/explain/claim-request.ts';
import type { NodeSlice } from '../../../src/core/explain/claim-device.ts';
import type { ClusterFacts } from '../../../src/core/explain/cluster-facts.ts';
import type { DeviceClassView, DeviceRequest } from '../../../src/core/explain/device-request.ts';
import { explainPod, type PodExplanation } from '../../../src/core/explain/explanation.ts';
import { publishDevices } from '../../../src/core/dra/published-devices.ts';
import { aGpu, aPolicy, withPods } from '../../support/builders.ts';
import { aCluster, aPod } from './cluster-builder.ts';

const driver = 'gpu.nvidia.com';
const attribute = (name: string): string => `device.attributes['${driver}'].${name}`;
const mig: DeviceClassView = {
  metadata: { name: 'mig.nvidia.com' },
  spec: { selectors: [{ cel: { expression: `device.driver == '${driver}' && ${attribute('type')} == 'mig'` } }] },
};
const policy = aPolicy({ layouts: [{ profiles: { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 } }] });
const exported = exportClasses(listSliceKinds([policy])).map(({ object }) => object as { readonly kind: string });
const classes = [mig, ...(exported.filter(({ kind }) => kind === 'DeviceClass') as unknown as DeviceClassView[])];
const own = exported.filter(({ kind }) => kind === 'ResourceClaimTemplate') as unknown as ClaimTemplate[];

const memories: Readonly<Record<string, string>> = { '1g.5gb': '4864Mi', '2g.10gb': '9856Mi', '3g.20gb': '19968Mi' };
const slices = ['1g.5gb@0', '1g.5gb@1', '2g.10gb@2', '3g.20gb@4'];
const profiles = Object.entries(memories).map(([name, memory], id) => ({
  name,
  id,
  memorySlices: 1,
  computeSlices: 1,
  starts: [0],
  maxInstances: 1,
  memoryMiB: parseInt(memory, 10),
}));
const models: NonNullable<DeviceReport['models']> = [
  { product: 'NVIDIA A100-SXM4-40GB', computeSlices: 7, memorySlices: 8, profiles },
];
const gpu = aGpu({ slices });
const names = publishDevices({ gpus: [withUuids()], models }).devices.map(({ name = '' }) => name);

function withUuids(): GpuReport {
  const instances = gpu.instances.map((one) => {
    const uuid = `MIG-${one.profile}-${one.start}`;
    return { ...one, uuid, computeInstances: [{ profile: one.profile, uuid }] };
  });
  return { ...gpu, instances };
}

/** As the driver publishes it, capacities included. */
const published: NodeSlice = {
  spec: {
    driver,
    nodeName: 'n',
    devices: publishDevices({ gpus: [withUuids()], models }).devices.map((one) => ({
      name: one.name ?? '',
      attributes: {
        type: { string: one.type },
        uuid: { string: one.uuid ?? '' },
        profile: { string: one.profile ?? '' },
        productName: { string: one.productName },
      },
      capacity: { memory: { value: memories[one.profile ?? ''] ?? '' } },
    })),
  },
};

/** A claim of another pod that has these devices. */
function aHeldClaim(devices: readonly string[], more: object = {}): RequestedClaim {
  const results = devices.map((device) => ({ driver, pool: 'n', device, ...more }));
  const reservedFor = [{ resource: 'pods', name: 'other', uid: 'uid-other' }];
  return {
    metadata: { name: 'held', namespace: 'team' },
    status: { allocation: { devices: { results } }, reservedFor },
  };
}

const pod = aPod({ spec: { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'wanted' }] } });

type Requests = NonNullable<
  NonNullable<NonNullable<NonNullable<ClaimTemplate['spec']>['spec']>['devices']>['requests']
>;

function explain(
  requests: Requests,
  held: readonly RequestedClaim[] = [],
  more: Partial<ClusterFacts> = {},
): PodExplanation {
  const wanted = { metadata: { name: 'wanted', namespace: 'team' }, spec: { spec: { devices: { requests } } } };
  const cluster = aCluster([{ gpus: [withUuids()], isDra: true, policy }]);
  const partitions = cluster.partitions.map(({ status, ...one }) => ({
    ...one,
    status: { ...status, device: { ...status?.device, models } },
  }));
  const known = { classes, claims: held, templates: [wanted], slices: [published] };
  return explainPod(pod, { ...cluster, partitions, ...known, ...more });
}

const exactly = (request: DeviceRequest) => [{ name: 'one', exactly: request }];
const ofProfile = (profile: string): DeviceRequest => ({
  deviceClassName: 'mig.nvidia.com',
  selectors: [{ cel: { expression: `${attribute('profile')} == '${profile}'` } }],
});
const atLeast = (gb: number): DeviceRequest => ({ deviceClassName: `mig-at-least-${gb}gb.${driver}` });

describe('explain pod: a claim', () => {
  it('is judged by its own selectors and its class’s, on the devices that no other claim has', () => {
    expect(explain(exactly(ofProfile('2g.10gb'))).message).to.equal(
      'node n has its GPUs free; the scheduler reports: 0/1 nodes are available',
    );
    const { code, message } = explain(exactly(ofProfile('2g.10gb')), [aHeldClaim([names[2] ?? ''])]);
    expect(code).to.equal('Full');
    expect(message).to.equal(
      'it requests 1 device of DeviceClass mig.nvidia.com with selectors of its own; the nearest is node n: 1 of 1 devices that meet ' +
        'DeviceClass mig.nvidia.com with selectors of its own are in use, held by team/other',
    );
  });

  it('for a profile that no node has names the edit of a policy that would make it', () => {
    const { code, message, suggestions } = explain(exactly(ofProfile('7g.40gb')));
    expect(code).to.equal('NotOffered');
    expect(message).to.include('none of its devices meets DeviceClass mig.nvidia.com with selectors of its own');
    expect(suggestions).to.deep.equal([]);
    const full = explain(exactly(ofProfile('1g.5gb')), [aHeldClaim(names.slice(0, 2))]);
    expect(full.suggestions.map(({ kind }) => kind)).to.include('AskForOther');
  });

  it('by size is judged by the memory of each device', () => {
    const held = [aHeldClaim(names.slice(2, 3))];
    expect(explain(exactly(atLeast(10)), held).code).to.equal('SchedulerSays');
    const { code, message } = explain(exactly(atLeast(10)), [aHeldClaim(names.slice(2))]);
    expect(code).to.equal('Full');
    expect(message).to.include('2 of 2 devices that meet DeviceClass mig-at-least-10gb.gpu.nvidia.com are in use');
    const many = explain(exactly({ ...atLeast(10), count: 3 }));
    expect(many.code).to.equal('TooMany');
    expect(many.message).to.include('requests 3 of DeviceClass mig-at-least-10gb.gpu.nvidia.com, and 2 devices');
  });

  it('of several alternatives is met by any of them, as `export dra` writes them', () => {
    const template = own.find(({ metadata }) => metadata.name === 'mig-at-least-10gb');
    const requests = template?.spec?.spec?.devices?.requests ?? [];
    expect(requests[0]?.firstAvailable).to.have.length(2);
    expect(explain(requests, [aHeldClaim(names.slice(2, 3))]).code).to.equal('SchedulerSays');
    const { code, message } = explain(requests, [aHeldClaim(names.slice(2))]);
    expect(code).to.equal('Full');
    expect(message).to.include(
      'it requests the first available of 1 device of DeviceClass mig-2g-10gb.gpu.nvidia.com, 1 device of',
    );
    expect(message).to.include('and none of the other 1 alternatives has room');
  });

  it('for all devices waits until none is in use, and a monitor waits for nobody', () => {
    const all = { ...mig, deviceClassName: 'mig.nvidia.com', allocationMode: 'All' };
    expect(explain(exactly(all)).code).to.equal('SchedulerSays');
    expect(explain(exactly(all), [aHeldClaim(names.slice(0, 1))]).code).to.equal('Full');
    expect(explain(exactly({ ...all, adminAccess: true }), [aHeldClaim(names)]).code).to.equal('SchedulerSays');
    const watched = [aHeldClaim(names, { adminAccess: true })];
    expect(explain(exactly(all), watched).code, 'devices of a monitor are free').to.equal('SchedulerSays');
  });

  it('is judged by the agents’ reports where neither claims nor slices may be read', () => {
    const blind = { claims: undefined, slices: undefined };
    expect(explain(exactly(atLeast(20)), [], blind).code).to.equal('SchedulerSays');
    const busy = withPods(withUuids(), { '3g.20gb@4': ['team/job'] });
    const cluster = aCluster([{ gpus: [busy], isDra: true, policy }]);
    const partitions = cluster.partitions.map(({ status, ...one }) => ({
      ...one,
      status: { ...status, device: { ...status?.device, models } },
    }));
    const { code, message } = explain(exactly(atLeast(20)), [], { ...blind, partitions });
    expect(code).to.equal('Full');
    expect(message).to.include('held by team/job');
  });

  it('finds no device on a node with the device plugin', () => {
    const { partitions } = aCluster([{ gpus: [gpu], policy }]);
    const { code, message } = explain(exactly(ofProfile('2g.10gb')), [], { partitions });
    expect(code).to.equal('NotOffered');
    expect(message).to.include('its device plugin hands its GPUs out, and the pod asks by claim');
  });
});
