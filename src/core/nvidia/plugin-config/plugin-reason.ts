import { type ContainerStatusView, podName, type PodView } from '../../pods/pod-view.ts';
import { cutText } from '../../text/cut-text.ts';

/** The end of a container's log or of an image error may be long; a condition's message is not the place for all of it. */
const longest = 300;

/** Why a device plugin's pod is not ready, as the kubelet and the scheduler word it; undefined for one that is. */
export function explainPluginPod(pod: PodView): string | undefined {
  const { metadata, status } = pod;
  const name = `pod ${podName(pod)}`;
  if (metadata.deletionTimestamp !== undefined) return `${name} is being terminated`;
  const { phase, conditions = [], initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  if (phase === 'Failed' || phase === 'Succeeded') {
    return `${name} has ended (${phase})${detail(status?.reason, status?.message)}`;
  }
  if (conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True')) return undefined;
  const unscheduled = conditions.find(({ type, status: value }) => type === 'PodScheduled' && value === 'False');
  if (unscheduled !== undefined) return `${name} has no node${detail(unscheduled.reason, unscheduled.message)}`;
  const init = initContainerStatuses.find(({ state }) => state?.terminated?.exitCode !== 0);
  if (init !== undefined) return `${name}: init container ${describeContainer(init, 'has not ended')}`;
  const container = containerStatuses.find(({ ready }) => ready !== true);
  if (container !== undefined) return `${name}: container ${describeContainer(container, 'is not ready')}`;
  return `${name} has not started yet`;
}

/** Whether one of its containers keeps failing, rather than being about to start. */
export function isFailing({ status }: PodView): boolean {
  const { initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  return [...initContainerStatuses, ...containerStatuses].some(
    ({ state, restartCount = 0 }) =>
      /BackOff|Err|Invalid/.test(state?.waiting?.reason ?? '') ||
      (restartCount > 0 && (state?.terminated?.exitCode ?? 0) !== 0),
  );
}

/** The kubelet forgets a container's restarts once it has run for so long: twice its longest delay, in ms (client-go `flowcontrol.Backoff`). */
const backoffEndMs = 600_000;

/** Whether the kubelet would delay the next restart of a container, since it has restarted it lately. */
export function isFreshRestart({ status }: PodView, now: number): boolean {
  return (status?.containerStatuses ?? []).some(({ state, restartCount = 0 }) => {
    const startedAt = Date.parse(state?.running?.startedAt ?? '');
    return restartCount > 0 && !(now - startedAt > backoffEndMs);
  });
}

function describeContainer({ name, state, lastState, restartCount = 0 }: ContainerStatusView, lacks: string): string {
  const last = lastState?.terminated;
  const before = last === undefined ? '' : `; it ended with ${last.exitCode}${detail(last.reason, last.message)}`;
  const often = restartCount === 0 ? '' : `; restarts: ${restartCount}`;
  const { waiting, terminated, running } = state ?? {};
  if (waiting !== undefined) return `${name} is waiting${detail(waiting.reason, waiting.message)}${before}${often}`;
  if (terminated !== undefined) {
    return `${name} ended with ${terminated.exitCode}${detail(terminated.reason, terminated.message)}${often}`;
  }
  return running === undefined ? `${name} has not started yet` : `${name} runs and ${lacks} yet${before}${often}`;
}

function detail(reason: string | undefined, message: string | undefined): string {
  const parts = [reason, message].map((part) => part?.trim() ?? '').filter((part) => part !== '');
  const text = parts.join(': ').replaceAll(/\s+/g, ' ');
  return text === '' ? '' : `: ${cutText(text, longest)}`;
}
