import { gpuPresenceLabel } from '../../../api/names.ts';
import { closeNode } from '../node-marks.ts';
import { isClosed } from '../node-view.ts';
import type { Ruling } from '../outcome.ts';
import type { Situation } from '../snapshot.ts';
import { describeAgent } from './grant-in-flight.ts';

/** An agent may be away for so long, in ms, before it is told: a DaemonSet that is updated replaces its pods one by one. */
const mayBeAwayMs = 30_000;

/** What is told of a node whose agent was not heard of is of the past: nothing that is decided may rest on it. */
export function agentAway(situation: Situation): Ruling | undefined {
  const { agent, waits, partition } = situation;
  if (agent.state === 'Ready') return undefined;
  const lastsMs = waits.lasts('AgentAway');
  const device = partition.status?.device;
  const known =
    device?.gpus === undefined
      ? 'the GPUs of this node are not known'
      : 'what it said of the GPUs last is not believed';
  return {
    verdict: {
      phase: 'Pending',
      reason: 'AgentNotReporting',
      message: `${describeAgent(situation)}; ${known}`,
      transient: lastsMs < mayBeAwayMs,
      ...(lastsMs < mayBeAwayMs && { requeueAfterMs: mayBeAwayMs - lastsMs + 10 }),
    },
    keepsClosed: true,
  };
}

/** A node that a policy selects and that has no GPU. */
export function noGpus({ partition, node, agent }: Situation): Ruling | undefined {
  const { gpus, lastGood } = partition.status?.device ?? {};
  // GPUs that are not there any more are a fault.
  if ((lastGood?.gpus ?? []).length > 0) return undefined;
  const isMarked = node.metadata.labels?.[gpuPresenceLabel] === 'true';
  const message =
    gpus?.length === 0
      ? 'the agent finds no GPU on this node'
      : gpus === undefined && agent.state === 'Missing' && !isMarked
        ? `the node has no label ${gpuPresenceLabel}=true, so that no agent runs on it: nobody says that it has GPUs`
        : undefined;
  return message === undefined ? undefined : { verdict: { phase: 'Ready', reason: 'NoGpus', message } };
}

/** No reading at all. */
export function agentSilent({ partition }: Situation): Ruling | undefined {
  const { gpus, error } = partition.status?.device ?? {};
  if (gpus !== undefined) return undefined;
  const message = error
    ? `the agent cannot read the GPUs: ${error.code}: ${error.message}`
    : 'the agent of this node has not reported its GPUs yet';
  return { verdict: { phase: 'Pending', reason: 'AgentNotReporting', message, transient: error === undefined } };
}

/**
 * No instance survives a restart. Until the agent has read the GPUs in this boot, and made the layout again, a pod might get a GPU
 * that is still whole.
 */
export function notReadSinceBoot({ partition, node, claim }: Situation): Ruling | undefined {
  const { bootID = 'unknown', error, step } = partition.status?.device ?? {};
  const nodeBootID = node.status?.nodeInfo?.bootID ?? '';
  if (nodeBootID === '' || bootID === 'unknown' || bootID === nodeBootID) return undefined;
  const { granted, wish } = partition.spec;
  const expected = granted?.gpus ?? (claim.winner?.spec.mode === 'Plan' ? undefined : wish?.gpus);
  if (expected?.some(({ profiles }) => profiles !== undefined) !== true) return undefined;
  const trouble = step === 'Unknown' && error ? `: ${error.code}: ${error.message}` : '';
  const message = `the node has been restarted, and its agent has not read the GPUs since${trouble}; no pod may come until the layout is there again`;
  return {
    verdict: { phase: 'Updating', reason: 'NodeRestarted', message, transient: true },
    ...(!isClosed(node) && { commands: [{ name: 'PatchNode', change: closeNode() }] }),
    keepsClosed: true,
  };
}

/** What is known is of before: unknown is neither idle nor done. */
export function deviceUnreadable({ partition }: Situation): Ruling | undefined {
  const { step, error } = partition.status?.device ?? {};
  if (step !== 'Unknown') return undefined;
  const found = error ? `${error.code}: ${error.message}` : 'it does not say why';
  const message = `the agent cannot read the GPUs: ${found}`;
  return { verdict: { phase: 'Failed', reason: 'DeviceUnreadable', message }, keepsClosed: true };
}
