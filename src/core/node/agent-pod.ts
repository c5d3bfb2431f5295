import { podName } from '../pods/gpu-pods.ts';
import type { AgentView } from './snapshot.ts';
import { cutText } from '../text/cut-text.ts';

/** What is read of an agent's pod: its sign of life. */
export interface AgentPod {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } };
    }[];
  };
}

/** @param all the pods of one node's agent */
export function viewAgent(all: readonly AgentPod[]): AgentView {
  const pods = all.filter(({ metadata }) => !metadata.deletionTimestamp);
  const [first] = pods;
  if (!first) return { state: 'Missing' };
  if (pods.some(isReady)) return { state: 'Ready' };
  return { state: 'NotReady', why: describePod(first) };
}

function isReady({ status }: AgentPod): boolean {
  return status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') ?? false;
}

function describePod(pod: AgentPod): string {
  const { status } = pod;
  const waiting = status?.containerStatuses?.[0]?.state?.waiting;
  const why = waiting
    ? [waiting.reason, waiting.message].filter((text) => text !== undefined && text !== '').join(': ')
    : (status?.conditions?.[0]?.message ?? `phase ${status?.phase ?? 'unknown'}`);
  return `pod ${podName(pod)} (${cutText(why, 200)})`;
}
