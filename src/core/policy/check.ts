import type { PolicyLayout, PolicySpec } from '../../api/types.ts';
import { findModel, matchesModelGlob } from '../gpu/geometry/model-lookup.ts';
import { type GpuModel, MODELS } from '../gpu/geometry/models.ts';
import { checkDemand } from './demand-check.ts';
import { layoutFor } from './gpu-layout.ts';
import { listGuesses } from './layout-verdict.ts';
import { isMistake, type Mistake, type PolicyRefusal } from './refusal.ts';
import { listBadWindows, type Variant, variantsOf } from './schedules.ts';
import { checkSinglePreset } from './single.ts';
import { checkPolicySharing, fullSupport, type Support } from './sharing.ts';
import { type FieldPath, writePath } from '../text/finding.ts';

/**
 * Checks a policy without any node: features that this installation lacks, and layouts that no matching model could take. What only
 * some models can take is checked on the GPUs of the nodes, by resolveNode.
 *
 * @param products that nodes have reported: what is wrong is said of these models first
 */
export function checkPolicy(
  spec: PolicySpec,
  support: Support = fullSupport,
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
    if (isMistake(result.refusal)) refusals.push({ isPresent: known.includes(model), refusal: result.refusal });
  }
  return explainNearest(refusals, entry);
}

interface ModelRefusal {
  /** Whether the fleet has GPUs of this model. */
  readonly isPresent: boolean;
  readonly refusal: Mistake;
}

/** Of the models that the fleet has, the one that is nearest to the entry: it has the profiles, though not so many. */
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
