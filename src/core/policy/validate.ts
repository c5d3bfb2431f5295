// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here all that is wrong with a policy as somebody has written it, each with its place.
import type { GpuPartitionPolicy, PolicyLayout, PolicySpec } from '../../api/types.ts';
import type { FieldPath, Finding } from '../text/findings.ts';
import { hasNoMig, MODELS } from '../gpu/geometry.ts';
import { joinWords } from '../gpu/layout.ts';
import {
  judgeLayouts,
  type LayoutVerdict,
  listGuesses,
  type ModelVerdict,
  nameModel,
  checkDemand,
  checkPolicySharing,
} from './check.ts';
import { fieldsOf } from '../text/json.ts';
import { checkMetadata, checkShape } from './schema.ts';
import { findBrokenRules } from './rules.ts';
import { listBadWindows, type Variant, variantsOf } from './schedules.ts';
import { checkSinglePreset } from './resolve-node.ts';

type Refused = Required<ModelVerdict>;

/** A checked document: the policy if its shape is right, and all findings. */
interface ValidatedPolicy {
  readonly policy: GpuPartitionPolicy | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Checks a policy as far as possible without a cluster: the CRD's schema and CEL rules, windows, and the geometry of every model
 * that a layout can match. Reports everything, not just the first.
 */
export function validatePolicy(value: unknown): ValidatedPolicy {
  const rules: readonly Finding[] = findBrokenRules(value).map((rule) => ({
    severity: 'error',
    code: 'RuleBroken',
    ...rule,
  }));
  const metadata = checkMetadata(fieldsOf(value)?.['metadata']);
  const shape = checkShape(value);
  if ('findings' in shape) return { policy: undefined, findings: [...metadata, ...shape.findings, ...rules] };
  const { policy } = shape;
  const findings = [
    ...metadata,
    ...rules,
    ...checkSharing(policy.spec),
    ...listBadWindows(policy.spec).map((one) => ({ severity: 'error', code: 'BadWindow', ...one }) as const),
    ...variantsOf(policy.spec).flatMap((variant) => checkVariant(variant, rules)),
  ];
  return { policy, findings };
}

function checkVariant({ spec, place }: Variant, rules: readonly Finding[]): readonly Finding[] {
  return [
    // Geometry findings are meaningless for a misspelt profile or a contradictory entry.
    ...(rules.some(({ path }) => path.includes('demand')) ? [] : findUnknownSlice(spec, place)),
    ...(rules.some(({ path }) => path.includes('layouts')) ? [] : checkGeometry(spec.layouts ?? [], place)),
    ...checkStrategy(spec, place),
  ];
}

/** Layouts that their strategy does not offer. */
export function checkStrategy({ strategy, layouts = [] }: PolicySpec, place: FieldPath): readonly Finding[] {
  if (strategy === 'single') return checkPresets(layouts, place);
  return strategy === 'none' ? warnSlices(layouts, place) : [];
}

function checkSharing(spec: PolicySpec): readonly Finding[] {
  const finding = checkPolicySharing(spec);
  // The schema's own rule reports it already.
  return finding === undefined || spec.sharing?.mps !== undefined ? [] : [finding];
}

function findUnknownSlice({ demand }: PolicySpec, place: FieldPath): readonly Finding[] {
  const found = demand && checkDemand(demand, []);
  if (!found) return [];
  const field = demand.slices[found.slice]?.memory === undefined ? 'profiles' : 'memory';
  const path = [...place, 'demand', 'slices', found.slice, field];
  return [{ severity: 'error', code: 'UnknownProfile', path, message: found.refusal.message }];
}

function checkPresets(layouts: readonly PolicyLayout[], place: FieldPath): readonly Finding[] {
  return layouts.flatMap((entry, index) => {
    const refusal = checkSinglePreset(entry);
    if (refusal === undefined) return [];
    const path = [...place, 'layouts', index, 'preset'];
    return [{ severity: 'error', code: 'SingleNeedsOneProfile', path, message: refusal.message }];
  });
}

function warnSlices(layouts: readonly PolicyLayout[], place: FieldPath): readonly Finding[] {
  const message =
    'strategy none offers each GPU as a whole, so that no pod can ask for these slices: set strategy mixed or single';
  return layouts.flatMap((entry, index) => {
    if (isWhole(entry)) return [];
    const path = [...place, 'layouts', index, contentOf(entry)];
    return [{ severity: 'warning', code: 'StrategyMismatch', path, message }];
  });
}

function isWhole({ mig, preset }: PolicyLayout): boolean {
  return mig === 'Disabled' || preset === 'all-disabled';
}

function contentOf({ preset }: PolicyLayout): 'profiles' | 'preset' {
  return preset === undefined ? 'profiles' : 'preset';
}

function checkGeometry(layouts: readonly PolicyLayout[], place: FieldPath): readonly Finding[] {
  const verdicts = judgeLayouts(layouts);
  return layouts.flatMap((entry, index) => {
    const verdict = verdicts[index];
    return verdict === undefined ? [] : checkEntry(entry, verdict, [...place, 'layouts', index]);
  });
}

function checkEntry(entry: PolicyLayout, { verdicts, taken }: LayoutVerdict, path: FieldPath): readonly Finding[] {
  const content = [...path, contentOf(entry)];
  const guesses = (entry.gpus?.models ?? []).filter((glob) => listGuesses(glob).length > 0);
  if (guesses.length > 0) return guesses.map((glob) => warnGuess(glob, path));
  const selects = entry.gpus?.models !== undefined || entry.gpus?.pciDeviceIds !== undefined;
  if (verdicts.length === 0) return taken.length > 0 ? [warnShadowed(taken, path)] : warnUnknownModels(entry, path);
  const refused = verdicts.flatMap(({ refusal, ...one }) => (refusal === undefined ? [] : [{ ...one, refusal }]));
  // Of the models that have the profiles, though not so many, there is more to say than of those that lack them.
  const first = (refused.find(({ refusal }) => refusal.reason === 'DoesNotFit') ?? refused[0])?.refusal;
  if (first !== undefined && refused.length === verdicts.length) {
    const message =
      refused.length === 1 || selects ? listReasons(refused) : `fits no GPU model; for example ${first.message}`;
    return [{ severity: 'error', code: codeOf(first.reason), path: content, message }];
  }
  // An entry without a selector is for the GPUs that the nodes have; other models are not a finding.
  if (!selects) return [];
  return refused.filter(({ model }) => model.superseded !== true).map((one) => warnModel(one, content));
}

function warnModel({ model, name, refusal }: Refused, path: FieldPath): Finding {
  return {
    severity: 'warning',
    code: codeOf(refusal.reason),
    path,
    message: `the entry also matches ${name}, which cannot hold it, so a node with one is rejected: ${refusal.message}`,
    models: [model.id],
  };
}

function warnShadowed(taken: LayoutVerdict['taken'], path: FieldPath): Finding {
  const names = `${joinWords(taken.map(nameModel))} ${taken.length === 1 ? 'is' : 'are'} taken`;
  const what = taken.length > 5 ? 'every GPU that it matches is covered' : names;
  return {
    severity: 'warning',
    code: 'NeverApplies',
    path,
    message: `the entry never applies: ${what} by an earlier entry, and the first match wins`,
    models: taken.map(({ id }) => id),
  };
}

/** What a guess says of the layout is not reported. */
function warnGuess(glob: string, path: FieldPath): Finding {
  const [board] = listGuesses(glob);
  const message =
    `${glob} matches only a board of which little is published (${board?.name}, ${board?.pciDeviceId}), so the layout could not be ` +
    `checked${adviseModels([glob])}`;
  return { severity: 'warning', code: 'NoSuchModel', path: [...path, 'gpus', 'models'], message };
}

const vendor = /^nvidia[- ]/i;

/**
 * Warns of models that are not in the table. An entry that makes GPUs whole may be for GPUs without MIG, which the table does not have: it
 * is not checked.
 */
function warnUnknownModels(entry: PolicyLayout, path: FieldPath): readonly Finding[] {
  const { models = [], pciDeviceIds = [] } = entry.gpus ?? {};
  if (isWhole(entry) && !models.some((glob) => vendor.test(glob))) return [];
  const field = entry.gpus?.models === undefined ? 'pciDeviceIds' : 'models';
  const given = [...models, ...pciDeviceIds].join(', ');
  const message =
    models.length > 0 && models.every((glob) => hasNoMig(glob.replace(/[-*]+$/, '')))
      ? `${joinWords(models)} ${models.length === 1 ? 'has' : 'have'} no MIG and cannot be sliced: the entry leaves such GPUs alone; to share them whole, write mig: Disabled and spec.sharing`
      : `no known GPU model matches ${given}, so the layout could not be checked${adviseModels(models)}`;
  return [{ severity: 'warning', code: 'NoSuchModel', path: [...path, 'gpus', field], message }];
}

function adviseModels(models: readonly string[]): string {
  const named = models.filter((glob) => vendor.test(glob)).map((glob) => glob.replace(vendor, ''));
  if (named.length > 0) return `; leave out NVIDIA: write ${named.join(', ')}`;
  const begun = models.map((glob) => `${glob}-*`).filter(matchesModel);
  if (begun.length > 0) return `; write ${begun.join(', ')}`;
  return models.length > 0 ? `; known models are ${MODELS.map(({ id }) => id).join(', ')}` : '';
}

function matchesModel(glob: string): boolean {
  return judgeLayouts([{ gpus: { models: [glob] }, mig: 'Disabled' }]).some(({ verdicts }) => verdicts.length > 0);
}

function listReasons(refused: readonly Refused[]): string {
  return [...new Set(refused.map(({ refusal }) => refusal.message))].join('; ');
}

function codeOf(reason: string): 'UnknownProfile' | 'UnknownPreset' | 'DoesNotFit' {
  return reason === 'UnknownProfile' || reason === 'UnknownPreset' ? reason : 'DoesNotFit';
}
