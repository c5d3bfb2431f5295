import { stateLabel } from '../../../api/names.ts';
import { listManagedLabels } from '../../nvidia/feature-discovery/managed-labels.ts';
import { type NodeChange, combine } from '../../metadata/node-change.ts';
import { markState, type StateMark, releaseNode, reopenNode } from '../node-marks.ts';
import { hasStartupTaint, isClosed, isUnfinished, metadataOf } from '../node-view.ts';
import { alsoDoes, alsoWaits, type Outcome, type Ruling, type Situation, type Verdict } from '../outcome.ts';
import { layoutLabels, withoutLayoutLabels } from './labels.ts';
import { currentOffer } from './current-offer.ts';
import { refreshAfterSilence } from './refresh-after-silence.ts';
import { type Offered, refreshPlugin } from './refresh-plugin.ts';
import { isUntouched } from './untouched.ts';
import { onlyPlans } from './wish.ts';

/**
 * Our taint must not outlive its cause, even if a controller died between tainting and granting; nor may it be removed while the
 * node advertises what its device no longer is, whether the device matches the wish or not.
 */
export function openIdle(situation: Situation, ruling: Ruling): Outcome {
  const { node, partition } = situation;
  const { phase, reason } = ruling.verdict;
  // The rule that finds a node Ready opens it, unless there is nothing to be ready.
  if (ruling.ifClosed === 'Stays' || (phase === 'Ready' && reason !== 'NoGpus')) return ruling;
  const isReleased = phase === 'Unmanaged';
  const change = isReleased ? releaseNode() : reopenNode(stateOf(ruling.verdict));
  if (!isUnfinished(node)) return isReleased ? addPatch(ruling, change) : ruling;
  // The start-up taint keeps the node closed: no layout of it was ever verified.
  if (hasStartupTaint(node)) return isReleased || isClosed(node) ? addPatch(ruling, change) : ruling;
  const { gpus, step } = partition.status?.device ?? {};
  // An unknown device cannot be compared with what is advertised.
  if (gpus === undefined) return addPatch(ruling, change);
  if (isUntouched(situation)) {
    const isOurs = listManagedLabels(metadataOf(node)).length > 0;
    const labels = isOurs ? layoutLabels(situation, currentOffer(situation).labels) : {};
    return addPatch(ruling, combine(change, labels));
  }
  const pending = step === 'Unknown' ? restartPlugin(situation) : advertiseDevice(situation);
  if ('needs' in pending) return pending;
  if (!('verdict' in pending)) return alsoWaits(addPatch(ruling, combine(change, pending.marks)), pending.waits);
  const commands = [...(ruling.commands ?? []), ...(pending.commands ?? [])];
  if (isReleased || phase === 'Ready') return alsoWaits({ ...pending, commands }, ruling.waits);
  const requeueAfterMs = Math.min(
    ruling.verdict.requeueAfterMs ?? Infinity,
    pending.verdict.requeueAfterMs ?? Infinity,
  );
  return {
    ...ruling,
    verdict: {
      ...sayClosed(ruling.verdict, pending.verdict.message),
      ...(Number.isFinite(requeueAfterMs) && { requeueAfterMs }),
    },
    commands,
    waits: { ...ruling.waits, ...pending.waits },
    ifClosed: 'Stays',
  };
}

/** A verdict on a node that will be opened, and is not yet. */
export function sayClosed(verdict: Verdict, why: string): Verdict {
  return { ...verdict, message: `${verdict.message}. The node stays closed: ${why}` };
}

/** The node's labels must tell other tools its true state, even if that is not going to change for a while. */
export function markLasting(situation: Situation, ruling: Ruling): Ruling {
  const { node, claim } = situation;
  const state = stateOf(ruling.verdict);
  const isMarked = claim.winner !== undefined && node.metadata.labels?.[stateLabel] !== undefined;
  const isLeftAlone = ruling.leavesAlone === true || onlyPlans(situation) || isUnfinished(node);
  if (!isMarked || state === undefined || ruling.verdict.transient === true || isLeftAlone) return ruling;
  return addPatch(ruling, markState(state));
}

/** The state mark for a verdict; undefined if the verdict implies none. */
function stateOf({ phase }: Verdict): StateMark | undefined {
  switch (phase) {
    case 'Waiting':
    case 'Pending':
      return 'waiting';
    case 'Failed':
    case 'Invalid':
      return 'failed';
    case 'Ready':
    case 'Updating':
    case 'Unmanaged':
      return undefined;
  }
}

/** What a node offers when it is opened, and the changes that label it so. */
interface Labelled extends Offered {
  readonly marks: NodeChange;
}

/** Whatever the device has become, pods must not select the node by outdated labels. @returns why they may not come yet, or that they may */
function advertiseDevice(situation: Situation): Outcome | Labelled {
  // The plugin's pods tell with which strategy it runs.
  if (situation.pods === undefined) return { needs: 'Pods' };
  const { strategy, labels, resources } = currentOffer(situation);
  const marks = layoutLabels(situation, labels);
  const pending = refreshPlugin(situation, { strategy, resources, marks });
  if ('needs' in pending) return pending;
  if (!('verdict' in pending)) return { ...pending, marks };
  // On a node that is open but offers nothing, labels follow a device that changes once more.
  return isClosed(situation.node) ? pending : addPatch(pending, marks);
}

/** The last report is outdated, and no new one is awaited: a plugin that starts now advertises what exists. */
function restartPlugin(situation: Situation): Outcome | Labelled {
  const pending = refreshAfterSilence(situation, situation.partition.spec.granted?.epoch ?? 0);
  return 'needs' in pending || 'verdict' in pending ? pending : { ...pending, marks: withoutLayoutLabels(situation) };
}

function addPatch(ruling: Ruling, change: NodeChange): Ruling {
  return alsoDoes(ruling, { name: 'PatchNode', change });
}
