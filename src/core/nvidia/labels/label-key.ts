import { MIG_ATTRIBUTE_NAMES } from './node-description.ts';

export const NVIDIA_PREFIX = 'nvidia.com/';
export const GPU_RESOURCE = 'nvidia.com/gpu';

/** Written only by GFD, at each start; its presence shows that GFD runs. We never write it. */
export const GFD_TIMESTAMP_KEY = 'nvidia.com/gfd.timestamp';
/** Selects the device plugin's config file: a key of its ConfigMap. */
export const devicePluginConfigLabel = 'nvidia.com/device-plugin.config';

/** Suffixes of the keys that GFD writes per MIG profile under strategy mixed; 13 of them. */
export const MIG_LABEL_SUFFIXES = ['product', 'count', 'replicas', 'sharing-strategy', ...MIG_ATTRIBUTE_NAMES] as const;

const STABLE_KEYS: ReadonlySet<string> = new Set(
  [
    'gfd.timestamp',
    ...['major', 'minor', 'rev'].map((part) => `cuda.driver.${part}`),
    ...['major', 'minor'].map((part) => `cuda.runtime.${part}`),
    ...['major', 'minor', 'revision', 'full'].map((part) => `cuda.driver-version.${part}`),
    ...['major', 'minor', 'full'].map((part) => `cuda.runtime-version.${part}`),
    ...['machine', 'mode', 'family', 'compute.major', 'compute.minor'].map((part) => `gpu.${part}`),
    ...['clique', 'imex-domain'].map((part) => `gpu.${part}`),
    ...['present', 'host-driver-version', 'host-driver-branch'].map((part) => `vgpu.${part}`),
    'mig.capable',
    'mps.capable',
  ].map((name) => NVIDIA_PREFIX + name),
);

/**
 * What differs between two layouts of the same GPUs, besides the keys of each profile; a test derives the table from all vectors.
 * Under strategy single a slice takes the place of the GPU, so the per-profile suffixes follow `gpu.` too. On nodes with GPUs of
 * several models, `gpu.family` and `gpu.compute.*` follow the model that stays whole: they are left out, since they describe no
 * slices, and families differ between versions of GFD.
 */
const LAYOUT_KEYS: ReadonlySet<string> = new Set([
  'nvidia.com/mig.strategy',
  ...MIG_LABEL_SUFFIXES.map((suffix) => `${GPU_RESOURCE}.${suffix}`),
]);

const MIG_KEY_PREFIX = 'nvidia.com/mig-';
/**
 * A profile as labels spell it, NVML's name with `.` for `+` (`2g.48gb-me` keeps its dash), and the suffix after it: the longest
 * that fits, since the keys of `1g.10gb.me` also begin with `mig-1g.10gb.`. Each decision applies this to all labels of its node.
 */
const PROFILE_KEY = new RegExp(
  `^${MIG_KEY_PREFIX}((?:\\d+c\\.)?\\d+g\\.\\d+gb(?:[.-][a-z]+)*?)\\.(?:${MIG_LABEL_SUFFIXES.join('|').replaceAll('.', '\\.')})$`,
);

/**
 * Whether GPU Feature Discovery writes this key (any version up to v0.20). Without a GFD these keys are ours, except {@link
 * GFD_TIMESTAMP_KEY}. Not included, and never ours: `gpu.present`, `gpu.deploy.*`, `gpu.workload.config`, `mig.config`,
 * `mig.config.state`, `device-plugin.config`, `gpu-driver-upgrade-state`.
 */
export function isGfdLabelKey(key: string): boolean {
  return STABLE_KEYS.has(key) || changesWithLayout(key);
}

/** Whether a new layout or strategy may change the key's value: a policy must not select its nodes by such a key. */
export function changesWithLayout(key: string): boolean {
  return LAYOUT_KEYS.has(key) || migProfileOfLabelKey(key) !== undefined;
}

/** The profile of a per-profile key, as labels spell it: `1g.10gb.me` of `nvidia.com/mig-1g.10gb.me.count`; undefined for any other key. */
export function migProfileOfLabelKey(key: string): string | undefined {
  return key.startsWith(MIG_KEY_PREFIX) ? PROFILE_KEY.exec(key)?.[1] : undefined;
}

/** `count` of `nvidia.com/gpu.count` and of `nvidia.com/mig-1g.5gb.count`; undefined for any other key. */
export function layoutSuffixOf(key: string): string | undefined {
  if (!changesWithLayout(key)) return undefined;
  return MIG_LABEL_SUFFIXES.find((suffix) => key.endsWith(`.${suffix}`));
}

/** Resource name of a profile under strategy mixed, without `.shared`: `nvidia.com/mig-1g.10gb.me`. */
export function migResourceName(profile: string): string {
  return MIG_KEY_PREFIX + labelProfile(profile);
}

/** A profile as labels and resources spell it, where `+` is not allowed: `1g.10gb+me` becomes `1g.10gb.me`. */
export function labelProfile(profile: string): string {
  return profile.replaceAll('+', '.');
}
