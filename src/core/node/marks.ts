import type { DeviceReport, GpuNodePartition, GpuReport } from '../../api/types.ts';
import { canonicalJson, fingerprint, memoize } from '../text/json.ts';
import { isTransient } from './grants.ts';
import {
  layoutLabel,
  migConfigStateLabel,
  partitionReadyCondition,
  policyLabel,
  repartitioningTaint,
  stateLabel,
} from '../../api/names.ts';
import { devicePluginConfigLabel } from '../nvidia/labels.ts';
import type { NodeView } from '../kubernetes/node.ts';
import { combine, type NodeChange } from './node-patch.ts';

/** The annotation of a Node that tells for which state of the device the plugin's pods were replaced, and which pods had to go. */
const refreshedAnnotation = 'gpupartition.dev/plugin-refreshed';

/**
 * What must outlive the controller during a refresh: a pod is recorded before it is evicted, so that a successor evicts these pods
 * and no others. Pods are told apart by uid and never by time: no two clocks are compared.
 */
export interface RefreshMark {
  /** The change that the refresh belongs to; see {@link changeKey}. */
  readonly change: string;
  /** Pods that read the devices before they were done. */
  readonly uids: readonly string[];
  /** Whether their DaemonSet creates pods on a node that we have closed. */
  readonly tolerates: boolean;
  /** True if nothing was offered since the device reached its current state: whoever offers something has read it. */
  readonly sawNothing: boolean;
}

/**
 * Identifies what the plugin has to read again: the grant, and the state of the device; the boot after which its layout was
 * recreated; the settings that the plugin reads with it; and whether it is the DRA driver. A device also changes without a grant: a GPU is lost or comes back, or
 * somebody works on it.
 */
export function changeKey({ spec, status }: GpuNodePartition, config?: string): string {
  const { bootID = '', driverLoad, error, gpus = [] } = status?.device ?? {};
  const settings = config === undefined ? '' : `+${config}`;
  const epoch = spec.granted?.epoch ?? 0;
  // A failing change is granted again and again: the plugin is restarted once for the resulting device, not each time. A DRA driver
  // cannot tell instances that were undone and made again at their places, with their UUIDs, from those before: it has to read each.
  const made = error ? (spec.backend === 'DRA' && hasBegun(error) ? `failed${epoch}` : 'failed') : epoch;
  const load = driverLoad === undefined ? '' : `.${driverLoad}`;
  // A pod of the one is not one that has replaced the other.
  const stack = spec.backend === 'DRA' ? ':DRA' : '';
  return `${made}${deviceKey(gpus)}@${bootID.slice(0, 8)}${load}${settings}${stack}`;
}

/** Whether a change may have failed in the middle: what fails on a GPU has been worked on, even if a retry may well succeed. */
function hasBegun(error: NonNullable<DeviceReport['error']>): boolean {
  return error.gpu !== undefined || !isTransient(error);
}

const deviceKey = memoize((gpus: readonly GpuReport[]): string => {
  if (gpus.length === 0) return '';
  const devices = gpus.map(({ uuid, mig, error, instances }) => [
    uuid,
    mig,
    error !== undefined,
    instances.map(({ gi, profile, start }) => [gi, profile, start]),
  ]);
  return `-${fingerprint(canonicalJson(devices)).slice(0, 8)}`;
});

/** Records a refresh as `CHANGE/UID,UID`, followed by `/tolerates` or `/nothing` where that applies: if the taint is tolerated, it is never removed early. */
export function recordRefresh({ change, uids, tolerates, sawNothing }: RefreshMark): NodeChange {
  const mark = [change, uids.join(','), ...(tolerates ? ['tolerates'] : sawNothing ? ['nothing'] : [])].join('/');
  return { annotations: { [refreshedAnnotation]: mark } };
}

/** The last refresh that was recorded, of whichever change; undefined if there is none. */
export function readRefreshMark({ metadata }: NodeView): RefreshMark | undefined {
  const note = metadata.annotations?.[refreshedAnnotation];
  if (note === undefined) return undefined;
  const [change = '', uids = '', more] = note.split('/');
  return {
    change,
    uids: uids.split(',').filter((uid) => uid !== ''),
    tolerates: more === 'tolerates',
    sawNothing: more === 'nothing',
  };
}

/** The annotation of a Node with the uids of pods of GPU clients that were there when it was closed and go once the device is done. */
export const clientsAnnotation = 'gpupartition.dev/clients';

/** `UID,UID`; undefined, which removes the annotation, if there are none. */
export function formatClientsMark(uids: readonly string[]): string | undefined {
  const sorted = [...new Set(uids)].filter((uid) => uid !== '').sort();
  return sorted.length === 0 ? undefined : sorted.join(',');
}

/** The uids of a mark; empty if there is no mark. */
export function readClientsMark(annotation: string | undefined): readonly string[] {
  return (annotation ?? '')
    .split(',')
    .map((uid) => uid.trim())
    .filter((uid) => uid !== '');
}

/** The values of a node's state label, with what tools that read mig-manager's state label see for each. */
const migConfigStates = {
  ready: 'success',
  updating: 'pending',
  waiting: 'pending',
  failed: 'failed',
} as const satisfies Readonly<Record<string, string>>;

type StateMark = keyof typeof migConfigStates;

/** Marks the node's state on it. mig-manager's label is not ours: it is borrowed. */
export function markState(state: StateMark): NodeChange {
  return { labels: { [stateLabel]: state }, borrow: { [migConfigStateLabel]: migConfigStates[state] } };
}

/** Closes the node for new pods while its GPUs change. */
export function closeNode(): NodeChange {
  return combine(markState('updating'), { addTaints: [repartitioningTaint] });
}

/** Opens a closed node whose device does not match the wish. */
export function reopenNode(state: StateMark | undefined): NodeChange {
  const marks =
    state === undefined ? { labels: { [stateLabel]: undefined }, giveBack: [migConfigStateLabel] } : markState(state);
  return combine(marks, { removeTaints: [repartitioningTaint.key] });
}

/**
 * Removes the marks of a policy's control, and of a change, and restores what was borrowed; the layout and its labels stay. The plugin's settings are
 * restored only if there were others before: without any the plugin might run with a strategy that does not fit the layout.
 */
export function releaseNode(): NodeChange {
  return {
    labels: { [policyLabel]: undefined, [stateLabel]: undefined, [layoutLabel]: undefined },
    giveBack: (key, { was }) => key !== devicePluginConfigLabel || was !== null,
    annotations: { [refreshedAnnotation]: undefined, [clientsAnnotation]: undefined },
    removeTaints: [repartitioningTaint.key],
  };
}

/** Finds the condition GpuPartitionReady of a node. */
export function conditionOf({ status }: NodeView): ConditionOfNode | undefined {
  return status?.conditions?.find(({ type }) => type === partitionReadyCondition);
}

type ConditionOfNode = NonNullable<NonNullable<NodeView['status']>['conditions']>[number];

/** Removes that condition, as an item of a strategic merge patch; undefined if the node does not have it. */
export function removeCondition(node: NodeView): { readonly type: string; readonly $patch: 'delete' } | undefined {
  return conditionOf(node) && { type: partitionReadyCondition, $patch: 'delete' };
}
