import type { FieldPath } from '../text/finding.ts';

/** A rule that a policy breaks; the message is the CRD's own. */
export interface BrokenRule {
  readonly path: FieldPath;
  readonly message: string;
}

/** The messages of the CRD's CEL rules, verbatim: a user sees the same sentence wherever a rule is checked. */
export const RULE_MESSAGES = {
  longName: "a policy's name becomes a label value on nodes: at most 63 characters",
  singleProfile:
    'strategy single needs exactly one profile in each layout: with two, the device plugin refuses to start and the node shows MIG-INVALID; use strategy mixed for several profiles',
  mixedComputeInstance:
    'strategy mixed cannot advertise compute instance profiles such as 1c.3g.20gb: the device plugin would not start; use whole GPU instances, or strategy single',
  draBackend: 'dra needs backend DRA or Auto: the device plugin reads no DeviceClass',
  draStrategy:
    "backends DRA and Auto need strategy mixed: the DRA driver offers every slice by its profile and every whole GPU as itself; none and single are the device plugin's",
  draComputeInstance:
    'backend DRA cannot offer compute instance profiles such as 1c.3g.20gb: the DRA driver would exit, for every GPU of the node; use whole GPU instances',
  draSharing:
    'backends DRA and Auto do not take sharing.timeSlicing, which is a setting of the device plugin: share a slice by a ResourceClaim that several pods use',
  draDemand:
    'with backend DRA or Auto pods may ask by claims, which a demand does not count yet: give each slice a count, without from',
  emptySelector:
    'nodeSelector must not be empty: set at least one label, for example pool: inference or nvidia.com/gpu.present: "true"',
  changingLabel:
    'nodeSelector uses a label that a layout changes: select by pool or by nvidia.com/gpu.present, and choose GPUs with layouts[].gpus.models',
  impossibleLabel:
    'nodeSelector has a label that no node can have: a key has at most 63 letters, digits, - _ and ., optionally after a DNS name and a slash; so does a value, which may be empty; both begin and end with a letter or digit',
  operatorValues: 'operators In and NotIn need values; Exists and DoesNotExist must have none',
  mps: 'MPS is rejected: sharing using MPS is not supported for MIG devices (NVIDIA device plugin); use timeSlicing, or smaller slices',
  tooManyGlobs: 'at most 256 models selectors in all layouts together',
  tooManyProfiles: 'at most 256 profiles in all layouts together',
  layoutsOrDemand:
    'exactly one of layouts and demand must be set: layouts say what each GPU becomes, a demand what all of them offer together',
  demandStrategy:
    'a demand needs strategy mixed: under single pods request nvidia.com/gpu, which says no size, and a node changes only as a whole; none offers no slices. Write layouts for these',
  drainTimeout:
    'timeout 0s gives up before the first eviction: set for how long pods may terminate, for example 10m, or onTimeout Wait',
  demandDrain:
    'a demand evicts no pod unless its evict is IfNeeded, so drain.scope Node has nothing to do: leave it out, or set demand.evict: IfNeeded',
  demandRest:
    'what a demand does not need changes without any eviction, and drain.scope Node would evict all pods of the node: leave out demand.rest or drain.scope',
  demandSharing:
    'a demand counts slices, and sharing would offer each of them several times: leave out sharing, or write layouts',
  sliceCount: 'count is a fixed number, and min, max and spare follow pods: set one or the others',
  sliceRange: 'min of a slice must not be more than its max',
  declaredCount: 'each slice of a demand needs a count, unless from: Pods or from: Kueue has it follow pods',
  declaredSteady:
    'stabilization is about what pods ask for, which a demand follows only with from: Pods or from: Kueue',
  sliceKind:
    'exactly one of profiles, memory and mig must be set: profiles names what serves, memory the least that does, and mig: Disabled asks for whole GPUs',
  sliceNames:
    'two slices of a demand have one name; a slice without a name has that of its first profile or its memory, or whole',
  scheduleNames: 'two schedules have one name',
  scheduleContent: 'exactly one of layouts and demand must be set in a schedule',
  tooManyScheduledGlobs: 'at most 256 models selectors in all layouts of the schedules together',
  tooManyScheduledProfiles: 'at most 256 profiles in all layouts of the schedules together',
  exclusive: 'exactly one of profiles, preset and mig must be set',
  profileName:
    'a profile is written as nvidia-smi writes it, for example 1g.5gb, 1g.5gb+me, 1g.24gb-me, 2g.48gb+gfx or 1c.3g.20gb',
} as const;

export function breakIf(isBroken: boolean, path: FieldPath, message: string): readonly BrokenRule[] {
  return isBroken ? [{ path, message }] : [];
}
