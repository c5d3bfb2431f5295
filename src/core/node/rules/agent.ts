import { compareVersions } from '../../text/version-skew.ts';
import { gpuPresenceLabel } from '../../../api/names.ts';
import { driverUpgrade, isDriverReplaced } from '../../nvidia/driver-upgrade.ts';
import { fenceRestart } from '../node-marks.ts';
import { isClosed, isReadBeforeBoot } from '../node-view.ts';
import { leaveOpen, passing, type Ruling, type Situation } from '../outcome.ts';
import { describeAgent } from './grant-in-flight.ts';
import { onlyPlans } from './wish.ts';
import { describeFault } from '../../report/device-fault.ts';

/** A node that a policy selects and that has no GPU. */
export function noGpus({ partition, node, agent }: Situation): Ruling | undefined {
  const { gpus, lastGood } = partition.status?.device ?? {};
  // GPUs that have disappeared are a fault.
  if ((lastGood?.gpus ?? []).length > 0) return undefined;
  const isMarked = node.metadata.labels?.[gpuPresenceLabel] === 'true';
  const message =
    gpus?.length === 0
      ? 'the agent finds no GPU on this node'
      : gpus === undefined && agent.state === 'Missing' && !isMarked
        ? `the node has no label ${gpuPresenceLabel}=true, so no agent runs on it and its GPUs are unknown`
        : undefined;
  return message === undefined ? undefined : leaveOpen('Ready', 'NoGpus', message);
}

/** No reading at all. */
export function agentSilent({ partition }: Situation): Ruling | undefined {
  const { gpus, error } = partition.status?.device ?? {};
  if (gpus !== undefined) return undefined;
  const message = error
    ? `the agent cannot read the GPUs: ${describeFault({ error })}`
    : 'the agent on this node has not reported its GPUs yet';
  return {
    verdict: { phase: 'Pending', reason: 'AgentNotReporting', message, transient: error === undefined },
    // GPUs that have not been reported are not missing GPUs.
    ifClosed: 'Stays',
  };
}

/**
 * No instance survives a restart. Until the agent has read the GPUs in this boot, and recreated the layout, a pod might get a GPU
 * that is still whole.
 */
export function notReadSinceBoot(situation: Situation): Ruling | undefined {
  const { partition, node, agent } = situation;
  const { device = {} } = partition.status ?? {};
  const { error, step } = device;
  if (!isReadBeforeBoot(node, partition) || !expectsSlices(situation)) return undefined;
  const found = step === 'Unknown' && error ? `: ${describeFault(device)}` : '';
  const trouble = agent.state === 'Ready' ? found : ` (${describeAgent(situation)})`;
  const message = `the node restarted, and its agent has not read the GPUs since${trouble}; it stays closed until the layout is restored`;
  return closed(situation, 'NodeRestarted', message);
}

/**
 * Nor does an instance survive a reload of the driver's modules, which gpu-operator does to upgrade it: the boot id stays, and the
 * earlier reading still looks valid. The node is closed before whoever cordoned it opens it.
 */
export function driverReplaced(situation: Situation): Ruling | undefined {
  const { labels = {} } = situation.node.metadata;
  if (!isDriverReplaced(labels) || !expectsSlices(situation)) return undefined;
  const message = `${driverUpgrade(labels) ?? 'the driver has been replaced'}; no pod may come until the layout is there again`;
  return closed(situation, 'DriverUpgrade', message);
}

function closed({ node }: Situation, reason: 'NodeRestarted' | 'DriverUpgrade', message: string): Ruling {
  return {
    ...passing('Updating', reason, message),
    ...(!isClosed(node) && { commands: [{ name: 'PatchNode', change: fenceRestart() }] }),
  };
}

/** In mode Plan no layout comes back. */
function expectsSlices(situation: Situation): boolean {
  const { granted, wish } = situation.partition.spec;
  const expected = onlyPlans(situation) ? undefined : (granted?.gpus ?? wish?.gpus);
  return expected?.some(({ profiles }) => profiles !== undefined) === true;
}

/** What is known is outdated: unknown means neither idle nor done. */
export function deviceUnreadable({ partition }: Situation): Ruling | undefined {
  const { device } = partition.status ?? {};
  if (device?.step !== 'Unknown') return undefined;
  const found = describeFault(device) ?? 'it gives no reason';
  const message = `the agent cannot read the GPUs: ${found}`;
  return { verdict: { phase: 'Failed', reason: 'DeviceUnreadable', message }, ifClosed: 'Stays' };
}

/** An agent that may not understand our grant, or whose report we may not understand, changes nothing. */
export function agentSkewed({ partition, settings }: Situation): Ruling | undefined {
  const { agentVersion } = partition.status?.device ?? {};
  const skew = compareVersions(agentVersion, settings.version);
  if (skew === 'Fine') return undefined;
  const which = skew === 'TooOld' ? 'the image of the agents’ DaemonSet' : 'the image of the controller’s Deployment';
  const message =
    `the agent is version ${agentVersion}, the controller ${settings.version}: they may be at most one minor version apart. ` +
    `Nothing changes on this node until then; update ${which}`;
  return leaveOpen('Failed', skew === 'TooOld' ? 'AgentTooOld' : 'AgentTooNew', message);
}
