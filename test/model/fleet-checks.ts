import { repartitioningTaint, restartedValue } from '../../src/api/names.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Grant, GpuPartitionPolicy, PolicySpec, Wish } from '../../src/api/types.ts';
import type { NodeObject } from '../../src/controller/operator.ts';
import type { SettledDecision } from './controller.ts';
import type { NodeSnapshot } from '../../src/core/node/snapshot.ts';
import { pausedForMigChange } from '../../src/core/node/plugin-pods.ts';
import type { Slot } from '../../src/core/rollout/budget.ts';
import type { DeviceWork } from './agent.ts';
import type { ApiChange, Pod, Policy, StoredPartition } from './api.ts';
import { findUncounted, findUnlent, longestDeadMs, mostAdmissions } from './common-checks.ts';
import type { Gpu } from './device.ts';
import type { Operation } from './smi.ts';
import { demand } from './violation.ts';
import { DemandChecks } from './demand-checks.ts';
import { msOf } from './fleet-policies.ts';
import type { FleetMachine } from './fleet-machine.ts';
import { nodeOf } from './pods.ts';
import { isUsers } from './fleet-pods.ts';
import type { FleetWorld } from './fleet-world.ts';

const ourTaint = 'gpupartition.dev/repartitioning';
/** How stale a leader's view may be in normal operation, in ms, and how long after a fault it may be staler. */
const usualLagMs = 3000;
/** Time between a leader's last read and its action, in ms. */
const raceMs = 1000;
const troubleMs = 180_000;
/** Time after which a new leader knows what the one before it has done, in ms. */
const newLeaderMs = 10_000;

/** An observer that sees every revision of the API and keeps its own counts. */
export class FleetChecks {
  readonly #world: FleetWorld;
  /** Earlier values with their times: for programs that may not have seen the current ones yet. */
  readonly #sizes = new History<number>();
  readonly #notReady = new Map<string, number>();
  /** Since when a node is no longer closed by others; absent while it is. */
  readonly #closedAnywayUntil = new Map<string, number>();
  /** Nodes that were being changed when their ledger was lost: only they themselves know about it. */
  readonly #orphans = new Set<string>();
  /** The wish that a node had until another was written, when and by whom, by the node's uid. */
  readonly #replaced = new Map<string, { readonly at: number; readonly by: string; readonly wish: Wish | undefined }>();
  /** When policies were edited, by uid. */
  readonly #editedAt = new Map<string, number>();
  /** When a node's slot was last removed, and by whom. */
  readonly #takenAt = new Map<string, { readonly at: number; readonly by: string }>();
  /** Pods whose announcement another leader took back, and when. */
  readonly #takenBack = new Map<string, { readonly at: number; readonly by: string }>();
  /** Who closed a node, and when, by its uid. */
  readonly #closed = new Map<string, { readonly at: number; readonly by: string }>();
  /** Nodes that failed at the current generation of their policy, by name: the policy's uid, and since when. */
  readonly #failed = new Map<string, { readonly of: string; readonly at: number }>();
  /** What policies ask for, but for `mode` and `rollout`, and the generation since which they do, by uid. */
  readonly #asks = new Map<string, { readonly asked: object; readonly key: string }>();
  /** Codes of the attempts of a node that have failed at the current generation of its policy, since it was last Ready, by name. */
  readonly #attempts = new Map<string, { readonly of: string; readonly codes: readonly string[] }>();
  /** Nodes of which a change has ended otherwise meanwhile, so that they count, by name. */
  readonly #ended = new Set<string>();
  readonly #canaries = new Map<string, Map<string, number | undefined>>();
  /** Asks whose canary has soaked by this count, as uid and first generation: it holds though another policy has its nodes since. */
  readonly #passed = new Set<string>();
  readonly #forced = new Set<string>();
  /** When what a pod holds last had to go, by the pod's uid, which is its name. */
  readonly #affectedAt = new Map<string, number>();
  readonly demands: DemandChecks;
  #writes = 0;
  /** GPUs that agents have changed. */
  changes = 0;

  constructor(world: FleetWorld) {
    this.#world = world;
    this.demands = new DemandChecks(world);
  }

  /** When a node was given slots within a minute, in ms, by its uid. */
  readonly #admissions = new Map<string, readonly number[]>();
  /** Writes of controllers. */
  get controllerWrites(): number {
    return this.#writes;
  }

  get #now(): number {
    return this.#world.timeline.now;
  }

  /** How stale a leader's view may be now, in ms. */
  get lagMs(): number {
    return this.#now - this.#world.lastFaultAt < troubleMs ? troubleMs : usualLagMs;
  }

  get #isTroubled(): boolean {
    return this.lagMs !== usualLagMs;
  }

  apiHasChanged(change: ApiChange): void {
    const isController = change.by.startsWith('controller');
    this.demands.apiHasChanged(change);
    if (isController && change.kind !== 'pods') this.#writes += 1;
    switch (change.kind) {
      case 'nodes':
        this.#nodeHasChanged(change as ApiChange<'nodes'>, isController);
        return;
      case 'partitions':
        this.#partitionHasChanged(change as ApiChange<'partitions'>);
        return;
      case 'policies':
        this.#policyHasChanged(change as ApiChange<'policies'>, isController);
        return;
      case 'pods':
      case 'agents':
    }
  }

  // --- nodes ------------------------------------------------------------------------------------------------------

  #nodeHasChanged({ type, object, before, by }: ApiChange<'nodes'>, isController: boolean): void {
    const { name, uid = '' } = object.metadata;
    if (type === 'delete') {
      for (const known of [this.#notReady, this.#failed, this.#attempts, this.#ended]) known.delete(name);
      this.#orphans.delete(uid);
      this.#countNodes();
      return;
    }
    if (!isReady(object) && !this.#notReady.has(name)) this.#notReady.set(name, this.#now);
    if (isReady(object)) this.#notReady.delete(name);
    if (isClosedAnyway(object)) this.#closedAnywayUntil.delete(uid);
    else if (!this.#closedAnywayUntil.has(uid)) this.#closedAnywayUntil.set(uid, this.#now);
    if (before === undefined) this.#countNodes();
    if (isController && before && !isClosed(before) && isClosed(object)) this.#closed.set(uid, { at: this.#now, by });
    if (isController && before) {
      this.#keepsOthers(before, object, by);
      this.#pausesInTurn(object, before, by);
    }
    this.#isKnown(name, by);
  }

  #keepsOthers(before: NodeObject, after: NodeObject, by: string): void {
    demand(before.spec?.unschedulable === after.spec?.unschedulable, 'S17', `${by} (un)cordons ${after.metadata.name}`);
    const others = ({ spec }: NodeObject) => (spec?.taints ?? []).filter(({ key }) => !key.includes('gpupartition'));
    demand(isDeepStrictEqual(others(before), others(after)), 'S17', `${by} changes taints of others`);
    demand(after.metadata.annotations?.['example.com/owner'] === 'b', 'S17', `${by} changes annotations of others`);
    const unlent = findUnlent(before, after);
    demand(unlent === undefined, 'S17', `${by}: ${unlent} on ${after.metadata.name}`);
    const hadStartup = hasStartupTaint(before);
    if (hadStartup && !hasStartupTaint(after)) {
      const machine = this.#world.machines.get(after.metadata.name);
      const partition = this.#world.api.find('partitions', after.metadata.name);
      const wish = partition?.spec.wish;
      // A loss at this very moment cannot be known yet.
      const isLost = machine !== undefined && this.#now - machine.lostAt < raceMs;
      const replaced = this.#replaced.get(after.metadata.uid ?? '');
      // Nor can an old leader know a wish that the new one has written at this very moment: what is there was wished until then.
      const isReplaced = replaced !== undefined && this.#now - replaced.at < raceMs && replaced.by !== by;
      const isThere = (one: Wish | undefined): boolean =>
        machine !== undefined && one !== undefined && meets(machine, one.gpus);
      const isMet = isLost || isThere(wish) || (isReplaced && isThere(replaced.wish));
      demand(isMet, 'S3', `${by} takes the start-up taint off ${after.metadata.name}, whose layout is not there`);
    }
  }

  /** While a node has a slot, or is closed, its clients may be away. */
  #pausesInTurn(node: NodeObject, before: NodeObject, by: string): void {
    if (!isPaused(node) || isPaused(before)) return;
    const { name, uid = '' } = node.metadata;
    const isInTurn = isClosed(node) || this.#slotsOf(name, uid).length > 0 || this.#isJustTaken(uid, by);
    demand(isInTurn, 'S5', `${by} pauses clients of ${name}, which has no slot`);
  }

  /**
   * No write can depend on another object: a leader may close or grant a node at the moment when another leader takes its slot back,
   * or a user deletes the policy with its ledger. A leader that has lost its lease, and whose watch of policies has stopped, does not learn
   * of it either, until it ends.
   */
  #isJustTaken(uid: string, by: string): boolean {
    const taken = this.#takenAt.get(uid);
    if (taken === undefined || taken.by === by) return false;
    const isBlind = this.#world.controllers
      .slice(0, -1)
      .some(({ name, frozen }) => name === by && frozen.has('policies'));
    return isBlind || this.#now - taken.at < raceMs;
  }

  /** A node is in the ledger before anything is done to it, and until it is verified. */
  #isKnown(name: string, by: string): void {
    const { api } = this.#world;
    const node = api.find('nodes', name);
    const uid = node?.metadata.uid ?? '';
    if (!node || !this.#isDisrupted(node)) {
      this.#orphans.delete(uid);
      return;
    }
    if (this.#orphans.has(uid)) return;
    const isListed = api
      .list('policies')
      .some(({ status }) => status?.inFlight?.some((slot) => slot.node === name && slot.nodeUID === uid));
    if (!isListed && this.#isJustTaken(uid, by)) this.#orphans.add(uid);
    else demand(isListed, 'S5', `${name} is being changed, and is in no ledger`);
  }

  #isDisrupted(node: NodeObject): boolean {
    const { name } = node.metadata;
    if (isClosedAnyway(node)) return false;
    return isClosed(node) || this.#isGrantLive(name);
  }

  /** Closed for a change, not because it was restarted. */
  #isFenced(name: string): boolean {
    const { taints = [] } = this.#world.api.find('nodes', name)?.spec ?? {};
    return taints.some(({ key, value }) => key === repartitioningTaint.key && value !== restartedValue);
  }

  #isGrantLive(name: string): boolean {
    const { spec, status } = this.#world.api.find('partitions', name) ?? {};
    return (
      spec?.granted !== undefined &&
      spec.nodeUID === this.#world.api.find('nodes', name)?.metadata.uid &&
      (status?.device?.observedEpoch ?? 0) < spec.granted.epoch &&
      this.#endOf(spec.granted) >= this.#now
    );
  }

  /** When a grant is over, in ms, by some leader's clock. */
  #endOf({ deadline }: Grant): number {
    return Date.parse(deadline) - this.#world.slackMs;
  }

  #countNodes(): void {
    this.#sizes.put(this.#world.api.list('nodes').length, this.#now);
  }

  // --- grants -----------------------------------------------------------------------------------------------------

  #partitionHasChanged({ type, object, before, by }: ApiChange<'partitions'>): void {
    for (const { uid } of before?.spec.drain?.pods ?? []) {
      if (object.spec.drain === undefined) this.#takenBack.set(uid, { at: this.#now, by });
    }
    const { name } = object.metadata;
    for (const pod of [before, object].flatMap((one) => one?.status?.device?.plan?.affectedPods ?? []))
      this.#affectedAt.set(pod.slice(pod.indexOf('/') + 1), this.#now);
    if (type === 'delete') return;
    this.#keepsItsPolicy(object, before, by);
    const { granted, wish, nodeUID } = object.spec;
    if (!isDeepStrictEqual(wish, before?.spec.wish))
      this.#replaced.set(nodeUID, { at: this.#now, by, wish: before?.spec.wish });
    if (granted && !isDeepStrictEqual(granted, before?.spec.granted)) this.#isGranted(object, before, by);
    if (by === 'agent') this.#isTold(object, before);
    this.#isKnown(name, by);
  }

  /** An invalid edit changes nothing, and nobody else's policy takes the node. */
  #keepsItsPolicy({ metadata, spec }: StoredPartition, before: StoredPartition | undefined, by: string): void {
    const counts = spec.wish?.gpus.flatMap(({ profiles = {} }) => Object.values(profiles)) ?? [];
    demand(
      counts.every((count) => count < 9),
      'U1',
      `${by} tells ${metadata.name} a layout that no GPU can hold`,
    );
    const name = before?.spec.policy?.name;
    if (name === undefined || name === spec.policy?.name || this.#isTroubled) return;
    const policy = this.#world.api.find('policies', name);
    const edits = this.#world.api.list('policies').map((one) => this.#editedAt.get(one.metadata.uid ?? '') ?? 0);
    const isSettled = edits.every((at) => this.#now - at > this.lagMs);
    const keeps =
      policy && isInvalid(policy.spec) && policy.status?.inForce && policy.metadata.deletionTimestamp === undefined;
    if (!keeps || !isSettled || policy.metadata.uid !== before?.spec.policy?.uid) return;
    const isOwn = this.#winnerOf(metadata.name) === name;
    demand(!isOwn, 'U1', `${by} takes ${metadata.name} from ${name}, whose newest generation is invalid`);
  }

  #isGranted({ metadata, spec, status }: StoredPartition, before: StoredPartition | undefined, by: string): void {
    const { name } = metadata;
    const node = this.#world.api.find('nodes', name);
    const earlier = before?.spec.granted?.epoch ?? 0;
    demand((spec.granted?.epoch ?? 0) > earlier, 'S8', `${by} counts the epoch of ${name} back`);
    const isOver = before?.spec.granted !== undefined && this.#endOf(before.spec.granted) < this.#now;
    const isAnswered = (status?.device?.observedEpoch ?? 0) >= earlier;
    demand(isAnswered || isOver, 'S7', `${by} grants over a grant of ${name}`);
    if (node?.metadata.uid === spec.nodeUID) {
      const isFenced = isClosed(node) || hasStartupTaint(node);
      demand(isFenced, 'S1', `${by} grants ${name}, which is open`);
      const isListed = this.#slotsOf(name, spec.nodeUID).length > 0 || this.#isJustTaken(spec.nodeUID ?? '', by);
      demand(isListed, 'S5', `${by} grants ${name}, which is in no ledger`);
    } else {
      demand(this.#isTroubled || node === undefined, 'S12', `${by} grants in the object of an earlier node ${name}`);
    }
  }

  #slotsOf(name: string, uid: string | undefined): readonly Slot[] {
    return this.#world.api
      .list('policies')
      .flatMap(({ status }) => status?.inFlight ?? [])
      .filter((slot) => slot.node === name && slot.nodeUID === uid);
  }

  #isTold({ metadata, spec, status }: StoredPartition, before: StoredPartition | undefined): void {
    const { device } = status ?? {};
    const isNews = device?.observedEpoch !== before?.status?.device?.observedEpoch;
    const isAnswer = isNews && spec.granted !== undefined && device?.observedEpoch === spec.granted.epoch;
    if (!isAnswer || device.step !== 'Failed') return;
    if (['PlanChanged', 'Stale', 'Stopped'].includes(device.error?.code ?? '')) return;
    const { uid = '' } = spec.policy ?? {};
    // Whether that failure counts for before or after an edit depends on who has seen the edit.
    const isJustEdited = this.#now - (this.#editedAt.get(uid) ?? 0) < this.lagMs;
    // A grant of an earlier generation that ends late has failed at that generation.
    const { generation } = this.#world.api.find('policies', spec.policy?.name ?? '')?.metadata ?? {};
    const isEarlier = (spec.policy?.generation ?? 0) < (generation ?? 0);
    if (isEarlier) return;
    const known = this.#attempts.get(metadata.name);
    const codes = [...(known?.of === uid ? known.codes : []), device.error?.code ?? ''];
    this.#attempts.set(metadata.name, { of: uid, codes });
    if (this.#failed.has(metadata.name) || isJustEdited || isInUseOnce(codes)) return;
    this.#failed.set(metadata.name, { of: uid, at: this.#now });
  }

  /** Called when an agent is about to change a device. */
  deviceIsChanged(
    machine: FleetMachine,
    { partition, granted, isFirst }: DeviceWork,
    gpu: Gpu,
    operation: Operation,
  ): void {
    if (isFirst) this.changes += 1;
    const { lastGood } = partition.status?.device ?? {};
    // What a boot has removed is made again, whatever the time.
    if (lastGood !== undefined && lastGood.bootID !== machine.bootID) return;
    const { deadline, seconds = 0 } = granted;
    const lateMs = this.#now - Date.parse(deadline);
    const words = `${machine.name} is changed ${lateMs / 1000} s after the deadline of its grant of ${seconds} s`;
    demand(lateMs <= seconds * 1000, 'S7', words);
    const gone =
      typeof operation === 'string'
        ? [gpu.uuid, ...gpu.slices.map(({ uuid }) => uuid)]
        : gpu.slices
            .filter(({ start }) => operation.action === 'DestroyInstance' && start === operation.start)
            .map(({ uuid }) => uuid);
    const holders = machine.holders();
    const held = gone.flatMap((id) => holders.get(id) ?? []);
    demand(held.length === 0, 'S1', `what ${held.join()} holds on ${machine.name} is destroyed`);
  }

  // --- the ledger -------------------------------------------------------------------------------------------------

  #policyHasChanged({ type, object, before, by }: ApiChange<'policies'>, isController: boolean): void {
    const { name, uid = '' } = object.metadata;
    if (object.spec.drain?.onTimeout === 'Force') this.#forced.add(name);
    if (object.metadata.generation !== before?.metadata.generation) {
      this.#editedAt.set(uid, this.#now);
      for (const known of [this.#failed, this.#attempts])
        for (const [node, { of }] of known) if (of === uid) known.delete(node);
    }
    // At each write: a generation that is in force for a moment counts, too.
    const ask = this.#askOf(object);
    if (object.status?.canary === undefined) {
      this.#canaries.delete(ask);
      this.#passed.delete(ask);
    }
    if (isController) this.#canariesAreReplaced(object, before);
    const slots = object.status?.inFlight ?? [];
    const earlier = before?.status?.inFlight ?? [];
    const isLost = type === 'delete' || before?.metadata.uid !== uid || !isController;
    const kept = type === 'delete' ? [] : slots;
    for (const slot of earlier) {
      if (kept.some((one) => one.node === slot.node && one.nodeUID === slot.nodeUID)) continue;
      if (isLost) this.#orphans.add(slot.nodeUID ?? '');
      this.#takenAt.set(slot.nodeUID ?? '', { at: this.#now, by });
      const closed = this.#closed.get(slot.nodeUID ?? '');
      this.#isKnown(slot.node, closed?.by ?? by);
      // Leaders that act at the same time cannot know of each other; one that comes later can.
      const isOld = closed !== undefined && this.#now - closed.at > newLeaderMs;
      demand(
        isLost || !isOld || !this.#orphans.has(slot.nodeUID ?? ''),
        'S5',
        `${by} takes the slot of ${slot.node}, which is being changed`,
      );
    }
    if (!isController || type === 'delete') return;
    this.#canaryPasses(object, before, by);
    const isNew = (slot: Slot): boolean =>
      !earlier.some(
        ({ node, startTime, generation }) =>
          node === slot.node && startTime === slot.startTime && generation === slot.generation,
      );
    for (const one of slots) if (!earlier.some(({ nodeUID }) => nodeUID === one.nodeUID)) this.#countAdmissions(one);
    const added = slots.filter(isNew);
    if (added.length > 0) this.#isAdmitted(object, { slots, added, earlier }, by);
  }

  /** A slot that is given back at once and asked for again is two writes of the policy each time. */
  #countAdmissions({ node, nodeUID }: Slot): void {
    // Two leaders undo what the other does.
    if (this.#world.controllers.length > 1) return;
    const admitted = (this.#admissions.get(nodeUID) ?? []).filter((at) => at > this.#now - 60_000);
    this.#admissions.set(nodeUID, [...admitted, this.#now]);
    demand(admitted.length < mostAdmissions, 'L8', `${node} is admitted ${admitted.length + 1} times within a minute`);
  }

  /**
   * A leader whose watches lag takes a canary that another has just found done for one that waits for another slot: it starts over. No
   * leader can know better while there are two.
   */
  #canariesAreReplaced(policy: Policy, before: Policy | undefined): void {
    const { status } = policy;
    const { canary: was } = before?.status ?? {};
    const { canary: is } = status ?? {};
    if (this.#world.controllers.length < 2 || was?.generation !== is?.generation) return;
    const known = this.#canaries.get(this.#askOf(policy));
    for (const node of was?.nodes ?? []) {
      if (is?.nodes.includes(node) === true) continue;
      for (const key of known?.keys() ?? []) if (key.startsWith(`${node} `)) known?.delete(key);
    }
  }

  /** Names what a policy asks for: a pause, a resumption and a preview ask for nothing new, and need no canary of their own. */
  #askOf({ metadata, spec, status }: Policy | GpuPartitionPolicy): string {
    const { uid = '', generation } = metadata;
    const known = this.#asks.get(uid);
    // Of two edits in one moment the first may come into force, too.
    const inForce = status?.acceptedGeneration === generation ? { generation, spec } : status?.inForce;
    const { mode, rollout: _rollout, ...asked } = (inForce?.spec ?? {}) as Partial<PolicySpec>;
    if (inForce === undefined || mode === 'Plan') return known?.key ?? `${uid} ${generation}`;
    // Each switch of its schedules asks again.
    const { since = '' } = this.#world.api.find('policies', metadata.name)?.status?.schedule ?? {};
    if (known?.key.endsWith(` ${since}`) === true && isDeepStrictEqual(known.asked, asked)) return known.key;
    const key = `${uid} ${inForce.generation} ${since}`;
    this.#asks.set(uid, { asked, key });
    return key;
  }

  /** Others follow a canary that is well at that moment. */
  #canaryPasses(policy: Policy, before: Policy | undefined, by: string): void {
    const { metadata, status } = policy;
    const { nodes = [], passedTime } = status?.canary ?? {};
    if (passedTime === undefined || before?.status?.canary?.passedTime === passedTime) return;
    // Before any node follows, a canary may be gone.
    this.#countSoaked(policy);
    const ill = nodes.find((node) => this.#now - (this.#notReady.get(node) ?? Infinity) > this.lagMs);
    demand(ill === undefined, 'S18', `${by} lets the canary of ${metadata.name} pass, and ${ill} is not Ready`);
  }

  #isAdmitted(
    policy: Policy,
    {
      slots,
      added,
      earlier,
    }: { readonly slots: readonly Slot[]; readonly added: readonly Slot[]; readonly earlier: readonly Slot[] },
    by: string,
  ): void {
    const { rollout } = policy.spec;
    // A node that is closed for an earlier wish keeps its place for the next one.
    const isExchanged = ({ node, nodeUID }: Slot): boolean =>
      earlier.some((slot) => slot.node === node && slot.nodeUID === nodeUID);
    const retires = policy.metadata.deletionTimestamp !== undefined;
    // What is being changed already was not chosen, whatever its kind.
    const isChanging = ({ node, nodeUID }: Slot): boolean =>
      this.#isGrantLive(node) || this.#isFenced(node) || this.#isJustTaken(nodeUID, by);
    const chosen = added.filter((slot) => slot.kind !== 'Found' && !(slot.kind === 'Fresh' && isChanging(slot)));
    const disrupting = chosen.filter(({ kind }) => kind !== 'Fresh');
    const names = chosen.map(({ node, kind }) => `${node} (${kind})`).join();
    const words = `${by} admits ${names} for ${policy.metadata.name}`;
    if (chosen.length === 0) return;
    demand(retires || rollout?.paused !== true, 'S12', `${words}, which is paused`);
    const starts = chosen.some((slot) => slot.kind === 'New' && !isExchanged(slot));
    demand(!starts || retires || policy.spec.mode !== 'Plan', 'S12', `${words}, which only plans`);
    demand(!starts || retires || !isInvalid(policy.spec), 'U1', `${words}, whose newest generation is invalid`);
    const frozen = this.#world.controllers.find((one) => one.name === by)?.freeze;
    demand(frozen === undefined, 'S12', `${words} although all is frozen`);
    for (const { node, nodeUID, kind } of chosen) {
      const known = this.#world.api.find('nodes', node);
      const isThis = known?.metadata.uid === nodeUID || this.#isTroubled || known === undefined;
      demand(isThis, 'S5', `${words}: that is not the uid of ${node}`);
      const until = this.#closedAnywayUntil.get(nodeUID ?? '') ?? Infinity;
      demand(kind !== 'Fresh' || this.#now - until < this.lagMs, 'S5', `${words}: ${node} is open`);
    }
    if (disrupting.length > 0) {
      if (disrupting.some((slot) => !isExchanged(slot))) this.#isWithinBudget(policy, slots, words);
      const { windows } = rollout ?? {};
      demand(
        retires || windows === undefined || isOpen(windows, this.#now, this.#world.slackMs),
        'S19',
        `${words} outside of its windows`,
      );
    }
    const fresh = chosen.filter(({ kind }) => kind === 'New');
    if (fresh.length > 0 && !retires) this.#isStarted(policy, fresh, words);
    if (chosen.some((slot) => !isExchanged(slot))) this.#isWithinCap(words);
  }

  #isWithinBudget(policy: Policy, slots: readonly Slot[], words: string): void {
    const { maxUnavailable = 1 } = policy.spec.rollout ?? {};
    const retires = policy.metadata.deletionTimestamp !== undefined;
    const size = this.#sizeOf(policy);
    const most = Math.max(retires ? 1 : 0, limitOf(maxUnavailable, size));
    const held = slots.filter(({ kind }) => kind !== 'Fresh');
    const others = [...this.#notReady].filter(
      ([node, since]) =>
        this.#now - since > this.lagMs &&
        this.#winnerOf(node) === policy.metadata.name &&
        !isClosedAnyway(this.#world.api.find('nodes', node)) &&
        slots.every((slot) => slot.node !== node),
    );
    const count = `${held.length} in flight, ${others.length} not ready of ${size}`;
    demand(held.length + others.length <= most, 'S5', `${words}: ${count}, maxUnavailable ${maxUnavailable}`);
  }

  /** Upper bound of the nodes that a leader may count as the policy's. */
  #sizeOf(policy: Policy): number {
    // Another policy may take its nodes, or give some up, at this very moment.
    const isRace = [...this.#editedAt.values()].some((at) => this.#now - at < raceMs);
    if (isRace || this.#isTroubled || this.#sizes.hasChangedWithin(this.lagMs, this.#now)) {
      return this.#sizes.most(this.lagMs, this.#now);
    }
    const { api } = this.#world;
    return api.list('nodes').filter(({ metadata }) => this.#winnerOf(metadata.name) === policy.metadata.name).length;
  }

  #winnerOf(node: string): string | undefined {
    const { api } = this.#world;
    const labels = api.find('nodes', node)?.metadata.labels ?? {};
    // A generation that is invalid, or only plans, competes for nothing: the one in force does.
    const policies = api.list('policies').flatMap((one): readonly Policy[] => {
      const { inForce } = one.status ?? {};
      if (!isInvalid(one.spec) && one.spec.mode !== 'Plan') return [one];
      return inForce
        ? [{ ...one, spec: { ...(inForce.spec as PolicySpec), onDelete: one.spec.onDelete ?? 'Keep' } }]
        : [];
    });
    const isSelected = ({ spec }: Policy): boolean =>
      Object.entries(spec.nodeSelector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
    const decides = ({ metadata, spec }: Policy): boolean =>
      metadata.deletionTimestamp === undefined || spec.onDelete === 'DisableMig';
    // A policy that is being deleted leaves its nodes to any other.
    const isGoing = ({ metadata }: Policy): number => (metadata.deletionTimestamp === undefined ? 0 : 1);
    const rank = (a: Policy, b: Policy): number =>
      isGoing(a) - isGoing(b) ||
      (b.spec.priority ?? 0) - (a.spec.priority ?? 0) ||
      (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '') ||
      a.metadata.name.localeCompare(b.metadata.name);
    const found = policies.filter((one) => isSelected(one) && decides(one));
    return found.toSorted(rank)[0]?.metadata.name;
  }

  #isWithinCap(words: string): void {
    // Across all policies: counted by the leader, and by only one.
    if (this.#isTroubled) return;
    const { api, setup } = this.#world;
    const all = api.list('policies').reduce((sum, { status }) => sum + (status?.inFlight?.length ?? 0), 0);
    const most = limitOf(setup.cap, this.#sizes.most(20_000, this.#now));
    demand(all <= most, 'S5', `${words}: ${all} in flight of all policies, --max-concurrent-nodes ${setup.cap}`);
  }

  /** Threshold and canary bind nodes that start although nothing on them needs repair. */
  #isStarted(policy: Policy, started: readonly Slot[], words: string): void {
    const { failureThreshold = 1, canary } = policy.spec.rollout ?? {};
    const { uid = '' } = policy.metadata;
    const failed = [...this.#failed].filter(
      ([node, { of, at }]) =>
        of === uid && this.#now - at > this.lagMs && this.#winnerOf(node) === policy.metadata.name,
    );
    const threshold = Math.max(1, limitOf(failureThreshold, this.#sizeOf(policy)));
    demand(failed.length < threshold, 'S18', `${words}: ${failed.map(([node]) => node).join()} failed`);
    if (!canary) return;
    const key = this.#askOf(policy);
    const known = this.#canaries.get(key) ?? new Map<string, number | undefined>();
    this.#canaries.set(key, known);
    this.#countSoaked(policy);
    if (this.#passed.has(key)) return;
    // A node whose pods did not terminate the first time starts once more.
    const starts = new Set(started.map(({ node, nodeUID }) => `${node} ${nodeUID}`));
    const alive = [...known.keys()].filter((node) => !starts.has(node) && this.#isHeldFor(policy, node));
    for (const node of starts) known.set(node, undefined);
    const count = alive.length + started.length;
    demand(count <= canary.nodes, 'S18', `${words} before the canary has soaked`);
  }

  /** Remembers that enough of a generation's canaries have soaked by now. */
  #countSoaked(policy: Policy): void {
    const { canary } = policy.spec.rollout ?? {};
    if (!canary) return;
    const key = this.#askOf(policy);
    // Times have a resolution of one second.
    const latest = this.#now + 1000 + this.#world.slackMs - soakOf(canary.soak);
    const soaked = [...(this.#canaries.get(key)?.values() ?? [])].filter(
      (since) => since !== undefined && since <= latest,
    );
    if (soaked.length >= canary.nodes) this.#passed.add(key);
  }

  /** Whether a canary counts: it exists, and has a slot or is done. A canary that has since lost its layout starts over. */
  #isHeldFor(policy: Policy, key: string): boolean {
    const { status, metadata } = policy;
    const { api, machines } = this.#world;
    const [node = '', uid = ''] = key.split(' ');
    if (api.find('nodes', node)?.metadata.uid !== uid) return false;
    if (this.#winnerOf(node) !== metadata.name) return false;
    if (status?.inFlight?.some((slot) => slot.node === node && slot.nodeUID === uid) === true) return true;
    const wasReady = this.#canaries.get(this.#askOf(policy))?.get(key) !== undefined;
    const machine = machines.get(node);
    const { wish } = api.find('partitions', node)?.spec ?? {};
    return wasReady && machine !== undefined && wish !== undefined && meets(machine, wish.gpus);
  }

  // --- decisions --------------------------------------------------------------------------------------------------

  isDecided(by: string, snapshot: NodeSnapshot, settled: SettledDecision): void {
    const { node, claim } = snapshot;
    const { verdict, commands } = settled;
    const uncounted = findUncounted(snapshot, settled);
    const { metadata, spec } = node;
    demand(uncounted === undefined, 'S18', `${metadata.name} ends with ${uncounted}, and does not count as failed`);
    const isGranted = commands.some((command) => command.name === 'WriteGrant');
    demand(!isGranted || spec?.unschedulable !== true, 'S17', `${by} grants ${metadata.name}, which is cordoned`);
    this.#isNoFalseAlarm(snapshot, settled);
    this.#isNotHeldByTheDead(snapshot, settled);
    this.#isNotHeldByTheStuck(snapshot, settled);
    const { name, uid = '' } = node.metadata;
    const key = `${name} ${uid}`;
    const policy: GpuPartitionPolicy | undefined = claim.winner;
    const own = policy === undefined ? '' : this.#askOf(policy);
    this.#leaveLost(name, key);
    if (verdict.phase !== 'Ready') return;
    for (const map of [this.#failed, this.#attempts, this.#ended]) map.delete(name);
    const known = this.#canaries.get(own);
    if (known?.has(key) === true && known.get(key) === undefined) known.set(key, this.#now);
  }

  /** Somebody had the GPUs open once: the next attempt sends the clients away first, and nothing has failed yet. */
  #isNoFalseAlarm({ node, partition }: NodeSnapshot, { verdict, rolloutState }: SettledDecision): void {
    const { name } = node.metadata;
    const isAnswered = partition?.spec.granted?.epoch === partition?.status?.device?.observedEpoch;
    // Its verdict says that it was an attempt of the agent.
    const isAttempt = verdict.reason === 'Failed' && isAnswered;
    if (verdict.phase === 'Failed' && !isAttempt) this.#ended.add(name);
    const { codes = [] } = this.#attempts.get(name) ?? {};
    const isAlarm = rolloutState.hasFailed && isInUseOnce(codes) && !this.#ended.has(name);
    demand(!isAlarm, 'S18', `${name} counts as failed, whose GPUs somebody had open once: ${verdict.message}`);
  }

  /** A machine that is dead keeps its slot for the deadlines of its grant, of the answer, and of its plugin at most. */
  #isNotHeldByTheDead({ node, slot, now }: NodeSnapshot, { verdict, rolloutState }: SettledDecision): void {
    const since = this.#world.machines.get(node.metadata.name)?.diedAt;
    const isHeld = since !== undefined && slot !== undefined && rolloutState.isUnderWay;
    const deadMs = isHeld ? now - Math.max(since, Date.parse(slot.startTime ?? ''), this.#world.ledAt) : 0;
    const words = `dead for ${deadMs / 1000} s, ${node.metadata.name} keeps its slot: ${verdict.message}`;
    demand(deadMs < longestDeadMs, 'L8', words);
  }

  /**
   * Pods that never go keep the slot of their node for the time that the policy gives them, and again as long, unless it waits for them.
   * A node with the new layout is closed until its plugin offers it, and counts as unavailable for as long.
   */
  #isNotHeldByTheStuck(
    { node, slot, claim, pods = [] }: NodeSnapshot,
    { verdict, rolloutState }: SettledDecision,
  ): void {
    const { name } = node.metadata;
    const { stuckAt: since, diedAt, lostAt = 0 } = this.#world.machines.get(name) ?? {};
    const { metadata, spec } = claim.winner ?? {};
    const { timeout = '10m', onTimeout } = spec?.drain ?? {};
    const isLeaving = pods.some(
      (pod) => pod.metadata.labels?.['role'] !== undefined && pod.metadata.deletionTimestamp !== undefined,
    );
    const isLate = isLeaving || verdict.reason === 'AdvertisePending' || verdict.reason === 'RefreshBlocked';
    const isHeld = since !== undefined && slot !== undefined && rolloutState.isUnderWay && !isLate;
    // A machine that has died since is judged as a dead one.
    if (!isHeld || diedAt !== undefined || onTimeout === 'Wait') return;
    const editedAt = this.#editedAt.get(metadata?.uid ?? '') ?? 0;
    // A node that has restarted meanwhile begins once more.
    const begunAt = Math.max(since, Date.parse(slot.startTime ?? ''), editedAt, lostAt, this.#world.ledAt);
    const heldMs = this.#now - begunAt;
    const words = `pods of ${name} stay for ${heldMs / 1000} s, and it keeps its slot: ${verdict.message}`;
    demand(heldMs < 2 * msOf(timeout) + longestDeadMs, 'L8', words);
  }

  /** A node that another policy has won meanwhile is no longer a canary. */
  #leaveLost(node: string, key: string): void {
    const lists = [...this.#canaries].filter(([, canaries]) => canaries.has(key));
    if (lists.length === 0) return;
    const winner = this.#world.api.find('policies', this.#winnerOf(node) ?? '')?.metadata.uid ?? '';
    for (const [of, canaries] of lists) if (!of.startsWith(`${winner} `)) canaries.delete(key);
  }

  // --- pods -------------------------------------------------------------------------------------------------------

  podIsEvicted(pod: Pod, by: string): void {
    const { metadata } = pod;
    const { uid } = metadata;
    this.#goesInTurn(pod, by);
    if (!isUsers(pod)) return;
    this.demands.podGoes(pod, by);
    this.#isOnWhatGoes(pod, by);
    const partition = this.#world.api.find('partitions', nodeOf(pod));
    const isAnnounced = partition?.spec.drain?.pods.some((one) => one.uid === uid) === true;
    const back = this.#takenBack.get(uid ?? '');
    const isRace = back !== undefined && back.by !== by && this.#now - back.at < raceMs;
    demand(isAnnounced || isRace, 'S13', `${by} evicts ${metadata.name}, which was not announced`);
    demand(
      metadata.ownerReferences !== undefined,
      'S13',
      `${by} evicts ${metadata.name}, which nobody would make again`,
    );
  }

  /** What moves a pod holds a slot, or has closed the node with one and leaves it as its device is. */
  #goesInTurn(pod: Pod, by: string): void {
    const node = this.#world.api.find('nodes', nodeOf(pod));
    const uid = node?.metadata.uid ?? '';
    if (!node) return;
    // A pod that only read the devices before a change is replaced after it, which takes nothing from a user.
    const isOthers =
      !isUsers(pod) && (pod.metadata.labels?.['role'] !== 'plugin' || isClosed(node) || isClosedAnyway(node));
    const isInTurn = isOthers || this.#slotsOf(nodeOf(pod), uid).length > 0 || this.#isJustTaken(uid, by);
    demand(isInTurn || this.#isTroubled, 'S5', `${by} ends ${pod.metadata.name}, and ${nodeOf(pod)} has no slot`);
  }

  /** A pod goes because what it holds goes, or because its node drains whole. */
  #isOnWhatGoes(pod: Pod, by: string): void {
    const { metadata } = pod;
    const { plan } = this.#world.api.find('partitions', nodeOf(pod))?.status?.device ?? {};
    const goneAt = this.#affectedAt.get(metadata.uid ?? '') ?? -Infinity;
    const holds = plan?.affectedPods?.includes(`default/${metadata.name}`) === true || this.#now - goneAt <= this.lagMs;
    const policy = this.#world.api.find('policies', this.#drainOf(metadata.uid ?? '') ?? '');
    const specs = [policy?.spec, policy?.status?.inForce?.spec as PolicySpec | undefined];
    const isWhole = specs.some((spec) => spec?.drain?.scope === 'Node');
    demand(holds || isWhole || !policy, 'S13', `${by} ends ${metadata.name}, which holds nothing that goes`);
  }

  /** The policy for which a pod was told to go. */
  #drainOf(uid: string): string | undefined {
    const told = this.#world.api.list('partitions').find(({ spec }) => spec.drain?.pods.some((one) => one.uid === uid));
    return told?.spec.policy?.name;
  }

  podIsDeleted(pod: Pod, by: string): void {
    const { metadata } = pod;
    this.#goesInTurn(pod, by);
    this.demands.podGoes(pod, by);
    this.#isOnWhatGoes(pod, by);
    const policy = this.#world.api.find('partitions', nodeOf(pod))?.spec.policy?.name ?? '';
    demand(this.#forced.has(policy), 'S13', `${by} deletes ${metadata.name}, and policy ${policy} forces nothing`);
  }
}

/** Recent values of a number. */
class History<Value extends number> {
  #entries: readonly { readonly at: number; readonly value: Value }[] = [];

  put(value: Value, at: number): void {
    this.#entries = [...this.#entries.slice(-40), { at, value }];
  }

  hasChangedWithin(ms: number, now: number): boolean {
    return (this.#entries.at(-1)?.at ?? 0) > now - ms;
  }

  most(ms: number, now: number): number {
    const before = this.#entries.findLast(({ at }) => at <= now - ms);
    const since = this.#entries.filter(({ at }) => at > now - ms);
    return Math.max(...[...(before ? [before] : []), ...since].map(({ value }) => value));
  }
}

/** Whether the machine's GPUs match the wish. */
export function meets(
  { device }: FleetMachine,
  wishes: readonly {
    readonly uuid: string;
    readonly mig?: string | undefined;
    readonly profiles?: Readonly<Record<string, number>> | undefined;
  }[],
): boolean {
  return wishes.every(({ uuid, mig, profiles }) => {
    const gpu = device.gpus.find((one) => one.uuid === uuid);
    if (!gpu) return false;
    if (profiles === undefined) return mig === undefined || gpu.mig === mig;
    const counts: Record<string, number> = {};
    for (const { profile } of gpu.slices) counts[profile] = (counts[profile] ?? 0) + 1;
    const names = new Set([...Object.keys(counts), ...Object.keys(profiles)]);
    return gpu.mig === 'Enabled' && [...names].every((name) => (counts[name] ?? 0) === (profiles[name] ?? 0));
  });
}

/** As a user of these stories writes it. */
function isInvalid({ layouts = [] }: PolicySpec): boolean {
  return layouts.some(({ profiles = {} }) => Object.values(profiles).some((count) => count > 8));
}

/** Whether a single attempt has failed, because somebody had a GPU open. */
function isInUseOnce(codes: readonly string[]): boolean {
  return codes.length === 1 && codes[0] === 'InUse';
}

function isReady({ status }: NodeObject): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
}

/** Whether GPU clients are kept away from a node. */
export function isPaused({ metadata }: NodeObject): boolean {
  return Object.values(metadata.labels ?? {}).includes(pausedForMigChange);
}

function hasStartupTaint(node: NodeObject | undefined): boolean {
  return (node?.spec?.taints ?? []).some(({ key }) => key === 'gpupartition.dev/uninitialized');
}

function isClosed({ spec }: NodeObject): boolean {
  return (spec?.taints ?? []).some(({ key }) => key === ourTaint);
}

function isClosedAnyway(node: NodeObject | undefined): boolean {
  const isRestarted = (node?.spec?.taints ?? []).some(({ key, value }) => key === ourTaint && value === 'restarted');
  return hasStartupTaint(node) || isRestarted;
}

/** Rounded down, but to 0 only if 0 is meant. */
function limitOf(limit: number | string, of: number): number {
  const most = typeof limit === 'number' ? limit : (of * Number.parseInt(limit, 10)) / 100;
  return most <= 0 || (typeof limit === 'string' && limit.startsWith('0')) ? 0 : Math.max(1, Math.floor(most));
}

function soakOf(soak: string | undefined): number {
  const amount = Number.parseInt(soak ?? '0', 10);
  return soak?.endsWith('m') === true ? amount * 60_000 : amount * 1000;
}

/** Windows in these stories start every ten minutes; a decision made just before one closes is written just after. */
function isOpen(
  windows: NonNullable<NonNullable<PolicySpec['rollout']>['windows']>,
  now: number,
  clocksMs: number,
): boolean {
  const slackMs = 2000 + clocksMs;
  return windows.some(({ duration }) => (now + clocksMs) % 600_000 <= soakOf(duration) + slackMs + clocksMs);
}
