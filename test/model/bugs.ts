import { repartitioningTaint } from '../../src/api/names.ts';
import type { Command } from '../../src/core/node/commands.ts';
import type { NodeMemory } from '../../src/core/node/memory.ts';
import { borrowedLabelsOf, metadataOf } from '../../src/core/node/node-patch.ts';
import type { Bug } from './cluster.ts';
import { type NodeSnapshot, isUnfinished } from '../../src/core/node/snapshot.ts';
import { describeReport, computeResources } from '../../src/core/nvidia/predict.ts';
import { offerStatus } from '../../src/core/node/offer.ts';
import { deviceMeets } from '../../src/core/device/plan.ts';
import type { Slot } from '../../src/core/rollout/budget.ts';

import { findNamedDevice } from '../../src/core/device/holders.ts';
import { isOfUser, isUntouchable } from './pods.ts';
import { toResourceSlice } from './slices.ts';
import type { Theme } from './story.ts';

type Patch = Extract<Command, { name: 'PatchNode' }>['change'];

const paused = 'paused-for-mig-change';
const openNode: Command = { name: 'PatchNode', change: { removeTaints: [repartitioningTaint.key] } };

/** Of both models. */
export const endOthersPause = {
  name: 'EndOthersPause',
  what: 'brings holders of GPUs back that a remediator keeps away since',
  theme: 'Remediator',
  say: ({ commands }, { node }) => {
    const loans = Object.entries(borrowedLabelsOf(metadataOf(node)));
    const kept = loans.filter(([, { set }]) => set === paused).map(([key]) => [key, 'true']);
    const labels = Object.fromEntries(kept) as Readonly<Record<string, string>>;
    return {
      commands: mapPatches(commands, ({ giveBack, ...change }) =>
        giveBack === undefined ? change : { ...change, giveBack, labels: { ...change.labels, ...labels } },
      ),
    };
  },
} as const satisfies Bug<Theme>;

export const bugs: readonly Bug<Theme>[] = [
  {
    name: 'StaysSwitched',
    what: 'does not switch back when a schedule is over',
    theme: 'Schedules',
  },
  {
    name: 'HidePods',
    what: 'grants while pods use GPUs of the node',
    see: (snapshot) => ({
      ...snapshot,
      ...(snapshot.pods && {
        pods: snapshot.pods.filter((pod) => !isOfUser(pod)),
      }),
    }),
  },
  {
    name: 'GrantOpenNode',
    what: 'grants without closing the node',
    see: (snapshot) =>
      snapshot.pods === undefined
        ? snapshot
        : {
            ...snapshot,
            node: {
              ...snapshot.node,
              spec: {
                ...snapshot.node.spec,
                taints: [
                  ...(snapshot.node.spec?.taints ?? []).filter(({ key }) => key !== repartitioningTaint.key),
                  repartitioningTaint,
                ],
              },
            },
          },
  },
  {
    name: 'OpenBeforeAdvertised',
    what: 'opens as soon as the device is done, whatever the node offers',
    say: ({ verdict, commands }, { node }) =>
      verdict.reason === 'AdvertisePending' && node.spec?.taints?.some(({ key }) => key === repartitioningTaint.key)
        ? { commands: [...commands, { name: 'PatchNode', change: { removeTaints: [repartitioningTaint.key] } }] }
        : {},
  },
  {
    name: 'AdvertiseDevice',
    what: 'advertises what the device has, whatever the kubelet offers',
    say: ({ verdict, commands }, { node, partition }) => {
      const device = partition?.status?.device;
      if (verdict.reason !== 'AdvertisePending' || device?.gpus === undefined) return {};
      const { resources } = computeResources(describeReport(device), partition?.spec.strategy ?? 'mixed');
      const status = offerStatus(node.status ?? {}, resources);
      return { commands: [...commands, { name: 'AdvertiseDevices', status, change: 'bug' }] };
    },
  },
  {
    name: 'IgnoreObservedEpoch',
    what: 'takes every grant for answered',
    see: (snapshot) => withDevice(snapshot, { observedEpoch: snapshot.partition?.spec.granted?.epoch ?? 0 }),
  },
  {
    name: 'ForgetHolders',
    what: 'does not let the holders of GPUs come back',
    say: ({ commands }) => ({
      commands: mapPatches(commands, ({ giveBack, ...change }) =>
        giveBack === undefined
          ? change
          : {
              ...change,
              giveBack: (key, loan) =>
                loan.set !== paused && (typeof giveBack === 'function' ? giveBack(key, loan) : giveBack.includes(key)),
            },
      ),
    }),
  },
  endOthersPause,
  {
    name: 'IgnoreBoot',
    what: 'believes what was read before the node was restarted',
    see: (snapshot) => withDevice(snapshot, { bootID: snapshot.node.status?.nodeInfo?.bootID ?? '' }),
  },
  {
    name: 'KeepTaint',
    what: 'never takes its taint off',
    say: ({ commands }) => ({
      commands: mapPatches(commands, (change) => ({
        ...change,
        removeTaints: (change.removeTaints ?? []).filter((key) => key !== repartitioningTaint.key),
      })),
    }),
  },
  {
    name: 'UnknownIsIdle',
    what: 'takes a device that cannot be read for one that is as it was',
    see: (snapshot) =>
      snapshot.partition?.status?.device?.step === 'Unknown' ? withDevice(snapshot, { step: 'Idle' }) : snapshot,
  },
  {
    name: 'AnyNode',
    what: 'goes on with the object of an earlier node of the same name',
    see: (snapshot) => ({
      ...snapshot,
      partition: snapshot.partition && {
        ...snapshot.partition,
        spec: { ...snapshot.partition.spec, nodeUID: snapshot.node.metadata.uid ?? '' },
      },
    }),
  },
  {
    name: 'ReuseEpoch',
    what: 'counts an epoch twice',
    say: ({ commands }) => ({
      commands: commands.map((command) =>
        command.name === 'WriteGrant' && (command.granted.epoch ?? 0) > 1
          ? { ...command, granted: { ...command.granted, epoch: (command.granted.epoch ?? 0) - 1 } }
          : command,
      ),
    }),
  },
  {
    name: 'StalePolicy',
    what: 'grants for a policy that is another one at the API server',
    see: (snapshot) => {
      const { uid, generation } = snapshot.claim.winner?.metadata ?? {};
      return snapshot.fresh === undefined
        ? snapshot
        : { ...snapshot, fresh: { ...snapshot.fresh, policy: { uid, generation, told: generation } } };
    },
  },
  {
    name: 'EarlyStartUp',
    what: 'takes the start-up taint off where no layout was verified',
    say: ({ commands }) => ({
      commands: mapPatches(commands, (change) => ({
        ...change,
        removeTaints: [
          ...(change.removeTaints ?? []),
          ...((change.removeTaints ?? []).includes(repartitioningTaint.key) ? ['gpupartition.dev/uninitialized'] : []),
        ],
      })),
    }),
  },
  {
    name: 'TakeWithoutLoan',
    what: 'writes mig-manager’s label without keeping what it was',
    say: ({ commands }) => ({
      commands: mapPatches(commands, ({ borrow = {}, ...change }) => {
        const { 'nvidia.com/mig.config.state': state, ...others } = borrow;
        const labels = {
          ...change.labels,
          ...(state !== undefined && { 'nvidia.com/mig.config.state': state }),
        };
        return { ...change, labels, borrow: others };
      }),
    }),
  },
  {
    name: 'WishWithoutNulls',
    what: 'does not take fields of an earlier wish away',
    say: ({ commands }) => ({
      commands: commands.map((command) =>
        command.name === 'WriteWish'
          ? ({ ...command, fields: withoutNulls(command.fields) } as unknown as Command)
          : command,
      ),
    }),
  },
  {
    name: 'RestWithoutBackoff',
    what: 'closes the node for holders that stay as often as ever',
    theme: 'Holders',
    remember: (memory) =>
      memory.waits.HoldersRest
        ? { ...memory, waits: { ...memory.waits, HoldersRest: { ...memory.waits.HoldersRest, count: 1 } } }
        : memory,
  },
  {
    name: 'EvictPastBudget',
    what: 'deletes pods where their disruption budget refuses the eviction',
  },
  {
    name: 'ClearTaints',
    what: 'takes taints of others away with its own',
    say: ({ commands }) => ({
      commands: mapPatches(commands, (change) =>
        (change.removeTaints ?? []).length > 0
          ? { ...change, removeTaints: [...(change.removeTaints ?? []), 'example.com/ours'] }
          : change,
      ),
    }),
  },
  {
    name: 'CountNoRepairs',
    what: 'puts a layout right as often as somebody changes it',
    theme: 'Drift',
    say: ({ commands }) => ({
      commands: commands.map((command) => (command.name === 'WriteGrant' ? { ...command, repairs: null } : command)),
    }),
  },
  {
    name: 'IgnoreAgentAway',
    what: 'believes an agent that nobody hears of',
    see: (snapshot) => ({ ...snapshot, agent: { state: 'Ready' } }),
  },
  {
    name: 'NoCompareAndSwap',
    what: 'writes to an object whatever has become of it meanwhile',
    theme: 'Leaders',
  },
  {
    name: 'GrantAgainstPause',
    what: 'does not see that the rollout is paused',
    see: (snapshot) => {
      const { winner } = snapshot.claim;
      if (winner?.spec.rollout?.paused !== true) return snapshot;
      return {
        ...snapshot,
        claim: { ...snapshot.claim, winner: { ...winner, spec: { ...winner.spec, rollout: {} } } },
      };
    },
  },
  {
    name: 'GrantWithoutSlot',
    what: 'grants a node whose turn it is not',
    see: (snapshot) => {
      const slot = snapshot.slot ?? makeSlot(snapshot);
      return { ...snapshot, slot, ...(snapshot.fresh && { fresh: { ...snapshot.fresh, slot } }) };
    },
  },
  {
    name: 'ReleaseAtAnswer',
    what: 'gives the slot back when the agent has answered',
    say: ({ rolloutState }, { partition }) => {
      const { granted } = partition?.spec ?? {};
      const isAnswered = granted !== undefined && partition?.status?.device?.observedEpoch === granted.epoch;
      return { rolloutState: { ...rolloutState, isUnderWay: rolloutState.isUnderWay && !isAnswered } };
    },
  },
  {
    name: 'EvictBeforePlan',
    what: 'evicts pods before it says which',
    theme: 'Drains',
    say: ({ commands }) => ({
      commands: commands.flatMap((command) =>
        command.name === 'WriteDrain' && command.drain
          ? [command, ...command.drain.pods.map((pod) => ({ name: 'EvictPod' as const, pod, round: 1 }))]
          : [command],
      ),
    }),
  },
  {
    name: 'EvictUnannounced',
    what: 'evicts pods that it has not announced',
    theme: 'Drains',
    say: ({ commands }, { pods = [], partition }) => {
      const announced = partition?.spec.drain?.pods.map(({ uid }) => uid) ?? [];
      const others = pods.filter((pod) => isOfUser(pod) && !announced.includes(pod.metadata.uid ?? ''));
      const isDraining = commands.some((command) => command.name === 'EvictPod' && announced.includes(command.pod.uid));
      const more = others.map(({ metadata }) => ({
        name: 'EvictPod' as const,
        pod: { namespace: 'default', name: metadata.name, uid: metadata.uid ?? '' },
        round: 1,
      }));
      return isDraining ? { commands: [...commands, ...more] } : {};
    },
  },
  {
    name: 'OpenAfterDrain',
    what: 'opens a node that was drained before its new layout is advertised',
    theme: 'Drains',
    say: ({ verdict, commands }, { node, slot }) =>
      verdict.reason === 'AdvertisePending' &&
      slot !== undefined &&
      node.spec?.taints?.some(({ key }) => key === repartitioningTaint.key)
        ? { commands: [...commands, { name: 'PatchNode', change: { removeTaints: [repartitioningTaint.key] } }] }
        : {},
  },
  {
    name: 'ForgetDrain',
    what: 'forgets whom it has told to go',
    theme: 'Drains',
    see: (snapshot) => {
      const { partition } = snapshot;
      if (!partition) return snapshot;
      const { drain: _forgotten, ...spec } = partition.spec;
      return { ...snapshot, partition: { ...partition, spec } };
    },
  },
  {
    name: 'KeepDrain',
    what: 'leaves pods told to go when nothing is going to change any more',
    theme: 'Drains',
    say: ({ commands }) => ({
      commands: commands.filter((command) => command.name !== 'WriteDrain' || command.drain !== null),
    }),
  },
  {
    name: 'SkipBudget',
    what: 'deletes pods instead of evicting them',
    theme: 'Drains',
    say: ({ commands }, { partition }) => ({
      commands: commands.map((command) =>
        command.name === 'EvictPod' && partition?.spec.drain?.pods.some(({ uid }) => uid === command.pod.uid)
          ? { name: 'DeletePod', pod: command.pod }
          : command,
      ),
    }),
  },
  {
    name: 'CountNoFailures',
    what: 'tries what fails in the same way each time without a rest',
    theme: 'Broken',
    remember: ({ waits, ...memory }) => {
      const { GrantFailed: failed, ...others } = waits;
      if (failed?.of === undefined) return { ...memory, waits };
      const [generation, epoch, fault] = failed.of.split('|');
      return {
        ...memory,
        waits: { ...others, GrantFailed: { ...failed, of: [generation, epoch, fault, 1].join('|'), count: 1 } },
      };
    },
  },
  {
    name: 'EvictForEarlierPlan',
    what: 'evicts pods by what it has announced for an earlier plan',
    theme: 'Force',
    see: (snapshot) => {
      const { drain } = snapshot.partition?.spec ?? {};
      const { plan } = snapshot.partition?.status?.device ?? {};
      if (!drain || !plan) return snapshot;
      const told = drain.pods.map(({ namespace, name }) => `${namespace}/${name}`);
      return withDevice(snapshot, { plan: { ...plan, affectedPods: [...(plan.affectedPods ?? []), ...told] } });
    },
    // An edit does not take back what was announced before it.
    say: ({ commands }, { partition }) => ({
      commands: commands.map((command) => {
        if (command.name !== 'WriteWish') return command;
        const fields = { ...command.fields, drain: partition?.spec.drain ?? null };
        return { ...command, fields } as unknown as Command;
      }),
    }),
  },
  {
    name: 'EvictSpared',
    what: 'evicts pods that the policy has spared since they were told to go',
    theme: 'Drains',
    see: (snapshot) => {
      const { drain } = snapshot.partition?.spec ?? {};
      const { plan } = snapshot.partition?.status?.device ?? {};
      if (!drain || plan?.hash !== drain.planHash) return snapshot;
      const told = drain.pods.map(({ namespace, name }) => `${namespace}/${name}`);
      return withDevice(snapshot, { plan: { ...plan, affectedPods: [...(plan.affectedPods ?? []), ...told] } });
    },
  },
  {
    name: 'ForgetInvalid',
    what: 'leaves the nodes of a policy to others as long as its last edit is invalid',
    theme: 'Edits',
  },
  {
    name: 'SettingsWithoutSlot',
    what: 'closes a node at once for another strategy, or for sharing',
    theme: 'Edits',
    see: (snapshot) => {
      const { wish } = snapshot.claim;
      const gpus = snapshot.partition?.status?.device?.gpus ?? [];
      const isDone = wish !== undefined && 'wish' in wish && deviceMeets(gpus, wish.wish.gpus);
      if (!isDone || snapshot.slot) return snapshot;
      const slot = makeSlot(snapshot);
      return { ...snapshot, slot, ...(snapshot.fresh && { fresh: { ...snapshot.fresh, slot } }) };
    },
  },
  {
    name: 'PodsBeforeHolders',
    what: 'evicts pods while it waits for the holders of the GPUs',
    theme: 'Held',
    say: ({ verdict, commands }, { partition, pods = [] }) => {
      const { drain } = partition?.spec ?? {};
      const { hash = '', affectedPods = [] } = partition?.status?.device?.plan ?? {};
      if (verdict.reason !== 'ClientsStay' || verdict.phase !== 'Updating') return {};
      const going = pods.flatMap(({ metadata: { namespace = 'default', name, uid = '' } }) =>
        affectedPods.includes(`${namespace}/${name}`) ? [{ namespace, name, uid }] : [],
      );
      const evictions = (drain?.pods ?? []).map((pod) => ({ name: 'EvictPod' as const, pod, round: 1 }));
      const announced: Command = { name: 'WriteDrain', drain: { planHash: hash, pods: going } };
      return going.length === 0 ? {} : { commands: [...commands, ...(drain ? evictions : [announced])] };
    },
  },
  {
    name: 'HoldersAreNoFailure',
    what: 'counts a change that holders of the GPUs prevent as none',
    theme: 'Held',
    say: ({ verdict, rolloutState }) =>
      verdict.reason === 'ClientsStay' ? { rolloutState: { ...rolloutState, hasFailed: false } } : {},
  },
  {
    name: 'LabelsAreNoFailure',
    what: 'counts a layout that GPU Feature Discovery does not publish as none that has failed',
    theme: 'Held',
    say: ({ verdict, rolloutState }) =>
      verdict.reason === 'LabelsStale' ? { rolloutState: { ...rolloutState, hasFailed: false } } : {},
  },
  {
    name: 'LateGrant',
    what: 'opens a node with a grant that its agent may still see',
    theme: 'Late',
    see: (snapshot) => {
      const { partition, now } = snapshot;
      const { granted } = partition?.spec ?? {};
      if (!partition || !granted || Date.parse(granted.deadline) > now) return snapshot;
      const revoked = { ...granted, planHash: '' };
      return { ...snapshot, partition: { ...partition, spec: { ...partition.spec, granted: revoked } } };
    },
  },
  {
    name: 'AwaitDeadPods',
    what: 'waits without end for the device plugin of a machine that is dead',
    theme: 'Dead',
    remember: (memory) => {
      const { Advertised: awaited } = memory.waits;
      const isSilent = awaited?.of?.startsWith('unanswered-') === true;
      return isSilent
        ? { ...memory, waits: { ...memory.waits, Advertised: { ...awaited, since: Number.MAX_SAFE_INTEGER } } }
        : memory;
    },
  },
  {
    name: 'KeepTurnOfDead',
    what: 'leaves a machine that was restarted and is dead its slot',
    theme: 'Dead',
    say: ({ rolloutState }, { slot, node }) => ({
      rolloutState: {
        ...rolloutState,
        isUnderWay: rolloutState.isUnderWay || (slot !== undefined && isUnfinished(node)),
      },
    }),
  },
  {
    name: 'RestForEver',
    what: 'never tries again what has failed twice in the same way',
    theme: 'Broken',
    remember: (memory) => {
      const { GrantFailed: failed } = memory.waits;
      const equal = Number(failed?.of?.split('|')[3] ?? 0);
      return failed && equal >= 2
        ? { ...memory, waits: { ...memory.waits, GrantFailed: { ...failed, since: Number.MAX_SAFE_INTEGER } } }
        : memory;
    },
  },
  {
    name: 'ReadSlowly',
    what: 'has its agent read no sooner because the controller waits for it',
    theme: 'Rush',
  },
  {
    name: 'CloseForBarePods',
    what: 'closes a node for pods that no eviction moves',
    theme: 'Drains',
    see: ({ pods, ...snapshot }) => ({
      ...snapshot,
      ...(pods && {
        pods: pods.map((pod) =>
          isOfUser(pod) && !snapshot.node.spec?.taints?.some(({ key }) => key === repartitioningTaint.key)
            ? { ...pod, metadata: { ...pod.metadata, ownerReferences: [{ kind: 'ReplicaSet', controller: true }] } }
            : pod,
        ),
      }),
    }),
  },
  {
    name: 'UndoPending',
    what: 'has its agent take a MIG mode back that waits for a boot',
    theme: 'Boots',
  },
  {
    name: 'TwiceSeconds',
    what: 'has its agent work for twice the time of a grant',
    theme: 'Slow',
  },
  {
    name: 'KeepEvictions',
    what: 'remembers every pod that it ever evicted',
    theme: 'Drains',
    say: ({ memory }, _, before) => ({
      memory: { ...memory, evictions: { ...before.evictions, ...memory.evictions } },
    }),
  },
  {
    name: 'LetGoEarly',
    what: 'lets a policy go before its GPUs are whole',
    theme: 'Deletions',
  },
  {
    name: 'NoGrace',
    what: 'gives pods no time to end where the policy says how much they get',
    theme: 'Force',
    say: ({ commands }) => ({
      commands: commands.map((command) =>
        (command.name === 'EvictPod' || command.name === 'DeletePod') && command.graceSeconds !== undefined
          ? { ...command, graceSeconds: 0 }
          : command,
      ),
    }),
  },
  {
    name: 'IgnoreGrace',
    what: 'gives pods the time that they ask for, whatever the policy says',
    theme: 'Force',
    see: ({ claim, ...snapshot }) => {
      const { winner } = claim;
      const { gracePeriod: _ignored, ...drain } = winner?.spec.drain ?? {};
      return { ...snapshot, claim: { ...claim, winner: winner && { ...winner, spec: { ...winner.spec, drain } } } };
    },
  },
  {
    name: 'ForceAnyPod',
    what: 'deletes static pods and those of DaemonSets by force',
    theme: 'Force',
    see: ({ pods, ...snapshot }) => ({
      ...snapshot,
      ...(pods && {
        pods: pods.map((pod) => {
          const { ownerReferences: _owner, annotations: _mirror, ...metadata } = pod.metadata;
          return isOfUser(pod) ? { ...pod, metadata } : pod;
        }),
      }),
    }),
  },
  {
    name: 'ForceBeside',
    what: 'deletes static pods and those of DaemonSets beside the pods that it ends',
    theme: 'Force',
    say: ({ commands }, { pods = [] }) => {
      const isEnding = commands.some(
        ({ name, ...more }) => (name === 'EvictPod' || name === 'DeletePod') && 'pod' in more && isUser(pods, more.pod),
      );
      const beside = pods.filter((pod) => isOfUser(pod) && isUntouchable(pod));
      const more = beside.map(({ metadata: { name, uid = '' } }) => ({
        name: 'DeletePod' as const,
        pod: { namespace: 'default', name, uid },
      }));
      return isEnding ? { commands: [...commands, ...more] } : {};
    },
  },
  {
    name: 'OpenDuringDrain',
    what: 'forgets that a node stays closed while its pods go',
    theme: 'Drains',
    say: ({ verdict, commands }, { node }) =>
      (verdict.reason === 'Draining' || verdict.reason === 'EvictionBlocked') &&
      node.spec?.taints?.some(({ key }) => key === repartitioningTaint.key)
        ? { commands: [...commands, openNode] }
        : {},
  },
  {
    name: 'OpenWhileApplying',
    what: 'forgets that a node stays closed while its agent works',
    say: ({ verdict, commands }) => (verdict.reason === 'Applying' ? { commands: [...commands, openNode] } : {}),
  },
  {
    name: 'ForgetWaits',
    what: 'forgets what it waits for, unless it lasts as long as its cause',
    say: ({ memory }) => {
      const { Reason, Closed, Untouched, Drain, Granted, Revoked } = memory.waits;
      return { memory: { ...memory, waits: mapWaits({ Reason, Closed, Untouched, Drain, Granted, Revoked }) } };
    },
  },
  {
    name: 'AskAtOnce',
    what: 'asks for a slot again at once though it could not use the last one',
    theme: 'Claims',
    say: ({ memory }) => {
      const { Refused: _forgotten, ...waits } = memory.waits;
      return { memory: { ...memory, waits } };
    },
  },
  {
    name: 'StayClosedAfterTimeout',
    what: 'does not open a node whose pods did not go in time',
    theme: 'Drains',
    say: ({ verdict, commands }) =>
      verdict.reason === 'DrainTimeout'
        ? {
            commands: mapPatches(commands, (change) => ({
              ...change,
              removeTaints: (change.removeTaints ?? []).filter((key) => key !== repartitioningTaint.key),
            })),
          }
        : {},
  },
  {
    name: 'OldSlice',
    what: 'opens on the slices that the DRA driver published before the change',
    theme: 'Claims',
    see: (snapshot) =>
      snapshot.slices === undefined || snapshot.slices.length === 0
        ? snapshot
        : { ...snapshot, slices: sayNow(snapshot) },
  },
  {
    name: 'IgnoreExtendedClaims',
    what: 'does not see the claims that pods have by status.extendedResourceClaimStatus',
    theme: 'Claims',
    list: ({ status, ...pod }) => {
      const { extendedResourceClaimStatus: _ignored, ...rest } = status ?? {};
      return { ...pod, status: rest };
    },
  },
  {
    name: 'NamesOnly',
    what: 'compares the names of devices in slices, and not their UUIDs',
    theme: 'Claims',
    see: (snapshot) => ({
      ...snapshot,
      ...(snapshot.slices && {
        slices: snapshot.slices.map((slice) => ({
          ...slice,
          spec: {
            ...slice.spec,
            devices: (slice.spec.devices ?? []).map((device) => {
              const uuid = findNamedDevice(device.name, snapshot.partition?.status?.device ?? {})?.uuid;
              const named = uuid === undefined ? {} : { uuid: { string: uuid } };
              return { ...device, attributes: { ...device.attributes, ...named } };
            }),
          },
        })),
      }),
    }),
  },
  {
    name: 'TrustSameUuid',
    what: 'opens on slices that were exact all the time, though the driver has not read what was made again',
    theme: 'Again',
    see: (snapshot) => {
      const { observedEpoch } = snapshot.partition?.status?.device ?? {};
      const uids = (snapshot.pods ?? []).flatMap(({ metadata }) =>
        metadata.labels?.['role'] === 'plugin' ? (metadata.uid ?? []) : [],
      );
      return observedEpoch === undefined
        ? snapshot
        : withDevice(snapshot, { signalled: { epoch: observedEpoch, uids } });
    },
  },
  {
    name: 'DrainMonitors',
    what: 'takes claims with admin access for those of users',
    theme: 'Monitors',
    see: ({ fresh, ...snapshot }) => ({
      ...snapshot,
      ...(fresh && { fresh: { ...fresh, ...(fresh.claims && { claims: fresh.claims.map(withoutAdminAccess) }) } }),
    }),
  },
  {
    name: 'GuessBackend',
    what: 'takes a node without slices for one with a device plugin, whatever was found before',
    theme: 'Auto',
    say: ({ commands }, { claim, slices }) => ({
      commands: commands.map((command) => {
        const isGuess = claim.winner?.spec.backend === 'Auto' && slices?.length === 0;
        if (command.name !== 'WriteWish' || !isGuess) return command;
        return { ...command, fields: { ...command.fields, backend: 'DevicePlugin' as const } };
      }),
    }),
  },
  {
    name: 'ClearUnasked',
    what: 'repairs what mig-manager has left though its policy does not replace it',
    theme: 'Debris',
    see: (snapshot) => withTakeOver(snapshot, ['mig-manager']),
  },
  {
    name: 'EndOwnPause',
    what: 'takes a pause of its own for one that mig-manager has left',
    theme: 'Debris',
    see: ({ node, ...snapshot }) => ({
      ...snapshot,
      node: { ...node, metadata: { ...node.metadata, annotations: {} } },
    }),
  },
  {
    name: 'LeaveDebris',
    what: 'leaves what mig-manager has left',
    theme: 'Debris',
    see: (snapshot) => withTakeOver(snapshot, undefined),
  },
  {
    name: 'NeverUnregister',
    what: 'leaves the kubelet what it offers of a plugin that is gone',
    theme: 'Registrations',
  },
  {
    name: 'UnregisterServed',
    what: 'has its agent end registrations that a plugin serves again',
    theme: 'Registrations',
  },
  {
    name: 'UnregisterForEarlier',
    what: 'has its agent end registrations as was seen after an earlier grant',
    theme: 'Registrations',
    say: ({ commands }) => ({
      commands: commands.map((command) =>
        command.name === 'WriteUnregister' && command.unregister
          ? { ...command, unregister: { ...command.unregister, epoch: command.unregister.epoch - 1 } }
          : command,
      ),
    }),
  },
  {
    name: 'IgnoreDynamicMig',
    what: 'does not see that the DRA driver makes slices itself',
    theme: 'Monitors',
    see: ({ fresh, slices, ...snapshot }) => ({
      ...snapshot,
      ...(slices && { slices: slices.map(withoutDynamicMig) }),
      ...(fresh && { fresh: { ...fresh, resourceSlices: fresh.resourceSlices.map(withoutDynamicMig) } }),
    }),
  },
  {
    name: 'NeverLost',
    what: 'has an agent that does not say which devices were destroyed under their pods',
    theme: 'Drift',
  },
  {
    name: 'HoldLost',
    what: 'has an agent that takes a pod whose device was destroyed for the holder of every other',
    theme: 'Drift',
  },
  {
    name: 'OverlookLost',
    what: 'waits to hear what a pod holds whose device was destroyed',
    theme: 'Drift',
    see: (snapshot) => withDevice(snapshot, { lostDevices: [] }),
  },
  {
    name: 'BlameAll',
    what: 'tells all pods to go once a device of one was destroyed',
    theme: 'Force',
    see: (snapshot) => {
      const { lostDevices = [] } = snapshot.partition?.status?.device ?? {};
      const pods = (snapshot.pods ?? []).map(({ metadata }) => `default/${metadata.name}`);
      return withDevice(snapshot, { lostDevices: lostDevices.map(({ id }) => ({ id, pods: [...pods] })) });
    },
  },
  {
    name: 'SwitchBackendAtOnce',
    what: 'takes an edit of the backend for done in the middle of a change',
    theme: 'SecondPlugin',
    see: ({ partition, ...snapshot }) => {
      const { backend = 'Auto' } = snapshot.claim.winner?.spec ?? {};
      if (!partition || backend === 'Auto') return { ...snapshot, partition };
      return { ...snapshot, partition: { ...partition, spec: { ...partition.spec, backend } } };
    },
  },
  {
    name: 'OverlookSecondPlugin',
    what: 'does not see a device plugin beside the DRA driver',
    theme: 'SecondPlugin',
    see: ({ node, ...snapshot }) => {
      const isDra = snapshot.partition?.spec.backend === 'DRA';
      return { ...snapshot, node: isDra ? { ...node, status: { ...node.status, allocatable: {} } } : node };
    },
  },
  {
    name: 'OverlookSecondDriver',
    what: 'does not see a DRA driver beside the device plugin',
    theme: 'SecondDriver',
    see: ({ fresh, ...snapshot }) => {
      if (!fresh || snapshot.partition?.spec.backend === 'DRA') return { ...snapshot, ...(fresh && { fresh }) };
      return { ...snapshot, slices: [], hasSlices: false, fresh: { ...fresh, resourceSlices: [] } };
    },
  },
  {
    name: 'TrustOwnClock',
    what: 'takes the clock of its machine for the API server’s',
    theme: 'Clocks',
  },
  {
    name: 'BeginBehind',
    what: 'begins a term before its watches have caught up',
  },
];

function withTakeOver(snapshot: NodeSnapshot, takeOver: readonly 'mig-manager'[] | undefined): NodeSnapshot {
  const { winner } = snapshot.claim;
  if (winner === undefined) return snapshot;
  const { takeOver: _before, ...allow } = winner.spec.allow ?? {};
  const spec = { ...winner.spec, allow: { ...allow, ...(takeOver && { takeOver: [...takeOver] }) } };
  return { ...snapshot, claim: { ...snapshot.claim, winner: { ...winner, spec } } };
}

type Claim = NonNullable<NonNullable<NodeSnapshot['fresh']>['claims']>[number];

function withoutAdminAccess({ status, ...claim }: Claim): Claim {
  const results = (status?.allocation?.devices?.results ?? []).map(({ adminAccess: _ignored, ...one }) => one);
  return { ...claim, status: { ...status, allocation: { devices: { results } } } };
}

type Slice = NonNullable<NodeSnapshot['slices']>[number];

function withoutDynamicMig({ spec, ...slice }: Slice): Slice {
  const { sharedCounters: _counters, devices = [], ...rest } = spec;
  const isThere = (device: (typeof devices)[number]): boolean => device.attributes?.['uuid'] !== undefined;
  return { ...slice, spec: { ...rest, devices: devices.filter(isThere) } };
}

function isUser(pods: NonNullable<NodeSnapshot['pods']>, { uid }: { readonly uid: string }): boolean {
  return pods.some((pod) => pod.metadata.uid === uid && isOfUser(pod));
}

/** Slices as the driver would publish them of the device as it is. */
function sayNow({ partition }: NodeSnapshot): NonNullable<NodeSnapshot['slices']> {
  return [toResourceSlice('n', partition?.status?.device?.gpus ?? [])];
}

function mapWaits(waits: { readonly [Name in keyof NodeMemory['waits']]: NodeMemory['waits'][Name] | undefined }) {
  return Object.fromEntries(Object.entries(waits).filter(([, wait]) => wait !== undefined));
}

function makeSlot({ node, partition, claim }: NodeSnapshot): Slot {
  return {
    node: node.metadata.name,
    nodeUID: node.metadata.uid ?? '',
    epoch: (partition?.spec.granted?.epoch ?? 0) + 1,
    generation: claim.winner?.metadata.generation ?? 0,
    startTime: '2026-01-01T00:00:00Z',
    kind: 'New',
  };
}

function withDevice(
  snapshot: NodeSnapshot,
  fields: NonNullable<NonNullable<NonNullable<NodeSnapshot['partition']>['status']>['device']>,
): NodeSnapshot {
  const { partition } = snapshot;
  const device = partition?.status?.device;
  if (!partition || !device) return snapshot;
  return {
    ...snapshot,
    partition: { ...partition, status: { ...partition.status, device: { ...device, ...fields } } },
  };
}

function mapPatches(commands: readonly Command[], change: (patch: Patch) => Patch): readonly Command[] {
  return commands.map((command) =>
    command.name === 'PatchNode' ? { ...command, change: change(command.change) } : command,
  );
}

function withoutNulls(value: object): object {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]: [string, unknown]) => {
      if (item === null) return [];
      return [[key, typeof item === 'object' && !Array.isArray(item) ? withoutNulls(item ?? {}) : item]];
    }),
  );
}
