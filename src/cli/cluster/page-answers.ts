import { stringify } from 'yaml';
import { pods, policies } from '../../api/resources.ts';
import type { GpuPartitionPolicy } from '../../api/types.ts';
import type { ClusterState, ControllerSetup } from '../../core/plan/cluster-state.ts';
import { writeChangePlan } from '../../core/plan/plan-text.ts';
import { asWritten } from '../../core/policy/as-written.ts';
import type { KueueReading } from '../../core/supply/kueue.ts';
import { explainWaiting, listWaiting } from '../../core/view/waiting-pods.ts';
import { reportWaste } from '../../core/waste/waste-report.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { readKueue } from '../../kube/read-kueue.ts';
import { foreseeChange } from '../../process/change-plan.ts';
import type { PageAnswers, PlanAnswer } from '../../ui/page-answers.ts';
import { WasteSamples } from '../../ui/waste-samples.ts';
import { parsePolicies } from '../plan/policy-files.ts';
import type { SavedCluster } from '../plan/snapshot-file.ts';
import { find, listAllowed } from './connection.ts';
import { readCluster, readFacts } from './facts.ts';
import { readHistory, savedHistory } from './node-history.ts';
import { podName, type PodView } from '../../core/pods/pod-view.ts';

/** Asks the cluster, with the user's own rights, each time somebody looks. */
export function answerLive(client: KubeClient, setup: ControllerSetup): PageAnswers {
  const waste = new WasteSamples(() => readFacts(client));
  return {
    waste: () => waste.report(),
    waiting: async () => explainWaiting(await readFacts(client)),
    async countWaiting() {
      // Without a node: a cluster has many pods, and few that wait.
      const found = await listAllowed<PodView & KubeObject>(client, pods, { fieldSelector: 'spec.nodeName=' });
      // What a claim is for, only the rest of the cluster shows.
      const hasClaims = found?.some(({ spec }) => (spec?.resourceClaims ?? []).length > 0) === true;
      const others = hasClaims ? await readFacts(client) : { nodes: [], partitions: [], policies: [] };
      return found && listWaiting({ ...others, pods: found }).length;
    },
    async history(node) {
      const running = await listAllowed<PodView & KubeObject>(client, pods, { fieldSelector: `spec.nodeName=${node}` });
      return { ...(await readHistory(client, node)), podsSince: listStarts(running ?? []) };
    },
    async policy(name) {
      const ref = { resource: policies, name };
      return writePolicy(await find<GpuPartitionPolicy & KubeObject>(client, `policy ${name}`, ref), name);
    },
    plan: async (text) => {
      const given = parsePolicies(text);
      return answerPlan(given, await readCluster(client), setup, () => readKueue(client));
    },
  };
}

/** From what was saved. */
export function answerSaved(saved: SavedCluster, setup: ControllerSetup): PageAnswers {
  const report = reportWaste([saved]);
  return {
    waste: async () => report,
    waiting: async () => explainWaiting(saved),
    countWaiting: async () => listWaiting(saved).length,
    async history(node) {
      const running = saved.pods.filter(({ spec }) => spec?.nodeName === node);
      return { ...savedHistory(saved, node), podsSince: listStarts(running) };
    },
    policy: async (policy) =>
      writePolicy(
        saved.policies.find(({ metadata }) => metadata.name === policy),
        policy,
      ),
    plan: async (text) => answerPlan(parsePolicies(text), saved, setup, async () => saved.kueue),
  };
}

function writePolicy(policy: GpuPartitionPolicy | undefined, name: string): string {
  if (!policy) throw new Error(`the cluster has no policy ${name}`);
  return stringify(asWritten(policy, policy.spec));
}

/** When pods started, as `NAMESPACE/NAME`. */
function listStarts(found: readonly PodView[]): Readonly<Record<string, string>> {
  const started = found.flatMap((pod) => {
    const at = pod.status?.startTime;
    return at === undefined ? [] : [[podName(pod), at] as const];
  });
  return Object.fromEntries(started);
}

async function answerPlan(
  given: readonly GpuPartitionPolicy[],
  cluster: ClusterState,
  setup: ControllerSetup,
  readQueues: () => Promise<KueueReading>,
): Promise<PlanAnswer> {
  const plan = await foreseeChange(cluster, given, setup, readQueues);
  const { waves, findings, summary, nodes } = plan;
  const evictions = nodes.flatMap(({ node, evictions: list }) =>
    // An agent has reported them, and they have ended since.
    list.filter(({ fate }) => fate !== 'Gone').map(({ pod, fate }) => ({ node, pod, fate })),
  );
  return { waves, findings, summary, evictions, lines: writeChangePlan(plan) };
}
