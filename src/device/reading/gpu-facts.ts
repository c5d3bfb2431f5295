import type { Geometry } from '../../core/gpu/geometry/geometry.ts';
import { findModel } from '../../core/gpu/geometry/model-lookup.ts';
import { DeviceError } from '../errors.ts';
import { contradict } from './contradiction.ts';
import {
  buildGeometry,
  parsePlacements,
  parseProfiles,
  type PlacementRow,
  type ListedProfile,
} from './profile-table.ts';
import { askEach } from './one-by-one.ts';
import type { ReportedGpu } from './report-parser.ts';
import type { Trouble } from './trouble.ts';
import type { Execution } from '../command/output.ts';
import { describeCommand, type Runner } from '../command/runner.ts';
import { isBusId, normalizeBusId, type GpuSelection, type ReadCommand } from '../command/smi-command.ts';

/** What does not change while the driver is loaded. */
export interface GpuFacts {
  readonly geometry: Geometry | undefined;
  readonly computeCapability: string | undefined;
}

export interface IndexedGpu extends ReportedGpu {
  readonly index: number;
}

/** Reads each GPU's facts once: three commands for the node, none as long as driver and GPUs stay the same. */
export class GpuFactsReader {
  readonly #runner: Runner;
  readonly #facts = new Map<string, GpuFacts>();
  /** GPUs of one model share one object: the planner prepares each geometry once. */
  readonly #geometries = new Map<string, Geometry>();

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /**
   * @param selection what to name on command lines; undefined for every GPU of the node
   * @throws DeviceError
   */
  async read(
    driverVersion: string,
    gpus: readonly IndexedGpu[],
    selection: GpuSelection | undefined,
    trouble: Trouble,
  ): Promise<(gpu: IndexedGpu) => GpuFacts> {
    const keyOf = (gpu: IndexedGpu): string => `${driverVersion} ${gpu.uuid} ${gpu.pciBusId} ${gpu.migCapable}`;
    if (!gpus.every((gpu) => this.#facts.has(keyOf(gpu)))) {
      const geometries = await this.#readGeometries(gpus, selection, trouble);
      const capabilities = await this.#readCapabilities(gpus, selection, trouble);
      for (const gpu of gpus) {
        if (gpu.fault !== undefined || trouble.find(gpu.pciBusId) !== undefined) continue;
        const geometry = geometries.get(gpu.index);
        this.#facts.set(keyOf(gpu), { geometry, computeCapability: capabilities.get(gpu.uuid) });
      }
    }
    return (gpu) => this.#facts.get(keyOf(gpu)) ?? { geometry: undefined, computeCapability: undefined };
  }

  /** Has everything read again the next time. */
  forget(): void {
    this.#facts.clear();
  }

  async #readGeometries(
    gpus: readonly IndexedGpu[],
    selection: GpuSelection | undefined,
    trouble: Trouble,
  ): Promise<ReadonlyMap<number, Geometry>> {
    const capable = gpus.filter(({ migCapable }) => migCapable);
    if (capable.length === 0) return new Map();
    const question = { gpus: capable.map(({ pciBusId }) => pciBusId), selection, isLast: trouble.isLast };
    const profiles = trouble.note(
      await askEach(this.#runner, {
        ...question,
        command: (what) => ({ name: 'Profiles', ...what }),
        parse: parseProfiles,
      }),
    );
    const placements = trouble.note(
      await askEach(this.#runner, {
        ...question,
        command: (what) => ({ name: 'Placements', ...what }),
        parse: parsePlacements,
      }),
    );
    return new Map(
      capable.flatMap((gpu) => {
        if (trouble.find(gpu.pciBusId) !== undefined) return [];
        const rows = profiles.flat().filter(({ gpuIndex }) => gpuIndex === gpu.index);
        const places = placements.flat().filter(({ gpuIndex }) => gpuIndex === gpu.index);
        const torn = findTorn(gpu, rows, places);
        if (torn === undefined) return [[gpu.index, this.#share(buildGeometry(gpu.product, rows, places))] as const];
        trouble.pin(gpu.pciBusId, torn);
        return [];
      }),
    );
  }

  #share(geometry: Geometry): Geometry {
    const key = JSON.stringify(geometry);
    const known = this.#geometries.get(key) ?? geometry;
    this.#geometries.set(key, known);
    return known;
  }

  /**
   * By UUID, which the report must have given to the same GPU. Old drivers do not know the field: no harm, a label is missing then.
   */
  async #readCapabilities(
    gpus: readonly IndexedGpu[],
    selection: GpuSelection | undefined,
    trouble: Trouble,
  ): Promise<ReadonlyMap<string, string>> {
    const command: ReadCommand = {
      name: 'ComputeCapabilities',
      ...(selection === undefined ? {} : { gpus: selection }),
    };
    const rows = readCapabilities(await this.#runner.run(command));
    if (rows === undefined) return new Map();
    for (const { uuid, pciBusId } of gpus) {
      if (rows.some((row) => row.uuid === uuid && row.pciBusId === pciBusId)) continue;
      trouble.pin(pciBusId, contradict(describeCommand(command), `no GPU ${uuid}, which -q -x reports`, pciBusId));
    }
    return new Map(
      rows.flatMap(({ uuid, capability }) => (capability === undefined ? [] : [[uuid, capability] as const])),
    );
  }
}

/** Compute capabilities by GPU, undefined where the driver has none in that place; undefined as a whole where it does not know the field. */
export function readCapabilities({
  rc,
  stdout,
  end,
}: Execution):
  readonly { readonly pciBusId: string; readonly uuid: string; readonly capability: string | undefined }[] | undefined {
  if (rc !== 0 || end !== 'Exited') return undefined;
  return stdout.split('\n').flatMap((line) => {
    const [busId = '', uuid = '', capability = ''] = line.split(',').map((cell) => cell.trim());
    if (!isBusId(busId)) return [];
    return [
      {
        pciBusId: normalizeBusId(busId),
        uuid,
        capability: /^\d+\.\d+$/.test(capability) ? capability : undefined,
      },
    ];
  });
}

/** Both tables name the same profiles, so that one that was cut off shows. Thor alone has profiles without places. */
function findTorn(
  gpu: IndexedGpu,
  profiles: readonly ListedProfile[],
  placements: readonly PlacementRow[],
): DeviceError | undefined {
  if (placements.length === 0 && findModel(gpu.product)?.memorySlices === 0) return undefined;
  const named = profiles.map(({ id }) => id).toSorted((a, b) => a - b);
  const placed = placements.map(({ profileId }) => profileId).toSorted((a, b) => a - b);
  if (named.length > 0 && named.join() === placed.join()) return undefined;
  return new DeviceError('ParseError', {
    tried: 'nvidia-smi mig -lgip and -lgipp',
    found: `profiles ${named.join()} and placements of ${placed.join()}`,
    gpu: gpu.pciBusId,
  });
}
