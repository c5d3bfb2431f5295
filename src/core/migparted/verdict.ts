import type { GpuModel } from '../gpu/geometry/models.ts';
import { fitLayout } from '../gpu/plan/fit.ts';
import { nameModel } from '../policy/layout-verdict.ts';
import type { MigSpec } from './config-file.ts';
import { listFiltered } from './device-filter.ts';

/**
 * What mig-parted makes of an entry on a GPU model. `Applies`: as written. `WipesSilently`: a profile is unknown, so it destroys all
 * instances and reports success. `WipesAndFails`: all orders of creation fail, and the GPU is left empty.
 */
export type EntryOutcome = 'Applies' | 'WipesSilently' | 'WipesAndFails';

/** An entry on one model that its filter allows. */
export interface SpecVerdict {
  readonly model: GpuModel;
  /** Its common name. */
  readonly name: string;
  readonly outcome: EntryOutcome;
  /** Why it does not apply, with the numbers; empty if it does. */
  readonly reason: string;
}

/** Verdicts on every model of the built-in table that an entry can match; tables of older drivers are left out. */
export function judgeSpec(spec: MigSpec): readonly SpecVerdict[] {
  if (!spec.canMatch) return [];
  return listFiltered(spec.filters)
    .filter((model) => model.superseded !== true)
    .map((model) => judgeModel(spec, model));
}

function judgeModel({ layout }: MigSpec, model: GpuModel): SpecVerdict {
  const name = nameModel(model);
  const fit = layout === undefined ? undefined : fitLayout(model, layout, name);
  if (fit === undefined || fit.fits) return { model, name, outcome: 'Applies', reason: '' };
  const outcome = fit.refusal.code === 'UnknownProfile' ? 'WipesSilently' : 'WipesAndFails';
  return { model, name, outcome, reason: fit.refusal.message };
}
