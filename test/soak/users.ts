import { retryAnnotation } from '../../src/api/names.ts';
import { describeDeployment } from '../../src/simulator/rig/workloads.ts';
import type { Random } from '../model/random.ts';
import {
  describePolicy,
  impossible,
  layouts,
  type SoakPool,
  pools,
  type PolicyWish,
  type SoakProfiles,
} from './cast.ts';
import type { ClusterActs } from './cluster-acts.ts';

/** What people do to a cluster, one thing at a time, at random. */
export class Users {
  readonly #acts: ClusterActs;
  readonly #random: Random;
  readonly #nodes: readonly string[];
  readonly #wishes = new Map<SoakPool, PolicyWish>();
  readonly #cordoned = new Set<string>();
  /** How often each thing was done. */
  readonly done = new Map<string, number>();

  constructor(acts: ClusterActs, random: Random, nodes: readonly string[]) {
    this.#acts = acts;
    this.#random = random;
    this.#nodes = nodes;
  }

  async act(): Promise<void> {
    const pool = this.#random.pick(pools) ?? 'a';
    const deeds: readonly (readonly [weight: number, what: string, deed: () => Promise<unknown>])[] = [
      [8, 'layout edited', () => this.#edit(pool, { profiles: this.#drawLayout(pool) })],
      [2, 'impossible layout', () => this.#edit(pool, { profiles: impossible[pool] })],
      [1, 'refused edit', () => this.#edit(pool, { profiles: { '99g.1gb': -1 } })],
      [2, 'paused', () => this.#edit(pool, { paused: true })],
      [3, 'resumed', () => this.#edit(pool, { paused: false })],
      [1, 'policy deleted', () => this.#deletePolicy(pool)],
      [6, 'deployment scaled', () => this.#deploy(pool)],
      [2, 'node cordoned', () => this.#cordon()],
      [3, 'nodes uncordoned', () => this.#uncordon()],
      [2, 'retry asked', () => this.#retry(this.#random.pick(this.#nodes) ?? '')],
    ];
    let at = this.#random.next() * deeds.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, what, deed] of deeds) {
      at -= weight;
      if (at > 0) continue;
      this.done.set(what, (this.done.get(what) ?? 0) + 1);
      await deed();
      return;
    }
  }

  /** Asks for what can be had, and takes back what stands in the way. @returns whether it was taken */
  async settle(): Promise<boolean> {
    await this.#uncordon();
    const policies = await this.#acts.policies();
    if (policies.some(({ metadata }) => metadata.deletionTimestamp !== undefined)) return false;
    for (const pool of pools) {
      const wish = this.#wishes.get(pool);
      const isPossible = wish !== undefined && layouts[pool].includes(wish.profiles);
      await this.#edit(pool, { paused: false, ...(!isPossible && { profiles: this.#drawLayout(pool) }) });
    }
    return true;
  }

  /** Asks for a retry of a node, as people do once they have fixed it. */
  async #retry(node: string): Promise<void> {
    await this.#acts.patchNode(node, {
      metadata: { annotations: { [retryAnnotation]: `t${this.#random.integer(1e9)}` } },
    });
  }

  async retryAll(nodes: readonly string[]): Promise<void> {
    for (const node of nodes) await this.#retry(node);
  }

  async #edit(pool: SoakPool, change: Partial<PolicyWish>): Promise<void> {
    const usual: PolicyWish = { profiles: this.#drawLayout(pool), paused: false, onDelete: 'Keep' };
    const wish = { ...usual, ...this.#wishes.get(pool), ...change };
    const status = await this.#acts.applyPolicy(pool, describePolicy(pool, wish));
    if (status >= 200 && status < 300) this.#wishes.set(pool, wish);
  }

  async #deletePolicy(pool: SoakPool): Promise<void> {
    await this.#edit(pool, { onDelete: this.#random.chance(0.5) ? 'Keep' : 'DisableMig' });
    await this.#acts.deletePolicy(pool);
  }

  async #deploy(pool: SoakPool): Promise<void> {
    const profile = this.#random.pick(Object.keys(this.#wishes.get(pool)?.profiles ?? this.#drawLayout(pool))) ?? '';
    const name = `work-${pool}`;
    const replicas = this.#random.integer(this.#nodes.length);
    const prefers = { key: 'pool', value: pool };
    const deployment = describeDeployment({ name, resource: `nvidia.com/mig-${profile}`, replicas, prefers });
    await this.#acts.apply(`/apis/apps/v1/namespaces/default/deployments/${name}`, deployment);
  }

  async #cordon(): Promise<void> {
    const node = this.#random.pick(this.#nodes) ?? '';
    this.#cordoned.add(node);
    await this.#acts.patchNode(node, { spec: { unschedulable: true } });
  }

  async #uncordon(): Promise<void> {
    for (const node of this.#cordoned) {
      const status = await this.#acts.patchNode(node, { spec: { unschedulable: null } });
      if (status !== 0) this.#cordoned.delete(node);
    }
  }

  #drawLayout(pool: SoakPool): SoakProfiles {
    return this.#random.pick(layouts[pool]) ?? {};
  }
}
