import { computeInstancesOf } from '../../src/core/gpu/device-state.ts';
import type { NodeMemory } from '../../src/core/node/memory.ts';
import type { DeviceReport, GpuPartitionPolicy, GpuReport, Grant, Wish } from '../../src/api/types.ts';
import {
  migConfigStateLabel,
  partitionReadyCondition,
  repartitioningTaint,
  restartedValue,
  startupTaintKeys,
} from '../../src/api/names.ts';
import { borrowedLabelsOf, metadataOf } from '../../src/core/node/node-patch.ts';
import type { Command } from '../../src/core/node/commands.ts';
import type { SettledDecision } from './controller.ts';
import { isRevocation } from '../../src/core/device/grants.ts';
import {
  type NodeSnapshot,
  isClosedAnyway,
  isOwnTaint,
  isReadyNode,
  isUnfinished,
} from '../../src/core/node/snapshot.ts';
import { isGfdLabelKey } from '../../src/core/nvidia/labels.ts';
import { PolicyRecord } from '../../src/core/policy/record.ts';
import type { Slot } from '../../src/core/rollout/budget.ts';
import { timeText } from '../../src/core/text/syntax.ts';
import { deepEqual } from '../../src/core/text/json.ts';
import type { OfferedStatus } from '../../src/core/node/offer.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import type { AgentProcess, DeviceWork } from './agent.ts';
import type { ApiChange, Pod, Policy, StoredPartition } from './api.ts';
import type { Gpu } from './device.ts';
import type { Operation } from './smi.ts';
import { countOffer, type ExpectedSettings, isAsWished, isMixedUp, offeringOf } from './expected.ts';
import { listLosers } from '../../src/core/device/holders.ts';
import { isOfUser, isUntouchable } from './pods.ts';
import { deleteDeadlineMs } from './setup.ts';
import { uuidOf } from './plugin.ts';
import { countSlices, isDynamic, nameDevices, readSlices } from './slices.ts';
import { findUncounted, findUnlent, isBorrowed, longestDeadMs, mostAdmissions } from './common-checks.ts';
import { demand } from './violation.ts';
import { hourMs } from './cluster.ts';
import type { ModelWorld } from './world.ts';
import type { PodView } from '../../src/core/kubernetes/pod.ts';

/** The device was never changed, or somebody was using it. */
const passing: readonly string[] = ['PlanChanged', 'Stale', 'Expired', 'Stopped', 'InUse'];
/** Within an hour: two at once, then after 1, 2, 4, 8 and 16 minutes, and two more of a controller that has lost its memory. */
const mostEqual = 9;
/** From the first read to the write of what is decided. */
const longestLookMs = 1_000;
/** A controller may stall for 40 s. */
const longestLagMs = 60_000;
/** How much later a decision may be written while the API server refuses: retries back off. */
const longestWriteMs = 360_000;

/** An agent reads every second while somebody waits, and the controller looks as often. */
const longestUnheardMs = 20_000;
/** A plan without them takes the agent two minutes at most. */
const longestWatchedMs = 240_000;
/** An agent that can read does so once a minute. */
const longestUnreadMs = 65_000;

/** The invariants of one node, checked by an observer that knows the truth. Names are those of the catalogue. */
export class Invariants {
  readonly #world: ModelWorld;
  /** Devices that somebody else removed; `knownAt`: when the agent reported it, in ms. */
  readonly #lost = new Map<string, { knownAt?: number }>();
  /** All that somebody else ever removed: a claim that was allocated before may be prepared long after, by a driver that still has it. */
  readonly #everLost = new Set<string>();
  /** Until when generations were in force that are not any more, by uid and generation of their policies, in ms. */
  readonly #toldUntil = new Map<string, number>();
  /** Since when devices that pods hold are gone, and others there, as agents have heard, in ms; as of a version of the device. */
  #goneSince: ReadonlyMap<string, number> = new Map();
  #thereSince: ReadonlyMap<string, number> = new Map();
  #heldVersion: number | undefined;
  /** Instances that an agent has made, by their serial. */
  readonly #made = new Set<number>();
  #repairs: number[] = [];
  /** Pods whose announcement was taken back, when and by whom, by uid. */
  readonly #takenBack = new Map<string, { readonly at: number; readonly by: string }>();
  /** When the node was given a slot, within a minute, in ms. */
  #admissions: readonly number[] = [];
  /** When generations of policies were accepted that enforce, with their priority, by the policies' uid. */
  readonly #accepted = new Map<string, readonly { readonly at: number; readonly priority: number }[]>();
  /** The policy that was deleted last, and when, in ms. */
  #lastGone: { readonly at: number; readonly policy: Policy } | undefined;
  /** Controllers that have opened the node while its pods were told to go. */
  readonly #openedInDrain = new Set<string>();
  /** When the operator gave up on the holders of the GPUs, in ms. */
  readonly #rests = new Map<string, ReadonlySet<number>>();
  /** The grant that an agent carries out, and since when it has known it. */
  #taken:
    | { readonly agent: AgentProcess; readonly uid: string; readonly epoch: number; readonly at: number }
    | undefined;
  #seen: readonly unknown[] = [];
  /** When a disruption budget last protected a pod, in ms. */
  #refusedAt = -Infinity;
  /** Since when labels have claimed more than exists, with a controller at work. */
  #mislabelledSince: number | undefined;
  /** What the GPUs were by their agent when the node was found Ready last, and what the agent has said of them lately. */
  #verified: readonly GpuReport[] | undefined;
  #toldGpus: readonly { readonly at: number; readonly gpus: readonly GpuReport[] }[] = [];
  #decisions = 0;
  /** Since when a closed node has waited to hear what its pods hold. */
  #unheardSince: number | undefined;
  /** Since when pods that only look on have been named as users of what goes. */
  #watchedSince: number | undefined;
  /** The change that failed last, and when it was granted again. */
  #failure: { readonly what: unknown; readonly grantedAt: readonly number[] } = { what: undefined, grantedAt: [] };
  /** Writes of controllers, and operations of the agent on the device. */
  controllerWrites = 0;
  operations = 0;
  /** Set if a person removes our taint: the resulting harm is theirs. */
  isForcedOpen = false;

  constructor(world: ModelWorld) {
    this.#world = world;
  }

  // --- the API ----------------------------------------------------------------------------------------------------

  apiHasChanged(change: ApiChange): void {
    const { kind, by } = change;
    const isController = by.startsWith('controller');
    if (isController && kind !== 'policies') this.controllerWrites += 1;
    if (kind === 'partitions' && change.type === 'apply') {
      this.#isTakenBack(change.before as StoredPartition | undefined, change.object as StoredPartition, by);
      if (isController)
        this.#specIsWritten(change.before as StoredPartition | undefined, change.object as StoredPartition);
      if (by === 'agent') this.#deviceIsTold(change.object as StoredPartition);
    }
    if (kind === 'policies' && change.before) this.#isToldNoMore(change.before as Policy);
    if (kind === 'policies' && !isController) this.#repairs = [];
    if (kind === 'policies' && change.type === 'delete')
      this.#lastGone = { at: this.#world.timeline.now, policy: change.object as Policy };
    if (kind === 'policies' && change.type === 'delete' && isController) this.#policyIsGone(change.object as Policy);
    if (kind === 'policies' && change.type === 'apply')
      this.#policyIsWritten(change.object as Policy, change.before as Policy | undefined);
    if (kind === 'nodes' && change.type === 'apply' && change.before) {
      const [before, after] = [change.before as NodeObject, change.object as NodeObject];
      if (isController) this.#nodeIsPatched(before, after);
      if (isController) this.#gateIsTold(before, after);
      if (isController && isClosed(before) && !isClosed(after) && this.#isBeyondHelp()) this.isForcedOpen = true;
      // What is reported while somebody decides to open the node is heard of after that.
      if (isClosed(before) && !isClosed(after)) this.#forgetLost(longestLookMs);
      if (!isClosed(before) && isClosed(after)) {
        // A pod that was bound earlier may still be given a device that is gone.
        this.#world.timeline.after(1000, () => {
          if (this.#world.node && isClosed(this.#world.node)) this.#forgetLost(0);
        });
        // And a claim that was allocated meanwhile may be prepared when its pod is bound.
        this.#world.timeline.after(this.#isDra ? 180_000 : 1000, () => {
          if (this.#world.node && isClosed(this.#world.node)) this.isForcedOpen = false;
        });
      }
    }
  }

  /**
   * The device's state is unknown, and the plugin cannot be restarted to report it, or the kubelet keeps what an earlier one offered: a
   * deadline opens the node anyway.
   */
  #isBeyondHelp(): boolean {
    const { agent, kubelet, machine, node, partition, setup, slackMs, timeline } = this.#world;
    const { device } = partition?.status ?? {};
    const isAnswered = (device?.observedEpoch ?? 0) >= (partition?.spec.granted?.epoch ?? 0);
    const isRefused = timeline.now - this.#refusedAt < longestWriteMs;
    // Nothing is bound to a machine that is dead, and it may not hold others up. A leader whose clock is ahead takes one that has just died
    // for one that has been dead for long.
    const isDead = machine.diedAt !== undefined && (slackMs > 0 || (node !== undefined && !isReadyNode(node)));
    const isKept = setup.plugin === 'Hidden' || isRefused || kubelet.plugin.hasLeft || isDead;
    return isKept && (agent === undefined || device?.step === 'Unknown' || !isAnswered);
  }

  /** A controller that stalls may still tell a node what was in force until now. */
  #isToldNoMore(policy: Policy): void {
    this.#toldUntil.set(`${policy.metadata.uid} ${PolicyRecord.read(policy).told}`, this.#world.timeline.now);
  }

  #specIsWritten(before: StoredPartition | undefined, after: StoredPartition): void {
    if (before === undefined || deepEqual(before.spec, after.spec)) return;
    const { node } = this.#world;
    const [was, is] = [before.spec.policy, after.spec.policy];
    // One that only planned is left for the one in force before it, if its successor is not accepted.
    const isTold = this.#world.api
      .list('policies')
      .some((one) => one.metadata.uid === is?.uid && PolicyRecord.read(one).told === is?.generation);
    const toldUntil = this.#toldUntil.get(`${is?.uid} ${is?.generation}`) ?? -Infinity;
    const wasTold = this.#world.timeline.now - toldUntil < longestLagMs;
    demand(
      was?.uid === undefined || was.uid !== is?.uid || is.generation >= was.generation || isTold || wasTold,
      'S8',
      `the node goes back from generation ${was?.generation} to ${is?.generation}`,
    );
    if (was?.uid !== undefined && is?.uid !== undefined && was.uid !== is.uid) this.#isTakenOver(was.uid, is.uid);
    const { backend, granted } = after.spec;
    const isKnown = backend === undefined || backend === before.spec.backend;
    const isFound = isKnown || backend === this.#world.setup.backend || this.#mayBeBackend(backend);
    demand(isFound, 'S12', `the node is told backend ${backend}, and has ${this.#world.setup.backend}`);
    if (granted === undefined || deepEqual(granted, before.spec.granted)) {
      demand(granted !== undefined || before.spec.granted === undefined, 'S8', 'a grant was taken away');
      return;
    }
    const isOfNode = node === undefined || after.spec.nodeUID === node.metadata.uid;
    demand(isOfNode, 'S12', 'granted in the object of an earlier node of the same name');
    const earlier = before.spec.granted;
    const observed = before.status?.device?.observedEpoch ?? 0;
    demand(granted.epoch > (earlier?.epoch ?? 0), 'S8', `epoch ${granted.epoch} follows ${earlier?.epoch}`);
    demand(
      earlier === undefined || observed >= earlier.epoch || this.#isOver(earlier),
      'S7',
      `grant ${granted.epoch} was written while the agent works on ${earlier?.epoch}`,
    );
    if (isRevocation(granted)) return;
    demand(before.status?.device?.step !== 'Unknown', 'S10', 'granted on a device that cannot be read');
    this.#countEqual(before);
    demand(granted.allowReboot !== true, 'S6', 'a reboot was granted that no policy allows');
    this.#countRepair(before, granted);
  }

  /** Whether a policy says so, or what hands GPUs out in this way is on the node, too, or was when somebody looked. */
  #mayBeBackend(backend: string): boolean {
    const { api, kubelet, timeline } = this.#world;
    const gone = this.#lastGone && timeline.now - this.#lastGone.at < longestLookMs ? [this.#lastGone.policy] : [];
    const said = [...api.list('policies'), ...gone].flatMap(
      ({ spec, status }) =>
        [spec, status?.inForce?.spec, ...(status?.history ?? []).map((one) => one.spec)] as (
          | Policy['spec']
          | undefined
        )[],
    );
    const isPublished = backend === 'DRA' && kubelet.driver.published.size > 0;
    return said.some((spec) => spec?.backend === backend) || kubelet.hadSecondStack(longestLookMs) || isPublished;
  }

  /** Whether the deadline of a grant has passed, by some leader's clock. */
  #isOver({ deadline }: Grant): boolean {
    const { slackMs, timeline } = this.#world;
    return Date.parse(deadline) - slackMs < timeline.now;
  }

  /** A policy takes a node from another only by what has been accepted of both: an edit that is invalid gives nothing away. */
  #isTakenOver(from: string, to: string): void {
    const { api, controllers, timeline, faults } = this.#world;
    const [before, after] = [from, to].map((uid) => api.list('policies').find(({ metadata }) => metadata.uid === uid));
    const isLagging = faults.refusal > 0 || faults.lostAnswer > 0 || controllers.some(({ frozen }) => frozen.size > 0);
    if (!before || !after || before.metadata.deletionTimestamp !== undefined || isLagging) return;
    const since = timeline.now - longestLagMs;
    const prioritiesOf = (uid: string): readonly number[] => {
      const known = this.#accepted.get(uid) ?? [];
      const last = known.findLast(({ at }) => at < since);
      return [...(last ? [last] : []), ...known.filter(({ at }) => at >= since)].map(({ priority }) => priority);
    };
    const [theirs, ours] = [prioritiesOf(from), prioritiesOf(to)];
    // A leader may not have heard of the first that was accepted.
    const isKnown = this.#accepted.get(from)?.some(({ at }) => at < since) === true;
    if (!isKnown) return;
    const wins = (mine: number, other: number): boolean =>
      mine > other || (mine === other && after.metadata.name < before.metadata.name);
    const isWon = ours.some((mine) => theirs.some((other) => wins(mine, other)));
    demand(
      isWon,
      'S12',
      `policy ${after.metadata.name} takes the node from ${before.metadata.name}, which outranks it`,
    );
  }

  /** A policy that first makes its GPUs whole goes when they are, or when its time is over, whatever clock a leader has. */
  #policyIsGone({ metadata, spec, status }: Policy): void {
    const { api, partition, timeline, device, slackMs } = this.#world;
    const gone = new Set(partition?.spec.wish?.gpus.map(({ uuid }) => uuid));
    const overdueAt = Date.parse(metadata.deletionTimestamp ?? '') + deleteDeadlineMs;
    const isOverdue = timeline.now + slackMs > overdueAt;
    if (spec.onDelete !== 'DisableMig' || partition?.spec.policy?.uid !== metadata.uid || isOverdue) return;
    // One that has only planned has made nothing.
    if (status?.inForce === undefined) return;
    // One that outranks it has the node, though no wish of it may be written yet. One that turns to Plan keeps its nodes.
    const hasRival = api
      .list('policies')
      .some(
        (one) =>
          one.metadata.deletionTimestamp === undefined &&
          (one.spec.mode !== 'Plan' || one.status?.inForce !== undefined),
      );
    if (hasRival) return;
    const left = device.report().gpus.find(({ uuid, error, mig }) => gone.has(uuid) && !error && mig === 'Enabled');
    demand(left === undefined, 'U2', `policy ${metadata.name} is gone, and GPU ${left?.index} is not whole`);
  }

  #policyIsWritten({ metadata, status }: Policy, before: Policy | undefined): void {
    const { uid = '' } = metadata;
    this.#countAdmissions(metadata.name, before?.status?.inFlight?.[0], status?.inFlight?.[0]);
    const { inForce } = status ?? {};
    const isKnown = before?.metadata.uid === uid && before.status?.inForce?.generation === inForce?.generation;
    if (isKnown || inForce === undefined) return;
    const { priority = 0 } = inForce.spec as { readonly priority?: number };
    const entry = { at: this.#world.timeline.now, priority };
    this.#accepted.set(uid, [...(this.#accepted.get(uid) ?? []), entry]);
  }

  #isTakenBack(before: StoredPartition | undefined, { spec }: StoredPartition, by: string): void {
    if (spec.drain !== undefined) return;
    for (const { uid } of before?.spec.drain?.pods ?? [])
      this.#takenBack.set(uid, { at: this.#world.timeline.now, by });
  }

  /** A slot that is given back at once and asked for again is two writes of the policy each time. */
  #countAdmissions(policy: string, before: Slot | undefined, after: Slot | undefined): void {
    // Two leaders undo what the other does. A node that cannot be judged, as calls are refused, gives its slot back each time.
    const { timeline, controllers, faults } = this.#world;
    if (before !== undefined || after === undefined || controllers.length > 1 || faults.refusal > 0) return;
    const { now } = timeline;
    this.#admissions = [...this.#admissions.filter((at) => at > now - 60_000), now];
    const { length } = this.#admissions;
    demand(
      length <= mostAdmissions,
      'L8',
      `the node is admitted ${length} times within a minute under policy ${policy}`,
    );
  }

  /** The same failed change is retried less and less often; a process that loses its memory in a crash tries once more. */
  #countEqual({ spec, status }: StoredPartition): void {
    const { device } = status ?? {};
    const { code = '', gpu } = device?.error ?? {};
    // What the device alone shows to be in use stays so.
    const isPassing = passing.includes(code) && (code !== 'InUse' || gpu === undefined);
    const failure = device?.step === 'Failed' && !isPassing ? device.error : undefined;
    const found = device?.gpus?.filter(({ uuid }) => uuid === gpu) ?? [];
    const parts = found.flatMap((one) => [one, ...one.instances]);
    const use = code === 'InUse' && [
      device?.plan?.hash,
      parts.map((one) => one.busy === true && one.pods === undefined),
    ];
    const readings = device?.gpus?.map(({ mig, error, instances }) => [
      mig,
      error,
      instances.map(({ profile, start }) => [profile, start]),
    ]);
    const what = failure && [failure.code, failure.gpu, device?.bootID, readings, spec.policy, use];
    const isSame = what !== undefined && deepEqual(what, this.#failure.what);
    const { now } = this.#world.timeline;
    const before = isSame ? this.#failure.grantedAt.filter((at) => at > now - hourMs) : [];
    this.#failure = { what, grantedAt: [...before, now] };
    demand(
      before.length < mostEqual,
      'S16',
      `the same has failed ${mostEqual} times within an hour, and is tried again`,
    );
  }

  #countRepair({ spec, status }: StoredPartition, granted: Grant): void {
    const { device } = status ?? {};
    const isRepair =
      spec.granted !== undefined &&
      deepEqual(spec.granted.gpus, granted.gpus) &&
      device?.step === 'Idle' &&
      device.lastGood?.bootID === device.bootID;
    if (!isRepair) return;
    const { now } = this.#world.timeline;
    this.#repairs = [...this.#repairs.filter((at) => at > now - hourMs + 2000), now];
    demand(this.#repairs.length <= 3, 'S15', `the layout was put right ${this.#repairs.length} times within an hour`);
  }

  /** Other programs let pods onto a node only where it offers what was verified. */
  #gateIsTold(before: NodeObject, after: NodeObject): void {
    const [was, is] = [before, after].map(({ status }) =>
      status?.conditions?.find(({ type }) => type === partitionReadyCondition),
    );
    const isAtWork = this.#world.controllers.length === 1 && this.#world.controllers[0]?.frozen.size === 0;
    if (
      is?.status !== 'True' ||
      deepEqual(was, is) ||
      !isAtWork ||
      is.reason === 'Ready' ||
      is.reason === 'NothingToDo'
    )
      return;
    const isOpen =
      !isUnfinished(after) && !(after.spec?.taints ?? []).some(({ key }) => startupTaintKeys.includes(key));
    demand(isOpen, 'S3', `a gate is told ${is.reason} is no reason to keep pods off, and the node is closed`);
    const { now } = this.#world.timeline;
    // While the controller looks, the agent may say something else.
    const latest = this.#toldGpus.findLastIndex(({ at }) => at < now - longestLookMs);
    const known = this.#toldGpus.slice(Math.max(0, latest));
    demand(this.#verified !== undefined, 'S3', 'a gate lets pods come, and nothing was ever verified');
    const isKept = known.some(({ gpus }) => keepsAll(gpus, this.#verified ?? []));
    demand(isKept, 'S3', `a gate lets pods come (${is.reason}), and the GPUs are not what was verified`);
  }

  #deviceIsTold({ status }: StoredPartition): void {
    const { gpus = [] } = status?.device ?? {};
    this.#toldGpus = [...this.#toldGpus.slice(-50), { at: this.#world.timeline.now, gpus }];
    this.#lossesAreTold(status?.device ?? {});
    const told = new Set(
      status?.device?.gpus?.flatMap(({ uuid, instances }) => [
        uuid,
        ...instances.flatMap((one) => computeInstancesOf(one).map((part) => part.uuid)),
      ]),
    );
    for (const [id, entry] of this.#lost) if (!told.has(id)) entry.knownAt ??= this.#world.timeline.now;
    const losers = new Set(listLosers(status?.device));
    const held = status?.device?.gpus?.flatMap(({ pods = [], instances }) => [
      ...pods,
      ...instances.flatMap((one) => one.pods ?? []),
    ]);
    const wrong = held?.find((name) => losers.has(name));
    demand(wrong === undefined, 'L2', `${wrong} keeps devices, and what it held is gone`);
  }

  /** An agent hears who holds what. */
  holdersAreRead(): void {
    const { device, kubelet, timeline } = this.#world;
    if (this.#isDra || this.#heldVersion === device.version) return;
    this.#heldVersion = device.version;
    const isKnown = device.gpus.every(({ isLost }) => !isLost);
    const { uuids } = device;
    const gone = [...kubelet.users.heldUuids()].filter((id) => id.startsWith('MIG-') && !uuids.has(id));
    const sinceWhen = (ids: Iterable<string>, before: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
      new Map([...(isKnown ? ids : [])].map((id) => [id, before.get(id) ?? timeline.now]));
    this.#goneSince = sinceWhen(gone, this.#goneSince);
    this.#thereSince = sinceWhen(uuids, this.#thereSince);
  }

  /** Pods are named whose device is gone, and nothing that exists is said to be, once the agent has looked twice. */
  #lossesAreTold({ lostDevices = [], step }: DeviceReport): void {
    if (step === 'Unknown') return;
    const latest = this.#world.timeline.now - longestUnreadMs;
    const isOld = (since: number | undefined): boolean => since !== undefined && since < latest;
    const told = new Set(lostDevices.map(({ id }) => id));
    const wrong = [...told].find((id) => isOld(this.#thereSince.get(id)));
    demand(wrong === undefined, 'S10', `the agent says that ${wrong} is gone, which exists`);
    const [missed] = [...this.#goneSince].find(([id, since]) => isOld(since) && !told.has(id)) ?? [];
    demand(missed === undefined, 'L2', `pods hold ${missed}, which is gone, and the agent does not say so`);
  }

  /** What the agent has reported for so long must not be offered any more. */
  #forgetLost(knownForMs: number): void {
    const latest = this.#world.timeline.now - knownForMs;
    for (const [id, { knownAt = Infinity }] of this.#lost) if (knownAt <= latest) this.#lost.delete(id);
  }

  #nodeIsPatched(before: NodeObject, after: NodeObject): void {
    const foreign = (node: NodeObject): unknown => [
      node.spec?.unschedulable ?? false,
      (node.spec?.taints ?? []).filter((taint) => !isOwnTaint(taint)),
      without(node.metadata.annotations, (key) => key.startsWith('gpupartition.dev/')),
      without(node.metadata.labels, (key) => isMaybeOurs(key)),
    ];
    demand(
      deepEqual(foreign(before), foreign(after)),
      'S17',
      'a taint, label, annotation or cordon of others was changed',
    );
    const unlent = findUnlent(before, after);
    demand(unlent === undefined, 'S17', unlent ?? '');
  }

  // --- decisions --------------------------------------------------------------------------------------------------

  /** @param snapshot as it was read, before any bug between the read and the decision */
  isDecided(by: string, snapshot: NodeSnapshot, settled: SettledDecision): void {
    const { verdict, commands } = settled;
    if (verdict.phase === 'Ready' && verdict.reason === 'Ready') this.#isReallyReady(snapshot, settled.memory);
    if (verdict.phase === 'Ready') this.#verified = snapshot.partition?.status?.device?.gpus ?? [];
    for (const command of commands) {
      if (command.name === 'WriteGrant') this.#mayBeGranted(snapshot);
      if (command.name === 'EvictPod' || command.name === 'DeletePod') this.#mayBeTold(by, snapshot, command);
      if (command.name === 'DeletePod') this.#mayBeDeleted(snapshot);
      if (command.name === 'WriteDrain') {
        demand(!deepEqual(command.drain, snapshot.partition?.spec.drain), 'S9', 'the same drain is announced again');
      }
      if (command.name === 'PatchNode') {
        this.#mayBeOpened(snapshot, command.change.removeTaints ?? []);
        this.#mayBeCleared(snapshot, command.change.labels ?? {});
      }
    }
    this.#forgetsWhatIsGone(by, snapshot, settled.memory);
    this.#leavesToOwner(snapshot, settled);
    this.#passesMonitors(snapshot, settled);
    this.#closesInTurn(snapshot, settled);
    this.#staysClosedForDrain(by, snapshot, settled);
    this.#isHeardSoon(snapshot, settled);
    this.#countsAsFailure(snapshot, settled);
    this.#isNotHeldByTheDead(snapshot, settled);
    this.#keepsSlot(snapshot, settled);
    this.#opensWhereNothingChanges(snapshot, settled);
    this.#isGivenUp(by, snapshot, settled.memory.waits.HoldersRest?.since);
    this.#decisions += 1;
    if (commands.length === 0 && this.#decisions % 4 === 0) {
      const again = this.#world.decide(snapshot, settled.memory);
      const isSame = !('needs' in again) && again.commands.length === 0 && again.verdict.phase === verdict.phase;
      demand(isSame, 'S9', `${by}: the same looked at twice gives something else (${verdict.phase} ${verdict.reason})`);
    }
  }

  /** What mig-manager has left is repaired where the policy replaces it and it is off the node, and it is never a pause of ours. */
  #mayBeCleared({ claim, node, pods }: NodeSnapshot, labels: Readonly<Record<string, string | undefined>>): void {
    const keys = Object.keys(labels).filter(isBorrowed);
    if (keys.length === 0) return;
    const loans = borrowedLabelsOf(metadataOf(node));
    const own = keys.find((key) => loans[key] !== undefined && key !== migConfigStateLabel);
    demand(own === undefined, 'S17', `a pause of ours is taken for mig-manager's: ${own}`);
    const { allow, mode } = claim.winner?.spec ?? {};
    const isAllowed = allow?.takeOver?.includes('mig-manager') === true && mode !== 'Plan';
    demand(isAllowed, 'S17', 'what mig-manager has left is changed against the policy');
    const manager = pods?.find(({ metadata }) => metadata.labels?.['role'] === 'manager');
    demand(pods !== undefined && !manager, 'S17', 'what mig-manager does is undone while it is there');
  }

  /** What a controller remembers of pods does not grow with each pod that ever was. */
  #forgetsWhatIsGone(by: string, { pods, slot, node }: NodeSnapshot, { evictions }: NodeMemory): void {
    if (pods === undefined || slot !== undefined) return;
    const here = new Set(pods.map(({ metadata }) => metadata.uid));
    const gone = Object.keys(evictions).find((uid) => !here.has(uid));
    demand(gone === undefined, 'S11', `${by} remembers pod ${gone}, which is gone from ${node.metadata.name}`);
  }

  /** Who has the driver make slices owns the GPUs: nothing of theirs is touched, and nothing is asked of anybody. */
  #leavesToOwner({ fresh, slices }: NodeSnapshot, { verdict, commands }: SettledDecision): void {
    if (!isDynamic(fresh?.resourceSlices ?? slices)) return;
    demand(verdict.phase !== 'Ready', 'S12', 'Ready, and the DRA driver makes slices itself');
    for (const command of commands) {
      const { name } = command;
      const isTold = name === 'EvictPod' || name === 'DeletePod' || (name === 'WriteDrain' && command.drain !== null);
      const takes =
        name === 'PatchNode' &&
        ((command.change.addTaints ?? []).some(({ value }) => value !== restartedValue) ||
          // The state is said, as on any node.
          Object.keys(command.change.borrow ?? {}).some((key) => key !== 'nvidia.com/mig.config.state'));
      const isHandsOff = name !== 'WriteGrant' && name !== 'AdvertiseDevices' && !isTold && !takes;
      demand(
        isHandsOff,
        'S12',
        `${name}${name === 'PatchNode' ? ` ${JSON.stringify(command.change)}` : ''}, and the DRA driver makes slices itself (${verdict.reason})`,
      );
    }
  }

  /** A pod that only looks on is never drained, nor waited for. */
  #passesMonitors({ node, pods = [] }: NodeSnapshot, { verdict, commands }: SettledDecision): void {
    const { kubelet, machine, agent, faults, controllers, timeline } = this.#world;
    for (const command of commands) {
      const drained = command.name === 'WriteDrain' ? (command.drain?.pods ?? []) : [];
      const watching = drained.find(({ uid }) => kubelet.monitors.has(uid));
      demand(watching === undefined, 'S13', `${watching?.name} is drained, and only looks on`);
      if (command.name !== 'EvictPod' && command.name !== 'DeletePod') continue;
      const pod = pods.find(({ metadata }) => metadata.uid === command.pod.uid);
      const mayGo = pod === undefined || !kubelet.monitors.mustStay(pod);
      demand(mayGo, 'S13', `${command.pod.name} is told to go, only looks on, and nothing would make it again`);
    }
    const isNamed =
      ['PodsUseGpus', 'Draining', 'DrainTimeout', 'DrainLoop', 'EvictionBlocked'].includes(verdict.reason) &&
      pods.some(({ metadata }) => kubelet.monitors.has(metadata.uid ?? '') && verdict.message.includes(metadata.name));
    const isWell =
      agent !== undefined &&
      faults.refusal + faults.lostAnswer === 0 &&
      !faults.driverDown &&
      !faults.kubeletMute &&
      !machine.isBlind &&
      controllers.length === 1 &&
      controllers[0]?.frozen.size === 0;
    if (!isNamed || !isWell || !isReadyNode(node)) {
      this.#watchedSince = undefined;
      return;
    }
    this.#watchedSince ??= timeline.now;
    const ms = timeline.now - this.#watchedSince;
    demand(ms < longestWatchedMs, 'L2', `the plan waits for a monitor for ${ms / 1000} s: ${verdict.message}`);
  }

  #isReallyReady(snapshot: NodeSnapshot, { waits }: NodeMemory): void {
    const { partition, claim, agent, node } = snapshot;
    const device = partition?.status?.device;
    const wish = wishOf(snapshot);
    // A DaemonSet update replaces its pods one by one: a node that was Ready stays Ready for a while.
    const isAway = waits.AgentAway !== undefined && !isClosed(node);
    const isJustAway = isAway && snapshot.now - waits.AgentAway.since < 30_000 + this.#world.slackMs;
    demand(agent.state === 'Ready' || isJustAway, 'S10', 'Ready, and nobody hears of the agent');
    demand(device?.step !== 'Unknown', 'S10', 'Ready, and the device cannot be read');
    const isThisBoot = device?.bootID === node.status?.nodeInfo?.bootID;
    // Whole GPUs are still whole after a restart.
    const hasSlices = wish?.gpus.some(({ profiles }) => profiles !== undefined) === true;
    demand(isThisBoot || !hasSlices, 'S3', 'Ready by what was read before the restart');
    const gpus = device?.gpus ?? [];
    const isMet = wish?.gpus.every((one) => gpus.some((gpu) => gpu.uuid === one.uuid && isAsWished(gpu, one))) === true;
    demand(isMet, 'S3', 'Ready, and the device is not as wished');
    // What is offered of a lost GPU might be other, shared devices.
    if (gpus.some(({ error }) => error !== undefined)) return;
    const isDra = partition?.spec.backend === 'DRA';
    const offer = this.#expect(gpus, offeringOf(claim.winner?.spec ?? { strategy: 'mixed' }), isDra);
    demand(deepEqual(offer, this.#offerOf(snapshot, isDra)), 'S3', 'Ready, and the node offers something else');
    const beside = isDra ? Object.keys(nonZero(node.status?.allocatable)) : [];
    demand(beside.length === 0, 'S12', `Ready by the DRA driver, and a device plugin offers ${beside.join()}`);
  }

  get #isDra(): boolean {
    return this.#world.setup.backend === 'DRA';
  }

  /** What a node is to offer: how many of each resource, or each device of its slices. */
  #expect(
    gpus: readonly GpuReport[],
    settings: ExpectedSettings,
    isDra = this.#isDra,
  ): Readonly<Record<string, number>> {
    return isDra ? countSlices(nameDevices(gpus)) : countOffer(gpus, settings);
  }

  /** What it was seen to offer. */
  #offerOf({ node, slices, fresh }: NodeSnapshot, isDra = this.#isDra): Readonly<Record<string, number>> {
    if (!isDra) return nonZero(node.status?.allocatable);
    return countSlices(readSlices(slices ?? fresh?.resourceSlices ?? this.#world.kubelet.driver.slices));
  }

  #mayBeGranted(snapshot: NodeSnapshot): void {
    const { partition, claim, node, agent, pods, fresh, slot } = snapshot;
    const { winner } = claim;
    const device = partition?.status?.device;
    demand(isClosed(node), 'S1', 'granted on a node that is open');
    const isDra = partition?.spec.backend === 'DRA';
    const others = isDra
      ? Object.keys(nonZero(node.status?.allocatable))
      : [...readSlices(fresh?.resourceSlices ?? []).keys()];
    demand(others.length === 0, 'S12', `granted, and another stack offers ${others.join()}`);
    const affected = new Set(device?.plan?.affectedPods);
    const known = new Set(fresh?.holders);
    // Of a driver that has left, and whose slices are gone, no claim can be prepared.
    const isVain = ({ spec, status }: PodView): boolean =>
      !isDra && (spec?.resourceClaims ?? []).length > 0 && status?.phase === 'Pending';
    const users = pods
      ?.filter((pod) => usesGpus(pod) && !isVain(pod))
      .map(({ metadata }) => `default/${metadata.name}`);
    demand(users !== undefined && !users.some((name) => affected.has(name)), 'S1', 'granted while pods hold what goes');
    const { destroy = 0, modeChanges = 0 } = device?.plan ?? {};
    const isHarmless = this.#isDra && destroy + modeChanges === 0;
    demand(isHarmless || users?.every((name) => known.has(name)), 'S1', 'granted though nobody knows what a pod holds');
    if (isDra && !isHarmless) this.#areClaimsKnown(snapshot);
    demand(slot !== undefined && this.#isInLedger(winner, slot), 'S5', 'granted without a slot');
    demand(winner !== undefined, 'S12', 'granted without a policy');
    const isCurrent =
      fresh?.policy !== undefined &&
      fresh.policy.uid === winner?.metadata.uid &&
      fresh.policy.generation === winner?.metadata.generation;
    demand(isCurrent, 'S8', 'granted for a policy that is another one by now');
    const hasStarted = (slot?.generation ?? 0) < (winner?.metadata.generation ?? 0);
    const isPaused = winner?.spec.rollout?.paused === true && !hasStarted;
    demand(winner?.spec.mode !== 'Plan' && !isPaused, 'S12', 'granted against the policy');
    demand(claim.isInForce && claim.hold === undefined, 'S4', 'granted for a generation that is not accepted');
    demand(agent.state === 'Ready' && device?.step !== 'Unknown', 'S10', 'granted on what nobody knows');
    demand(device?.bootID === node.status?.nodeInfo?.bootID, 'S10', 'granted on what was read before the restart');
    demand(device?.plan?.refusal === undefined, 'S4', 'granted though the plan is a refusal');
    demand(node.spec?.unschedulable !== true, 'S17', 'granted on a node that somebody has cordoned');
    demand(
      !Object.values(node.metadata.labels ?? {}).includes('paused-for-driver-upgrade'),
      'S12',
      'granted meanwhile',
    );
  }

  /** Each claim that has a device of the node is for pods that are there. */
  #areClaimsKnown({ fresh, pods = [] }: NodeSnapshot): void {
    demand(fresh?.claims !== undefined, 'S1', 'granted, and nobody has listed the claims');
    const here = new Set(pods.map(({ metadata }) => metadata.uid));
    const early = fresh.claims.find(({ status }) => {
      const isMonitors = status?.allocation?.devices?.results?.every(({ adminAccess }) => adminAccess === true);
      return isMonitors !== true && status?.reservedFor?.every(({ uid }) => here.has(uid)) !== true;
    });
    demand(early === undefined, 'S1', `granted while the pod of ${early?.metadata.name} is on its way`);
  }

  #isInLedger(winner: GpuPartitionPolicy | undefined, slot: Slot): boolean {
    const { name = '', uid } = winner?.metadata ?? {};
    const policy = this.#world.api.find('policies', name);
    // Deleted since it was read, along with its ledger: no other node can be admitted in this node's place.
    if (policy?.metadata.uid !== uid) return true;
    const inFlight = policy?.status?.inFlight ?? [];
    // A known gap: an old leader with hung watches takes slots away based on stale data until its lease ends.
    const isRivals = this.#world.controllers.slice(0, -1).some(({ frozen }) => frozen.size > 0);
    return isRivals || inFlight.some((one) => deepEqual(one, slot));
  }

  /** A user's pod goes only in the node's turn, as announced, for the plan that stands, from a closed node, with its time to end. */
  #mayBeTold(
    by: string,
    { pods, partition, claim, slot, node }: NodeSnapshot,
    { pod: { uid }, graceSeconds }: Extract<Command, { readonly name: 'EvictPod' | 'DeletePod' }>,
  ): void {
    const pod = pods?.find(({ metadata }) => metadata.uid === uid);
    demand(pod !== undefined, 'S13', `pod ${uid} is told to go, which nobody has seen`);
    if (!isOfUser(pod)) return;
    this.#mayBeMoved(pod, by);
    const { drain } = partition?.spec ?? {};
    const { plan, lostDevices = [] } = partition?.status?.device ?? {};
    const { scope = 'Affected', gracePeriod } = claim.winner?.spec.drain ?? {};
    const isAnnounced = drain?.pods.some((one) => one.uid === uid) === true;
    demand(isAnnounced, 'S13', `pod ${uid} is told to go, which is a user’s, and was not announced`);
    demand(slot !== undefined && scope !== 'None', 'S13', `pod ${uid} is told to go, against the policy or the ledger`);
    demand(isClosed(node), 'S13', `pod ${uid} is told to go from an open node`);
    const name = `default/${pod.metadata.name}`;
    const hasLost = lostDevices.some(({ id, pods: losers }) => losers.includes(name) && this.#hadDevice(uid, id));
    const goes = scope === 'Node' || plan?.affectedPods?.includes(name) === true || hasLost;
    demand(goes, 'S13', `pod ${uid} is told to go, which holds nothing that goes`);
    const isModeChange = (plan?.modeChanges ?? 0) > 0;
    const holder = pods?.find(({ metadata }) => ['exporter', 'client'].includes(metadata.labels?.['role'] ?? ''));
    // A pod with a claim can only end while the DRA driver is there: then pods go first.
    const isDra = this.#isDra || partition?.spec.backend === 'DRA';
    const isVain = isModeChange && holder !== undefined && !isDra;
    demand(!isVain, 'S13', `pod ${uid} is told to go, and the change waits for ${holder?.metadata.name}`);
    const own = pod.spec?.terminationGracePeriodSeconds === 0 ? 1 : undefined;
    const expected = gracePeriod === undefined ? own : secondsOf(gracePeriod);
    demand(graceSeconds === expected, 'S13', `pod ${uid} is given ${graceSeconds} s to end, not ${expected}`);
  }

  /** Whether a pod was given this device, which may be there again by now. Of a pod that has ended it need not be remembered. */
  #hadDevice(uid: string, device: string): boolean {
    const { users } = this.#world.kubelet;
    const held = users.allocations.get(uid);
    if (this.#isDra) return !users.knows();
    return held === undefined || uuidOf(held.id) === device;
  }

  #mayBeDeleted({ claim, slot, now }: NodeSnapshot): void {
    // By what the policy says now: an edit may have given the pods less time than they had when the node was admitted.
    const { onTimeout, timeout = '10m' } = claim.winner?.spec.drain ?? {};
    const isLate = slot?.startTime !== undefined && Date.parse(slot.startTime) + secondsOf(timeout) * 1000 < now;
    const isForced = onTimeout === 'Force' && isLate;
    demand(isForced, 'S13', 'a pod is deleted, past its disruption budget, and the policy does not say so');
  }

  /** An open node is closed, and its plugin told to go, only with a slot, and for pods that can be made to go. */
  #closesInTurn(snapshot: NodeSnapshot, { commands }: SettledDecision): void {
    const { node, slot, claim, partition, pods = [] } = snapshot;
    if (isClosedOrUp(node) || isUnfinished(node)) return;
    const { granted } = partition?.spec ?? {};
    const isLive =
      granted !== undefined &&
      !isRevocation(granted) &&
      granted.epoch > (partition?.status?.device?.observedEpoch ?? 0);
    const closes = commands.some(
      (command) =>
        command.name === 'PatchNode' &&
        command.change.addTaints?.some(({ key, value }) => key === repartitioningTaint.key && value !== restartedValue),
    );
    const roleOf = (uid: string): string | undefined =>
      pods.find(({ metadata }) => metadata.uid === uid)?.metadata.labels?.['role'];
    const disturbs = commands.some((command) => command.name === 'EvictPod' && roleOf(command.pod.uid) === 'plugin');
    // Whoever took the taint off did not know that the agent works.
    if (isLive || (!closes && !disturbs)) return;
    const { winner } = claim;
    // A slot may be released, or exchanged by another leader, at the same moment: no write can depend on another object.
    const mayRace = !closes || this.#world.controllers.length > 1;
    const isInTurn = slot !== undefined && (mayRace || this.#isInLedger(winner, slot));
    demand(isInTurn, 'S5', 'the node is closed, and has no slot');
    const hasStarted = (slot.generation ?? 0) < (winner?.metadata.generation ?? 0);
    demand(winner?.spec.rollout?.paused !== true || hasStarted, 'S12', 'the node is closed, and its policy is paused');
    demand(winner?.spec.mode !== 'Plan' && claim.hold === undefined, 'S12', 'the node is closed, against its policy');
    const { scope = 'Affected', onTimeout } = winner?.spec.drain ?? {};
    if (!closes || scope === 'None' || this.#isDone(snapshot)) return;
    const named = new Set(partition?.status?.device?.plan?.affectedPods);
    const staying = pods.filter(usesGpus).find((pod) => {
      const isBare = !(pod.metadata.ownerReferences ?? []).some(({ controller }) => controller === true);
      const stays = isUntouchable(pod) || (isBare && onTimeout !== 'Force');
      const isGoing = pod.metadata.deletionTimestamp !== undefined;
      return (scope === 'Node' || named.has(`default/${pod.metadata.name}`)) && stays && !isGoing;
    });
    demand(staying === undefined, 'L8', `the node is closed for pod ${staying?.metadata.name}, which nothing moves`);
  }

  /** Whether the device matches the wish: nothing of it changes. */
  #isDone(snapshot: NodeSnapshot): boolean {
    const { gpus = [] } = snapshot.partition?.status?.device ?? {};
    return (
      wishOf(snapshot)?.gpus.every((one) => gpus.some((gpu) => gpu.uuid === one.uuid && isAsWished(gpu, one))) === true
    );
  }

  /** A closed node that waits to hear what a pod holds hears of it at once. */
  #isHeardSoon({ node, partition }: NodeSnapshot, { verdict }: SettledDecision): void {
    const { agent, faults, timeline, controllers, setup, kubelet, machine } = this.#world;
    const { drain } = partition?.spec ?? {};
    const isWaiting = setup.kubeletTells && isClosed(node) && verdict.reason === 'Draining' && drain?.pods.length === 0;
    const isWell =
      agent !== undefined &&
      !faults.driverDown &&
      !faults.kubeletMute &&
      !machine.isBlind &&
      faults.refusal === 0 &&
      faults.lostAnswer === 0;
    // What a pod holds of a device that is gone cannot be known before the agent has told that it is gone.
    const told = new Set(partition?.status?.device?.lostDevices?.map(({ id }) => id));
    const isKnown = kubelet.users.knows((id) => told.has(id));
    const isSeeing = controllers.length === 1 && controllers[0]?.frozen.size === 0;
    if (!isWaiting || !isWell || !isSeeing || !isKnown) {
      this.#unheardSince = undefined;
      return;
    }
    this.#unheardSince ??= timeline.now;
    const ms = timeline.now - this.#unheardSince;
    demand(ms < longestUnheardMs, 'L2', `the node is closed for ${ms / 1000} s, and its agent does not read`);
  }

  /** A change that ends because of the node is one that failed, whatever the reason. */
  #countsAsFailure(snapshot: NodeSnapshot, settled: SettledDecision): void {
    const reason = findUncounted(snapshot, settled);
    demand(reason === undefined, 'S18', `the change ends with ${reason}, and the node does not count as failed`);
  }

  /** The deadline of a grant, the time until nothing of it is under way, and the plugin's: then other nodes get slots. */
  #isNotHeldByTheDead({ slot }: NodeSnapshot, { verdict, rolloutState }: SettledDecision): void {
    const { machine, timeline, slackMs } = this.#world;
    const { diedAt } = machine;
    const isHeld = diedAt !== undefined && slot !== undefined && rolloutState.isUnderWay;
    const heldSince = Math.max(diedAt ?? 0, Date.parse(slot?.startTime ?? timeText(0)));
    const deadMs = isHeld ? timeline.now - heldSince : 0;
    demand(
      deadMs < longestDeadMs + slackMs,
      'L8',
      `dead for ${deadMs / 1000} s, the node keeps its slot: ${verdict.message}`,
    );
  }

  /** Who opens a node whose pods were told to go has given that up, and takes it back before closing the node again. */
  #staysClosedForDrain(by: string, { node, partition, pods = [] }: NodeSnapshot, { commands }: SettledDecision): void {
    const { drain } = partition?.spec ?? {};
    const changes = commands.flatMap((command) => (command.name === 'PatchNode' ? [command.change] : []));
    const here = new Set(pods.map(({ metadata }) => metadata.uid));
    const isTold = drain?.pods.some(({ uid }) => here.has(uid)) === true;
    if (drain === undefined) this.#openedInDrain.delete(by);
    else if (
      isTold &&
      isClosed(node) &&
      changes.some(({ removeTaints = [] }) => removeTaints.includes(repartitioningTaint.key))
    )
      this.#openedInDrain.add(by);
    const closes = changes.some(({ addTaints = [] }) => addTaints.some(({ key }) => key === repartitioningTaint.key));
    const isAgain = isTold && !isClosed(node) && closes && this.#openedInDrain.has(by);
    demand(!isAgain, 'S13', `${by} has opened the node while its pods were told to go, and closes it again for them`);
  }

  /** A slot is held until the node is verified, or given up and open again: the agent's answer is not enough. */
  #keepsSlot({ node, slot }: NodeSnapshot, { commands, rolloutState }: SettledDecision): void {
    const isDone = slot !== undefined && rolloutState.slot === slot.startTime && !rolloutState.isUnderWay;
    // A machine that is dead keeps nobody waiting.
    if (!isDone || !isClosed(node) || isClosedAnyway(node) || !isReadyNode(node)) return;
    const opens = commands.some(
      (command) => command.name === 'PatchNode' && command.change.removeTaints?.includes(repartitioningTaint.key),
    );
    demand(opens, 'S5', 'the node is closed for a change, and its slot is given back');
  }

  /** Pods that did not terminate when asked are left alone on an open node. */
  #opensWhereNothingChanges({ node }: NodeSnapshot, { verdict, commands }: SettledDecision): void {
    if (verdict.reason !== 'DrainTimeout' && verdict.reason !== 'DrainLoop') return;
    const opens = commands.some(
      (command) => command.name === 'PatchNode' && command.change.removeTaints?.includes(repartitioningTaint.key),
    );
    const isTold = verdict.message.includes('The node stays closed');
    demand(opens || isTold || !isClosed(node), 'L4', `the node stays closed, and nobody says why: ${verdict.message}`);
  }

  #mayBeOpened(snapshot: NodeSnapshot, removed: readonly string[]): void {
    const { node, partition } = snapshot;
    const taints = node.spec?.taints ?? [];
    const going = taints.filter(({ key }) => removed.includes(key));
    if (going.length === 0) return;
    const { granted } = partition?.spec ?? {};
    const device = partition?.status?.device;
    const isSilent = granted !== undefined && (device?.observedEpoch ?? 0) < granted.epoch;
    demand(!isSilent || this.#isOver(granted), 'S1', 'opened while the agent works on a grant');
    if (going.some(({ key }) => startupTaintKeys.includes(key))) {
      const wish = wishOf(snapshot);
      const gpus = device?.gpus ?? [];
      const isMet =
        wish?.gpus.every((one) => gpus.some((gpu) => gpu.uuid === one.uuid && isAsWished(gpu, one))) === true;
      demand(isMet && device?.step !== 'Unknown', 'S3', 'the start-up taint goes, and no layout was verified');
    }
    // A driver that makes slices itself offers nothing that could be gone.
    if (isDynamic(snapshot.fresh?.resourceSlices ?? snapshot.slices)) return;
    const found = this.#offerOf(snapshot);
    // If the agent has not reported in this boot, the plugin, which has looked since, is asked for what exists.
    const isTold = device?.step !== 'Unknown' && device?.bootID === node.status?.nodeInfo?.bootID;
    const isHeard = snapshot.agent.state === 'Ready' && isTold;
    const { gpus: known = [] } = isHeard ? (device ?? {}) : this.#world.device.report();
    // What the plugin runs with, whatever the policy that is gone has asked for.
    const offer = this.#expect(known, this.#world.kubelet.plugin.settings);
    // What was never reported, and lost GPUs, cannot be compared.
    const isUnknown = device?.gpus === undefined || this.#lost.size > 0;
    // GPUs that are back, and that the plugin has not seen yet, mislead nobody.
    const isWithin = !isHeard && Object.entries(found).every(([name, count]) => count <= (offer[name] ?? 0));
    const isTrue = isUnknown || isWithin || Object.keys(found).length === 0 || deepEqual(found, offer);
    const isStillClosed = going.length < taints.filter(isOwnTaint).length;
    const isExpected = isTrue || isSilent || isStillClosed || this.#isBeyondHelp();
    demand(isExpected, 'S3', `opened, and the node offers ${JSON.stringify(found)}`);
  }

  /** Each attempt closes the node: attempts must become rarer. */
  #isGivenUp(by: string, { claim }: NodeSnapshot, since: number | undefined): void {
    const { uid, generation } = claim.winner?.metadata ?? {};
    // An edit asks for a new attempt at once.
    const who = `${by} ${uid} ${generation}`;
    const rests = this.#rests.get(who) ?? new Set();
    // After a refused write the attempt starts again a moment later.
    if (since === undefined || since - Math.max(0, ...rests) < 20_000) return;
    const recent = [...rests].filter((at) => at > since - hourMs);
    this.#rests.set(who, new Set([...recent, since]));
    demand(
      recent.length < 8,
      'L8',
      `within an hour the node was closed ${recent.length + 1} times for holders that stay`,
    );
  }

  // --- the node ---------------------------------------------------------------------------------------------------

  grantIsTaken(agent: AgentProcess, { metadata }: StoredPartition, { epoch }: Grant): void {
    const { uid = '' } = metadata;
    const known = this.#taken;
    demand(known?.uid !== uid || epoch >= known.epoch, 'S8', `the agent went back from ${known?.epoch} to ${epoch}`);
    const isSame = known?.agent === agent && known.uid === uid && known.epoch === epoch;
    this.#taken = isSame ? known : { agent, uid, epoch, at: this.#world.timeline.now };
  }

  deviceIsChanged({ partition: { status }, granted, isFirst }: DeviceWork, gpu: Gpu, operation: Operation): void {
    this.operations += 1;
    const { kubelet, machine, node } = this.#world;
    const wish = granted.gpus.find(({ uuid }) => uuid === gpu.uuid);
    demand(wish !== undefined, 'S2', `GPU ${gpu.index} is touched, which the grant does not name`);
    const isRebuild = status?.device?.lastGood?.bootID !== machine.bootID;
    // The boot has removed the layout; restoring it cannot wait for anybody.
    if (!isRebuild) this.#isInTime(granted);
    if (isRebuild && operation === 'Enable') this.devicesAreLost([gpu.uuid]);
    const isDestroy = typeof operation === 'object' && operation.action === 'DestroyInstance';
    if (typeof operation === 'object' && !isDestroy) return;
    const described = this.#world.device.report().gpus.find(({ uuid }) => uuid === gpu.uuid);
    const isVain = isFirst && wish && described && isAsWished(described, wish);
    demand(!isVain, 'S2', `GPU ${gpu.index} is touched, and is as wished`);
    const touched =
      typeof operation === 'object'
        ? gpu.slices.filter(({ profile, start }) => profile === operation.profile && start === operation.start)
        : [gpu, ...gpu.slices];
    const held = [...kubelet.users.allocations].find(([, { id }]) => touched.some(({ uuid }) => uuid === uuidOf(id)));
    // An agent asks once who holds what: after that only the taint keeps claims from being prepared, unless a person takes it off.
    const isForced = this.#isDra && this.isForcedOpen;
    demand(held === undefined || isForced, 'S1', `${held?.[1].id} is taken from pod ${held?.[0]}`);
    if (!isRebuild) this.#isUnclaimed(touched.map(({ uuid }) => uuid));
    const isOpen = node !== undefined && !isClosed(node);
    demand(isRebuild || !isOpen || this.isForcedOpen, 'S1', `GPU ${gpu.index} changes, and its node is open`);
  }

  /** After an operation of an agent. */
  deviceIsMade(gpu: Gpu, { profile, start }: { readonly profile: string; readonly start: number }): void {
    const made = gpu.slices.find((slice) => slice.profile === profile && slice.start === start);
    if (made) this.#made.add(made.serial);
  }

  /** No claim has a device of these: its pod may not be bound yet. */
  #isUnclaimed(uuids: readonly string[]): void {
    const { device, kubelet } = this.#world;
    const here = nameDevices(device.report().gpus);
    for (const { metadata, status } of kubelet.users.claims) {
      const results = status?.allocation?.devices?.results ?? [];
      const taken = results.find((one) => uuids.includes(here.get(one.device) ?? ''));
      demand(taken === undefined || this.isForcedOpen, 'S1', `${taken?.device} is taken from claim ${metadata.name}`);
    }
  }

  /** By the time that the agent was given, and, should it be a new process, by the deadline for all of them. */
  #isInTime({ epoch, seconds = 0, deadline }: Grant): void {
    const { now } = this.#world.timeline;
    const workedMs = this.#taken?.epoch === epoch ? now - this.#taken.at : 0;
    const lateMs = now - Date.parse(deadline);
    const overMs = Math.max(workedMs, lateMs) - seconds * 1000;
    demand(overMs <= 0, 'S7', `the device is changed ${overMs / 1000} s after the time of grant ${epoch} was over`);
  }

  podIsBound(resource: string): void {
    const { partition, node } = this.#world;
    // No agent works on the object of an earlier node.
    if (partition?.spec.nodeUID !== node?.metadata.uid) return;
    const { granted } = partition?.spec ?? {};
    const isAnswered = granted === undefined || (partition?.status?.device?.observedEpoch ?? 0) >= granted.epoch;
    const isOver = isAnswered || this.#isOver(granted);
    demand(isOver || this.isForcedOpen, 'S1', `a pod for ${resource} was bound while the agent changes the GPUs`);
  }

  /** The plugin may have restarted since the agent reported what the kubelet offered. */
  devicesAreAdvertised(by: string, status: OfferedStatus): void {
    for (const [resource, count] of Object.entries(status.allocatable)) {
      const wasOffered = this.#world.kubelet.plugin.offeredAgoMs(resource, Number(count)) < 60_000;
      demand(wasOffered, 'S3', `${by} advertises ${resource} ${count}, which the kubelet does not offer`);
    }
  }

  /** A plugin that lives would not hear that it was forgotten, and offer nothing until it registers again. */
  registrationIsEnded(resource: string, { unregister, granted: grant }: StoredPartition['spec']): void {
    const { plugin } = this.#world.kubelet;
    demand(!plugin.serves(resource), 'S10', `the registration of ${resource} is ended, which a plugin serves`);
    const [epoch, granted] = [unregister?.epoch, grant?.epoch];
    demand(epoch === granted, 'S8', `the registration of ${resource} is ended for grant ${epoch}, after ${granted}`);
  }

  deviceIsGiven(id: string): void {
    const { device } = this.#world;
    const isLost = this.#lost.has(id) || (this.#isDra && this.#everLost.has(id));
    demand(device.uuids.has(id) || isLost || this.isForcedOpen, 'S3', `a pod was given ${id}, which is not there`);
  }

  /** A driver that has read an earlier device of the same UUID would give a container what is gone. */
  deviceIsPrepared(id: string): void {
    const { kubelet, device } = this.#world;
    const isOurs = this.#made.has(device.serialOf(id) ?? 0) && !this.isForcedOpen;
    const isRight = kubelet.driver.hasRead(id) || !isOurs;
    demand(isRight, 'S3', `${id} was prepared by a driver that has read the one before it`);
  }

  /** No policy, whatever it forces, ends what only the kubelet or a DaemonSet may end: it would be back at once. */
  #mayBeMoved(pod: PodView, by: string): void {
    const isUsers = isOfUser(pod);
    demand(!isUsers || !isUntouchable(pod), 'S13', `${by} ends a pod that is static, or a DaemonSet’s`);
  }

  /** The API server evicts or deletes a pod for a controller, which may have decided that some time ago. */
  podIsTold(pod: Pod, by: string, graceSeconds: number | undefined): void {
    if (this.#world.faults.budget) this.#refusedAt = this.#world.timeline.now;
    this.#mayBeMoved(pod, by);
    const { drain } = this.#world.partition?.spec ?? {};
    const isAnnounced = drain?.pods.some(({ uid }) => uid === pod.metadata.uid) === true;
    const isUsers = isOfUser(pod);
    const isBareMonitor = this.#world.kubelet.monitors.mustStay(pod);
    demand(!isBareMonitor, 'S13', `${by} ends a monitor that nothing would make again`);
    // Another leader may have taken it back since this one looked.
    const back = this.#takenBack.get(pod.metadata.uid ?? '');
    const isRace = back !== undefined && back.by !== by && this.#world.timeline.now - back.at < longestLookMs;
    demand(!isUsers || isAnnounced || isRace, 'S13', `${by} ends a user’s pod unannounced`);
    demand(graceSeconds !== 0, 'S13', `${by} ends a pod whatever its containers do`);
    const isPast = this.#world.faults.budget && this.#world.hasBug('EvictPastBudget');
    demand(!isPast, 'S13', `${by} evicts past a disruption budget`);
  }

  /** Somebody else removes all instances now. */
  devicesAreLost(ids: Iterable<string> = this.#world.device.uuids): void {
    for (const id of ids) {
      this.#lost.set(id, {});
      this.#everLost.add(id);
    }
  }

  // --- after every event ------------------------------------------------------------------------------------------

  always(): void {
    const { node, kubelet, machine, device } = this.#world;
    const { offers: offered, plugin } = kubelet;
    const { settings } = plugin;
    const seen = [node, offered, device.version];
    if (seen.every((one, index) => one === this.#seen[index])) return;
    this.#seen = seen;
    const { uuids } = device;
    for (const id of uuids) {
      if (this.#lost.size > 0 && (id.startsWith('MIG') || !isWhole(device.gpus, id))) this.#lost.delete(id);
    }
    if (node === undefined || !machine.isUp || isClosedOrUp(node) || this.isForcedOpen) return;
    // The owner of an unknown id cannot be determined while a GPU does not answer.
    if (device.gpus.some(({ isLost }) => isLost)) return;
    for (const [resource, ids] of offered) {
      const gone = ids
        .map(uuidOf)
        .find(
          (id) => !this.#lost.has(id) && (!uuids.has(id) || (settings.strategy !== 'none' && isInMig(device.gpus, id))),
        );
      demand(gone === undefined, 'S3', `the node is open, and ${resource} has ${gone}, which is not there`);
    }
    if (this.#lost.size > 0 || isMixedUp(device.report().gpus, settings.strategy)) return;
    const real = countOffer(device.report().gpus, settings);
    for (const [name, amount] of Object.entries(nonZero(node.status?.allocatable))) {
      demand(
        amount <= (real[name] ?? 0),
        'S3',
        `the node is open and says ${name} ${amount}; there are ${real[name] ?? 0}`,
      );
    }
    const told = countOffer(this.#world.partition?.status?.device?.gpus ?? [], settings);
    // If nothing is offered, a label misleads nobody.
    const isOffering = this.#isDra ? offered.size > 0 : Object.keys(nonZero(node.status?.allocatable)).length > 0;
    // Only the agent can say which labels there should be.
    const isHeard = this.#world.agent !== undefined && this.#world.partition?.status?.device?.step !== 'Unknown';
    if (isOffering && isHeard && !this.#world.setup.hasDiscovery && deepEqual(told, real)) {
      this.#labelsAreTrue(node, real);
    }
  }

  /** Labels follow the agent's reports as soon as a controller is at work. */
  #labelsAreTrue({ metadata }: NodeObject, real: Readonly<Record<string, number>>): void {
    const { controllers, faults, timeline } = this.#world;
    const wrong = Object.entries(metadata.labels ?? {}).find(([key, value]) => {
      const [, resource] = /^(nvidia\.com\/mig-.+)\.count$/.exec(key) ?? [];
      return resource !== undefined && Number(value) > (real[resource] ?? 0);
    });
    const isAtWork = controllers.at(-1)?.frozen.size === 0 && faults.refusal === 0 && faults.lostAnswer === 0;
    if (wrong === undefined || !isAtWork) {
      this.#mislabelledSince = undefined;
      return;
    }
    this.#mislabelledSince ??= timeline.now;
    const isLasting = timeline.now - this.#mislabelledSince > longestLagMs;
    demand(!isLasting, 'S3', `open, and label ${wrong[0]} says ${wrong[1]} for ${longestLagMs / 1000} s`);
  }
}

/** Stories have durations of one unit. */
function secondsOf(duration: string): number {
  return Number.parseInt(duration, 10) * (duration.endsWith('m') ? 60 : 1);
}

export function isClosed(node: Pick<NodeObject, 'spec'>): boolean {
  return node.spec?.taints?.some(({ key }) => key === repartitioningTaint.key) ?? false;
}

function isClosedOrUp(node: Pick<NodeObject, 'spec'>): boolean {
  return node.spec?.taints?.some(isOwnTaint) ?? false;
}

function isInMig(gpus: readonly Gpu[], id: string): boolean {
  return gpus.some(({ uuid, mig }) => uuid === id && mig === 'Enabled');
}

function isWhole(gpus: readonly Gpu[], id: string): boolean {
  return gpus.some(({ uuid }) => uuid === id) && isInMig(gpus, id);
}

function usesGpus(pod: PodView): boolean {
  const { phase } = pod.status ?? {};
  return isOfUser(pod) && phase !== 'Failed' && phase !== 'Succeeded';
}

function wishOf({ claim }: NodeSnapshot): Wish | undefined {
  return claim.wish && 'wish' in claim.wish ? claim.wish.wish : undefined;
}

function isMaybeOurs(key: string): boolean {
  return key.startsWith('gpupartition.dev/') || isBorrowed(key) || isGfdLabelKey(key);
}

function without(
  map: Readonly<Record<string, string>> | undefined,
  isOurs: (key: string) => boolean,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !isOurs(key)));
}

export function nonZero(allocatable: Readonly<Record<string, string>> | undefined): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(allocatable ?? {}).flatMap(([name, amount]) => (amount === '0' ? [] : [[name, Number(amount)]])),
  );
}

/** Whether GPUs that answer have all that was there before. */
function keepsAll(now: readonly GpuReport[], before: readonly GpuReport[]): boolean {
  return now.every((gpu) => {
    const known = before.find(({ uuid }) => uuid === gpu.uuid);
    if (known === undefined || gpu.error !== undefined || known.error !== undefined) return true;
    const places = new Set(gpu.instances.map(({ profile, start }) => `${profile}@${start}`));
    return known.mig === gpu.mig && known.instances.every(({ profile, start }) => places.has(`${profile}@${start}`));
  });
}
