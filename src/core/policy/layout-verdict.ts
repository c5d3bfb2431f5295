import type { GpuSelector, PolicyLayout } from '../../api/types.ts';
import { matchesModelGlob } from '../gpu/geometry/model-lookup.ts';
import { type GpuModel, MODELS, type Product } from '../gpu/geometry/models.ts';
import { layoutFor } from './gpu-layout.ts';
import type { LayoutRefusal } from './refusal.ts';

/** A model that an entry of `layouts` can match, and whether it can take the entry. */
export interface ModelVerdict {
  readonly model: GpuModel;
  /** Its common name: `A100-SXM4-40GB`. */
  readonly name: string;
  readonly refusal?: LayoutRefusal;
}

/** The models of the built-in table that one entry can match. */
export interface LayoutVerdict {
  /** Models that the entry's selector names and no earlier entry takes completely; in the order of the table. */
  readonly verdicts: readonly ModelVerdict[];
  /** Models that it names but an earlier entry takes. */
  readonly taken: readonly GpuModel[];
}

interface Board {
  readonly model: GpuModel;
  readonly product: Product | undefined;
  readonly deviceId: string | undefined;
}

/** Every board in the table, one by one: a glob may match one product of a model and not another. */
const BOARDS: readonly Board[] = MODELS.flatMap((model) => [
  ...model.products.map((product) => ({ model, product, deviceId: product.pciDeviceId })),
  ...(model.unnamedPciDeviceIds ?? []).map((deviceId) => ({ model, product: undefined, deviceId })),
]);

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
export function listGuesses(glob: string): readonly Product[] {
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
