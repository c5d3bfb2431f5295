import { findModel } from '../core/gpu/geometry/model-lookup.ts';
import { type GpuModel, MODELS } from '../core/gpu/geometry/models.ts';
import { findNearestWords } from '../core/text/nearest-word.ts';
import { CliError } from './exit.ts';

/** The model that a user names. @throws CliError that lists the models that may be meant */
export function readModel(name: string): GpuModel {
  const model = findModel(name);
  if (model !== undefined) return model;
  throw new CliError(explainUnknownModel(name));
}

/** Why a name is not a model, and which ones may be meant. */
export function explainUnknownModel(name: string): string {
  const ids = MODELS.map(({ id }) => id);
  const names = MODELS.flatMap(({ products }) => products.map((product) => product.name.replace(/^NVIDIA /, '')));
  // Several boards bear this name: as a word it is near to itself alone.
  const bearers = ids.filter((id) => id.split('-').includes(name.toLowerCase()));
  const [first] = bearers;
  if (first !== undefined)
    return `no GPU model ${JSON.stringify(name)}: several boards have that name, and differ; write ${bearers.join(' or ')}`;
  const near = findNearestWords(name, [...ids, ...names], 6);
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : `known models are ${ids.join(', ')}`;
  return `no GPU model ${JSON.stringify(name)} with MIG, or several that differ; ${hint}`;
}
