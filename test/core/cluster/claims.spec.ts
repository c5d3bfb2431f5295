import { expect } from 'chai';
import { listMissingClasses } from '../../../src/core/policy/device-classes.ts';
import type { ClusterFacts } from '../../../src/core/cluster/facts.ts';
import { explainPod, type PodExplanation } from '../../../src/core/explain/pod.ts';
import { aGpu, aPolicy, withPods } from '../../support/builders.ts';
import {
  aClaimCluster,
  aHeldClaim,
  aSlicedGpu,
  attribute,
  deviceNames,
  driver,
  type RequestedClaim,
  templates,
} from './claim-cluster.ts';
import { aPod } from '../kubernetes/cluster-builder.ts';

const pod = aPod({ spec: { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'wanted' }] } });

type Requests = NonNullable<NonNullable<NonNullable<RequestedClaim['spec']>['devices']>['requests']>;
type DeviceRequest = Omit<Requests[number], 'name'>;

function explain(
  requests: Requests,
  held: readonly RequestedClaim[] = [],
  more: Partial<ClusterFacts> = {},
): PodExplanation {
  const wanted = { metadata: { name: 'wanted', namespace: 'team' }, spec: { spec: { devices: { requests } } } };
  return explainPod(pod, aClaimCluster([{}], [], { claims: held, templates: [wanted], ...more }));
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
    const { code, message } = explain(exactly(ofProfile('2g.10gb')), [aHeldClaim([deviceNames[2] ?? ''])]);
    expect(code).to.equal('Full');
    expect(message).to.equal(
      'it requests 1 device of DeviceClass mig.nvidia.com with selectors of its own by ResourceClaimTemplate wanted; the nearest is node n: 1 of 1 devices that meet ' +
        'DeviceClass mig.nvidia.com with selectors of its own are in use, held by team/other',
    );
  });

  it('of a class that stands for a resource finds what another claim has in use, whose pod has not started', () => {
    const wanted = exactly({ deviceClassName: `mig-2g-10gb.${driver}` });
    expect(explain(wanted).code).to.equal('SchedulerSays');
    for (const [user, holder] of [
      ['other', 'team/other'],
      ['', 'claim team/held'],
    ] as const) {
      const { code, message } = explain(wanted, [aHeldClaim([deviceNames[2] ?? ''], { pod: user })]);
      expect(code).to.equal('Full');
      expect(message).to.include(`1 of 1 nvidia.com/mig-2g.10gb are in use, held by ${holder}`);
    }
    expect(explain(wanted, [aHeldClaim(deviceNames, { adminAccess: true })]).code, 'a monitor').to.equal(
      'SchedulerSays',
    );
  });

  it('of a class that stands for a resource finds a slice that an older driver calls otherwise', () => {
    const gpu = aGpu({ product: 'NVIDIA GB200', slices: ['1g.24gb@0'] });
    const gb200 = aPolicy({ layouts: [{ gpus: { models: ['GB200'] }, profiles: { '1g.23gb': 1 } }] });
    const classes = listMissingClasses([gb200], []).map(({ wanted }) => wanted) as ClusterFacts['classes'];
    const resource = 'nvidia.com/mig-1g.23gb';
    const explained = (pods: readonly string[]): PodExplanation =>
      explainPod(
        aPod({ asks: { [resource]: '1' } }),
        aClaimCluster([{ gpus: [withPods(gpu, { '1g.24gb@0': pods })] }], [], { classes, slices: undefined }),
      );
    expect(explained([]).code).to.equal('SchedulerSays');
    expect(explained(['team/job']).message).to.contain(`1 of 1 ${resource} are in use, held by team/job`);
  });

  it('for a profile that no node has names the edit of a policy that would make it', () => {
    const { code, message, suggestions } = explain(exactly(ofProfile('7g.40gb')));
    expect(code).to.equal('NotOffered');
    expect(message).to.include('none of its devices meets DeviceClass mig.nvidia.com with selectors of its own');
    expect(suggestions).to.deep.equal([]);
    const full = explain(exactly(ofProfile('1g.5gb')), [aHeldClaim(deviceNames.slice(0, 2))]);
    expect(full.suggestions.map(({ kind }) => kind)).to.include('AskForOther');
  });

  it('by size is judged by the memory of each device', () => {
    const held = [aHeldClaim(deviceNames.slice(2, 3))];
    expect(explain(exactly(atLeast(10)), held).code).to.equal('SchedulerSays');
    const { code, message } = explain(exactly(atLeast(10)), [aHeldClaim(deviceNames.slice(2))]);
    expect(code).to.equal('Full');
    expect(message).to.include('2 of 2 devices that meet DeviceClass mig-at-least-10gb.gpu.nvidia.com are in use');
    const many = explain(exactly({ ...atLeast(10), count: 3 }));
    expect(many.code).to.equal('TooMany');
    expect(many.message).to.include('requests 3 of DeviceClass mig-at-least-10gb.gpu.nvidia.com, and 2 devices');
  });

  it('of several alternatives is met by any of them, as `export dra` writes them', () => {
    const template = templates.find(({ metadata }) => metadata.name === 'mig-at-least-10gb');
    const requests = template?.spec?.spec?.devices?.requests ?? [];
    expect(requests[0]?.firstAvailable).to.have.length(2);
    expect(explain(requests, [aHeldClaim(deviceNames.slice(2, 3))]).code).to.equal('SchedulerSays');
    const { code, message } = explain(requests, [aHeldClaim(deviceNames.slice(2))]);
    expect(code).to.equal('Full');
    expect(message).to.include(
      'it requests the first available of 1 device of DeviceClass mig-2g-10gb.gpu.nvidia.com, 1 device of',
    );
    expect(message).to.include('and none of the other 1 alternatives has room');
  });

  it('with several requests needs a device of its own for each', () => {
    const both = (...requests: readonly DeviceRequest[]): Requests =>
      requests.map((request, index) => ({ name: `r${index}`, exactly: request }));
    const { code, message } = explain(both(atLeast(20), ofProfile('3g.20gb')));
    expect(code).to.equal('Full');
    expect(message).to.include(
      'each request of its claims fits alone, and all 2 together do not: 4 of 4 devices are free',
    );
    // The smaller slice, which the first would take, is the only one for the second.
    expect(explain(both(atLeast(10), ofProfile('2g.10gb'))).code).to.equal('SchedulerSays');
    // The larger slice is the only one for the second, and leaves the smaller to the first.
    expect(explain(both(atLeast(10), ofProfile('3g.20gb'))).code).to.equal('SchedulerSays');
    expect(explain(both({ ...ofProfile('3g.20gb'), adminAccess: true }, ofProfile('3g.20gb'))).code).to.equal(
      'SchedulerSays',
    );
    const firstAvailable = ['3g.20gb', '2g.10gb'].map((name) => ({ name, ...ofProfile(name) }));
    const either = { name: 'either', firstAvailable };
    expect(explain([either, ...both(ofProfile('3g.20gb'))]).code, 'the second alternative').to.equal('SchedulerSays');
    expect(explain([either, ...both(ofProfile('3g.20gb'), ofProfile('2g.10gb'))]).code).to.equal('Full');
  });

  it('for all devices waits until none is in use, and a monitor waits for nobody', () => {
    const all = { deviceClassName: 'mig.nvidia.com', allocationMode: 'All' };
    expect(explain(exactly(all)).code).to.equal('SchedulerSays');
    expect(explain(exactly(all), [aHeldClaim(deviceNames.slice(0, 1))]).code).to.equal('Full');
    expect(explain(exactly({ ...all, adminAccess: true }), [aHeldClaim(deviceNames)]).code).to.equal('SchedulerSays');
    const watched = [aHeldClaim(deviceNames, { adminAccess: true })];
    expect(explain(exactly(all), watched).code, 'devices of a monitor are free').to.equal('SchedulerSays');
  });

  it('by size is served by an edit for the smallest slice that meets it, by one of its alternatives', () => {
    const editFor = (requests: Requests) =>
      explain(requests, [aHeldClaim(deviceNames)]).suggestions.flatMap((one) =>
        one.kind === 'EditPolicy' ? [one.profiles] : [],
      );
    // A second slice of 10 GB, and not one of 20.
    const [edit] = editFor(exactly(atLeast(10)));
    expect(edit?.['2g.10gb']).to.be.at.least(2);
    const firstAvailable = ['none', '2g.10gb'].map((name) => ({ name, ...ofProfile(name) }));
    expect(editFor([{ name: 'either', firstAvailable }])).to.have.length(1);
  });

  it('looks at each claim of others once, however many nodes there are', () => {
    const countLooks = (nodes: number): number => {
      const held = aHeldClaim(deviceNames);
      let looks = 0;
      const watched = {
        metadata: held.metadata,
        get status() {
          looks += 1;
          return held.status ?? {};
        },
      };
      const requests = exactly(ofProfile('2g.10gb'));
      const wanted = { metadata: { name: 'wanted', namespace: 'team' }, spec: { spec: { devices: { requests } } } };
      const names = Array.from({ length: nodes }, (_, at) => ({ name: at === 0 ? 'n' : `n${at}` }));
      explainPod(pod, aClaimCluster(names, [], { claims: [watched], templates: [wanted] }));
      return looks;
    };
    expect(countLooks(1)).to.be.above(0);
    expect(countLooks(20)).to.equal(countLooks(1));
  });

  it('is served by the slices of NVIDIA’s driver alone, and not by what another offers on the node', () => {
    const { slices = [] } = aClaimCluster();
    const foreign = slices.map((one) => ({ spec: { ...one.spec, driver: 'dra.net' } }));
    expect(explain(exactly(ofProfile('2g.10gb')), [], { slices: foreign }).code).to.equal('NotOffered');
  });

  it('that has a device and no pod is named as its holder', () => {
    const { message } = explain(exactly(ofProfile('2g.10gb')), [aHeldClaim([deviceNames[2] ?? ''], { pod: '' })]);
    expect(message).to.match(/are in use, held by claim team\/held$/);
  });

  it('is judged by the agents’ reports where neither claims nor slices may be read', () => {
    const blind = { claims: undefined, slices: undefined };
    expect(explain(exactly(atLeast(20)), [], blind).code).to.equal('SchedulerSays');
    const busy = withPods(aSlicedGpu(), { '3g.20gb@4': ['team/job'] });
    const { partitions } = aClaimCluster([{ gpus: [busy] }]);
    const { code, message } = explain(exactly(atLeast(20)), [], { ...blind, partitions });
    expect(code).to.equal('Full');
    expect(message).to.include('held by team/job');
  });

  describe('of a class that stands for a resource of its own name', () => {
    const small = {
      metadata: { name: 'small' },
      spec: {
        extendedResourceName: 'example.com/small-gpu',
        selectors: [{ cel: { expression: `device.driver == '${driver}' && ${attribute('profile')} == '2g.10gb'` } }],
      },
    };
    const { classes: known = [] } = aClaimCluster();
    const held = [aHeldClaim([deviceNames[2] ?? ''])];

    it('is judged by the selectors of the class', () => {
      const more = { classes: [...known, small] };
      expect(explain(exactly({ deviceClassName: 'small' }), [], more).code).to.equal('SchedulerSays');
      expect(explain(exactly({ deviceClassName: 'small' }), held, more).code).to.equal('Full');
    });

    const byResource = (resource: string, more: Partial<ClusterFacts> = {}): PodExplanation =>
      explainPod(aPod({ asks: { [resource]: '1' } }), aClaimCluster([{}], [], { classes: [...known, small], ...more }));

    it('is what a pod asks for that asks for the resource', () => {
      expect(byResource('example.com/small-gpu').code).to.equal('SchedulerSays');
      const { code, message } = byResource('example.com/small-gpu', { claims: held });
      expect(code).to.equal('Full');
      expect(message).to.match(/^it requests 1 device of DeviceClass small by resource example.com\/small-gpu; /);
    });

    it('is what a pod asks for by the name that every class has', () => {
      const named = (name: string): string => `deviceclass.resource.kubernetes.io/${name}`;
      expect(byResource(named('small'), { claims: held }).code).to.equal('Full');
      const { code, message } = byResource(named(`mig-2g-10gb.${driver}`), { claims: held });
      expect(code).to.equal('Full');
      expect(message).to.match(/^it requests 1 nvidia.com\/mig-2g.10gb by resource deviceclass.resource/);
      expect(byResource(named('gone')).message).to.contain('there is no DeviceClass gone');
    });

    it('is not known where DeviceClasses may not be read', () => {
      const { code, message } = explain(exactly({ deviceClassName: 'small' }), [], { classes: undefined });
      expect(code).to.equal('AsksByClaim');
      expect(message).to.contain('DeviceClasses are not known here');
    });
  });

  describe('for a device of another driver', () => {
    const channel = {
      metadata: { name: 'channel' },
      spec: {
        selectors: [
          {
            cel: {
              expression:
                "device.driver == 'compute-domain.nvidia.com' && device.attributes['compute-domain.nvidia.com'].id == 0",
            },
          },
        ],
      },
    };
    const { classes: known = [] } = aClaimCluster();
    const more = { classes: [...known, channel] };
    const one = { name: 'channel', exactly: { deviceClassName: 'channel' } };

    it('keeps its pod from no node', () => {
      const all = [one, { name: 'gpu', exactly: ofProfile('2g.10gb') }];
      expect(explain(all, [], more).code).to.equal('SchedulerSays');
      const { code, message } = explain(all, [aHeldClaim([deviceNames[2] ?? ''])], more);
      expect(code).to.equal('Full');
      expect(message).to.match(/^it requests 1 device of DeviceClass mig.nvidia.com with selectors of its own by /);
    });

    it('waits for no partition', () => {
      expect(explain([one], [], more).code).to.equal('NoGpuAsked');
      const either = { name: 'either', firstAvailable: [{ name: 'channel', deviceClassName: 'channel' }] };
      expect(explain([either], [], more).code).to.equal('NoGpuAsked');
      const own = {
        deviceClassName: 'mig.nvidia.com',
        selectors: [{ cel: { expression: "device.driver == 'dra.net'" } }],
      };
      expect(explain(exactly(own)).code).to.equal('NoGpuAsked');
    });
  });

  describe('on devices that the driver has tainted', () => {
    const taint = (effect: string): Partial<ClusterFacts> => {
      const { slices = [] } = aClaimCluster();
      const taints = [{ key: 'gpu.nvidia.com/xid', value: '79', effect }];
      const tainted = slices.map(({ spec }) => ({
        spec: { ...spec, devices: (spec.devices ?? []).map((one) => ({ ...one, taints })) },
      }));
      return { slices: tainted };
    };
    const why = 'have taints that the request does not tolerate: gpu.nvidia.com/xid=79:NoSchedule';

    it('waits unless it tolerates the taint', () => {
      const { code, message } = explain(exactly(ofProfile('2g.10gb')), [], taint('NoSchedule'));
      expect(code).to.equal('Tainted');
      expect(message).to.contain(
        `1 of 1 devices that meet DeviceClass mig.nvidia.com with selectors of its own ${why}`,
      );
      const tolerations = [{ key: 'gpu.nvidia.com/xid', operator: 'Exists' }];
      const tolerant = exactly({ ...ofProfile('2g.10gb'), tolerations });
      expect(explain(tolerant, [], taint('NoExecute')).code).to.equal('SchedulerSays');
      expect(explain(exactly(ofProfile('2g.10gb')), [], taint('None')).code).to.equal('SchedulerSays');
    });

    it('waits for those that are in use too', () => {
      const request = exactly({ ...ofProfile('1g.5gb'), allocationMode: 'All' });
      const [device, ...others] = taint('NoSchedule').slices?.[0]?.spec.devices ?? [];
      const plain = others.map(({ taints: _taints, ...one }) => one);
      const slices = [{ spec: { driver, nodeName: 'n', devices: [...(device ? [device] : []), ...plain] } }];
      const { code, message } = explain(request, [aHeldClaim([deviceNames[1] ?? ''])], { slices });
      expect(code).to.equal('Full');
      expect(message).to.match(
        /1 of 2 devices that meet .* are in use, held by team\/other; 1 of 2 devices .* have taints/,
      );
    });

    it('waits by a class that stands for a resource', () => {
      const wanted = exactly({ deviceClassName: `mig-2g-10gb.${driver}` });
      const { code, message } = explain(wanted, [], taint('NoSchedule'));
      expect(code).to.equal('Tainted');
      expect(message).to.contain(`1 nvidia.com/mig-2g.10gb ${why}`);
    });
  });

  it('finds no device on a node with the device plugin', () => {
    const { partitions } = aClaimCluster([{ isDra: false }]);
    const { code, message } = explain(exactly(ofProfile('2g.10gb')), [], { partitions });
    expect(code).to.equal('NotOffered');
    expect(message).to.include('its device plugin hands its GPUs out, and the pod asks by claim');
  });
});
