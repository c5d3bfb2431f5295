import { listManagedLabels } from '../../nvidia/feature-discovery/managed-labels.ts';
import { isUnfinished, metadataOf } from '../node-view.ts';
import type { Ruling } from '../outcome.ts';
import type { Situation } from '../snapshot.ts';
import { layoutLabels } from './labels.ts';
import { presentOffer } from './present-offer.ts';
import { isDeviceDone } from './wish.ts';

/**
 * Labels of ours on an open node follow a device that is not as wished, whatever keeps it from being changed, and also where no policy
 * is left: pods choose by them, and nobody else puts them right. A device that is as wished is labelled where it is finished.
 */
export function followDevice(situation: Situation, ruling: Ruling): Ruling {
  const { node, partition, agent } = situation;
  const isOurs = listManagedLabels(metadataOf(node)).length > 0 && !isDeviceDone(situation);
  const isThisBoot = partition.status?.device?.bootID === node.status?.nodeInfo?.bootID;
  if (!isOurs || !isThisBoot || agent.state !== 'Ready' || isUnfinished(node)) return ruling;
  const change = layoutLabels(situation, presentOffer(situation).labels);
  return { ...ruling, commands: [...(ruling.commands ?? []), { name: 'PatchNode', change }] };
}
