import { expect } from 'chai';
import { withDemand } from '../../support/demand-builders.ts';
import { explainPod, type PodExplanation, explainMissing } from '../../../src/core/explain/pod.ts';
import type { ClaimTemplate } from '../cluster/claim-cluster.ts';
import type { ClusterFacts } from '../../../src/core/cluster/facts.ts';
import { aGpu, aPolicy, withPods } from '../../support/builders.ts';
import { aCluster, aPod, type StoryNode, type StoryPod } from '../kubernetes/cluster-builder.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';

const slice = 'nvidia.com/mig-1g.5gb';
const half = 'nvidia.com/mig-3g.20gb';
const gpu = 'nvidia.com/gpu';
const sevens = aGpu({ slices: [0, 1, 2, 3, 4, 5, 6].map((start) => `1g.5gb@${start}`) });
const halves = aGpu({ slices: ['3g.20gb@0', '3g.20gb@4'] });
const asks = (resource: string, amount = 1): StoryPod => ({ asks: { [resource]: String(amount) } });
const closedTaint = { key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule' };

interface Story {
  readonly pod: StoryPod;
  readonly nodes?: readonly StoryNode[];
  /** Pods that are there. */
  readonly others?: readonly StoryPod[];
  readonly code: PodExplanation['code'];
  readonly says: string;
  readonly suggests?: readonly (string | RegExp)[];
}

const holders = (resource: string, count: number, node = 'n'): readonly StoryPod[] =>
  Array.from({ length: count }, (_, at) => ({ name: `holder-${at}`, asks: { [resource]: '1' }, node }));

const stories: Readonly<Record<string, Story>> = {
  'a pod that runs': { pod: { ...asks(slice), node: 'n' }, code: 'Bound', says: 'it is on node n (Running)' },
  'a pod that runs, and whose MIG device was destroyed': {
    pod: { ...asks(slice), node: 'n' },
    nodes: [{ gpus: [sevens], lostDevices: [{ id: 'MIG-1', pods: ['team/train'] }] }],
    code: 'DeviceLost',
    says: 'it is on node n; it holds MIG-1, which no longer exists, and cannot work: delete it',
  },
  'a pod that runs beside one whose MIG device was destroyed': {
    pod: { ...asks(slice), node: 'n' },
    nodes: [{ gpus: [sevens], lostDevices: [{ id: 'MIG-1', pods: ['team/other'] }] }],
    code: 'Bound',
    says: 'it is on node n (Running)',
  },
  'a pod whose container waits': {
    pod: {
      ...asks(slice),
      node: 'n',
      status: {
        phase: 'Pending',
        containerStatuses: [
          { name: 'main', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } },
        ],
      },
    },
    code: 'NotStarted',
    says: 'it has its GPU on node n; container main waits: ImagePullBackOff: no such image',
  },
  'a pod that the kubelet has refused': {
    pod: {
      ...asks(slice),
      node: 'n',
      status: { phase: 'Failed', reason: 'UnexpectedAdmissionError', message: 'Allocate failed' },
    },
    code: 'Rejected',
    says: 'node n rejected or evicted it (UnexpectedAdmissionError): Allocate failed; its controller must create another',
  },
  'a pod that has ended': {
    pod: { ...asks(slice), node: 'n', status: { phase: 'Succeeded' } },
    code: 'Ended',
    says: 'it has ended (Succeeded) and requests nothing',
  },
  'a pod with a scheduling gate': {
    pod: { ...asks(slice), spec: { schedulingGates: [{ name: 'kueue.x-k8s.io/admission' }] } },
    code: 'Gated',
    says: 'it is held back by its scheduling gate kueue.x-k8s.io/admission, until whoever set it removes it',
  },
  'a pod that asks for no GPU': {
    pod: asks('cpu'),
    nodes: [{ gpus: [sevens] }],
    code: 'NoGpuAsked',
    says: 'it requests no GPU resource, so it does not wait for a partition; the scheduler reports: 0/1 nodes are available',
  },
  'a pod with a claim, without rights to read claims': {
    pod: { spec: { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'small' }] } },
    nodes: [{ gpus: [sevens] }],
    code: 'AsksByClaim',
    says: 'it requests devices by claim: claim gpu: ResourceClaimTemplates are not known here; the scheduler reports: 0/1 nodes are available',
  },
  'a cluster without GPUs': {
    pod: asks(slice),
    nodes: [{}],
    code: 'NoGpuNodes',
    says: `it requests 1 ${slice}, and no node reports a GPU`,
  },
  'a profile that no GPU has': {
    pod: asks('nvidia.com/mig-1g.5g'),
    nodes: [{ gpus: [sevens] }],
    code: 'UnknownResource',
    says: `nvidia.com/mig-1g.5g: no GPU has such a slice; did the pod mean ${slice} or`,
  },
  'a resource that is misspelt': {
    pod: asks('nvidia.com/gpus'),
    nodes: [{ gpus: [aGpu()] }],
    code: 'UnknownResource',
    says: 'nvidia.com/gpus: no device plugin for GPUs offers such a resource; did the pod mean nvidia.com/gpu?',
  },
  'a slice of another model': {
    pod: asks('nvidia.com/mig-1g.10gb'),
    nodes: [{ gpus: [sevens], policy: aPolicy() }],
    code: 'NotOffered',
    says: `no node offers nvidia.com/mig-1g.10gb; what is offered: ${slice}`,
    suggests: [
      /^set spec\.layouts\[0\]\.profiles of policy p to .*1×1g\.10gb.*; this changes 1 node, and evicts no pod$/,
    ],
  },
  'slices by name where the strategy is single': {
    pod: asks(slice),
    nodes: [
      {
        gpus: [sevens],
        policy: aPolicy({ strategy: 'single' }),
        allocatable: { [gpu]: '7' },
        labels: { 'nvidia.com/gpu.product': 'A100-MIG-1g.5gb' },
      },
    ],
    code: 'OtherStrategy',
    says: `node n has such slices under strategy single, which offers them as ${gpu}: ask for ${gpu} with the node selector nvidia.com/gpu.product: A100-MIG-1g.5gb`,
  },
  'slices by name where the device plugin runs with strategy single, whatever a policy would like': {
    pod: asks(slice),
    nodes: [
      {
        gpus: [sevens],
        policy: aPolicy({ mode: 'Plan', strategy: 'mixed' }),
        allocatable: { [gpu]: '7' },
        labels: { 'nvidia.com/mig.strategy': 'single' },
      },
    ],
    code: 'OtherStrategy',
    says: `node n has such slices under strategy single, which offers them as ${gpu}`,
  },
  'a layout that a policy only plans': {
    pod: asks(half),
    nodes: [
      {
        gpus: [sevens],
        policy: aPolicy({ mode: 'Plan', layouts: [{ profiles: { '3g.20gb': 2 } }] }),
        phase: 'Pending',
        reason: 'PlanOnly',
      },
    ],
    code: 'NotOffered',
    says: `no node offers ${half}; what is offered: ${slice}`,
  },
  'a whole GPU where all are cut': {
    pod: asks(gpu),
    nodes: [{ gpus: [sevens], policy: aPolicy() }],
    code: 'OtherStrategy',
    says: `no node offers ${gpu}: every GPU is cut into slices under strategy mixed, which have names of their own; what is offered: ${slice}`,
  },
  'a name that the device plugin changes for what it shares': {
    pod: asks(slice),
    nodes: [{ gpus: [sevens], allocatable: { [`${slice}.shared`]: '28' } }],
    code: 'OtherName',
    says: `no node offers ${slice}, but ${slice}.shared: the device plugin shares these and renames them`,
  },
  'slices that are all in use': {
    pod: asks(half),
    nodes: [{ gpus: [halves] }],
    others: holders(half, 2),
    code: 'Full',
    says: `it requests 1 ${half}; the nearest is node n: 2 of 2 ${half} are in use, held by team/holder-0, team/holder-1`,
  },
  'more slices than any node has': {
    pod: asks(half, 3),
    nodes: [{ gpus: [halves] }],
    code: 'TooMany',
    says: `it requests 3 ${half}; the nearest is node n: the pod requests 3 ${half}, and the node has 2 in total`,
  },
  'a smaller slice that is taken, and a larger one that is free': {
    pod: asks(slice),
    nodes: [
      { name: 'a', gpus: [sevens] },
      { name: 'b', gpus: [halves] },
    ],
    others: holders(slice, 7, 'a'),
    code: 'Full',
    says: 'nearest is node a: 7 of 7',
    suggests: [`ask for ${half} instead: node b has 2 free`],
  },
  'a slice that another layout of the schedule in force would have': {
    pod: asks(half),
    nodes: [
      {
        gpus: [sevens, aGpu({ index: 1, slices: ['1g.5gb@0*', '1g.5gb@1'] })],
        policy: {
          ...aPolicy({
            layouts: [{ profiles: { '7g.40gb': 1 } }],
            schedules: [
              { name: 'day', schedule: '0 8 * * *', duration: '8h', layouts: [{ profiles: { '1g.5gb': 7 } }] },
            ],
          }),
          status: { schedule: { name: 'day', since: '2026-01-01T08:00:00Z' } },
        },
      },
    ],
    others: holders(slice, 1),
    code: 'NotOffered',
    says: `no node offers ${half}; what is offered: ${slice}`,
    suggests: [
      'set spec.schedules[0].layouts[0].profiles of policy p to 4×1g.5gb + 1×3g.20gb; this changes 1 node, and evicts no pod',
    ],
  },
  'a slice that another layout of the policy would have': {
    pod: asks(half),
    nodes: [{ gpus: [sevens, aGpu({ index: 1, slices: ['1g.5gb@0*', '1g.5gb@1'] })], policy: aPolicy() }],
    others: holders(slice, 1),
    code: 'NotOffered',
    says: `no node offers ${half}; what is offered: ${slice}`,
    suggests: [
      'set spec.layouts[0].profiles of policy p to 4×1g.5gb + 1×3g.20gb; this changes 1 node, and evicts no pod',
    ],
  },
  'a label that differs on the node that has room': {
    pod: { ...asks(half), spec: { nodeSelector: { pool: 'q' }, containers: aPod(asks(half)).spec?.containers ?? [] } },
    nodes: [{ name: 'a', gpus: [halves] }],
    code: 'Selector',
    says: 'nearest is node a: pool is p, and the pod wants q',
    suggests: ['select pool: p; node a has room'],
  },
  'an affinity that no node meets': {
    pod: {
      ...asks(slice),
      spec: {
        containers: aPod(asks(slice)).spec?.containers ?? [],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: `${slice}.count`, operator: 'Gt', values: ['7'] }] }],
            },
          },
        },
      },
    },
    nodes: [{ gpus: [sevens], labels: { [`${slice}.count`]: '7' } }],
    code: 'Selector',
    says: `the nearest is node n: ${slice}.count is 7, and the pod wants more than 7`,
  },
  'an affinity with an empty term, which matches no node': {
    pod: {
      ...asks(slice),
      spec: {
        containers: aPod(asks(slice)).spec?.containers ?? [],
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] } } },
      },
    },
    nodes: [{ gpus: [sevens] }],
    code: 'Selector',
    says: 'the nearest is node n: nodeSelectorTerms is empty, and the pod wants no node at all (an empty term matches none)',
  },
  'a node that is closed for a change': {
    pod: asks(half),
    nodes: [{ gpus: [halves], taints: [closedTaint], phase: 'Updating', reason: 'Applying', message: 'grant 3' }],
    code: 'Changing',
    says: 'the nearest is node n: it is closed while its GPUs change: Applying: grant 3',
    suggests: ['wait for node n: it accepts pods again when its change is done'],
  },
  'a node that is to become what the pod asks for': {
    pod: asks(half),
    nodes: [
      {
        gpus: [sevens],
        policy: aPolicy({ layouts: [{ profiles: { '3g.20gb': 2 } }] }),
        phase: 'Waiting',
        reason: 'PodsUseGpus',
        message: 'pod team/a holds GPU 0',
      },
    ],
    code: 'Changing',
    says: 'the nearest is node n: it will have 2 of them; Waiting, PodsUseGpus: pod team/a holds GPU 0',
  },
  'a node that has just joined': {
    pod: asks(half),
    nodes: [{ gpus: [halves], taints: [{ key: 'gpupartition.dev/uninitialized', effect: 'NoSchedule' }] }],
    code: 'Changing',
    says: 'the nearest is node n: it joined and waits for its first layout: Ready',
  },
  'slices that the device plugin does not offer': {
    pod: asks(half),
    nodes: [{ gpus: [halves], policy: aPolicy({ layouts: [{ profiles: { '3g.20gb': 2 } }] }), allocatable: {} }],
    code: 'NotAdvertised',
    says: 'the nearest is node n: it has 2 of these slices, and its device plugin offers none: look at the plugin’s pod and its MIG strategy',
  },
  'slices on a lost GPU': {
    pod: asks(half),
    nodes: [
      {
        gpus: [{ ...halves, error: 'GpuLost: no answer' }],
        policy: aPolicy({ layouts: [{ profiles: { '3g.20gb': 2 } }] }),
        allocatable: {},
      },
    ],
    code: 'NotAdvertised',
    says: 'it has 2 of these slices, and its device plugin offers none: GPU 0 does not answer (GpuLost: no answer)',
  },
  'slices that a lost GPU was to get': {
    pod: asks(half),
    nodes: [
      {
        gpus: [{ ...aGpu(), error: 'GpuLost: no answer' }],
        policy: aPolicy({ layouts: [{ profiles: { '3g.20gb': 2 } }] }),
        allocatable: {},
        phase: 'Waiting',
      },
    ],
    code: 'NotOffered',
    says: `no node offers ${half}`,
  },
  'a taint of somebody else': {
    pod: asks(half),
    nodes: [{ gpus: [halves], taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] }],
    code: 'Tainted',
    says: 'the nearest is node n: it has the taint team=a:NoSchedule, which the pod does not tolerate',
  },
  'a node that is cordoned': {
    pod: asks(half),
    nodes: [{ gpus: [halves], unschedulable: true }],
    code: 'Cordoned',
    says: 'the nearest is node n: it is cordoned; kubectl uncordon opens it',
  },
  'a node that is not ready': {
    pod: asks(half),
    nodes: [{ gpus: [halves], isReady: false }],
    code: 'NotReady',
    says: 'the nearest is node n: its kubelet is not ready: stopped posting status',
  },
  'a node that has not enough memory': {
    pod: { asks: { [half]: '1', memory: '100Gi' } },
    nodes: [{ gpus: [halves] }],
    code: 'OtherResource',
    says: 'the nearest is node n: not enough memory: 64Gi in total, 0 % requested by others',
  },
  'a pod that no scheduler has looked at': {
    pod: { ...asks(half), status: { phase: 'Pending' } },
    nodes: [{ gpus: [halves] }],
    code: 'NoScheduler',
    says: 'node n has room for it, but scheduler default-scheduler has not processed it: is it running?',
  },
  'a pod that waits for others of lower priority': {
    pod: { ...asks(half), status: { ...aPod().status, nominatedNodeName: 'n' } },
    nodes: [{ gpus: [halves] }],
    code: 'Nominated',
    says: 'it waits for pods of lower priority to leave node n, where it goes next',
  },
  'a reason that is none of ours': {
    pod: asks(half),
    nodes: [{ gpus: [halves] }],
    code: 'SchedulerSays',
    says: 'node n has its GPUs free; the scheduler reports: 0/1 nodes are available',
  },
};

describe('explain pod', () => {
  for (const [name, { pod, nodes = [], others = [], code, says, suggests }] of Object.entries(stories)) {
    it(`explains ${name}`, () => {
      const found = explainPod(aPod(pod), aCluster(nodes, others.map(aPod)));
      expect(found.message).to.contain(says);
      expect(found.code).to.equal(code);
      const messages = found.suggestions.map(({ message }) => message);
      for (const wanted of suggests ?? []) {
        if (typeof wanted === 'string') expect(messages).to.include(wanted);
        else
          expect(
            messages.some((message) => wanted.test(message)),
            messages.join('\n'),
          ).to.equal(true);
      }
    });
  }

  describe('on nodes with the DRA driver', () => {
    const classes = [
      { metadata: { name: 'mig-1g-5gb.gpu.nvidia.com' }, spec: { extendedResourceName: slice } },
      { metadata: { name: 'mig.nvidia.com' }, spec: {} },
    ];
    const request = (deviceClassName: string, more: object = {}): NonNullable<ClaimTemplate['spec']> => ({
      spec: { devices: { requests: [{ name: 'one', exactly: { deviceClassName, ...more } }] } },
    });
    const templates: readonly ClaimTemplate[] = [
      { metadata: { name: 'small', namespace: 'team' }, spec: request('mig-1g-5gb.gpu.nvidia.com', { count: 2 }) },
      { metadata: { name: 'none', namespace: 'team' }, spec: request('gone') },
      {
        metadata: { name: 'own', namespace: 'team' },
        spec: request('mig-1g-5gb.gpu.nvidia.com', { selectors: [{ cel: { expression: 'device.isLarge' } }] }),
      },
      {
        metadata: { name: 'pair', namespace: 'team' },
        spec: {
          spec: {
            devices: {
              requests: ['one', 'two'].map((name) => ({ name, exactly: { deviceClassName: 'mig.nvidia.com' } })),
              constraints: [{ matchAttribute: 'gpu.nvidia.com/parentUUID' }],
            },
          },
        },
      },
      { metadata: { name: 'elsewhere', namespace: 'other' }, spec: request('mig-1g-5gb.gpu.nvidia.com') },
    ];
    const claims = [
      {
        metadata: { name: 'mine', namespace: 'team' },
        status: {
          allocation: {
            devices: { results: [{ driver: 'gpu.nvidia.com', pool: 'n', device: 'gpu-0-mig-1g5gb-19-0' }] },
          },
        },
      },
    ];
    const busy = withPods(sevens, {
      '1g.5gb@0': ['a'],
      '1g.5gb@1': ['b'],
      '1g.5gb@2': ['c'],
      '1g.5gb@3': ['d'],
      '1g.5gb@4': ['e'],
      '1g.5gb@5': ['f'],
    });
    const explain = (pod: StoryPod, nodes: readonly StoryNode[], more: Partial<ClusterFacts> = {}): PodExplanation =>
      explainPod(aPod(pod), { ...aCluster(nodes), classes, claims, templates, ...more });
    const claiming = (template: string): StoryPod => ({
      spec: { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: template }] },
    });

    it('counts slices of the device, and those that the agent says are in use', () => {
      const { code, message } = explain(claiming('small'), [{ gpus: [busy], isDra: true }]);
      expect(code).to.equal('Full');
      expect(message).to.equal(
        `it requests 2 ${slice} by ResourceClaimTemplate small; the nearest is node n: 6 of 7 ${slice} are in use, held by a, b, c, d, e, 1 more`,
      );
      expect(explain(asks(slice), [{ gpus: [busy], isDra: true }]).code).to.equal('SchedulerSays');
    });

    it('counts only what the driver publishes: no GPU that is lost, and no GPU instance without a compute instance', () => {
      const lost = { ...sevens, error: 'it does not respond' };
      const hidden = { ...sevens, instances: sevens.instances.map((one) => ({ ...one, computeInstances: [] })) };
      for (const gpu of [lost, hidden]) {
        const none = explain(asks(slice), [{ gpus: [gpu], isDra: true }]);
        expect(none.code).to.equal('NotAdvertised');
        expect(none.message).to.contain('it has 7 of these slices, and its DRA driver publishes none');
      }
      const { code, message } = explain(asks(slice, 8), [{ gpus: [sevens, lost], isDra: true }]);
      expect(code).to.equal('TooMany');
      expect(message).to.contain('the node has 7 in total');
    });

    it('adds up what several claims and the pod itself ask for', () => {
      const resourceClaims = ['a', 'b'].map((name) => ({ name, resourceClaimTemplateName: 'small' }));
      const { containers = [] } = aPod(asks(slice)).spec ?? {};
      const { code, message } = explain({ spec: { containers, resourceClaims } }, [{ gpus: [busy], isDra: true }]);
      expect(code).to.equal('Full');
      expect(message).to.match(new RegExp(`^it requests 5 ${slice} by ResourceClaimTemplate small and `));
    });

    it('says which DeviceClass is missing for a pod that asks for a resource', () => {
      const { code, message } = explain(asks(slice), [{ gpus: [sevens], isDra: true }], { classes: [] });
      expect(code).to.equal('NotAdvertised');
      expect(message).to.contain(`no DeviceClass has extendedResourceName: ${slice}; gpu-partition export dra`);
      const whole = explain(asks('nvidia.com/gpu'), [{ gpus: [aGpu()], isDra: true }], { classes: [] });
      expect(whole.code).to.equal('NotAdvertised');
      expect(whole.message).to.contain(
        'its DRA driver hands out 1 whole GPU, and no DeviceClass has extendedResourceName: nvidia.com/gpu; ask for it by a claim of DeviceClass gpu.nvidia.com',
      );
    });

    it('lets a claim be served by the DRA driver only', () => {
      const { code, message } = explain(claiming('small'), [{ gpus: [sevens] }]);
      expect(code).to.equal('NotOffered');
      expect(message).to.contain('which its device plugin hands out, and the pod asks by claim');
    });

    it('says what it cannot tell of a claim', () => {
      const says = (template: string): string => explain(claiming(template), [{ gpus: [sevens], isDra: true }]).message;
      expect(says('none')).to.contain('ResourceClaimTemplate none, request one: there is no DeviceClass gone');
      expect(says('own')).to.contain(
        'ResourceClaimTemplate own, request one: its selector is not evaluated here: device.isLarge',
      );
      expect(says('pair')).to.contain(
        'ResourceClaimTemplate pair: its constraints between requests are not evaluated here',
      );
      expect(says('elsewhere')).to.contain('there is no ResourceClaimTemplate elsewhere');
      const named = { spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: 'mine' }] } };
      const unread = explain(named, [{ gpus: [sevens], isDra: true }], { claims: undefined });
      expect(unread.message).to.contain('claim gpu: ResourceClaims are not known here');
    });
  });

  describe('for a pod with an affinity', () => {
    /** What keeps it from a node of pool p with these labels. */
    const judge = (
      requirement: { readonly key: string; readonly operator: string; readonly values?: readonly string[] },
      labels: Readonly<Record<string, string>> = {},
    ): readonly string[] => {
      const { containers = [] } = aPod(asks(half)).spec ?? {};
      const nodeSelectorTerms = [{ matchExpressions: [requirement] }];
      const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
      const pod = aPod({ spec: { containers, affinity: { nodeAffinity } } });
      return explainPod(pod, aCluster([{ gpus: [halves], labels }])).nodes.flatMap(({ blockers }) => blockers);
    };

    it('reads every operator as the scheduler does', () => {
      expect(judge({ key: 'pool', operator: 'NotIn', values: ['p'] })).to.deep.equal([
        'pool is p, and the pod wants not p',
      ]);
      expect(judge({ key: 'pool', operator: 'NotIn', values: ['q'] })).to.deep.equal([]);
      expect(judge({ key: 'zone', operator: 'NotIn', values: ['q'] })).to.deep.equal([]);
      expect(judge({ key: 'zone', operator: 'Exists' })).to.deep.equal(['zone is absent, and the pod wants any value']);
      expect(judge({ key: 'pool', operator: 'Exists' })).to.deep.equal([]);
      expect(judge({ key: 'pool', operator: 'DoesNotExist' })).to.deep.equal(['pool is p, and the pod wants no value']);
      expect(judge({ key: 'zone', operator: 'DoesNotExist' })).to.deep.equal([]);
    });

    it('compares numbers, and takes text for neither more nor less', () => {
      const level = (operator: string, value: string, found: string): readonly string[] =>
        judge({ key: 'level', operator, values: [value] }, { level: found });
      expect(level('Gt', '7', '8')).to.deep.equal([]);
      expect(level('Gt', '7', '7')).to.deep.equal(['level is 7, and the pod wants more than 7']);
      expect(level('Lt', '7', '6')).to.deep.equal([]);
      expect(level('Lt', '7', '7')).to.deep.equal(['level is 7, and the pod wants less than 7']);
      expect(level('Lt', '7', '')).to.deep.equal(['level is empty, and the pod wants less than 7']);
      expect(level('Gt', '7', '8.5')).to.deep.equal(['level is 8.5, and the pod wants more than 7']);
      expect(level('Gt', '7', '0x10')).to.deep.equal(['level is 0x10, and the pod wants more than 7']);
      expect(judge({ key: 'level', operator: 'Lt', values: ['7'] })).to.have.length(1);
    });
  });

  it('says of each wait that it is pending, and of what runs or has ended that it is not', () => {
    const isPending = (pod: StoryPod, gpus = [halves]): boolean =>
      explainPod(aPod(pod), aCluster([{ gpus }])).isPending;
    expect(isPending({ ...asks(half), node: 'n' })).to.equal(false);
    expect(isPending({ ...asks(half), node: 'n', status: { phase: 'Succeeded' } })).to.equal(false);
    expect(isPending(asks(half))).to.equal(true);
    expect(isPending(asks(half), [sevens])).to.equal(true);
    expect(isPending({ ...asks(half), status: { phase: 'Pending' } })).to.equal(true);
    expect(isPending({ ...asks(half), status: { ...aPod().status, nominatedNodeName: 'n' } })).to.equal(true);
  });

  it('suggests nothing where a node has room: the scheduler knows why it does not take the pod', () => {
    expect(explainPod(aPod(asks(half)), aCluster([{ gpus: [halves] }])).suggestions).to.deep.equal([]);
  });

  it('quotes no scheduler that has said nothing', () => {
    const { message } = explainPod(
      aPod({ ...asks('cpu'), status: { phase: 'Pending' } }),
      aCluster([{ gpus: [halves] }]),
    );
    expect(message).to.equal('it requests no GPU resource, so it does not wait for a partition');
  });

  it('lists first the node from which least keeps the pod, and says how many are alike', () => {
    const found = explainPod(
      aPod(asks(half)),
      aCluster(
        [
          { name: 'cut', gpus: [sevens] },
          { name: 'away', gpus: [halves], labels: { pool: 'p' }, unschedulable: true },
          { name: 'full-a', gpus: [halves] },
          { name: 'full-b', gpus: [halves] },
        ],
        [...holders(half, 2, 'full-a'), ...holders(half, 2, 'full-b')].map(aPod),
      ),
    );
    expect(found.nodes.map(({ node }) => node)).to.deep.equal(['full-a', 'full-b', 'away', 'cut']);
    expect(found.message).to.match(/ \(2 of 4 GPU nodes: all in use\)$/);
  });

  it('takes a node for one with GPUs that offers some, though no agent has reported', () => {
    const nodes = [{ name: 'bare', allocatable: { [half]: '1' } }, { name: 'cpus' }];
    const found = explainPod(aPod(asks(half)), aCluster(nodes));
    expect(found.nodes).to.deep.equal([{ node: 'bare', blockers: [] }]);
  });

  it('names five of those that hold slices, and counts the others', () => {
    const says = (count: number): string =>
      explainPod(
        aPod(asks(slice)),
        aCluster([{ gpus: [sevens], allocatable: { [slice]: String(count) } }], holders(slice, count).map(aPod)),
      ).message;
    const five = [0, 1, 2, 3, 4].map((at) => `team/holder-${at}`).join(', ');
    expect(says(5)).to.match(new RegExp(`5 of 5 ${slice} are in use, held by ${five}$`));
    expect(says(6)).to.match(new RegExp(`held by ${five}, 1 more$`));
  });

  it('takes a slice for unoffered only where the agent is done', () => {
    const policy = aPolicy({ layouts: [{ profiles: { '3g.20gb': 1 } }] });
    const one = aGpu({ slices: ['3g.20gb@0'] });
    const codeIn = (phase: 'Ready' | 'Updating') =>
      explainPod(aPod(asks(half)), aCluster([{ gpus: [one], policy, phase, allocatable: {} }])).code;
    expect(codeIn('Ready')).to.equal('NotAdvertised');
    expect(codeIn('Updating')).to.equal('Changing');
  });

  it('counts the memory that other pods request, in percent of all', () => {
    const says = (allocatable: string): string => {
      const [other, own] = ['48Gi', '32Gi'].map((memory) => ({ asks: { [half]: '1', memory } }));
      const nodes = [{ gpus: [halves], allocatable: { [half]: '2', memory: allocatable } }];
      return explainPod(aPod(own), aCluster(nodes, [aPod({ ...other, name: 'other', node: 'n' })])).message;
    };
    expect(says('64Gi')).to.contain('not enough memory: 64Gi in total, 75 % requested by others');
    expect(says('0')).to.contain('not enough memory: 0 in total, 0 % requested by others');
    expect(says('80Gi')).to.contain('node n has its GPUs free');
  });

  describe('of a taint', () => {
    const isTaken = (toleration: object, taint: object = {}): boolean => {
      const { containers = [] } = aPod(asks(half)).spec ?? {};
      const pod = aPod({ spec: { containers, tolerations: [toleration] } });
      const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule', ...taint }];
      return explainPod(pod, aCluster([{ gpus: [halves], taints }])).nodes[0]?.blockers.length === 0;
    };

    it('tolerates what the scheduler does', () => {
      expect(isTaken({ key: 'team', value: 'a', effect: 'NoSchedule' })).to.equal(true);
      expect(isTaken({ key: 'team', value: 'a' }), 'of any effect').to.equal(true);
      expect(isTaken({ key: 'team', value: 'a', effect: '' }), 'of any effect').to.equal(true);
      expect(isTaken({ key: 'team', value: 'a', effect: 'NoExecute' })).to.equal(false);
      expect(isTaken({ key: 'team', value: 'b' })).to.equal(false);
      expect(isTaken({ key: 'team' }), 'of no value').to.equal(false);
      expect(isTaken({ key: 'team' }, { value: undefined }), 'of no value').to.equal(true);
      expect(isTaken({ key: 'team', value: '' }, { value: undefined }), 'of no value').to.equal(true);
      expect(isTaken({ key: 'team', operator: 'Exists' })).to.equal(true);
      expect(isTaken({ operator: 'Exists' }), 'of any key').to.equal(true);
      expect(isTaken({ key: '', operator: 'Exists' }), 'of any key').to.equal(true);
      expect(isTaken({ value: 'a' }), 'of no key').to.equal(false);
      expect(isTaken({ key: 'other', operator: 'Exists' })).to.equal(false);
    });
  });

  it('says that what is asked for by its name when shared is not shared', () => {
    const { code, message } = explainPod(aPod(asks(`${half}.shared`)), aCluster([{ gpus: [halves] }]));
    expect(code).to.equal('OtherName');
    expect(message).to.equal(
      `no node offers ${half}.shared, but ${half}: the device plugin does not rename what it shares`,
    );
  });

  it('compares a name that no GPU has with what is offered, shared slices included', () => {
    const nodes = [{ gpus: [sevens], allocatable: { [`${slice}.shared`]: '28' } }];
    const { message } = explainPod(aPod(asks(`${slice}.share`)), aCluster(nodes));
    expect(message).to.contain(`did the pod mean ${slice}.shared`);
  });

  it('finds the only slice of a node under strategy single', () => {
    const nodes = [
      { gpus: [aGpu({ slices: ['3g.20gb@0'] })], strategy: 'single' as const, allocatable: { [gpu]: '1' } },
    ];
    expect(explainPod(aPod(asks(half)), aCluster(nodes)).code).to.equal('OtherStrategy');
  });

  describe('suggests a larger slice', () => {
    const suggested = (asked: string, nodes: readonly StoryNode[], amount = 1): readonly string[] =>
      explainPod(aPod(asks(asked, amount)), aCluster(nodes)).suggestions.flatMap((one) =>
        one.kind === 'AskForOther' ? [one.resource] : [],
      );

    it('that has at least the compute slices and the memory, the smallest', () => {
      const two = 'nvidia.com/mig-2g.10gb';
      const double = 'nvidia.com/mig-1g.10gb';
      const offering = (...resources: readonly string[]) => [
        { gpus: [sevens], allocatable: Object.fromEntries(resources.map((name) => [name, '1'])) },
      ];
      expect(suggested(two, offering(double))).to.deep.equal([]);
      expect(suggested(double, offering(two))).to.deep.equal([two]);
      expect(suggested(slice, offering(half, double))).to.deep.equal([double]);
      expect(
        suggested('nvidia.com/mig-3g.20gb', offering('nvidia.com/mig-4g.40gb', 'nvidia.com/mig-4g.20gb')),
      ).to.deep.equal(['nvidia.com/mig-4g.20gb']);
    });
  });

  it('suggests no selector for an affinity that no label meets', () => {
    const { containers = [] } = aPod(asks(half)).spec ?? {};
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] } };
    const pod = aPod({ spec: { containers, affinity: { nodeAffinity } } });
    expect(explainPod(pod, aCluster([{ gpus: [halves] }])).suggestions).to.deep.equal([]);
  });

  it('suggests no edit of a policy that only plans: it would change nothing', () => {
    const kinds = (mode: 'Plan' | 'Enforce') =>
      explainPod(aPod(asks(half)), aCluster([{ gpus: [sevens], policy: aPolicy({ mode }) }])).suggestions.map(
        ({ kind }) => kind,
      );
    expect(kinds('Enforce')).to.include('EditPolicy');
    expect(kinds('Plan')).to.not.include('EditPolicy');
  });

  describe('suggests an edit of a policy', () => {
    const editsFor = (pod: StoryPod, nodes: readonly StoryNode[], more: Partial<ClusterFacts> = {}) =>
      explainPod(aPod(pod), { ...aCluster(nodes), ...more }).suggestions.flatMap((one) =>
        one.kind === 'EditPolicy' ? [one] : [],
      );
    const whole = { '7g.40gb': 1 };
    const large = (index = 0) => aGpu({ index, slices: ['7g.40gb@0'] });

    it('that is the nearest to what it says', () => {
      const policy = aPolicy({ layouts: [{ profiles: whole }] });
      expect(editsFor(asks(half), [{ gpus: [large()], policy }])).to.deep.include.members([
        {
          kind: 'EditPolicy',
          policy: 'p',
          entry: 0,
          profiles: { '3g.20gb': 1 },
          node: 'n',
          nodesChanging: 1,
          evicts: [],
          message: 'set spec.layouts[0].profiles of policy p to 1×3g.20gb; this changes 1 node, and evicts no pod',
        },
      ]);
    });

    it('that changes the fewest nodes, if none evicts fewer pods', () => {
      const policy = aPolicy({ layouts: [{ gpus: { indices: [0] }, profiles: whole }, { profiles: whole }] });
      const edits = editsFor(asks(half), [
        { name: 'a', gpus: [large(), large(1)], policy },
        { name: 'b', gpus: [{ ...large(), uuid: 'GPU-b' }], policy },
      ]);
      expect(edits.map(({ entry, nodesChanging }) => [entry, nodesChanging])).to.deep.equal([[1, 1]]);
    });

    it('by a GPU that the entry matches and that can be read', () => {
      const other = aGpu({ index: 1, product: 'NVIDIA A30', slices: ['4g.24gb@0'] });
      const broken = { ...other, error: 'GpuLost' as const };
      const matching = aPolicy({ layouts: [{ gpus: { models: ['A100-SXM4-40GB'] }, profiles: whole }] });
      expect(editsFor(asks(half), [{ gpus: [other, large()], policy: matching }])).to.have.length(1);
      const all = aPolicy({ layouts: [{ profiles: whole }] });
      expect(editsFor(asks('nvidia.com/mig-2g.12gb'), [{ gpus: [broken, large()], policy: all }])).to.deep.equal([]);
    });

    it('of three policies at most, and of none with another strategy than mixed', () => {
      const policies = ['a', 'b', 'c', 'd'].map((name) => aPolicy({ name, layouts: [{ profiles: whole }] }));
      const nodes = policies.map((policy, at) => ({
        name: `n${at}`,
        policy,
        gpus: [{ ...large(), uuid: `GPU-${at}` }],
      }));
      expect(editsFor(asks(half), nodes).map(({ policy }) => policy)).to.deep.equal(['a', 'b', 'c']);
      const single = aPolicy({ strategy: 'single', layouts: [{ profiles: whole }] });
      expect(editsFor(asks(half), [{ gpus: [large()], policy: single }])).to.deep.equal([]);
    });

    it('only on nodes that nothing else keeps the pod from', () => {
      const policy = aPolicy({ layouts: [{ profiles: whole }] });
      expect(editsFor(asks(half), [{ gpus: [large()], policy, unschedulable: true }])).to.deep.equal([]);
    });

    it('beside what a process uses, which no eviction frees, where pods may not be listed', () => {
      const used = aGpu({ slices: ['1g.5gb@0*', ...[1, 2, 3, 4, 5].map((start) => `1g.5gb@${start}`)] });
      const policy = aPolicy({ layouts: [{ profiles: { '1g.5gb': 6 } }] });
      const blind = { pods: undefined };
      expect(editsFor(asks(slice, 6), [{ gpus: [used], policy }], blind)).to.have.length(1);
      expect(editsFor(asks(slice, 7), [{ gpus: [used], policy }], blind)).to.deep.equal([]);
    });
  });

  describe('suggests what costs least first', () => {
    const large = aGpu({ slices: ['7g.40gb@0*'] });
    const idle = { ...aGpu({ slices: ['7g.40gb@0'] }), uuid: 'GPU-idle' };
    const busy: StoryNode = {
      name: 'busy',
      gpus: [large],
      policy: aPolicy({ layouts: [{ profiles: { '7g.40gb': 1 } }] }),
    };
    const suggest = (nodes: readonly StoryNode[], pods: readonly StoryPod[] = []) =>
      explainPod(aPod(asks(half)), aCluster(nodes, pods.map(aPod))).suggestions;
    const told = (nodes: readonly StoryNode[]) =>
      suggest(nodes)
        .filter(({ kind }) => kind !== 'AskForOther')
        .map(({ kind, message }) => [kind, message] as const);

    it('an idle node that no policy decides over, or whose demand lacks the slice', () => {
      const demand = (profile: string) => withDemand(aPolicy({ name: 'd' }), { slices: [{ profiles: [profile] }] });
      const [unmanaged] = told([busy, { name: 'idle', labels: { pool: 'q' }, gpus: [idle] }]);
      expect(unmanaged).to.deep.equal([
        'UseIdle',
        'have a policy select node idle: its GPU 0 is idle and can have 3g.20gb, and no policy decides over it; this evicts no pod',
      ]);
      const [lacking] = told([busy, { name: 'idle', gpus: [idle], policy: demand('1g.5gb') }]);
      expect(lacking?.[1]).to.equal(
        'add a slice for 3g.20gb to demand.slices of policy d: node idle GPU 0 is idle; this evicts no pod',
      );
      const kinds = (node: StoryNode) => told([busy, node]).map(([kind]) => kind);
      expect(kinds({ name: 'idle', gpus: [idle], policy: demand('3g.20gb') }), 'the demand sees to it').not.to.include(
        'UseIdle',
      );
      expect(kinds({ name: 'idle', gpus: [{ ...idle, instances: large.instances }] }), 'in use').not.to.include(
        'UseIdle',
      );
      expect(kinds({ name: 'idle', gpus: [idle], unschedulable: true }), 'cordoned').not.to.include('UseIdle');
      expect(kinds({ name: 'idle', gpus: [idle], phase: 'Failed', reason: 'Failed' }), 'failed').not.to.include(
        'UseIdle',
      );
    });

    it('and says first of an edit that evicts more pods than it serves that it does', () => {
      const pods = Array.from({ length: 7 }, (_, at) => `team/w${at}`);
      const gpus = [aGpu({ slices: pods.map((_, at) => `1g.5gb@${at}*`) })].map((one) => ({
        ...one,
        instances: one.instances.map((slot, at) => ({ ...slot, pods: [pods[at] ?? ''] })),
      }));
      const policy = aPolicy({ layouts: [{ profiles: { '1g.5gb': 7 } }] });
      const running = pods.map((name): StoryPod => ({ name: name.slice(5), node: 'n', asks: { [slice]: '1' } }));
      const { message = '' } = suggest([{ gpus, policy }], running).at(-1) ?? {};
      expect(message).to.match(/^at the price of \d pods for this one: set spec\.layouts/);
    });

    it('and no wait for what does not heal', () => {
      const lost = { ...aGpu({ slices: ['3g.20gb@0'] }), error: 'GpuLost' as const };
      const policy = aPolicy({ layouts: [{ profiles: { '3g.20gb': 2 } }] });
      const wait = (phase: 'Failed' | 'Updating') =>
        suggest([
          { gpus: [lost, { ...aGpu({ index: 1 }), uuid: 'GPU-1' }], policy, phase, reason: phase, allocatable: {} },
        ]).map(({ kind }) => kind);
      expect(wait('Updating')).to.include('Wait');
      expect(wait('Failed')).not.to.include('Wait');
    });
  });

  it('counts whole GPUs and, under strategy single, slices as used by the agents’ reports', () => {
    const says = (node: StoryNode): string =>
      explainPod(aPod(asks(gpu, 2)), { ...aCluster([node]), pods: undefined }).message;
    const taken = aGpu({ busy: true, pods: ['team/a'] });
    const idle = aGpu({ index: 1 });
    const cut = aGpu({ index: 2, slices: ['3g.20gb@0*', '3g.20gb@4'] });
    expect(says({ gpus: [taken, idle] })).to.contain(`1 of 2 ${gpu} are in use, held by team/a`);
    // Slices that are in use beside them are none of them.
    expect(says({ gpus: [taken, idle, cut], strategy: 'mixed' })).to.contain(
      `1 of 2 ${gpu} are in use, held by team/a`,
    );
    expect(says({ gpus: [cut], strategy: 'single', allocatable: { [gpu]: '2' } })).to.contain(
      `1 of 2 ${gpu} are in use`,
    );
    const free = says({ gpus: [idle, { ...idle, index: 3 }, cut], isDra: true });
    expect(free, 'a slice is no whole GPU to the DRA driver').to.contain('node n has its GPUs free');
  });

  it('names whom an edit of a policy would evict', () => {
    const held = { ...halves, instances: halves.instances.map((one) => ({ ...one, busy: true, pods: ['team/a'] })) };
    const policy = aPolicy({ layouts: [{ profiles: { '3g.20gb': 2 } }] });
    const { suggestions } = explainPod(aPod(asks('nvidia.com/mig-7g.40gb')), aCluster([{ gpus: [held], policy }]));
    expect(suggestions).to.have.length(1);
    expect(suggestions[0]).to.deep.include({ kind: 'EditPolicy', policy: 'p', evicts: ['team/a'] });
    expect(suggestions[0]?.message).to.match(/; this changes 1 node, and evicts team\/a$/);
  });

  it('plans an edit on each node of its policy once, however many nodes might serve the pod', () => {
    const policy = aPolicy({ layouts: [{ profiles: { '7g.40gb': 1 } }] });
    const countPlans = (nodes: number): number => {
      const facts = aCluster(
        Array.from({ length: nodes }, (_, at) => ({ name: `n${at}`, policy, gpus: [aGpu({ slices: ['7g.40gb@0'] })] })),
      );
      const device = facts.partitions[0]?.status?.device ?? {};
      const { lastGood } = device;
      let reads = 0;
      Object.defineProperty(device, 'lastGood', { get: () => ((reads += 1), lastGood) });
      // A GPU has two halves.
      expect(explainPod(aPod(asks(half, 3)), facts).suggestions).to.deep.equal([]);
      return reads;
    };
    expect(countPlans(1)).to.be.above(0);
    expect(countPlans(20)).to.equal(countPlans(1));
  });

  it('counts the slices that stay in use when an edit evicts other pods, and not their pods', () => {
    const small = 'nvidia.com/mig-1g.5gb';
    const gpu = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1', '3g.20gb@4'] });
    const held = {
      ...gpu,
      instances: gpu.instances.map((one) => ({
        ...one,
        busy: true,
        pods: [one.profile === '1g.5gb' ? 'team/two' : 'team/big'],
      })),
    };
    const policy = aPolicy({ layouts: [{ profiles: { '1g.5gb': 2, '3g.20gb': 1 } }] });
    const pods = [
      aPod({ name: 'two', node: 'n', asks: { [small]: '2' } }),
      aPod({ name: 'big', node: 'n', asks: { [half]: '1' } }),
    ];
    const asked = aPod({ asks: { [small]: '3' } });
    const edits = explainPod(asked, aCluster([{ gpus: [held], policy }], pods)).suggestions;
    const [edit] = edits.flatMap((one) => (one.kind === 'EditPolicy' ? [one] : []));
    expect(edit?.evicts).to.deep.equal(['team/big']);
    expect(edit?.message).to.match(/[5-7]×1g\.5gb/);
  });

  it('believes the agents where the user may not list pods', () => {
    const held = { ...halves, instances: halves.instances.map((one) => ({ ...one, busy: true, pods: ['team/a'] })) };
    const facts = { ...aCluster([{ gpus: [held] }]), pods: undefined };
    expect(explainPod(aPod(asks(half)), facts).message).to.contain(
      '2 of 2 nvidia.com/mig-3g.20gb are in use, held by team/a',
    );
  });

  it('counts sidecars with the containers, and init containers by the largest', () => {
    const limits = (amount: number) => ({ resources: { limits: { [half]: amount } } });
    const spec = { containers: [limits(1)], initContainers: [{ ...limits(1), restartPolicy: 'Always' }, limits(1)] };
    expect(explainPod(aPod({ spec }), aCluster([{ gpus: [halves] }])).code).to.equal('SchedulerSays');
    const more = { ...spec, initContainers: [limits(3)] };
    expect(explainPod(aPod({ spec: more }), aCluster([{ gpus: [halves] }])).code).to.equal('TooMany');
  });

  it('counts an init container together with the sidecars that run before it', () => {
    const sidecar = { resources: { limits: { [half]: 1 } }, restartPolicy: 'Always' };
    const init = { resources: { limits: { [half]: 2 } } };
    const codeOf = (initContainers: readonly object[]): string => {
      const spec = { containers: [{}], initContainers } as PodView['spec'];
      return explainPod(aPod({ spec }), aCluster([{ gpus: [halves] }])).code;
    };
    expect(codeOf([init, sidecar])).to.equal('SchedulerSays');
    expect(codeOf([sidecar, init])).to.equal('TooMany');
  });

  it('counts memory as it counts GPUs: sidecars with the containers', () => {
    const asksFor = (memory: string) => ({ resources: { limits: { [half]: 1 }, requests: { memory } } });
    const sidecar = { resources: { requests: { memory: '40Gi' } }, restartPolicy: 'Always' };
    const spec = { containers: [asksFor('40Gi')], initContainers: [sidecar] };
    expect(explainPod(aPod({ spec }), aCluster([{ gpus: [halves] }])).code).to.equal('OtherResource');
  });
});

const quota = (used: string) => ({
  metadata: { name: 'gpus' },
  status: { hard: { 'requests.nvidia.com/gpu': '2', cpu: '1' }, used: { 'requests.nvidia.com/gpu': used, cpu: '1' } },
});

describe('why a pod is not there', () => {
  it('tells what its controller was refused, and which quota is used up', () => {
    const event = {
      reason: 'FailedCreate',
      message: 'pods "train-x" is forbidden: exceeded quota: gpus',
      involvedObject: { kind: 'ReplicaSet', name: 'train' },
      metadata: {},
    };
    expect(explainMissing('train-x1', [event], [quota('2')])).to.equal(
      'ReplicaSet train cannot create it: pods "train-x" is forbidden: exceeded quota: gpus; quota gpus is used up: 2 of 2 requests.nvidia.com/gpu',
    );
  });

  it('takes the newest refusal, in whatever order Events are listed, and none of a controller with a similar name', () => {
    const event = (name: string, message: string, lastTimestamp: string) => ({
      reason: 'FailedCreate',
      message,
      involvedObject: { kind: 'ReplicaSet', name },
      metadata: {},
      lastTimestamp,
    });
    const events = [
      event('web', 'new', '2026-01-01T00:00:02Z'),
      event('web', 'old', '2026-01-01T00:00:01Z'),
      event('we', 'of another', '2026-01-01T00:00:03Z'),
    ];
    expect(explainMissing('web-0', events, [])).to.equal('ReplicaSet web cannot create it: new');
    const long = 'a'.repeat(63);
    expect(explainMissing(`${'a'.repeat(58)}x7k2p`, [event(long, 'no', '')], [])).to.include('cannot create it: no');
  });

  it('says nothing of events of others, and of quotas that have something left', () => {
    const event = {
      reason: 'FailedCreate',
      message: 'no',
      involvedObject: { kind: 'Job', name: 'other' },
      metadata: {},
    };
    expect(explainMissing('train-x1', [event], [quota('1')])).to.equal(undefined);
  });
});
