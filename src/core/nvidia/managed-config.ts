// Room nvidia: what NVIDIA's own programs on a node read, label and advertise.
// Ask here for the device plugin's config file that a policy makes, and how its devices are shared.
import type { PolicySpec } from '../../api/types.ts';
import type { Finding } from '../text/findings.ts';
import { canonicalJson, fingerprint } from '../text/json.ts';
import {
  composeDevicePluginConfig,
  lintDevicePluginConfig,
  parseDevicePluginConfig,
  type DevicePluginConfig,
  type SharedResource,
  type Sharing,
} from './plugin-config.ts';
import { GPU_RESOURCE, layoutPartOf, type Labels } from './labels.ts';
import { MPS_ON_MIG_REASON } from './resources.ts';

/** The parts of a policy's spec that determine the config file of its nodes' device plugin. */
export type SharingSpec = Pick<PolicySpec, 'strategy' | 'sharing'> & Partial<Pick<PolicySpec, 'layouts'>>;

interface ManagedConfig {
  /** Key of the ConfigMap, and value of the label `nvidia.com/device-plugin.config`. */
  readonly key: string;
  /** The config file, to be written as YAML. */
  readonly file: Readonly<Record<string, unknown>>;
}

/**
 * The device plugin's config file for the nodes of a policy. Its name depends on its content: the plugin's config manager reads the
 * file again only when the label's value changes, so the content under a name never changes.
 */
export function managedConfig(spec: SharingSpec): ManagedConfig {
  const resources = sharedResources(spec).toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const file = composeDevicePluginConfig(spec.strategy, resources);
  return { key: `gpu-partition-${spec.strategy}-${fingerprint(canonicalJson(file)).slice(0, 8)}`, file };
}

/** The config file as the plugin and GFD read it: input for {@link computeLabels} and `computeResources`. */
export function sharingOf(spec: SharingSpec): DevicePluginConfig {
  const parsed = parseDevicePluginConfig(composeDevicePluginConfig(spec.strategy, sharedResources(spec)));
  return parsed.ok ? parsed.config : { migStrategy: spec.strategy };
}

/**
 * The first problem of `spec.sharing`. The plugin silently ignores resources that it does not have, so an entry that no layout
 * provides for is refused here.
 *
 * @param offered names of the resources that the nodes of the policy advertise before sharing; undefined if not known yet
 */
export function checkSharing(spec: SharingSpec, offered: ReadonlySet<string> | undefined): Finding | undefined {
  const { sharing, strategy } = spec;
  if (sharing === undefined) return undefined;
  if (sharing.mps !== undefined) {
    return refuse(
      ['mps'],
      `is rejected: ${MPS_ON_MIG_REASON} (NVIDIA's device plugin); share slices with timeSlicing, or use smaller slices`,
    );
  }
  return (
    lintTimeSlicing(spec) ??
    findDuplicate(spec) ??
    sharedResources(spec)
      .map(({ name }, index) => checkResource(name, index, strategy, offered))
      .find((finding) => finding !== undefined) ??
    checkWholeGpus(spec)
  );
}

/** The plugin's own rules for the file, in its own words. */
function lintTimeSlicing(spec: SharingSpec): Finding | undefined {
  const findings = lintDevicePluginConfig(composeDevicePluginConfig(spec.strategy, sharedResources(spec)));
  const error = findings.find(({ severity }) => severity === 'error');
  if (error === undefined) return undefined;
  const [, index, field] = /^sharing\.timeSlicing\.resources\[(\d+)\]\.(\w+)$/.exec(error.path) ?? [];
  const path = index === undefined ? [] : [Number(index), field === 'name' ? 'resource' : (field ?? '')];
  const upstream = error.upstream === undefined ? '' : ` (the device plugin: "${error.upstream}")`;
  return refuse(['timeSlicing', ...path], `${error.message}${upstream}`);
}

function findDuplicate(spec: SharingSpec): Finding | undefined {
  const names = sharedResources(spec).map(({ name }) => name);
  const index = names.findIndex((name, at) => names.indexOf(name) < at);
  const name = names[index];
  if (name === undefined) return undefined;
  return refuse(
    ['timeSlicing', index, 'resource'],
    `${name} is listed twice: its labels would follow the first entry and its capacity the greatest; keep one`,
  );
}

function checkResource(
  name: string,
  index: number,
  strategy: SharingSpec['strategy'],
  offered: ReadonlySet<string> | undefined,
): Finding | undefined {
  const path = ['timeSlicing', index, 'resource'];
  if (strategy !== 'mixed' && name !== GPU_RESOURCE) {
    const what = strategy === 'single' ? 'slices' : 'GPUs';
    return refuse(path, `${name} is not offered under strategy ${strategy}, which offers ${what} as ${GPU_RESOURCE}`);
  }
  if (offered === undefined || offered.has(name)) return undefined;
  const known = [...offered].toSorted();
  const instead = known.length === 0 ? 'nothing' : known.join(', ');
  const hint =
    name === GPU_RESOURCE && strategy === 'mixed' ? `; under strategy mixed ${GPU_RESOURCE} means whole GPUs only` : '';
  return refuse(path, `${name} is not offered by any layout of this policy, which offer ${instead}${hint}`);
}

/** Strategy none hands out a whole GPU in MIG mode, and shares it; GFD labels it as unavailable (`gpu.replicas` 0). */
function checkWholeGpus({ strategy, layouts = [], sharing }: SharingSpec): Finding | undefined {
  const isMig = layouts.some(
    ({ profiles, preset }) => profiles !== undefined || (preset !== undefined && preset !== 'all-disabled'),
  );
  if (strategy !== 'none' || !isMig || (sharing?.timeSlicing ?? []).length === 0) return undefined;
  return refuse(
    ['timeSlicing'],
    'strategy none does not share slices: it offers a GPU in MIG mode as a whole, with the label gpu.replicas 0; ' +
      'use strategy mixed or single',
  );
}

function sharedResources({ sharing }: SharingSpec): readonly SharedResource[] {
  return (sharing?.timeSlicing ?? []).map(({ resource, replicas }) => ({ name: resource, replicas }));
}

function refuse(path: readonly (string | number)[], message: string): Finding {
  return { severity: 'error', code: 'SharingRefused', path: ['spec', 'sharing', ...path], message };
}

/** How a node's resources are shared by its labels; undefined if they say that none is. */
export function sharingByLabels(labels: Labels): Sharing | undefined {
  const resources = Object.entries(labels)
    .filter(([key, value]) => layoutPartOf(key)?.suffix === 'replicas' && Number(value) >= 2)
    .map(([key, value]) => ({ name: key.slice(0, -'.replicas'.length), replicas: Number(value) }));
  const [first] = resources;
  if (first === undefined) return undefined;
  const isMps = labels[`${first.name}.sharing-strategy`] === 'mps';
  return {
    strategy: isMps ? 'mps' : 'time-slicing',
    renameByDefault: labels[`${first.name}.product`]?.endsWith('-SHARED') !== true,
    failRequestsGreaterThanOne: isMps,
    resources,
  };
}
