import { isReady, podName, type PodView } from '../pods/pod-view.ts';
import type { AgentView } from './snapshot.ts';
import { cutText } from '../text/cut-text.ts';

/** @param all the pods of one node's agent */
export function viewAgent(all: readonly PodView[]): AgentView {
  const pods = all.filter(({ metadata }) => !metadata.deletionTimestamp);
  const [first] = pods;
  if (!first) return { state: 'Missing' };
  if (pods.some(isReady)) return { state: 'Ready' };
  return { state: 'NotReady', why: describePod(first) };
}

function describePod(pod: PodView): string {
  const { status } = pod;
  const waiting = status?.containerStatuses?.[0]?.state?.waiting;
  const why = waiting
    ? [waiting.reason, waiting.message].filter((text) => text !== undefined && text !== '').join(': ')
    : (status?.conditions?.[0]?.message ?? `phase ${status?.phase ?? 'unknown'}`);
  return `pod ${podName(pod)} (${cutText(why, 200)})`;
}
