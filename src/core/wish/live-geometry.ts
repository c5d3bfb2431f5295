import type { DeviceReport, GpuReport, ModelReport } from '../../api/types.ts';
import type { Geometry, Profile } from '../gpu/geometry/geometry.ts';
import { findModel } from '../gpu/geometry/model-lookup.ts';
import { deriveEngineTotals } from '../gpu/geometry/profile-lookup.ts';
import { contradictsModel } from '../gpu/geometry/table-check.ts';
import { onceEach } from '../text/once-each.ts';
import { definedOnly } from '../text/defined-fields.ts';

/**
 * Geometry of a reported GPU: the driver's own table, else the built-in one (no table is reported while the driver does not answer);
 * undefined if the GPU does not support MIG. A table that contradicts the known data of the model is not used: it is a mistake of
 * the agent, or of whoever has its token, and would decide what fits and how long the planner searches.
 */
export function liveGeometry(device: DeviceReport, gpu: GpuReport): Geometry | undefined {
  if (gpu.migCapable === false) return undefined;
  const live = device.models?.find(({ product }) => product === gpu.product);
  return live ? readReport(live) : findModel(gpu.product);
}

// The planner prepares each geometry object once: the same report must yield the same object.
const readReport = onceEach((report: ModelReport): Geometry => {
  const builtIn = findModel(report.product);
  const reported = fromReport(report, builtIn);
  return builtIn !== undefined && contradictsModel(reported, builtIn) ? builtIn : reported;
});

function fromReport(report: ModelReport, builtIn: Geometry | undefined): Geometry {
  const profiles = report.profiles.map((profile) => toProfile(profile, builtIn));
  return {
    computeSlices: report.computeSlices,
    memorySlices: report.memorySlices,
    // No nvidia-smi command reports the engines of the whole GPU, or which profiles exclude each other.
    engines: builtIn?.engines ?? deriveEngineTotals(profiles),
    ...(builtIn?.exclusive === undefined ? {} : { exclusive: builtIn.exclusive }),
    profiles,
  };
}

function toProfile({ engines, ...profile }: ModelReport['profiles'][number], builtIn: Geometry | undefined): Profile {
  const [copy = 0, decoder = 0, encoder = 0, jpeg = 0, ofa = 0] = engines ?? [];
  const formerNames = builtIn?.profiles.find(({ id }) => id !== undefined && id === profile.id)?.formerNames;
  return definedOnly({ ...profile, engines: { copy, decoder, encoder, jpeg, ofa }, formerNames });
}
