import { expect } from 'chai';
import { managedConfig } from '../../../src/core/nvidia/plugin-config.ts';
import {
  advertisesSlice,
  aDriverPod,
  aGpuPod,
  aGrant,
  aManagedPartition,
  aNode,
  type Answer,
  aPluginPod,
  aSlicingPolicy,
  judge,
  namesOf,
  noMemory,
  noon,
  slicedGpu,
  slicesOf,
  taints,
  wholeGpu,
} from '../../support/node-builders.ts';

const closed = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });
const settled = { ...noMemory, waits: { Closed: { since: noon - 1000 } } };
const manager = 'nvidia.com/gpu.deploy.mig-manager';
const settings = { pluginConfigMap: { namespace: 'gpu', name: 'plugin' } };
const { key, file } = managedConfig(aSlicingPolicy().spec);
const claims = [
  {
    metadata: { name: 'c', namespace: 'ns' },
    status: {
      allocation: { devices: { results: [{ driver: 'gpu.nvidia.com', pool: 'n', device: 'gpu-0' }] } },
      reservedFor: [{ resource: 'pods', name: 'job', uid: 'uid-job' }],
    },
  },
];

/** What normally passes within moments, by its reason and what is done meanwhile. */
const passing: Readonly<Record<string, readonly [reason: string, answer: () => Answer]>> = {
  'a node without a policy': ['NoPolicy', () => judge({ policy: undefined })],
  'an agent that plans': [
    'AwaitingPlan',
    () =>
      judge({
        partition: aManagedPartition({
          device: { ...wholeGpu, plan: { hash: 'x', wishHash: 'old', keep: 0, destroy: 0, create: 1 } },
        }),
      }),
  ],
  'a policy that is being checked': [
    'AwaitingPlan',
    () => judge({ claim: { isInForce: false, hold: { kind: 'Checking', message: 'being checked' }, wish: undefined } }),
  ],
  'a watch that lags behind the wish': [
    'AwaitingPlan',
    () =>
      judge(
        { partition: aManagedPartition({ policy: { name: 'p', uid: 'uid-p', generation: 5 } }) },
        { fresh: { policy: { uid: 'uid-p', generation: 5, told: 5 } } },
      ),
  ],
  'a restart of the node': [
    'NodeRestarted',
    () =>
      judge({ node: aNode({ nodeInfo: { bootID: 'boot-b' } }), partition: aManagedPartition({ granted: aGrant() }) }),
  ],
  'a driver that has been replaced': [
    'DriverUpgrade',
    () =>
      judge({
        node: aNode({ labels: { 'nvidia.com/gpu-driver-upgrade-state': 'uncordon-required' } }),
        partition: aManagedPartition({ granted: aGrant() }),
      }),
  ],
  'a grant that an agent works on': [
    'Applying',
    () =>
      judge({
        partition: aManagedPartition({ granted: aGrant(), device: { ...wholeGpu, observedEpoch: 2 } }),
        node: closed,
      }),
  ],
  'a node that is being closed': ['AwaitingGrant', () => judge()],
  'a node that has just been closed': ['AwaitingGrant', () => judge({ node: closed }, {}, noMemory)],
  'a grant that is being written': ['Applying', () => judge({ node: closed }, {}, settled)],
  'a config file that is being written': [
    'AwaitingGrant',
    () => judge({ settings }, { pods: [aPluginPod()], configFiles: { state: 'Read', files: {} } }),
  ],
  'settings of a plugin that change': [
    'AdvertisePending',
    () =>
      judge(
        {
          settings,
          partition: aManagedPartition({ device: slicedGpu }),
          node: aNode({ allocatable: advertisesSlice }),
        },
        { pods: [aPluginPod()], configFiles: { state: 'Read', files: { [key]: file } } },
      ),
  ],
  'mig-manager, while it is turned off': [
    'TakingOver',
    () =>
      judge({
        policy: aSlicingPolicy({ allow: { takeOver: ['mig-manager'] } }),
        node: aNode({ labels: { [manager]: 'true' } }),
      }),
  ],
  'a pod of which the agent does not know yet what it uses': [
    'Draining',
    () => judge({ node: closed }, { pods: [aGpuPod('new')] }, settled),
  ],
  'a claim whose pod is about to be bound': [
    'Draining',
    () => {
      const policy = aSlicingPolicy({ backend: 'DRA' });
      const node = aNode({ taints: taints.closed, allocatable: { 'nvidia.com/gpu': '0' } });
      const found = { pods: [aDriverPod()], slices: slicesOf(wholeGpu), fresh: { claims } };
      return judge({ policy, partition: aManagedPartition({ backend: 'DRA' }), node }, found, settled);
    },
  ],
  'a DRA driver that starts': [
    'PluginNotReady',
    () => {
      const parts = { policy: aSlicingPolicy({ backend: 'DRA' }), partition: aManagedPartition({ backend: 'DRA' }) };
      const node = aNode({ allocatable: { 'nvidia.com/gpu': '0' } });
      return judge({ ...parts, node }, { pods: [aDriverPod({ isReady: false })], slices: [], fresh: { claims: [] } });
    },
  ],
};

describe('what normally passes within moments', () => {
  for (const [what, [reason, answer]] of Object.entries(passing))
    it(`is reported only if it lasts: ${what}`, () => {
      const { verdict } = answer();
      expect(verdict.reason).to.equal(reason);
      expect(verdict.transient).to.equal(true);
    });

  it('closes a node at most once', () => {
    for (const [what, [, answer]] of Object.entries(passing))
      if (/just been closed|works on|claim whose pod/.test(what)) expect(namesOf(answer()), what).to.deep.equal([]);
  });
});
