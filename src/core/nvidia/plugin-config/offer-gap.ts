import type { NodeReason } from '../../../api/names.ts';
import { pluginDeployLabel } from '../../pods/gpu-holders.ts';
import { describePluginSelectors } from '../../pods/plugin-pods.ts';
import type { LabelSelector } from '../../pods/plugin-pods.ts';
import { migResourceName } from '../labels/label-key.ts';
import { MIG_STRATEGIES } from '../labels/mig-strategy.ts';
import type { MigStrategy } from '../labels/mig-strategy.ts';
import type { NodeDescription } from '../labels/node-description.ts';
import { advertisedResources, resourcesText } from '../resources/advertised.ts';
import { computeResources } from '../resources/node-resources.ts';
import { describeReplicas, explainOffer } from '../resources/offer.ts';
import type { Offer, OfferedResources } from '../resources/offer.ts';

/** A node before anything on it is touched. */
export interface OfferSituation {
  /** Its current state: `describeReport` of the agent's report. */
  readonly device: NodeDescription;
  /** Of the policy. */
  readonly strategy: MigStrategy;
  readonly offer: OfferedResources;
  /** The plugin takes strategy and sharing from our file as soon as the layout is there: what it offers now tells nothing about them. */
  readonly hasOwnConfig: boolean;
  /** Whether the node has a pod of a known device plugin that we may restart. */
  readonly hasPlugin: boolean;
  /** Whether a plugin that is no such pod is a gap: nobody may restart it after the change. */
  readonly refusesUnknown?: boolean | undefined;
  /**
   * A taint of ours or a start-up taint is on the node, or a change of it has begun: a plugin that does not tolerate the taint comes
   * when it is removed, and what is advertised is outdated.
   */
  readonly isClosed: boolean;
  /** No GPU of the node is in MIG mode after the change: every strategy advertises such GPUs alike. */
  readonly becomesWhole: boolean;
  /** Labels of a plugin's pods besides the well-known ones. */
  readonly selector?: LabelSelector | undefined;
}

export interface OfferGap {
  readonly reason: Extract<NodeReason, 'NoDevicePlugin' | 'StrategyMismatch' | 'SharingRefused'>;
  readonly message: string;
}

const untilThen = 'Nothing is touched until then';

/**
 * Why the slices of a new layout would not be advertised as the policy says, judged by how the node advertises its devices now;
 * undefined if that fits, or tells nothing: even then the plugin's settings may (`strategyMismatch`).
 */
export function findOfferGap(situation: OfferSituation): OfferGap | undefined {
  const { hasPlugin, isClosed, refusesUnknown = false } = situation;
  if (isClosed) return undefined;
  return findMisfit(situation) ?? (refusesUnknown && !hasPlugin ? describeUnknown(situation) : undefined);
}

function findMisfit(situation: OfferSituation): OfferGap | undefined {
  const { device, strategy, offer, hasPlugin, hasOwnConfig, becomesWhole } = situation;
  const { resources, errors } = computeResources(device, strategy);
  const explained: Offer = errors.length > 0 ? { kind: 'Other' } : explainOffer(offer, resources);
  if (explained.kind === 'Exact') return undefined;
  if (explained.kind === 'Nothing') return hasPlugin ? undefined : describeAbsence(situation, resources);
  if (hasOwnConfig) return undefined;
  const other = hasPlugin || becomesWhole ? undefined : findOtherStrategy(situation, explained);
  if (other !== undefined) return describeMismatch(situation, resources, other);
  if (explained.kind !== 'Multiples') return undefined;
  const found = resourcesText(advertisedResources(offer.allocatable));
  return {
    reason: 'SharingRefused',
    message:
      `the node advertises ${found} for ${resourcesText(resources)}: the device plugin shares ${describeReplicas(explained.sharing.resources)}, ` +
      'by sharing.timeSlicing of its own config, and the kubelet cannot tell which devices these are. ' +
      'Mount the kubelet’s folder pod-resources into the agent, or share by spec.sharing.timeSlicing of the policy, ' +
      `or remove sharing from the plugin’s config (if the GPUs were changed manually, restart its pod). ${untilThen}`,
  };
}

/** The strategy by which the node advertises its devices, if it is a different one. */
function findOtherStrategy({ device, strategy, offer }: OfferSituation, explained: Offer): MigStrategy | undefined {
  const names = Object.keys(advertisedResources(offer.allocatable));
  if (names.length === 0) return undefined;
  const others = MIG_STRATEGIES.filter((one) => one !== strategy);
  const kinds = others.map((one) => {
    const { resources, errors } = computeResources(device, one);
    return errors.length > 0 ? 'Other' : explainOffer(offer, resources).kind;
  });
  // Seven GPUs may be seven slices, or one GPU shared by seven: nobody shares by exactly the number of slices.
  const exact = others.find((_, index) => kinds[index] === 'Exact');
  if (exact !== undefined || explained.kind !== 'Other') return exact;
  if (strategy !== 'mixed' && names.some((name) => name.startsWith(migResourceName('')))) return 'mixed';
  return others.find((_, index) => kinds[index] === 'Shared' || kinds[index] === 'Multiples');
}

function describeMismatch(
  { strategy, offer }: OfferSituation,
  resources: Readonly<Record<string, number>>,
  other: MigStrategy,
): OfferGap {
  const found = resourcesText(advertisedResources(offer.allocatable));
  return {
    reason: 'StrategyMismatch',
    message:
      `the node advertises ${found}, as strategy ${other} does, and the policy wants ${strategy}, ` +
      `which gives ${resourcesText(resources)} for the same GPUs. ` +
      `Set the device plugin to ${strategy}, or spec.strategy of the policy to ${other}. ${untilThen}`,
  };
}

/** A plugin that has no pod, or none that a DaemonSet makes again. */
function describeUnknown({ offer, selector }: OfferSituation): OfferGap {
  const found = resourcesText(advertisedResources(offer.allocatable));
  return {
    reason: 'NoDevicePlugin',
    message:
      `the node advertises ${found}, and no pod of a known device plugin is on it (searched for: pods of a DaemonSet with ` +
      `${describePluginSelectors(selector)}): a plugin that is a systemd unit or a static pod would not be restarted to read the new slices. ` +
      'Name its labels with --device-plugin-selector; or have it restarted after each change by something else, and say so to the ' +
      `controller with --unknown-device-plugin Await. ${untilThen}`,
  };
}

function describeAbsence(
  { strategy, offer, selector }: OfferSituation,
  resources: Readonly<Record<string, number>>,
): OfferGap {
  const deploy = offer.labels[pluginDeployLabel];
  const paused =
    deploy === undefined || deploy === 'true'
      ? ''
      : `The label ${pluginDeployLabel}=${deploy} keeps gpu-operator’s away. `;
  return {
    reason: 'NoDevicePlugin',
    message:
      `the node advertises none of its GPUs (${resourcesText(resources)} under strategy ${strategy}), and no pod of a known device plugin is on it: ` +
      `nothing would offer the slices. Searched for: pods of a DaemonSet with ${describePluginSelectors(selector)}. ${paused}` +
      `Install the device plugin, or name its labels with --device-plugin-selector. ${untilThen}`,
  };
}
