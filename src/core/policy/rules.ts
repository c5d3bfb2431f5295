import { checkEach, type FieldPath } from '../text/finding.ts';
import { breakIf, type BrokenRule, RULE_MESSAGES } from './broken-rule.ts';
import { type Fields, fieldsOf, listOf } from '../text/fields.ts';
import { checkSelector } from './selector-rules.ts';
import { viewAsServer } from './server-view.ts';

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

/** Each layout is judged on every model: the total cost of a policy for the controller is bounded. */
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
