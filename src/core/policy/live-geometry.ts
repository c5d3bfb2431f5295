import type { DeviceReport, GpuReport, ModelReport } from '../../api/types.ts';
import type { Geometry, Profile } from '../geometry/geometry.ts';
import { findModel } from '../geometry/model-lookup.ts';

/**
 * Geometry of a reported GPU: the driver's own table, else the built-in one (no table is reported while the driver does
 * not answer); undefined where the GPU has no MIG.
 */
export function liveGeometry(device: DeviceReport, gpu: GpuReport): Geometry | undefined {
  if (gpu.migCapable === false) return undefined;
  const live = device.models?.find(({ product }) => product === gpu.product);
  const builtIn = findModel(gpu.product);
  return live ? fromReport(live, builtIn) : builtIn;
}

function fromReport(report: ModelReport, builtIn: Geometry | undefined): Geometry {
  return {
    computeSlices: report.computeSlices,
    memorySlices: report.memorySlices,
    // No command of nvidia-smi tells the engines of the whole GPU; where the table knows them they bind.
    ...(builtIn?.engines === undefined ? {} : { engines: builtIn.engines }),
    profiles: report.profiles.map(toProfile),
  };
}

function toProfile({ engines, ...profile }: ModelReport['profiles'][number]): Profile {
  const [copy = 0, decoder = 0, encoder = 0, jpeg = 0, ofa = 0] = engines ?? [];
  return { ...profile, engines: { copy, decoder, encoder, jpeg, ofa } };
}
