import type { GpuPartitionPolicy } from '../../../src/api/types.ts';
import { RULE_MESSAGES } from '../../../src/core/policy/schema.ts';

/** Part of a spec and, where a rule refuses it and not the schema, the rule and where it is broken. */
export type BadSpec = readonly [spec: Partial<Spec>, message?: string, at?: string];

type Spec = GpuPartitionPolicy['spec'];
const profile = (name: string): Partial<Spec> => ({ layouts: [{ profiles: { [name]: 1 } }] });
/** Values of wrong types reach the checks as files hold them. */
const wrong = (spec: object): Partial<Spec> => spec;

export const slices = [{ profiles: ['1g.5gb'], count: 4 }];
/** A demand instead of layouts. */
export const instead = (spec: object): Partial<Spec> => wrong({ layouts: undefined, demand: { slices }, ...spec });

/** A policy with a schedule for each of these. */
const scheduled = (...contents: readonly object[]): Partial<Spec> =>
  wrong({ schedules: contents.map((one) => ({ name: 'night', schedule: '0 22 * * *', duration: '8h', ...one })) });

/** What the API server must refuse. */
export const badSpecs: Readonly<Record<string, BadSpec>> = {
  'an empty selector': [{ nodeSelector: {} }, RULE_MESSAGES.emptySelector, 'spec.nodeSelector'],
  'a selector on a label that changes': [
    { nodeSelector: { matchLabels: { 'nvidia.com/gpu.product': 'x' } } },
    RULE_MESSAGES.changingLabel,
    'spec.nodeSelector.matchLabels.nvidia.com/gpu.product',
  ],
  'a selector on a slice label': [
    { nodeSelector: { matchLabels: { 'nvidia.com/mig-1g.5gb.count': '7' } } },
    RULE_MESSAGES.changingLabel,
    'spec.nodeSelector.matchLabels.nvidia.com/mig-1g.5gb.count',
  ],
  'an expression on our own label': [
    { nodeSelector: { matchExpressions: [{ key: 'gpupartition.dev/state', operator: 'Exists' }] } },
    RULE_MESSAGES.changingLabel,
    'spec.nodeSelector.matchExpressions.0.key',
  ],
  'a selector on a label that is borrowed': [
    { nodeSelector: { matchLabels: { 'nvidia.com/gpu.deploy.dcgm': 'true' } } },
    RULE_MESSAGES.changingLabel,
    'spec.nodeSelector.matchLabels.nvidia.com/gpu.deploy.dcgm',
  ],
  'a label key of two slashes': [
    { nodeSelector: { matchLabels: { 'a/b/c': 'x' } } },
    RULE_MESSAGES.impossibleLabel,
    'spec.nodeSelector.matchLabels.a/b/c',
  ],
  'a label value with a space': [
    { nodeSelector: { matchLabels: { pool: 'a b' } } },
    RULE_MESSAGES.impossibleLabel,
    'spec.nodeSelector.matchLabels.pool',
  ],
  'a key that no label has, and that shall not be there': [
    { nodeSelector: { matchExpressions: [{ key: '!!', operator: 'DoesNotExist' }] } },
    RULE_MESSAGES.impossibleLabel,
    'spec.nodeSelector.matchExpressions.0.key',
  ],
  'a value that no label has, and that shall not be there': [
    { nodeSelector: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b', 'c d'] }] } },
    RULE_MESSAGES.impossibleLabel,
    'spec.nodeSelector.matchExpressions.0.values.1',
  ],
  'In without values': [
    { nodeSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
    RULE_MESSAGES.operatorValues,
    'spec.nodeSelector.matchExpressions.0',
  ],
  'NotIn without values': [
    { nodeSelector: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: [] }] } },
    RULE_MESSAGES.operatorValues,
    'spec.nodeSelector.matchExpressions.0',
  ],
  'Exists with values': [
    { nodeSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } },
    RULE_MESSAGES.operatorValues,
    'spec.nodeSelector.matchExpressions.0',
  ],
  'DoesNotExist with values': [
    { nodeSelector: { matchExpressions: [{ key: 'a', operator: 'DoesNotExist', values: ['b'] }] } },
    RULE_MESSAGES.operatorValues,
    'spec.nodeSelector.matchExpressions.0',
  ],
  'single with two profiles': [
    { strategy: 'single', layouts: [{ profiles: { '1g.5gb': 2, '3g.20gb': 1 } }] },
    RULE_MESSAGES.singleProfile,
    'spec.layouts.0.profiles',
  ],
  'mixed with a compute instance': [
    profile('1c.3g.20gb'),
    RULE_MESSAGES.mixedComputeInstance,
    'spec.layouts.0.profiles.1c.3g.20gb',
  ],
  'neither profiles, preset nor mig': [{ layouts: [{}] }, RULE_MESSAGES.exclusive, 'spec.layouts.0'],
  'both profiles and mig': [
    { layouts: [{ profiles: { '1g.5gb': 1 }, mig: 'Disabled' }] },
    RULE_MESSAGES.exclusive,
    'spec.layouts.0',
  ],
  'a profile in upper case': [profile('1G.5GB'), RULE_MESSAGES.profileName, 'spec.layouts.0.profiles.1G.5GB'],
  'a profile by its id': [profile('19'), RULE_MESSAGES.profileName, 'spec.layouts.0.profiles.19'],
  'a profile with the dot of labels': [
    profile('1g.5gb.me'),
    RULE_MESSAGES.profileName,
    'spec.layouts.0.profiles.1g.5gb.me',
  ],
  'a percentage above 100': [{ rollout: { maxUnavailable: '101%' } }],
  'a negative number of nodes': [{ rollout: { maxUnavailable: -1 } }],
  'a threshold of no node': [{ rollout: { failureThreshold: 0 } }],
  'a threshold that is no percentage': [{ rollout: { failureThreshold: '5' } }],
  'a threshold that is true': [wrong({ rollout: { failureThreshold: true } })],
  'no layout': [{ layouts: [] }],
  'no slice': [{ layouts: [{ profiles: {} }] }],
  'a count of 0': [{ layouts: [{ profiles: { '1g.5gb': 0 } }] }],
  'a count in quotes': [wrong({ layouts: [{ profiles: { '1g.5gb': '2' } }] })],
  'a preset that does not exist': [{ layouts: [{ preset: 'all-of-them' }] }],
  'a PCI id of another vendor': [{ layouts: [{ gpus: { pciDeviceIds: ['0x20B01234'] }, mig: 'Disabled' }] }],
  'an unknown strategy': [wrong({ strategy: 'both' })],
  'an unknown field': [wrong({ poool: 1 })],
  'a priority out of bounds': [{ priority: 2_000_000_000 }],
  'a timeout without a unit': [{ drain: { timeout: '10' } }],
  'a missing strategy': [wrong({ strategy: undefined })],
  'layouts beside a demand': [{ demand: { slices } }, RULE_MESSAGES.layoutsOrDemand, 'spec'],
  'neither layouts nor a demand': [wrong({ layouts: undefined }), RULE_MESSAGES.layoutsOrDemand, 'spec'],
  'a demand with strategy single': [instead({ strategy: 'single' }), RULE_MESSAGES.demandStrategy, 'spec.strategy'],
  'a drain that gives up before it begins': [{ drain: { timeout: '0h00s' } }, RULE_MESSAGES.drainTimeout, 'spec.drain'],
  'a demand that evicts nobody with a drain of whole nodes': [
    instead({ drain: { scope: 'Node' } }),
    RULE_MESSAGES.demandDrain,
    'spec.drain.scope',
  ],
  'a rest that is laid with a drain of whole nodes': [
    instead({ demand: { slices, evict: 'IfNeeded', rest: 'Whole' }, drain: { scope: 'Node' } }),
    RULE_MESSAGES.demandRest,
    'spec.demand.rest',
  ],
  'a demand with shared slices': [
    instead({ sharing: { timeSlicing: [{ resource: 'nvidia.com/mig-1g.5gb', replicas: 2 }] } }),
    RULE_MESSAGES.demandSharing,
    'spec.sharing',
  ],
  'two slices of one name': [
    instead({ demand: { slices: [...slices, { name: '1g.5gb', profiles: ['2g.10gb'], count: 1 }] } }),
    RULE_MESSAGES.sliceNames,
    'spec.demand.slices',
  ],
  'a demand for nothing': [instead({ demand: { slices: [] } })],
  'a slice without profiles': [instead({ demand: { slices: [{ profiles: [], count: 1 }] } })],
  'a slice of nothing': [
    instead({ demand: { slices: [{ name: 'x', count: 1 }] } }),
    RULE_MESSAGES.sliceKind,
    'spec.demand.slices.0',
  ],
  'a slice of profiles and of memory': [
    instead({ demand: { slices: [{ profiles: ['1g.5gb'], memory: '4Gi', count: 1 }] } }),
    RULE_MESSAGES.sliceKind,
    'spec.demand.slices.0',
  ],
  'two slices of whole GPUs, one without a name': [
    instead({
      demand: {
        slices: [
          { mig: 'Disabled', count: 1 },
          { name: 'whole', memory: '4Gi', count: 1 },
        ],
      },
    }),
    RULE_MESSAGES.sliceNames,
    'spec.demand.slices',
  ],
  'a memory without a unit': [instead({ demand: { slices: [{ memory: '5', count: 1 }] } })],
  'whole GPUs with MIG mode on': [instead({ demand: { slices: [{ mig: 'Enabled', count: 1 }] } })],
  'a rest that there is not': [instead({ demand: { slices, rest: 'Off' } })],
  'a slice of a compute instance': [instead({ demand: { slices: [{ profiles: ['1c.3g.20gb'], count: 1 }] } })],
  'a slice without a count that follows nothing': [
    instead({ demand: { slices: [{ profiles: ['1g.5gb'], min: 1 }] } }),
    RULE_MESSAGES.declaredCount,
    'spec.demand',
  ],
  'a stabilization of what follows nothing': [
    instead({ demand: { slices, stabilization: '5m' } }),
    RULE_MESSAGES.declaredSteady,
    'spec.demand.stabilization',
  ],
  'a count beside a spare': [
    instead({ demand: { from: 'Pods', slices: [{ profiles: ['1g.5gb'], count: 1, spare: '5%' }] } }),
    RULE_MESSAGES.sliceCount,
    'spec.demand.slices.0',
  ],
  'a demand from Kueue under backend DRA': [
    instead({ backend: 'DRA', demand: { from: 'Kueue', slices: [{ profiles: ['1g.5gb'], min: 1 }] } }),
    RULE_MESSAGES.draDemand,
    'spec.demand.from',
  ],
  'a demand from pods under backend Auto': [
    instead({ backend: 'Auto', demand: { from: 'Pods', slices: [{ profiles: ['1g.5gb'], min: 1 }] } }),
    RULE_MESSAGES.draDemand,
    'spec.demand.from',
  ],
  'backend Auto with another strategy than the DRA driver has': [
    { backend: 'Auto', strategy: 'single' },
    RULE_MESSAGES.draStrategy,
    'spec.strategy',
  ],
  'backend Auto with time slicing': [
    { backend: 'Auto', sharing: { timeSlicing: [{ resource: 'nvidia.com/mig-1g.5gb', replicas: 2 }] } },
    RULE_MESSAGES.draSharing,
    'spec.sharing.timeSlicing',
  ],
  'a backend that does not exist': [wrong({ backend: 'Automatic' })],
  'a demand from elsewhere': [instead({ demand: { from: 'Elsewhere', slices: [{ profiles: ['1g.5gb'], count: 1 }] } })],
  'a min above max': [
    instead({ demand: { from: 'Pods', slices: [{ profiles: ['1g.5gb'], min: 3, max: 2 }] } }),
    RULE_MESSAGES.sliceRange,
    'spec.demand.slices.0',
  ],
  'a schedule with layouts and a demand': [
    scheduled({ layouts: [{ mig: 'Disabled' }], demand: { slices } }),
    RULE_MESSAGES.scheduleContent,
    'spec.schedules.0',
  ],
  'a schedule with neither': [scheduled({}), RULE_MESSAGES.scheduleContent, 'spec.schedules.0'],
  'two schedules of one name': [
    scheduled({ demand: { slices } }, { layouts: [{ mig: 'Disabled' }] }),
    RULE_MESSAGES.scheduleNames,
    'spec.schedules',
  ],
  'a schedule with a demand under strategy single': [
    { strategy: 'single', layouts: [{ profiles: { '1g.5gb': 7 } }], ...scheduled({ demand: { slices } }) },
    RULE_MESSAGES.demandStrategy,
    'spec.strategy',
  ],
  'a schedule with two profiles under strategy single': [
    {
      strategy: 'single',
      layouts: [{ profiles: { '1g.5gb': 7 } }],
      ...scheduled({ layouts: [{ profiles: { '1g.5gb': 1, '2g.10gb': 1 } }] }),
    },
    RULE_MESSAGES.singleProfile,
    'spec.schedules.0.layouts.0.profiles',
  ],
  'a schedule with a compute instance': [
    scheduled({ layouts: [{ profiles: { '1c.3g.20gb': 1 } }] }),
    RULE_MESSAGES.mixedComputeInstance,
    'spec.schedules.0.layouts.0.profiles.1c.3g.20gb',
  ],
  'a schedule with a slice without a count': [
    scheduled({ demand: { slices: [{ profiles: ['1g.5gb'] }] } }),
    RULE_MESSAGES.declaredCount,
    'spec.schedules.0.demand',
  ],
  'a schedule with a demand of shared slices': [
    {
      sharing: { timeSlicing: [{ resource: 'nvidia.com/mig-1g.5gb', replicas: 2 }] },
      ...scheduled({ demand: { slices } }),
    },
    RULE_MESSAGES.demandSharing,
    'spec.sharing',
  ],
  'one of several whole GPUs without a count': [
    instead({ demand: { slices: [...slices, { name: 'all', mig: 'Disabled' }] } }),
    RULE_MESSAGES.declaredCount,
    'spec.demand',
  ],
  'a count beside a max': [
    instead({ demand: { from: 'Pods', slices: [{ profiles: ['1g.5gb'], count: 1, max: 2 }] } }),
    RULE_MESSAGES.sliceCount,
    'spec.demand.slices.0',
  ],
  'sharing by MPS': [wrong({ sharing: { mps: {} } }), RULE_MESSAGES.mps, 'spec.sharing.mps'],
  'settings of the DRA driver without it': [
    wrong({ dra: { deviceClasses: 'Managed' } }),
    RULE_MESSAGES.draBackend,
    'spec.dra',
  ],
  'backend DRA with a compute instance': [
    wrong({ backend: 'DRA', strategy: 'mixed', ...profile('1c.3g.20gb') }),
    RULE_MESSAGES.draComputeInstance,
    'spec.layouts.0.profiles.1c.3g.20gb',
  ],
  'a schedule without a duration': [
    wrong({ schedules: [{ name: 'night', schedule: '0 22 * * *', demand: { slices } }] }),
  ],
  'a ClusterQueue whose name is no label': [wrong({ kueue: { clusterQueue: 'My_Queue' } })],
  'a cohort without a ClusterQueue': [wrong({ kueue: { cohort: 'gpus' } })],
  'a cooldown without a unit': [instead({ demand: { slices, cooldown: '30' } })],
};
