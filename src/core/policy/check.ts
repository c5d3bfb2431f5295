// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here all that is wrong with a policy as somebody has written it, each with its place, or why it cannot be carried out on any node.
import type { PolicyDemand, GpuSelector, PolicyLayout, PolicySpec, GpuPartitionPolicy } from '../../api/types.ts';
import { findModel, MODELS, type Geometry, matchesModelGlob, type GpuModel, hasNoMig } from '../gpu/geometry.ts';
import { listByMemory } from '../gpu/layouts.ts';
import { isWholeGpu, nameSlice, profilesServing, type SliceEntry } from './spec.ts';
import { type Mistake, type PolicyRefusal, layoutFor, checkSinglePreset } from './resolve-node.ts';
import { type Finding, type FieldPath, writePath } from '../text/words.ts';
import { GPU_RESOURCE, migResourceName } from '../nvidia/labels.ts';
import { claimKey, variantsOf, listBadWindows } from './spec.ts';
import { checkSharing } from '../nvidia/plugin-config.ts';
import { checkForm } from './schema.ts';
import { joinWords } from '../text/words.ts';

type Variant = ReturnType<typeof variantsOf>[number];

/** A slice of a demand that no GPU can offer. */
interface SliceRefusal {
  /** Index of the slice. */
  readonly slice: number;
  readonly refusal: PolicyRefusal;
}

/**
 * Finds a slice that no GPU could offer.
 *
 * @param products that nodes have reported; where there are none yet, all that are known count
 */
export function checkDemand({ slices }: PolicyDemand, products: readonly string[]): SliceRefusal | undefined {
  const present = products.map((product) => ({ product, geometry: findModel(product) }));
  // The table of a model that is newer than this release is reported by its driver.
  if (present.some(({ geometry }) => geometry === undefined)) return undefined;
  const known = present.length > 0 ? present : MODELS.map((geometry) => ({ product: geometry.id, geometry }));
  for (const [index, slice] of slices.entries()) {
    // Every GPU can be whole.
    if (isWholeGpu(slice)) continue;
    const isOffered = known.some(
      ({ product, geometry }) => geometry && profilesServing(slice, geometry, product).length > 0,
    );
    if (!isOffered) return { slice: index, refusal: refuseSlice(slice, present) };
  }
  return undefined;
}

function refuseSlice(
  slice: SliceEntry,
  present: readonly { readonly product: string; readonly geometry: Geometry | undefined }[],
): PolicyRefusal {
  const { memory, profiles = [] } = slice;
  const wanted =
    memory === undefined ? `a profile ${profiles.join(' or ')}` : `a plain profile with ${memory} of usable memory`;
  const who = present.length === 0 ? 'no GPU model has' : 'no GPU that nodes have reported has';
  const has = present.map(({ product, geometry }) => {
    const names = memory === undefined ? listNames(geometry) : describeLargest(geometry);
    return `${product.replace(/^NVIDIA /, '')} has ${names}`;
  });
  const rest = has.length === 0 ? '' : `: ${has.join('; ')}`;
  return { reason: 'UnknownProfile', message: `slice ${nameSlice(slice)}: ${who} ${wanted}${rest}` };
}

function listNames(geometry: Geometry | undefined): string {
  return (geometry?.profiles ?? []).map(({ name }) => name).join(', ');
}

function describeLargest(geometry: Geometry | undefined): string {
  const largest = geometry && listByMemory(geometry).at(-1);
  if (largest === undefined) return 'no profile whose memory is published';
  return `${largest.memoryMiB.toLocaleString('en-US')} MiB in its largest, ${largest.profile}`;
}

/** A model that an entry of `layouts` can match, and whether it can take the entry. */
export interface ModelVerdict {
  readonly model: GpuModel;
  /** Its common name: `A100-SXM4-40GB`. */
  readonly name: string;
  readonly refusal?: Mistake;
}

/** The models of the built-in table that one entry can match. */
export interface LayoutVerdict {
  /** Models that the entry's selector names and no earlier entry takes completely; in the order of the table. */
  readonly verdicts: readonly ModelVerdict[];
  /** Models that it names but an earlier entry takes. */
  readonly taken: readonly GpuModel[];
}

/** Every board in the table, one by one: a glob may match one product of a model and not another. */
const BOARDS = MODELS.flatMap((model) => [
  ...model.products.map((product) => ({ model, product, deviceId: product.pciDeviceId })),
  ...(model.unnamedPciDeviceIds ?? []).map((deviceId) => ({ model, product: undefined, deviceId })),
]);

type Board = (typeof BOARDS)[number];

/** Judges each entry of a policy's `layouts` on the models that reach it: the first entry that matches a GPU decides. */
export function judgeLayouts(layouts: readonly PolicyLayout[]): readonly LayoutVerdict[] {
  const gone = new Set<Board>();
  return layouts.map((entry) => {
    const met = BOARDS.filter((board) => meetsBoard(entry.gpus ?? {}, board));
    const open = listModels(met.filter((board) => !gone.has(board)));
    if (takesWhole(entry.gpus ?? {})) for (const board of met) gone.add(board);
    return {
      verdicts: open.map((model) => judgeModel(entry, model)),
      taken: listModels(met).filter((model) => !open.includes(model)),
    };
  });
}

/** The boards that a glob of `gpus.models` matches if all of them are guesses; none if it is the id of one, which is meant then. */
export function listGuesses(glob: string) {
  const met = BOARDS.filter((board) => meetsBoard({ models: [glob] }, board));
  const isGuess = ({ model, product }: Board): boolean =>
    product?.uncertain === true && model.id !== glob.toLowerCase();
  return met.every(isGuess) ? met.flatMap(({ product }) => product ?? []) : [];
}

function judgeModel(entry: PolicyLayout, model: GpuModel): ModelVerdict {
  const name = nameModel(model);
  const result = layoutFor(entry, model, name);
  return 'refusal' in result ? { model, name, refusal: result.refusal } : { model, name };
}

/** `A100-SXM4-40GB`; the id if several models have boards of one name, or the board's name is unpublished. */
export function nameModel(model: GpuModel): string {
  const [first] = model.products;
  const shared = MODELS.some((other) => other !== model && other.products.some(({ name }) => name === first?.name));
  return shared || first === undefined || first.uncertain === true ? model.id : first.name.replace(/^NVIDIA /, '');
}

function meetsBoard(selector: GpuSelector, { model, product, deviceId }: Board): boolean {
  const name = product?.name ?? model.id;
  // Whether a glob on names matches a board with an unpublished name is unknown.
  if (product === undefined && selector.models !== undefined && selector.pciDeviceIds === undefined) return false;
  return (
    (selector.models?.some((glob) => matchesModelGlob(glob, { product: name, modelId: model.id })) ?? true) &&
    (selector.pciDeviceIds?.some((id) => id.toLowerCase() === deviceId?.toLowerCase()) ?? true)
  );
}

/** Whether the selector leaves no GPU of a named model to later entries. */
function takesWhole(selector: GpuSelector): boolean {
  return selector.indices === undefined && selector.uuids === undefined && selector.count === undefined;
}

function listModels(boards: readonly Board[]): readonly GpuModel[] {
  return [...new Set(boards.map(({ model }) => model))];
}

/** What is wrong with a policy's sharing, by the rules of the device plugin and the resources that its layouts offer. */
export function checkPolicySharing(spec: PolicySpec): Finding | undefined {
  const layouts = variantsOf(spec).flatMap((variant) => variant.spec.layouts ?? []);
  const all = spec.layouts === undefined ? spec : { ...spec, layouts };
  return checkSharing(all, offeredBy(all));
}

/**
 * Resources that the nodes offer; undefined if they depend on a preset, whose slices differ by model. GPUs that no entry matches
 * stay whole.
 */
function offeredBy({ strategy, layouts }: PolicySpec): ReadonlySet<string> | undefined {
  if (strategy !== 'mixed' || layouts === undefined || layouts.some(({ preset }) => preset !== undefined))
    return undefined;
  return new Set([
    GPU_RESOURCE,
    ...layouts.flatMap(({ profiles }) => Object.keys(profiles ?? {}).map(migResourceName)),
  ]);
}

/** All that an administrator can set up: the controller may write the device plugin's config files too. */
export const fullSupport = { sharing: true };

/**
 * Checks a policy without any node: features that this installation lacks, and layouts that no matching model could take. What only
 * some models can take is checked on the GPUs of the nodes, by resolveNode.
 *
 * @param support what the administrator has set up, beyond what every cluster has
 * @param products that nodes have reported: what is wrong is said of these models first
 */
export function checkPolicy(
  spec: PolicySpec,
  support: { readonly sharing: boolean } = fullSupport,
  products: readonly string[] = [],
): PolicyRefusal | undefined {
  if (spec.sharing?.timeSlicing !== undefined && !support.sharing) {
    return {
      reason: 'NotConfigured',
      message:
        'spec.sharing needs a ConfigMap for the device plugin’s config files: start the controller with --device-plugin-config-map NAMESPACE/NAME, ' +
        'and configure the device plugin to use it (docs/device-plugin.md)',
    };
  }
  const [window] = listBadWindows(spec);
  if (window) return { reason: 'BadWindow', message: `${writePath(window.path)}: ${window.message}` };
  const sharing = checkPolicySharing(spec);
  if (sharing) return { reason: 'SharingRefused', message: `${sharing.path.join('.')}: ${sharing.message}` };
  for (const variant of variantsOf(spec)) {
    const refusal = checkVariant(variant, products);
    if (refusal) return refusal;
  }
  return undefined;
}

function checkVariant({ spec, place }: Variant, products: readonly string[]): PolicyRefusal | undefined {
  const at = (...path: FieldPath): string => writePath([...place, ...path]);
  const unknown = spec.demand && checkDemand(spec.demand, products);
  if (unknown)
    return { ...unknown.refusal, message: `${at('demand', 'slices', unknown.slice)}: ${unknown.refusal.message}` };
  for (const [index, entry] of (spec.layouts ?? []).entries()) {
    const refusal = (spec.strategy === 'single' ? checkSinglePreset(entry) : undefined) ?? checkLayout(entry, products);
    if (refusal) return { ...refusal, message: `${at('layouts', index)}: ${refusal.message}` };
  }
  return undefined;
}

function checkLayout(entry: PolicyLayout, products: readonly string[]): PolicyRefusal | undefined {
  const present = products.filter((product) => meets(entry, product, findModel(product)));
  const known = present.flatMap((product) => findModel(product) ?? []);
  // The table of a model that is newer than this release is reported by its driver: its nodes judge.
  if (known.length < present.length) return undefined;
  // A guess refuses nothing: the nodes with such a board judge.
  if (entry.gpus?.models?.some((glob) => listGuesses(glob).length > 0) === true) return undefined;
  const refusals: ModelRefusal[] = [];
  for (const model of MODELS) {
    if (!model.products.some(({ name }) => meets(entry, name, model))) continue;
    const result = layoutFor(entry, model, modelName(model));
    // One model that takes it is enough, and the others' refusals take long to word.
    if (!('refusal' in result)) return undefined;
    refusals.push({ isPresent: known.includes(model), refusal: result.refusal });
  }
  return explainNearest(refusals, entry);
}

interface ModelRefusal {
  /** Whether the fleet has GPUs of this model. */
  readonly isPresent: boolean;
  readonly refusal: Mistake;
}

/**
 * Explains the refusal of the model, among those that the fleet has, that is nearest to the entry: it has the profiles, though not so many.
 */
function explainNearest(refusals: readonly ModelRefusal[], entry: PolicyLayout): PolicyRefusal | undefined {
  const present = refusals.filter(({ isPresent }) => isPresent);
  const candidates = present.length > 0 ? present : refusals;
  const nearest = candidates.find(({ refusal }) => refusal.reason === 'DoesNotFit') ?? candidates[0];
  if (nearest === undefined || candidates.length === 1 || entry.gpus?.models !== undefined) return nearest?.refusal;
  // Without a model selector, one model's numbers alone would puzzle: say that every model was tried.
  return { ...nearest.refusal, message: `fits no GPU model; for example ${nearest.refusal.message}` };
}

/** Whether an entry's selector names GPUs of this product. */
function meets({ gpus }: PolicyLayout, product: string, model: GpuModel | undefined): boolean {
  const identity = { product, ...(model && { modelId: model.id }) };
  return gpus?.models?.some((glob) => matchesModelGlob(glob, identity)) ?? true;
}

function modelName(model: GpuModel): string {
  return model.products[0]?.name.replace(/^NVIDIA /, '') ?? model.id;
}

type Refused = Required<ModelVerdict>;

/** A checked document: the policy if its shape is right, and all findings. */
interface ValidatedPolicy {
  readonly policy: GpuPartitionPolicy | undefined;
  /** {@link claimKey} of the policy. */
  readonly claim?: string;
  readonly findings: readonly Finding[];
}

/**
 * Checks a policy as far as possible without a cluster: the CRD's schema and CEL rules, windows, and the geometry of every model
 * that a layout can match. Reports everything, not just the first.
 */
export function validatePolicy(value: unknown): ValidatedPolicy {
  const { policy, metadata, shape, rules } = checkForm(value);
  if (policy === undefined) return { policy, findings: [...metadata, ...shape, ...rules] };
  const findings = [
    ...metadata,
    ...rules,
    ...validateSharing(policy.spec),
    ...listBadWindows(policy.spec).map((one) => ({ severity: 'error', code: 'BadWindow', ...one }) as const),
    ...variantsOf(policy.spec).flatMap((variant) => validateVariant(variant, rules)),
  ];
  return { policy, claim: claimKey(policy.spec), findings };
}

function validateVariant({ spec, place }: Variant, rules: readonly Finding[]): readonly Finding[] {
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

function validateSharing(spec: PolicySpec): readonly Finding[] {
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
