import { listUnusedResources } from '../../nvidia/resources/offered-status.ts';
import { resumeWait, waitFor } from '../memory.ts';
import { isUnfinished } from '../node-view.ts';
import { alsoDoes, alsoWaits, type Ruling, type Situation } from '../outcome.ts';
import { changeKey } from '../refresh-mark.ts';

/** The kubelet reports the capacity of a removed resource for five minutes more. */
const afterMs = 10 * 60_000;

/**
 * Removes resources of layouts that are long gone from the status of a node that is Ready, if the administrator wants it. The kubelet
 * shows them with the amount 0 as long as the Node exists, which confuses schedulers (kai-scheduler/KAI-Scheduler#1120). What somebody
 * brings back is left alone until the device changes.
 */
export function tidyStatus(situation: Situation, ruling: Ruling): Ruling {
  const { node, partition, settings } = situation;
  const { verdict } = ruling;
  if (!settings.tidyNodeStatus || verdict.phase !== 'Ready' || isUnfinished(node)) return ruling;
  const change = changeKey(partition);
  if (resumeWait(situation, 'Tidied', change) !== undefined) return ruling;
  const unused = listUnusedResources(node.status ?? {}, partition.status?.device?.advertised?.resources ?? {});
  if (unused.length === 0) return ruling;
  const leftMs = afterMs - (resumeWait(situation, 'Reason', verdict.reason)?.lastsMs ?? 0);
  if (leftMs > 0) {
    const requeueAfterMs = Math.min(verdict.requeueAfterMs ?? Infinity, leftMs);
    return { ...ruling, verdict: { ...verdict, requeueAfterMs } };
  }
  const gone = Object.fromEntries(unused.map((name) => [name, null]));
  const status = { allocatable: gone, capacity: gone };
  const tidied = alsoDoes(ruling, { name: 'AdvertiseDevices', status, change });
  return alsoWaits(tidied, waitFor(situation, 'Tidied', change).waits);
}
