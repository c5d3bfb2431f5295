import type { AgentView } from '../core/node/snapshot.ts';
import type { Change } from '../kube/store.ts';
import { viewAgent } from '../core/node/agent-pod.ts';
import type { PodView } from '../core/pods/pod-view.ts';

/** The agents' pods by node. */
export class AgentPods {
  readonly #byNode = new Map<string, Map<string, PodView>>();

  /** @returns the node that the change is about, if any */
  update({ type, key, object }: Change<PodView>): string | undefined {
    const node = object.spec?.nodeName;
    if (node === undefined) return undefined;
    const pods = this.#byNode.get(node) ?? new Map<string, PodView>();
    if (type === 'delete') pods.delete(key);
    else pods.set(key, object);
    if (pods.size > 0) this.#byNode.set(node, pods);
    else this.#byNode.delete(node);
    return node;
  }

  viewOf(node: string): AgentView {
    return viewAgent([...(this.#byNode.get(node)?.values() ?? [])]);
  }
}
