import { compareVersions } from '../../text/version-skew.ts';
import { leaveOpen, type Ruling, type Situation } from '../outcome.ts';

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
