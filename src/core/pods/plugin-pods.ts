import { hasEnded, type PodView } from './pod-view.ts';
import { isOfDaemonSet } from './system-pods.ts';

export type LabelSelector = Readonly<Record<string, string>>;

/** Pods of NVIDIA's device plugin: gpu-operator's, the Helm chart's, the static manifest's. */
const knownPlugins: readonly LabelSelector[] = [
  { app: 'nvidia-device-plugin-daemonset' },
  { 'app.kubernetes.io/name': 'nvidia-device-plugin' },
  { name: 'nvidia-device-plugin-ds' },
];

/** Pods of NVIDIA's DRA driver that publish GPUs: its Helm chart's, and those of gpu-operator's GPUCluster. */
const knownDrivers: readonly LabelSelector[] = [
  { 'dra-driver-nvidia-gpu-component': 'kubelet-plugin' },
  { app: 'nvidia-dra-driver-kubelet-plugin' },
];

/** The part of the driver that hands out no GPUs, but channels between nodes: its chart may deploy it alone. */
const channelContainer = 'compute-domains';

/** The pods of NVIDIA's DRA driver that publish GPUs among those of a node. */
export function driverPodsOf(pods: readonly PodView[]): readonly PodView[] {
  return daemonPods(pods, knownDrivers).filter(({ spec }) =>
    (spec?.containers ?? []).some(({ name }) => name !== channelContainer),
  );
}

// The Helm chart gives its three DaemonSets the same labels; only the containers tell their pods apart.
const otherContainers = ['gpu-feature-discovery-ctr', 'mps-control-daemon-ctr'];

/**
 * The pods of the device plugin among those of a node. Only a DaemonSet's: other pods might not be recreated.
 *
 * @param more labels of a plugin that is not NVIDIA's
 */
export function pluginPodsOf(pods: readonly PodView[], more?: LabelSelector): readonly PodView[] {
  return daemonPods(pods, selectorsWith(more)).filter(
    ({ spec }) => !(spec?.containers ?? []).some(({ name }) => name !== undefined && otherContainers.includes(name)),
  );
}

function daemonPods(pods: readonly PodView[], selectors: readonly LabelSelector[]): readonly PodView[] {
  const isMeant = ({ metadata: { labels = {} } }: PodView): boolean =>
    selectors.some((selector) => Object.entries(selector).every(([key, value]) => labels[key] === value));
  return pods.filter((pod) => !hasEnded(pod) && isOfDaemonSet(pod) && isMeant(pod));
}

/** The labels that identify a device plugin, in words: `a=b, c=d or e=f`. */
export function describePluginSelectors(more?: LabelSelector): string {
  const texts = selectorsWith(more).map((selector) =>
    Object.entries(selector)
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
  );
  return `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}

function selectorsWith(more: LabelSelector | undefined): readonly LabelSelector[] {
  return more === undefined ? knownPlugins : [...knownPlugins, more];
}

/** `a=b,c=d` as kubectl writes it, equality only; undefined for anything else. */
export function parseEqualitySelector(text: string): LabelSelector | undefined {
  const pairs = text.split(',').map((part) => /^\s*([\w./-]+)\s*==?\s*([\w.-]*)\s*$/.exec(part));
  const entries = pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? ''] as const);
  return entries.every(([key]) => key !== '') ? Object.fromEntries(entries) : undefined;
}
