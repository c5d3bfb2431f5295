import type { PodObject } from '../kubelet/node/kube-objects.ts';
import type { PodProgram } from '../kubelet/pods/pod-program.ts';
import type { RigProcess } from './process.ts';

const agentNamespace = 'gpu-partition-agents';
const agentName = 'gpu-partition-agent';
const notStarted: PodProgram = { isRunning: false, ends: 0, crashedAtMs: undefined, start: () => undefined };

/** The agent process that a pod of the agents' DaemonSet stands for; undefined for other pods. */
export function agentOf(pod: PodObject, agents: ReadonlyMap<string, RigProcess>): PodProgram | undefined {
  const { namespace, labels } = pod.metadata;
  if (namespace !== agentNamespace || labels?.['app.kubernetes.io/name'] !== agentName) return undefined;
  return agents.get(pod.spec?.nodeName ?? '') ?? notStarted;
}
