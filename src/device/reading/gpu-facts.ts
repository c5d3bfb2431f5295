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
import type { ReportedGpu } from './report-parser.ts';
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
  ): Promise<(gpu: IndexedGpu) => GpuFacts> {
    const keyOf = (gpu: IndexedGpu): string => `${driverVersion} ${gpu.uuid} ${gpu.pciBusId} ${gpu.migCapable}`;
    if (!gpus.every((gpu) => this.#facts.has(keyOf(gpu)))) {
      const geometries = await this.#readGeometries(gpus, selection);
      const capabilities = await this.#readCapabilities(gpus, selection);
      for (const gpu of gpus) {
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
  ): Promise<ReadonlyMap<number, Geometry>> {
    if (!gpus.some(({ migCapable }) => migCapable)) return new Map();
    const what = selection === undefined ? {} : { gpus: selection };
    const profilesCommand: ReadCommand = { name: 'Profiles', ...what };
    const placementsCommand: ReadCommand = { name: 'Placements', ...what };
    const profiles = parseProfiles(describeCommand(profilesCommand), await this.#runner.run(profilesCommand));
    const placements = parsePlacements(describeCommand(placementsCommand), await this.#runner.run(placementsCommand));
    return new Map(
      gpus
        .filter(({ migCapable }) => migCapable)
        .map((gpu) => {
          const rows = profiles.filter(({ gpuIndex }) => gpuIndex === gpu.index);
          const places = placements.filter(({ gpuIndex }) => gpuIndex === gpu.index);
          demandWhole(gpu, rows, places);
          return [gpu.index, this.#share(buildGeometry(gpu.product, rows, places))];
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
  ): Promise<ReadonlyMap<string, string>> {
    const command: ReadCommand = {
      name: 'ComputeCapabilities',
      ...(selection === undefined ? {} : { gpus: selection }),
    };
    const { rc, stdout, end } = await this.#runner.run(command);
    if (rc !== 0 || end !== 'Exited') return new Map();
    const lines = stdout.split('\n').map((line) => line.split(',').map((cell) => cell.trim()));
    for (const { uuid, pciBusId } of gpus) {
      const isSame = lines.some(
        ([busId = '', id]) => id === uuid && isBusId(busId) && normalizeBusId(busId) === pciBusId,
      );
      if (!isSame) throw contradict(describeCommand(command), `no GPU ${uuid}, which -q -x reports`, pciBusId);
    }
    return new Map(
      lines.flatMap(([, uuid = '', capability = '']) =>
        /^\d+\.\d+$/.test(capability) ? [[uuid, capability] as const] : [],
      ),
    );
  }
}

/** Both tables name the same profiles, so that one that was cut off shows. Thor alone has profiles without places. */
function demandWhole(gpu: IndexedGpu, profiles: readonly ListedProfile[], placements: readonly PlacementRow[]): void {
  if (placements.length === 0 && findModel(gpu.product)?.memorySlices === 0) return;
  const named = profiles.map(({ id }) => id).toSorted((a, b) => a - b);
  const placed = placements.map(({ profileId }) => profileId).toSorted((a, b) => a - b);
  if (named.length > 0 && named.join() === placed.join()) return;
  throw new DeviceError('ParseError', {
    tried: 'nvidia-smi mig -lgip and -lgipp',
    found: `profiles ${named.join()} and placements of ${placed.join()}`,
    gpu: gpu.pciBusId,
  });
}
