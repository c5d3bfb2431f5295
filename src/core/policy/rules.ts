// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here which rules of the API a spec breaks, and whether its slices may be had by claims.
import { type FieldPath, checkEach } from '../text/findings.ts';
import { isChangingLabelKey } from '../../api/label-keys.ts';
import { explainKey, explainLabelValue } from '../text/syntax.ts';
import { type Fields, fieldsOf, listOf } from '../text/json.ts';
import { viewAsServer } from './schema.ts';

/** A rule that a policy breaks; the message is the CRD's own. */
interface BrokenRule {
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

function breakIf(isBroken: boolean, path: FieldPath, message: string): readonly BrokenRule[] {
  return isBroken ? [{ path, message }] : [];
}

/** The CEL rules of `nodeSelector`. */
function checkSelector(selector: Fields, path: FieldPath): readonly BrokenRule[] {
  const labels = Object.entries(fieldsOf(selector['matchLabels']) ?? {});
  const expressions = listOf(selector['matchExpressions']);
  return [
    ...breakIf(labels.length + expressions.length === 0, path, RULE_MESSAGES.emptySelector),
    ...checkEach(labels, ([key, value]) => checkLabel(key, value, [...path, 'matchLabels', key])),
    ...checkEach(expressions, (expression, index) => checkExpression(expression, [...path, 'matchExpressions', index])),
  ];
}

function checkLabel(key: string, value: unknown, path: FieldPath): readonly BrokenRule[] {
  return [
    ...breakIf(isChangingLabelKey(key), path, RULE_MESSAGES.changingLabel),
    ...breakIf(explainKey(key) !== undefined || isImpossible(value), path, RULE_MESSAGES.impossibleLabel),
  ];
}

function checkExpression(expression: unknown, path: FieldPath): readonly BrokenRule[] {
  const fields = fieldsOf(expression);
  const key = fields?.['key'];
  const operator = fields?.['operator'];
  const values = listOf(fields?.['values']);
  const needsValues = operator === 'In' || operator === 'NotIn';
  const takesNone = operator === 'Exists' || operator === 'DoesNotExist';
  const isWrong = (needsValues && values.length === 0) || (takesNone && values.length > 0);
  return [
    ...(typeof key === 'string' ? checkLabel(key, '', [...path, 'key']) : []),
    ...checkEach(values, (value, index) =>
      breakIf(isImpossible(value), [...path, 'values', index], RULE_MESSAGES.impossibleLabel),
    ),
    ...breakIf(isWrong, path, RULE_MESSAGES.operatorValues),
  ];
}

function isImpossible(value: unknown): boolean {
  return typeof value === 'string' && explainLabelValue(value) !== undefined;
}

const PROFILE = /^([1-7]c[.])?[1-9]g[.][0-9]{1,3}gb([+](me|me[.]all|gfx)|-me)?$/;

/**
 * The CEL rules of the policies' CRD, without an API server. Accepts any value: wrong types are the schema's to report, and break no
 * rule.
 */
export function findBrokenRules(policy: unknown): readonly BrokenRule[] {
  const view = viewAsServer(policy);
  const spec = fieldsOf(view?.['spec']);
  const name = fieldsOf(view?.['metadata'])?.['name'];
  return [
    ...breakIf(typeof name === 'string' && name.length > 63, ['metadata', 'name'], RULE_MESSAGES.longName),
    ...(spec === undefined ? [] : checkSpec(spec)),
  ];
}

function checkSpec(spec: Fields): readonly BrokenRule[] {
  const selector = fieldsOf(spec['nodeSelector']);
  return [
    ...(selector === undefined ? [] : checkSelector(selector, ['spec', 'nodeSelector'])),
    ...breakIf(fieldsOf(spec['sharing'])?.['mps'] !== undefined, ['spec', 'sharing', 'mps'], RULE_MESSAGES.mps),
    ...checkDrain(fieldsOf(spec['drain']) ?? {}),
    ...checkDemandRules(spec),
    ...(mayUseClaims(spec)
      ? checkDra(spec)
      : breakIf(fieldsOf(spec['dra']) !== undefined, ['spec', 'dra'], RULE_MESSAGES.draBackend)),
    ...checkTotals(listOf(spec['layouts'])),
    ...checkEach(listOf(spec['layouts']), (layout, index) => checkLayout(layout, spec, ['spec', 'layouts', index])),
    ...checkSchedules(spec),
  ];
}

/** What holds for a policy's own layouts or demand holds for those of its schedules. */
function checkSchedules(spec: Fields): readonly BrokenRule[] {
  const schedules = listOf(spec['schedules']).map((one) => fieldsOf(one) ?? {});
  const names = schedules.map(({ name }) => name);
  const at = ['spec', 'schedules'];
  return [
    ...breakIf(new Set(names).size < names.length, at, RULE_MESSAGES.scheduleNames),
    ...checkTotals(
      schedules.flatMap(({ layouts }) => listOf(layouts)),
      { at, globs: RULE_MESSAGES.tooManyScheduledGlobs, profiles: RULE_MESSAGES.tooManyScheduledProfiles },
    ),
    ...checkEach(schedules, ({ layouts, demand }, index) => [
      ...breakIf((layouts === undefined) === (demand === undefined), [...at, index], RULE_MESSAGES.scheduleContent),
      ...checkDemandFields(spec, fieldsOf(demand), [...at, index, 'demand']),
      ...checkEach(listOf(layouts), (layout, entry) => checkLayout(layout, spec, [...at, index, 'layouts', entry])),
    ]),
  ];
}

/** Whether a policy hands GPUs out by claims, or does where it finds the DRA driver. */
export function mayUseClaims({ backend }: { readonly backend?: unknown }): boolean {
  return backend === 'DRA' || backend === 'Auto';
}

function checkDra({ strategy, sharing }: Fields): readonly BrokenRule[] {
  const isSliced = fieldsOf(sharing)?.['timeSlicing'] !== undefined;
  return [
    ...breakIf(strategy !== 'mixed', ['spec', 'strategy'], RULE_MESSAGES.draStrategy),
    ...breakIf(isSliced, ['spec', 'sharing', 'timeSlicing'], RULE_MESSAGES.draSharing),
  ];
}

function checkDrain({ scope, onTimeout = 'Skip', timeout }: Fields): readonly BrokenRule[] {
  const isNone = typeof timeout === 'string' && /^(0+[smh])+$/.test(timeout);
  return breakIf(isNone && scope !== 'None' && onTimeout === 'Skip', ['spec', 'drain'], RULE_MESSAGES.drainTimeout);
}

function isDeclared(demand: Fields): boolean {
  return (demand['from'] ?? 'Declared') === 'Declared';
}

function checkDemandRules(spec: Fields): readonly BrokenRule[] {
  const isOne = (spec['layouts'] === undefined) !== (spec['demand'] === undefined);
  return [
    ...breakIf(!isOne, ['spec'], RULE_MESSAGES.layoutsOrDemand),
    ...checkDemandFields(spec, fieldsOf(spec['demand']), ['spec', 'demand']),
  ];
}

function checkDemandFields(spec: Fields, demand: Fields | undefined, at: FieldPath): readonly BrokenRule[] {
  if (demand === undefined) return [];
  const slices = listOf(demand['slices']).map((slice) => fieldsOf(slice) ?? {});
  const lacksCount = isDeclared(demand) && slices.some(({ count }) => count === undefined);
  const isSteadied = isDeclared(demand) && demand['stabilization'] !== undefined;
  const names = slices.map(({ name, profiles, memory }) => name ?? listOf(profiles)[0] ?? memory ?? 'whole');
  const laysRest = demand['rest'] !== undefined && demand['rest'] !== 'Keep';
  const drainsAll = fieldsOf(spec['drain'])?.['scope'] === 'Node';
  return [
    ...breakIf(mayUseClaims(spec) && !isDeclared(demand), [...at, 'from'], RULE_MESSAGES.draDemand),
    ...breakIf(spec['strategy'] !== 'mixed', ['spec', 'strategy'], RULE_MESSAGES.demandStrategy),
    ...breakIf(drainsAll && demand['evict'] !== 'IfNeeded', ['spec', 'drain', 'scope'], RULE_MESSAGES.demandDrain),
    ...breakIf(drainsAll && laysRest, [...at, 'rest'], RULE_MESSAGES.demandRest),
    ...breakIf(spec['sharing'] !== undefined, ['spec', 'sharing'], RULE_MESSAGES.demandSharing),
    ...breakIf(lacksCount, at, RULE_MESSAGES.declaredCount),
    ...breakIf(isSteadied, [...at, 'stabilization'], RULE_MESSAGES.declaredSteady),
    ...breakIf(new Set(names).size < names.length, [...at, 'slices'], RULE_MESSAGES.sliceNames),
    ...checkEach(slices, ({ profiles, memory, mig, count, min, max, spare }, index) => [
      ...breakIf(
        [profiles, memory, mig].filter((one) => one !== undefined).length !== 1,
        [...at, 'slices', index],
        RULE_MESSAGES.sliceKind,
      ),
      ...breakIf(
        count !== undefined && [min, max, spare].some((one) => one !== undefined),
        [...at, 'slices', index],
        RULE_MESSAGES.sliceCount,
      ),
      ...breakIf(
        typeof min === 'number' && typeof max === 'number' && min > max,
        [...at, 'slices', index],
        RULE_MESSAGES.sliceRange,
      ),
    ]),
  ];
}

/** Bounds the total cost of a policy for the controller: each layout is judged on every model. */
function checkTotals(
  layouts: readonly unknown[],
  words: { readonly at: FieldPath; readonly globs: string; readonly profiles: string } = {
    at: ['spec', 'layouts'],
    globs: RULE_MESSAGES.tooManyGlobs,
    profiles: RULE_MESSAGES.tooManyProfiles,
  },
): readonly BrokenRule[] {
  const sum = (sizeOf: (layout: Fields) => number): number =>
    layouts.reduce<number>((total, layout) => total + sizeOf(fieldsOf(layout) ?? {}), 0);
  const globs = sum(({ gpus }) => listOf(fieldsOf(gpus)?.['models']).length);
  const profiles = sum((layout) => Object.keys(fieldsOf(layout['profiles']) ?? {}).length);
  return [
    ...breakIf(globs > mostInAll, words.at, words.globs),
    ...breakIf(profiles > mostInAll, words.at, words.profiles),
  ];
}

const mostInAll = 256;

function checkLayout(layout: unknown, { strategy, backend }: Fields, path: FieldPath): readonly BrokenRule[] {
  const fields = fieldsOf(layout);
  if (fields === undefined) return [];
  const set = ['profiles', 'preset', 'mig'].filter((name) => fields[name] !== undefined);
  const profiles = fieldsOf(fields['profiles']);
  const names = Object.keys(profiles ?? {});
  const at = [...path, 'profiles'];
  return [
    ...breakIf(set.length !== 1, path, RULE_MESSAGES.exclusive),
    ...breakIf(strategy === 'single' && profiles !== undefined && names.length !== 1, at, RULE_MESSAGES.singleProfile),
    ...checkEach(names, (name) => [
      ...breakIf(!PROFILE.test(name), [...at, name], RULE_MESSAGES.profileName),
      ...breakIf(strategy === 'mixed' && name.includes('c.'), [...at, name], RULE_MESSAGES.mixedComputeInstance),
      ...breakIf(backend === 'DRA' && name.includes('c.'), [...at, name], RULE_MESSAGES.draComputeInstance),
    ]),
  ];
}
