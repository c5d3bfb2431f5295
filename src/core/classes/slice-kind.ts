import type { GpuPartitionPolicy, PolicyDemand, PolicyLayout } from '../../api/types.ts';
import { type GpuModel, MODELS } from '../gpu/geometry/models.ts';
import { resolveProfile } from '../gpu/geometry/profile-lookup.ts';
import { isProfileNameError, parseProfile } from '../gpu/geometry/profile-name.ts';
import { listProfiles } from '../gpu/search/layout-words.ts';
import { profilesServing } from '../policy/demand-profiles.ts';
import { layoutFor } from '../policy/gpu-layout.ts';
import { judgeLayouts } from '../policy/layout-verdict.ts';
import { variantsOf } from '../policy/schedules.ts';
import { writePath } from '../text/finding.ts';
import { compareText } from '../text/fingerprint.ts';

/** Boards whose slices of one profile have the same memory. */
export interface Boards {
  readonly modelId: string;
  /** As NVML prints them, and the driver's `productName`: `NVIDIA A100-SXM4-40GB`. */
  readonly products: readonly string[];
  /** Undefined if unpublished. */
  readonly memoryMiB?: number | undefined;
}

/** A profile that policies create, on all GPU models on which they do. */
export interface SliceKind {
  readonly profile: string;
  /** Names that earlier drivers have for it, and on which boards: on others, another profile may be called so. */
  readonly formerNames: readonly { readonly name: string; readonly products: readonly string[] }[];
  readonly gb: number;
  readonly computeSlices: number;
  /** More than one if the memory of such a slice depends on the model. */
  readonly boards: readonly Boards[];
}

/** A layout that NVIDIA's DRA driver cannot have. */
export interface SplitLayout {
  readonly policy: string;
  /** `spec.layouts[0].profiles` */
  readonly path: string;
  readonly profile: string;
}

/**
 * Layouts with compute instances that are smaller than their GPU instance. One of them ends NVIDIA's DRA driver for the whole node
 * (exit code 1, dra-driver-nvidia-gpu v0.5).
 */
export function listSplitLayouts(policies: readonly GpuPartitionPolicy[]): readonly SplitLayout[] {
  return policies.flatMap(({ metadata, spec }) =>
    variantsOf(spec).flatMap((variant) =>
      (variant.spec.layouts ?? []).flatMap(({ profiles = {} }, layout) =>
        Object.keys(profiles).flatMap((profile) => {
          const parsed = parseProfile(profile);
          const isSplit = !isProfileNameError(parsed) && parsed.computeInstanceSlices !== undefined;
          const path = writePath([...variant.place, 'layouts', layout, 'profiles']);
          return isSplit ? [{ policy: metadata.name, path, profile }] : [];
        }),
      ),
    ),
  );
}

/** The profiles that the policies create on the models that they can meet, small ones first. */
export function listSliceKinds(policies: readonly GpuPartitionPolicy[]): readonly SliceKind[] {
  const found = new Map<string, GpuModel[]>();
  for (const { spec } of policies.flatMap((policy) => variantsOf(policy.spec))) {
    for (const { profile, model } of [...listUses(spec.layouts ?? []), ...listDemanded(spec.demand)]) {
      const models = found.get(profile) ?? [];
      found.set(profile, models.includes(model) ? models : [...models, model]);
    }
  }
  const order = listProfiles(Object.fromEntries([...found.keys()].map((profile) => [profile, 1])));
  return order.flatMap(([profile]) => describeKind(profile, found.get(profile) ?? []));
}

function listUses(layouts: readonly PolicyLayout[]): readonly { readonly profile: string; readonly model: GpuModel }[] {
  return judgeLayouts(layouts).flatMap(({ verdicts }, index) => {
    const entry = layouts[index];
    return verdicts.flatMap(({ model, name, refusal }) => {
      if (entry === undefined || refusal !== undefined) return [];
      const made = layoutFor(entry, model, name);
      return 'profiles' in made ? Object.keys(made.profiles).map((profile) => ({ profile, model })) : [];
    });
  });
}

/** A demand is for whatever GPUs its nodes have. */
function listDemanded(demand: PolicyDemand | undefined): ReturnType<typeof listUses> {
  return (demand?.slices ?? []).flatMap((slice) =>
    MODELS.flatMap((model) => profilesServing(slice, model, model.id).map((profile) => ({ profile, model }))),
  );
}

function describeKind(profile: string, models: readonly GpuModel[]): readonly SliceKind[] {
  const parsed = parseProfile(profile);
  if (isProfileNameError(parsed)) return [];
  const former = models.flatMap((model) =>
    (resolveProfile(model, profile)?.formerNames ?? []).map((name) => ({ name, model })),
  );
  const boards = Map.groupBy(models, (model) => resolveProfile(model, profile)?.memoryMiB ?? model.id);
  return [
    {
      profile,
      formerNames: [...Map.groupBy(former, ({ name }) => name)].map(([name, on]) => ({
        name,
        products: listProducts(on.map(({ model }) => model)),
      })),
      gb: parsed.gb,
      computeSlices: parsed.gpuSlices,
      boards: [...boards.values()].map(joinBoards(profile)),
    },
  ];
}

function joinBoards(profile: string): (models: readonly GpuModel[]) => Boards {
  return (models) => ({
    modelId: models[0]?.id ?? '',
    products: listProducts(models),
    memoryMiB: models.map((model) => resolveProfile(model, profile)?.memoryMiB)[0],
  });
}

function listProducts(models: readonly GpuModel[]): readonly string[] {
  return [...new Set(models.flatMap(({ products }) => products.map(({ name }) => name)))].toSorted(compareText);
}
