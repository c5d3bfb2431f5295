import type { GpuReport, InstanceReport } from '../../../src/api/types.ts';
import { aGpu } from '../../support/builders.ts';

/** A GPU in MIG mode with these instances. */
export function aSlicedGpu(index: number, ...instances: readonly InstanceReport[]): GpuReport {
  return { ...aGpu({ index, mig: 'Enabled' }), instances };
}

/** A GPU instance with compute instances of these UUIDs. */
export function anInstance(gi: number, ...uuids: readonly string[]): InstanceReport {
  return {
    profile: '1g.5gb',
    gi,
    start: 0,
    computeInstances: uuids.map((uuid) => ({ profile: '1g.5gb', uuid })),
  };
}
