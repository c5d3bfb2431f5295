import type { AgentView } from '../core/node/snapshot.ts';
import { podName } from '../core/pods/pod-name.ts';
import type { Change } from '../kube/store.ts';
import type { AgentPod } from './project.ts';

/** The agents' pods by node. */
export class AgentPods {
  readonly #byNode = new Map<string, Map<string, AgentPod>>();

  /** @returns the node that the change is about, if any */
  take({ type, key, object }: Change<AgentPod>): string | undefined {
    const node = object.spec?.nodeName;
    if (node === undefined) return undefined;
    const pods = this.#byNode.get(node) ?? new Map<string, AgentPod>();
    if (type === 'delete') pods.delete(key);
    else pods.set(key, object);
    if (pods.size > 0) this.#byNode.set(node, pods);
    else this.#byNode.delete(node);
    return node;
  }

  viewOf(node: string): AgentView {
    const pods = [...(this.#byNode.get(node)?.values() ?? [])].filter(({ metadata }) => !metadata.deletionTimestamp);
    const [first] = pods;
    if (!first) return { state: 'Missing' };
    if (pods.some(isReady)) return { state: 'Ready' };
    return { state: 'NotReady', why: describePod(first) };
  }
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
  return `pod ${podName(pod)} (${why.slice(0, 200)})`;
}
