import { findModel } from '../../core/gpu/geometry/model-lookup.ts';
import type { GpuModel } from '../../core/gpu/geometry/model.ts';
import { isProfileNameError, parseProfile, WHOLE } from '../../core/gpu/geometry/profile-name.ts';
import { resolveProfile } from '../../core/gpu/geometry/profile-lookup.ts';
import { fitLayout } from '../../core/gpu/plan/fit.ts';
import { gridOf } from '../../core/gpu/search/grid.ts';
import { type PoolGpu, type PoolInstance } from '../../core/demand/pool.ts';
import { countPresent } from '../../core/supply/count.ts';
import type { Profile } from '../../core/gpu/geometry/geometry.ts';
import { explainUnknownModel } from '../model-argument.ts';
import { type InputPlace, readFields, readList, readWhole, readWord, refuseInput, within } from './json-fields.ts';

/** A GPU of a pool file. */
export interface FiledGpu extends PoolGpu {
  readonly geometry: GpuModel;
}

const GPU = '{"id": "gpu-0", "model": "a100-40gb", "instances": []}';
const INSTANCE = '{"profile": "1g.5gb", "start": 0, "busy": true}';
/** The largest placement grid has 12 units. */
const MOST_START = 29;
/** Above every count of pods that one instance may stand for, and safe to add up over a pool. */
const MOST_WEIGHT = 1_000_000;

/** The GPUs of a pool. @throws CliError that names the entry, with the numbers */
export function readPool(value: unknown, file: string): readonly FiledGpu[] {
  const top = { file, path: [] };
  const { gpus } = readFields(value, top, `{"gpus": [${GPU}]}`, ['gpus']);
  if (gpus === undefined) throw refuseInput(top, `it has no gpus; a pool is {"gpus": [${GPU}]}`);
  const places = new Map<string, InputPlace>();
  return readList(gpus, within(top, 'gpus'), `[${GPU}]`).map((item, index) => {
    const at = within(top, 'gpus', index);
    const gpu = readGpu(item, at);
    const other = places.get(gpu.id);
    if (other !== undefined)
      throw refuseInput(
        within(at, 'id'),
        `${JSON.stringify(gpu.id)} is the id of gpus[${String(other.path[1])}] too; give each GPU its own`,
      );
    places.set(gpu.id, at);
    return gpu;
  });
}

function readGpu(value: unknown, at: InputPlace): FiledGpu {
  const fields = readFields(value, at, GPU, ['id', 'model', 'mig', 'instances', 'busy', 'evictionWeight']);
  const id = readWord(fields['id'], within(at, 'id'), 'an id: a text that no other GPU has');
  const geometry = readGpuModel(fields['model'], within(at, 'model'));
  const list = within(at, 'instances');
  const { mig, instances: listed = [], busy, evictionWeight } = fields;
  if (mig !== undefined) {
    if (mig !== 'Disabled')
      throw refuseInput(
        within(at, 'mig'),
        `${JSON.stringify(mig)} is not "Disabled"; leave mig out for a partitioned GPU`,
      );
    if (!Array.isArray(listed) || listed.length > 0)
      throw refuseInput(list, 'a GPU with MIG mode off has no instances; leave out mig or instances');
    return { id, geometry, instances: [{ profile: WHOLE, start: 0, ...readUse(fields, at) }] };
  }
  for (const [name, one] of Object.entries({ busy, evictionWeight }))
    if (one !== undefined)
      throw refuseInput(
        within(at, name),
        `it is about a whole GPU: give it with "mig": "Disabled", or for each instance`,
      );
  const instances = readList(fields['instances'], list, `[${INSTANCE}]`).map((item, index) =>
    readInstance(item, within(list, index), geometry),
  );
  refuseOverlap(instances, geometry, list);
  refuseTooMuch(instances, geometry, list);
  return { id, geometry, instances };
}

function readGpuModel(value: unknown, at: InputPlace): GpuModel {
  const name = readWord(value, at, 'a model: its id or product, such as "a100-40gb" or "NVIDIA A100-SXM4-40GB"');
  const model = findModel(name);
  if (model === undefined) throw refuseInput(at, explainUnknownModel(name));
  if (!gridOf(model).placeable)
    throw refuseInput(
      at,
      `NVIDIA has not published where instances of ${model.id} are placed, so that no plan can be made for it; leave it out`,
    );
  return model;
}

function readInstance(value: unknown, at: InputPlace, model: GpuModel): PoolInstance {
  const fields = readFields(value, at, INSTANCE, ['profile', 'start', 'busy', 'size', 'evictionWeight']);
  const profile = readInstanceProfile(fields['profile'], within(at, 'profile'), model);
  const start = readWhole(fields['start'], within(at, 'start'), 0, MOST_START);
  if (!profile.starts.includes(start))
    throw refuseInput(
      within(at, 'start'),
      `a ${profile.name} of ${model.id} cannot start at ${start}; it starts at ${profile.starts.join(', ')}`,
    );
  const { size } = fields;
  if (size !== undefined && size !== profile.memorySlices)
    throw refuseInput(
      within(at, 'size'),
      `a ${profile.name} of ${model.id} takes ${profile.memorySlices} memory slices, not ${JSON.stringify(size)}; leave size out`,
    );
  return { profile: profile.name, start, ...readUse(fields, at) };
}

/** Whether an instance or a whole GPU is in use, and what its eviction costs. */
function readUse(
  { busy = false, evictionWeight }: Readonly<Record<string, unknown>>,
  at: InputPlace,
): Pick<PoolInstance, 'busy' | 'evictionWeight'> {
  if (typeof busy !== 'boolean') throw refuseInput(within(at, 'busy'), `${JSON.stringify(busy)} is not true or false`);
  if (evictionWeight === undefined) return { busy };
  return { busy, evictionWeight: readWhole(evictionWeight, within(at, 'evictionWeight'), 1, MOST_WEIGHT) };
}

function readInstanceProfile(value: unknown, at: InputPlace, model: GpuModel): Profile {
  const name = readWord(value, at, 'a profile, such as "1g.5gb"');
  const parsed = parseProfile(name);
  if (isProfileNameError(parsed)) throw refuseInput(at, parsed.message);
  if (parsed.computeInstanceSlices !== undefined)
    throw refuseInput(at, `${name} is a compute instance; name its GPU instance, ${parsed.instanceProfile}`);
  const profile = resolveProfile(model, name, model);
  if (profile !== undefined) return profile;
  throw refuseInput(at, `${model.id} has no profile ${name}; it has ${listNames(model)}`);
}

export function listNames({ profiles }: GpuModel): string {
  return profiles.map(({ name }) => name).join(', ');
}

function refuseOverlap(instances: readonly PoolInstance[], model: GpuModel, at: InputPlace): void {
  const holders = new Map<number, PoolInstance>();
  for (const instance of instances) {
    const size = resolveProfile(model, instance.profile)?.memorySlices ?? 0;
    for (let unit = instance.start; unit < instance.start + size; unit += 1) {
      const other = holders.get(unit);
      if (other !== undefined)
        throw refuseInput(
          at,
          `${other.profile} at ${other.start} and ${instance.profile} at ${instance.start} overlap: both take memory slice ${unit} of ${model.memorySlices}; read the GPU again`,
        );
      holders.set(unit, instance);
    }
  }
}

/** Places that are free of each other may still take more compute slices or engines than the GPU has. */
function refuseTooMuch(instances: readonly PoolInstance[], model: GpuModel, at: InputPlace): void {
  const fit = fitLayout(model, Object.fromEntries(countPresent(instances)));
  if (!fit.fits) throw refuseInput(at, fit.refusal.message);
}
