import type { Change } from '../../../kube/store.ts';
import type { PodObject } from '../node/kube-objects.ts';

/** Pods by their node, and there by `namespace/name`. */
export class PodIndex {
  readonly #byNode = new Map<string, Map<string, PodObject>>();

  follow({ type, key, object }: Change<PodObject>): void {
    const node = object.spec?.nodeName ?? '';
    const pods = this.#byNode.get(node) ?? new Map<string, PodObject>();
    this.#byNode.set(node, pods);
    if (type === 'delete') pods.delete(key);
    else pods.set(key, object);
  }

  on(node: string): ReadonlyMap<string, PodObject> {
    return this.#byNode.get(node) ?? new Map<string, PodObject>();
  }
}
