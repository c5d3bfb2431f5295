import { listManagedLabels } from '../../nvidia/feature-discovery/managed-labels.ts';
import { isUnfinished, metadataOf } from '../node-view.ts';
import { alsoDoes, type Ruling, type Situation } from '../outcome.ts';
import { layoutLabels } from './labels.ts';
import { currentOffer } from './current-offer.ts';
import { isDeviceDone, onlyPlans } from './wish.ts';

/**
 * Our labels on an open node follow its device and its plugin's strategy, whatever keeps it from matching its policy, and even if no
 * policy is left: pods select by them, and nothing else corrects them. A node that matches is labelled where it is finished.
 */
export function followDevice(situation: Situation, ruling: Ruling): Ruling {
  const { node, partition, agent } = situation;
  const isFinished = ruling.verdict.phase === 'Ready' && isDeviceDone(situation);
  const isOurs = listManagedLabels(metadataOf(node)).length > 0 && !isFinished && !onlyPlans(situation);
  const isThisBoot = partition.status?.device?.bootID === node.status?.nodeInfo?.bootID;
  if (!isOurs || !isThisBoot || agent.state !== 'Ready' || isUnfinished(node)) return ruling;
  const change = layoutLabels(situation, currentOffer(situation).labels);
  return alsoDoes(ruling, { name: 'PatchNode', change });
}
