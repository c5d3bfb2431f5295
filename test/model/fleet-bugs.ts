import type { Command } from '../../src/core/node/commands.ts';
import type { Bug } from './cluster.ts';
import { endOthersPause } from './bugs.ts';
import { deviceMeets } from '../../src/core/device/plan.ts';
import { clientsToPause } from '../../src/core/node/rules/gpu-clients.ts';
import { defaultClients } from '../../src/core/node/plugin-pods.ts';
import type { NodeSnapshot } from '../../src/core/node/snapshot.ts';
import type { LedgerSnapshot } from '../../src/core/rollout/ledger.ts';
import type { Slot } from '../../src/core/rollout/budget.ts';
import type { FleetTheme } from './fleet-story.ts';
import type { Pod } from './api.ts';
import { isAbsurd } from './fleet-pods.ts';

type Rollout = NonNullable<LedgerSnapshot['policy']['spec']['rollout']>;

export const fleetBugs: readonly Bug<FleetTheme>[] = [
  {
    name: 'BeginBehind',
    what: 'begins a term before its watches have caught up',
    theme: 'Succession',
  },
  {
    name: 'RoundUp',
    what: 'rounds a percentage of nodes up',
    seeLedger: (snapshot) => {
      const { maxUnavailable = 1 } = snapshot.policy.spec.rollout ?? {};
      if (typeof maxUnavailable === 'number') return snapshot;
      const share = (snapshot.size * Number.parseInt(maxUnavailable, 10)) / 100;
      return withRollout(snapshot, { maxUnavailable: Math.ceil(share) });
    },
  },
  {
    name: 'LedgerWithoutSwap',
    what: 'writes the ledger whatever has become of it meanwhile',
    theme: 'Leaders',
  },
  {
    name: 'LoseSlot',
    what: 'loses the oldest of three slots',
    theme: 'Rollout',
    sayLedger: (step) => (step.ledger.length > 2 ? { ...step, ledger: step.ledger.slice(1) } : step),
  },
  {
    name: 'ReleaseAtAnswer',
    what: 'gives a slot back when the agent has answered',
    seeLedger: (snapshot) => ({
      ...snapshot,
      rolloutStateOf: (node) => {
        const rolloutState = snapshot.rolloutStateOf(node);
        const isAnswered =
          rolloutState?.isUnderWay === true && rolloutState.request === undefined && !rolloutState.isVerified;
        return rolloutState && isAnswered ? { ...rolloutState, isUnderWay: false } : rolloutState;
      },
    }),
  },
  {
    name: 'KeepSlot',
    what: 'never gives the slot of a node back that was removed',
    theme: 'Churn',
    sayLedger: (step, { policy, uidOf }) => ({
      ...step,
      ledger: [
        ...step.ledger,
        ...(policy.status?.inFlight ?? []).filter(
          (slot) => uidOf(slot.node) === undefined && step.ledger.every(({ node }) => node !== slot.node),
        ),
      ],
    }),
  },
  {
    name: 'EvictUnannounced',
    what: 'evicts pods in the step that announces them',
    theme: 'Pods',
    say: ({ commands }) => ({
      commands: commands.flatMap((command): readonly Command[] => {
        if (command.name !== 'WriteDrain' || command.drain === null) return [command];
        return command.drain.pods.map((pod) => ({ name: 'EvictPod' as const, pod, round: 1 }));
      }),
    }),
  },
  {
    name: 'UntaintEarly',
    what: 'takes the taint off while the agent works',
    say: ({ commands, verdict }) =>
      verdict.reason === 'Applying'
        ? { commands: [...commands, { name: 'PatchNode', change: { removeTaints: [taint, startup] } }] }
        : {},
  },
  {
    name: 'StartupUntaintEarly',
    what: 'takes the start-up taint off with the grant',
    theme: 'Churn',
    say: ({ commands }) =>
      commands.some(({ name }) => name === 'WriteGrant')
        ? { commands: [...commands, { name: 'PatchNode', change: { removeTaints: [startup] } }] }
        : {},
  },
  {
    name: 'IgnoreUid',
    what: 'keeps the slot of a node for the next one of its name',
    theme: 'Churn',
    seeLedger: (snapshot) => ({
      ...snapshot,
      uidOf: (node) => {
        const uid = snapshot.uidOf(node);
        const slot = (snapshot.policy.status?.inFlight ?? []).find((one) => one.node === node);
        return uid === undefined ? undefined : (slot?.nodeUID ?? uid);
      },
      rolloutStateOf: (node) => {
        const rolloutState = snapshot.rolloutStateOf(node);
        return rolloutState && { ...rolloutState, isUnderWay: true };
      },
    }),
  },
  {
    name: 'WaitForStuck',
    what: 'waits without end for pods that do not go, whatever the policy says',
    theme: 'Stuck',
    see: ({ claim, ...snapshot }) => {
      const { winner } = claim;
      const drain = { ...winner?.spec.drain, onTimeout: 'Wait' as const };
      return { ...snapshot, claim: { ...claim, winner: winner && { ...winner, spec: { ...winner.spec, drain } } } };
    },
  },
  {
    name: 'SkipPdb',
    what: 'deletes pods that it should evict',
    theme: 'Pods',
    say: ({ commands }) => ({
      commands: commands.map((command) =>
        command.name === 'EvictPod' ? { name: 'DeletePod' as const, pod: command.pod } : command,
      ),
    }),
  },
  {
    name: 'IgnoreThreshold',
    what: 'starts new nodes however many have failed',
    theme: 'Rollout',
    seeLedger: (snapshot) => withRollout(snapshot, { failureThreshold: 100 }),
  },
  {
    name: 'IgnoreWindow',
    what: 'starts nodes outside of the windows',
    theme: 'Rollout',
    seeLedger: (snapshot) => withRollout(snapshot, { windows: [] }),
  },
  {
    name: 'IgnorePause',
    what: 'starts nodes of a rollout that is paused',
    theme: 'Rollout',
    seeLedger: (snapshot) => withRollout(snapshot, { paused: false }),
    see: (snapshot) => {
      const { winner } = snapshot.claim;
      if (winner?.spec.rollout?.paused !== true) return snapshot;
      const spec = { ...winner.spec, rollout: { ...winner.spec.rollout, paused: false } };
      return { ...snapshot, claim: { ...snapshot.claim, winner: { ...winner, spec } } };
    },
  },
  {
    name: 'IgnoreFreeze',
    what: 'starts nodes although all is frozen',
    seeLedger: (snapshot) => ({ ...snapshot, frozen: undefined }),
  },
  {
    name: 'NoSoak',
    what: 'lets the others follow the canary at once',
    theme: 'Rollout',
    seeLedger: (snapshot) => {
      const { canary } = snapshot.policy.spec.rollout ?? {};
      return canary ? withRollout(snapshot, { canary: { ...canary, soak: '0s' } }) : snapshot;
    },
  },
  {
    name: 'CanaryByTime',
    what: 'lets others follow a canary that was well once and is not Ready now',
    theme: 'Leaderless',
    seeLedger: (snapshot) => ({
      ...snapshot,
      rolloutStateOf: (node) => {
        const rolloutState = snapshot.rolloutStateOf(node);
        return rolloutState && { ...rolloutState, isReady: true };
      },
    }),
  },
  {
    name: 'ForgetOnFailOver',
    what: 'takes nodes that a new leader has not looked at for nodes that are done',
    theme: 'Leaders',
    sayLedger: (step, { rolloutStateOf }) => ({
      ...step,
      ledger: step.ledger.filter(({ node }) => rolloutStateOf(node) !== undefined),
    }),
  },
  {
    name: 'CountNotReadyNot',
    what: 'does not count nodes that are not ready',
    theme: 'Rollout',
    seeLedger: (snapshot) => ({
      ...snapshot,
      rolloutStates: new Proxy(snapshot.rolloutStates, {
        get: (target, key) => {
          if (key === 'unavailable') return new Set<string>();
          const value: unknown = Reflect.get(target, key, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }),
    }),
  },
  {
    name: 'IgnoreCap',
    what: 'counts no nodes of other policies',
    seeLedger: (snapshot) => ({ ...snapshot, cap: { most: Infinity, others: [] } }),
  },
  {
    name: 'AnySlot',
    what: 'changes nodes that have no slot',
    see: (snapshot) => {
      const { slot, claim } = snapshot;
      if (slot || !claim.winner || snapshot.partition?.spec.policy === undefined) return snapshot;
      return withSlot(snapshot);
    },
  },
  {
    name: 'ForgetInvalid',
    what: 'leaves the nodes of a policy that became invalid to others',
    theme: 'Users',
  },
  {
    name: 'StartInvalid',
    what: 'starts nodes of a policy whose newest generation is invalid',
    theme: 'Users',
    see: (snapshot) => {
      const { hold, ...claim } = snapshot.claim;
      return hold?.kind === 'Refused' ? { ...snapshot, claim } : snapshot;
    },
    seeLedger: (snapshot) => ({ ...snapshot, admits: 'Everybody' }),
  },
  {
    name: 'StalePool',
    what: 'plans a demand on a pool of a minute ago',
    theme: 'Demand',
    seePool: (members, known, now) => (known && now - known.atMs < 60_000 ? known.members : members),
  },
  {
    name: 'ForgetCooldown',
    what: 'lays GPUs anew within their cooldown, though others would do',
    theme: 'Demand',
  },
  {
    name: 'ForgetChoice',
    what: 'plans a demand anew before nodes know what was chosen for them',
    theme: 'Demand',
  },
  {
    name: 'CountTwice',
    what: 'counts each waiting pod twice',
    theme: 'Demand',
    listPending: (pods) => [...pods, ...pods],
  },
  {
    name: 'CountAbsurd',
    what: 'takes a pod that no node can hold for one that requests as much as a node holds',
    theme: 'Tenants',
    listPending: (pods) => pods.map((pod) => (isAbsurd(pod) ? asking(pod, '4') : pod)),
  },
  {
    name: 'CountForEach',
    what: 'counts a waiting pod for each policy that could serve it',
    theme: 'Demand',
  },
  {
    name: 'NoStabilization',
    what: 'follows each pod at once',
    theme: 'Demand',
  },
  {
    name: 'PlanEvictions',
    what: 'plans evictions that the demand forbids',
    theme: 'Demand',
    seeAsked: (asked) => ({ ...asked, evict: 'IfNeeded' }),
  },
  {
    name: 'StartOver',
    what: 'begins a demand anew with each leader',
    theme: 'Succession',
  },
  {
    name: 'OwnClock',
    what: 'has its agents judge deadlines by the clocks of their nodes',
    theme: 'Clocks',
  },
  {
    name: 'GrantCordoned',
    what: 'changes a node that somebody has cordoned',
    theme: 'Plugins',
    see: (snapshot) => {
      const { unschedulable: _ignored, ...spec } = snapshot.node.spec ?? {};
      return { ...snapshot, node: { ...snapshot.node, spec } };
    },
  },
  {
    name: 'SettingsWithoutSlot',
    what: 'closes a node at once for another strategy, or for sharing',
    theme: 'Plugins',
    see: (snapshot) => {
      const { claim, partition, slot } = snapshot;
      const gpus = partition?.status?.device?.gpus ?? [];
      const isDone = claim.wish !== undefined && 'wish' in claim.wish && deviceMeets(gpus, claim.wish.wish.gpus);
      return isDone && slot === undefined ? withSlot(snapshot) : snapshot;
    },
  },
  {
    name: 'LabelsAreNoFailure',
    what: 'counts a layout that GPU Feature Discovery does not publish as none that has failed',
    theme: 'Plugins',
    say: ({ verdict, rolloutState }) =>
      verdict.reason === 'LabelsStale' ? { rolloutState: { ...rolloutState, hasFailed: false } } : {},
  },
  endOthersPause,
  {
    name: 'CountInUse',
    what: 'counts a node as failed as soon as somebody had its GPUs open once',
    theme: 'Remediator',
    say: ({ rolloutState }, { partition }) => {
      const { step, error } = partition?.status?.device ?? {};
      const isInUse = step === 'Failed' && error?.code === 'InUse';
      return isInUse ? { rolloutState: { ...rolloutState, hasFailed: true } } : {};
    },
  },
  {
    name: 'PauseInQueue',
    what: 'pauses the clients of a node that waits for its slot',
    theme: 'Remediator',
    say: ({ commands, verdict }, { node, partition }) => {
      const modeChange = (partition?.status?.device?.plan?.modeChanges ?? 0) > 0;
      if (verdict.reason !== 'AwaitingSlot' || !modeChange) return {};
      const occasion = { modeChange, inUse: false };
      const { labels } = clientsToPause(defaultClients, occasion, node.metadata.labels ?? {});
      return { commands: [...commands, { name: 'PatchNode', change: { borrow: labels } }] };
    },
  },
  {
    name: 'EvictAll',
    what: 'tells pods to go that hold nothing that goes',
    theme: 'Pods',
    say: ({ commands, verdict }, { pods = [], node, partition, slot }) => {
      const isOpen = (node.spec?.taints ?? []).every(({ key }) => key !== taint);
      const told = partition?.spec.drain?.pods ?? [];
      if (slot !== undefined && !isOpen && verdict.reason === 'Draining' && told.length > 0)
        return { commands: told.map((pod) => ({ name: 'EvictPod' as const, pod, round: 1 })) };
      const users = pods.filter(({ metadata }) => metadata.ownerReferences !== undefined);
      const all = users.map(({ metadata: { namespace = 'default', name, uid = '' } }) => ({ namespace, name, uid }));
      return {
        commands: commands.map((command) =>
          command.name === 'WriteDrain' && command.drain && !isOpen
            ? { ...command, drain: { ...command.drain, pods: all } }
            : command,
        ),
      };
    },
  },
  {
    name: 'KeepSlotOfLost',
    what: 'keeps the slot of a node that another policy has won meanwhile',
    theme: 'Users',
    sayLedger: (step, { policy, rolloutStateOf }) => ({
      ...step,
      ledger: [
        ...step.ledger,
        ...(policy.status?.inFlight ?? []).filter(
          (slot) =>
            rolloutStateOf(slot.node)?.policy !== policy.metadata.name &&
            step.ledger.every(({ node }) => node !== slot.node),
        ),
      ],
    }),
  },
];

const taint = 'gpupartition.dev/repartitioning';
const startup = 'gpupartition.dev/uninitialized';

/** As if the node had a slot. */
function withSlot(snapshot: NodeSnapshot): NodeSnapshot {
  const { node, claim } = snapshot;
  const made: Slot = {
    node: node.metadata.name,
    nodeUID: node.metadata.uid ?? '',
    epoch: 1,
    generation: claim.winner?.metadata.generation ?? 0,
    startTime: '2026-01-01T00:00:00Z',
    kind: 'New',
  };
  return { ...snapshot, slot: made, ...(snapshot.fresh && { fresh: { ...snapshot.fresh, slot: made } }) };
}

function withRollout(snapshot: LedgerSnapshot, rollout: Rollout): LedgerSnapshot {
  const { policy } = snapshot;
  return {
    ...snapshot,
    policy: { ...policy, spec: { ...policy.spec, rollout: { ...policy.spec.rollout, ...rollout } } },
  };
}

/** The pod, with another amount of what it requests. */
function asking(pod: Pod, amount: string): Pod {
  const containers = (pod.spec?.containers ?? []).map(({ resources, ...container }) => {
    const limits = Object.fromEntries(Object.keys(resources?.limits ?? {}).map((name) => [name, amount]));
    return { ...container, resources: { limits } };
  });
  return { ...pod, spec: { ...pod.spec, containers } };
}
