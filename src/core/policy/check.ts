import type { PolicyLayout, PolicySpec } from '../../api/types.ts';
import { matchesModelGlob } from '../gpu/geometry/model-lookup.ts';
import { type GpuModel, MODELS } from '../gpu/geometry/models.ts';
import { explainWindow } from '../rollout/windows.ts';
import { layoutFor } from './gpu-layout.ts';
import type { PolicyRefusal } from './refusal.ts';
import { checkPolicySharing } from './sharing.ts';
import { fullSupport, type Support } from './support.ts';

/**
 * Checks a policy without any node: features that this installation lacks, and layouts that no matching model could take. What only
 * some models can take is checked on the GPUs of the nodes, by resolveNode.
 */
export function checkPolicy(spec: PolicySpec, support: Support = fullSupport): PolicyRefusal | undefined {
  if (spec.sharing?.timeSlicing !== undefined && !support.sharing) {
    return {
      reason: 'NotConfigured',
      message:
        'spec.sharing needs a ConfigMap for the device plugin’s config files: start the controller with --device-plugin-config-map NAMESPACE/NAME, ' +
        'and configure the device plugin to use it (docs/device-plugin.md)',
    };
  }
  for (const [index, window] of (spec.rollout?.windows ?? []).entries()) {
    const why = explainWindow(window);
    if (why !== undefined) return { reason: 'BadWindow', message: `spec.rollout.windows[${index}]: ${why}` };
  }
  const sharing = checkPolicySharing(spec);
  if (sharing) return { reason: 'SharingRefused', message: `${sharing.path.join('.')}: ${sharing.message}` };
  for (const [index, entry] of spec.layouts.entries()) {
    const refusal = checkLayout(entry);
    if (refusal) return { ...refusal, message: `spec.layouts[${index}]: ${refusal.message}` };
  }
  return undefined;
}

function checkLayout(entry: PolicyLayout): PolicyRefusal | undefined {
  // A glob that matches no known model may still match a new one, whose driver reports its table.
  const candidates = modelsOf(entry);
  let first: PolicyRefusal | undefined;
  for (const model of candidates) {
    const result = layoutFor(entry, model, modelName(model));
    // One model that takes it is enough, and the others' refusals take long to word.
    if (!('refusal' in result)) return undefined;
    first ??= result.refusal;
  }
  return first && explain(first, entry, candidates);
}

function explain(refusal: PolicyRefusal, entry: PolicyLayout, candidates: readonly GpuModel[]): PolicyRefusal {
  if (candidates.length === 1 || entry.gpus?.models !== undefined) return refusal;
  // Without a model selector, the first model's numbers alone would puzzle: say that every model was tried.
  return { ...refusal, message: `fits no GPU model; for example ${refusal.message}` };
}

function modelsOf(entry: PolicyLayout): readonly GpuModel[] {
  const globs = entry.gpus?.models;
  if (globs === undefined) return MODELS;
  return MODELS.filter((model) =>
    model.products.some(({ name }) =>
      globs.some((glob) => matchesModelGlob(glob, { product: name, modelId: model.id })),
    ),
  );
}

function modelName(model: GpuModel): string {
  return model.products[0]?.name.replace(/^NVIDIA /, '') ?? model.id;
}
