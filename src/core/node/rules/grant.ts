import { definedOnly } from '../../text/defined-fields.ts';
import { combine } from '../../metadata/node-change.ts';
import { timeText } from '../../text/duration.ts';
import { closeNode } from '../node-marks.ts';
import { isClosed, isUnfinished } from '../node-view.ts';
import { waitFor } from '../memory.ts';
import { nextEpoch } from '../observed-epoch.ts';
import { type Outcome, passing, type Ruling, type Situation } from '../outcome.ts';
import { isRepair, recentRepairs } from '../repair.ts';
import { backendOf } from '../backend.ts';
import { checkBackend, checkDriver } from './check-driver.ts';
import { checkOffer, checkPlugin } from './check-plugin.ts';
import { foreignOwner, takeOver } from './foreign-owner.ts';
import { holdersGo, holdersRest, noteHolders } from './holders-go.ts';
import { awaitBudgets } from './await-budgets.ts';
import { awaitClaims } from './await-claims.ts';
import { awaitReading } from './await-reading.ts';
import { drain } from './drain.ts';
import { presumeAffected } from './plan-holders.ts';
import { tellMonitors } from './tell-monitors.ts';
import { sparePods } from './spare-pods.ts';
import { drainRests } from './drain-rest.ts';
import { refuseDrain } from './refuse-drain.ts';
import { listPodsToSignal } from './signal-plugin.ts';
import { awaitTurn } from './slot.ts';
import { noteUntouched } from './untouched.ts';
import { wishOf } from './wish.ts';
import type { PodView } from '../../pods/pod-view.ts';

/** All earlier rules have passed: closes the node, makes sure that no pod uses what the plan destroys, and grants the plan. */
export function grant(situation: Situation): Outcome {
  const { node, settings, pods = [] } = situation;
  // The taint does not stop a pod that the scheduler has just placed: allow a moment for it to show up.
  const closed = waitFor(situation, 'Closed');
  const unsettled = isClosed(node) ? settings.settleMs - closed.lastsMs : 0;
  if (unsettled > 0) return { ...closing(unsettled), waits: closed.waits };
  // 1. Do not close a node for nothing, nor one that is not ours to touch.
  return (
    foreignOwner(situation) ??
    // 2. From here on, decide on a fresh read only.
    awaitTurn(situation, 'Layout', [
      checkBackend,
      ...(backendOf(situation) === 'DRA' ? [checkDriver] : [checkPlugin, checkOffer]),
      holdersRest,
      (one) => tellMonitors(one, pods),
      (one) => drainRests(one, pods),
      (one) => refuseDrain(one, pods),
      (one) => sparePods(one, presumeAffected(one, pods)),
      (one) => (isClosed(one.node) ? undefined : awaitClaims(one, pods)),
    ]) ??
    awaitBudgets(situation, pods) ??
    takeOver(situation, 'Layout') ??
    closeAndGrant(situation, pods)
  );
}

function closeAndGrant(situation: Situation, pods: readonly PodView[]): Outcome {
  // 3. Close it.
  if (!isClosed(situation.node)) {
    const waits = isUnfinished(situation.node) ? undefined : noteUntouched(situation, pods);
    const change = combine(closeNode(), noteHolders(situation, pods));
    return { ...closing(situation.settings.settleMs, [{ name: 'PatchNode', change }]), waits };
  }
  // 4. The pods were just listed, and what each of them holds must be known. First go those that hold the GPUs open without
  // requesting them, then those on what is to be destroyed: no pod is evicted for a change that a holder prevents.
  return (
    awaitClaims(situation, pods) ??
    awaitReading(situation, pods) ??
    clear(situation, pods) ??
    writeGrant(situation, pods)
  );
}

function clear(situation: Situation, pods: readonly PodView[]): Ruling | undefined {
  const { slot, claim } = situation;
  const drained = (): Ruling | undefined => slot && drain(situation, slot, pods);
  // Pods that are waited for, not evicted, may take long: nothing needs to be taken away meanwhile. And a pod with a claim ends only
  // while the DRA driver is there.
  const isAwaited = claim.winner?.spec.drain?.scope === 'None' || backendOf(situation) === 'DRA';
  return isAwaited ? (drained() ?? holdersGo(situation, pods)) : (holdersGo(situation, pods) ?? drained());
}

function closing(requeueAfterMs: number, commands: Ruling['commands'] = []): Ruling {
  const message = 'the node is closed to new GPU pods; the change starts once no late pod has arrived';
  return { ...passing('Updating', 'AwaitingGrant', message, requeueAfterMs), commands, keepsHoldersAway: true };
}

/** Grants exactly the plan that was read. The partition's version makes this a compare-and-swap. */
function writeGrant(situation: Situation, pods: readonly PodView[]): Ruling {
  const { partition, claim, settings, now } = situation;
  const { winner } = claim;
  const wish = wishOf(situation);
  const epoch = nextEpoch(partition);
  // A failed attempt between two repairs does not reset their count.
  const repairs = [...recentRepairs(partition, now), ...(isRepair(partition) ? [timeText(now)] : [])];
  return {
    ...passing('Updating', 'Applying', `the agent applies grant ${epoch}`, settings.deadlineMs + 1000),
    commands: [
      {
        name: 'WriteGrant',
        granted: {
          gpus: wish?.gpus ?? [],
          epoch,
          policy: definedOnly({ uid: winner?.metadata.uid, generation: winner?.metadata.generation }),
          planHash: partition.status?.device?.plan?.hash ?? '',
          deadline: timeText(now + settings.deadlineMs),
          seconds: Math.max(1, Math.round(settings.deadlineMs / 1000)),
          allowGpuReset: winner?.spec.allow?.gpuReset ?? true,
          allowReboot: winner?.spec.allow?.reboot ?? null,
          replaceForeignInstances: wish?.replaceForeignInstances ?? null,
          rollback: winner?.spec.rollout?.rollback ?? null,
          signalPods: listPodsToSignal(situation, pods),
        },
        repairs: repairs.length > 0 ? repairs : null,
      },
    ],
    keepsHoldersAway: true,
  };
}
