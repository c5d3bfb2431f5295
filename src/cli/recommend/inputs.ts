import { CliError, type Terminal } from '../terminal.ts';
import { parseManifests, readText } from '../input/files.ts';
import { messageOf, type FieldPath, writePath } from '../../core/text/words.ts';
import { type Fields, isFields, fieldsOf } from '../../core/text/json.ts';
import { countPresent, findModel, type GpuModel, type Profile, MODELS } from '../../core/gpu/geometry.ts';
import { isProfileNameError, parseProfile, WHOLE, resolveProfile } from '../../core/gpu/profiles.ts';
import { fitLayout, listByMemory } from '../../core/gpu/layouts.ts';
import { gridOf } from '../../core/gpu/grid.ts';
import type { planDemand } from '../../planner/solver-process.ts';
import { explainUnknownModel } from '../options.ts';
import { profilesServingAll } from '../../core/policy/spec.ts';
import { InvalidArgumentError } from 'commander';
import { unescape } from 'node:querystring';
import type { adviseCluster } from '../../core/demand/recommend.ts';

type RequestHistory = NonNullable<Parameters<typeof adviseCluster>[1]['history']>;
type PoolGpu = Parameters<typeof planDemand>[0][number];
type PoolInstance = PoolGpu['instances'][number];
type DemandSlice = Parameters<typeof planDemand>[1]['slices'][number];

/** A pool of 10,000 GPUs takes some MB. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Small enough to be read a second time for keys that it has twice, which JSON.parse hides. */
const SMALL = 64 * 1024;

/** The one document of a JSON or YAML file, or of standard input (`-`). @throws CliError that names the place */
export async function readDataFile(
  path: string,
  terminal: Terminal,
): Promise<{ readonly name: string; readonly value: unknown }> {
  const { name, text } = await readText(path, terminal, MOST_BYTES);
  if (text.length > SMALL && /^\s*[[{]/.test(text)) return { name, value: parseJson(name, text) };
  const [document, ...others] = parseManifests(name, text);
  if (document === undefined) throw new CliError(`${name}: it is empty`);
  if (others.length > 0) throw new CliError(`${name}: it has ${others.length + 1} documents; give one`);
  const [twice] = document.duplicates;
  if (twice !== undefined) {
    const { line, column } = document.locate(twice);
    throw new CliError(
      `${name}:${line}:${column}: the key ${String(twice.at(-1))} is given twice; add up what it stands for, and give it once`,
    );
  }
  return { name, value: document.value };
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(`${name}: it is not JSON: ${messageOf(error)}`, 2, { cause: error });
  }
}

/** A place in a file, for errors: the file's name, and the path of a value in it. */
interface InputPlace {
  readonly file: string;
  readonly path: FieldPath;
}

function within({ file, path }: InputPlace, ...parts: FieldPath): InputPlace {
  return { file, path: [...path, ...parts] };
}

function refuseInput({ file, path }: InputPlace, message: string): CliError {
  const at = path.length === 0 ? '' : `${writePath(path)}: `;
  return new CliError(`${file}: ${at}${message}`);
}

/**
 * The fields of an object.
 *
 * @param known the fields that it may have; absent: any
 * @throws CliError if it is not an object, or has others
 */
function readFields(value: unknown, at: InputPlace, example: string, known?: readonly string[]): Fields {
  if (!isFields(value)) throw refuseInput(at, `${describe(value)} is not an object such as ${example}`);
  const other = known && Object.keys(value).find((name) => !known.includes(name));
  if (other !== undefined && known !== undefined)
    throw refuseInput(within(at, other), `there is no such field; the fields are ${known.join(', ')}`);
  return value;
}

/** @throws CliError if it is not a list; an absent one is empty */
function readList(value: unknown, at: InputPlace, example: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw refuseInput(at, `${describe(value)} is not a list such as ${example}`);
  return value;
}

/** @throws CliError if it is not a text of at least one character */
function readWord(value: unknown, at: InputPlace, what: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw refuseInput(at, `${describe(value)} is not ${what}`);
}

/** @throws CliError if it is not a whole number within bounds */
function readWhole(value: unknown, at: InputPlace, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw refuseInput(at, `${describe(value)} is not a whole number from ${least} to ${most}`);
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

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

function listNames({ profiles }: GpuModel): string {
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

const COUNTS = '{"1g.5gb": 40, "3g.20gb": 4, "whole": 2}';
const SLICE = '{"name": "small", "profiles": ["1g.5gb", "1g.10gb"], "count": 40}';
/** A count that exceeds what a pool of the largest size holds. */
const MOST_COUNT = 1_000_000;

/**
 * What is wanted: counts by profile, `whole` for whole GPUs; or a list of slices that any of several profiles serves, or any with so
 * much memory.
 *
 * @param models those of the pool
 * @throws CliError that names the entry
 */
export function readDemandFile(value: unknown, file: string, models: readonly GpuModel[]): readonly DemandSlice[] {
  const top = { file, path: [] };
  if (Array.isArray(value)) return readSlices(value, top, models);
  const counts = new Map<string, { count: number; weight: number }>();
  for (const [name, each] of Object.entries(readFields(value, top, COUNTS))) {
    const at = within(top, name);
    const profile = readProfile(name, at, models);
    const count = readWhole(each, at, 0, MOST_COUNT);
    // A former name of a profile is the same profile.
    counts.set(profile, { count: (counts.get(profile)?.count ?? 0) + count, weight: weightOf([profile], models) });
  }
  return [...counts].map(([profile, { count, weight }]) => ({ name: profile, profiles: [profile], count, weight }));
}

function readSlices(list: readonly unknown[], top: InputPlace, models: readonly GpuModel[]): readonly DemandSlice[] {
  const names = new Set<string>();
  return list.map((item, index) => {
    const at = within(top, index);
    const fields = readFields(item, at, SLICE, ['name', 'profiles', 'memory', 'count', 'weight']);
    const profiles = fields['memory'] === undefined ? readProfiles(fields, at, models) : readMemory(fields, at, models);
    const { name: given, memory, weight } = fields;
    const usual = typeof memory === 'string' ? memory : (profiles[0] ?? '');
    const name = given === undefined ? usual : readWord(given, within(at, 'name'), 'a name');
    if (names.has(name))
      throw refuseInput(
        within(at, 'name'),
        `${JSON.stringify(name)} is the name of an earlier entry; give each its own`,
      );
    names.add(name);
    return {
      name,
      profiles,
      count: readWhole(fields['count'], within(at, 'count'), 0, MOST_COUNT),
      weight:
        weight === undefined ? weightOf(profiles, models) : readWhole(weight, within(at, 'weight'), 1, MOST_WEIGHT),
    };
  });
}

function readProfiles(
  fields: Readonly<Record<string, unknown>>,
  at: InputPlace,
  models: readonly GpuModel[],
): readonly string[] {
  const from = within(at, 'profiles');
  const profiles = readList(fields['profiles'], from, '["1g.5gb"]').map((profile, position) => {
    const place = within(from, position);
    return readProfile(readWord(profile, place, 'a profile, such as "1g.5gb"'), place, models);
  });
  if (profiles.length === 0) throw refuseInput(from, 'it is empty; name at least one profile that serves');
  return profiles;
}

/** The profiles with at least so much usable memory. */
function readMemory(
  fields: Readonly<Record<string, unknown>>,
  at: InputPlace,
  models: readonly GpuModel[],
): readonly string[] {
  const place = within(at, 'memory');
  if (fields['profiles'] !== undefined) throw refuseInput(place, 'give profiles or memory, not both');
  const memory = readWord(fields['memory'], place, 'a size of memory, such as "4Gi"');
  if (!/^[1-9][0-9]*([.][0-9]+)?[MGT]i?$/.test(memory))
    throw refuseInput(place, `${JSON.stringify(memory)} is not a size of memory, such as "4Gi" or "5G"`);
  const all = models.length > 0 ? models : MODELS;
  const profiles = profilesServingAll({ memory }, new Map(all.map((model) => [model, model.id])));
  if (profiles.length > 0) return profiles;
  const largest = models.flatMap((model) => listByMemory(model).slice(-1));
  const most = Math.max(0, ...largest.map(({ memoryMiB }) => memoryMiB)).toLocaleString('en-US');
  throw refuseInput(place, `no GPU of the pool has a plain profile with ${memory}; the largest has ${most} MiB`);
}

/** The name under which the models of the pool have a profile. */
function readProfile(name: string, at: InputPlace, models: readonly GpuModel[]): string {
  if (name === WHOLE) return name;
  const parsed = parseProfile(name);
  if (isProfileNameError(parsed)) throw refuseInput(at, parsed.message);
  if (parsed.computeInstanceSlices !== undefined)
    throw refuseInput(at, `${name} is a compute instance; ask for its GPU instance, ${parsed.instanceProfile}`);
  // Of an empty pool every profile may be asked for.
  const all = models.length > 0 ? models : MODELS;
  if (all.some(({ profiles }) => profiles.some((profile) => profile.name === name))) return name;
  for (const model of all) {
    const profile = resolveProfile(model, name, model);
    if (profile !== undefined) return profile.name;
  }
  const known = models.map((model) => `${model.id} has ${listNames(model)}`).join('; ');
  throw refuseInput(at, `no GPU of the pool has a profile ${name}${known === '' ? '' : `; ${known}`}`);
}

/** Memory slices of the smallest profile, on the model on which it takes the fewest. */
function weightOf(profiles: readonly string[], models: readonly GpuModel[]): number {
  const sizes = (models.length > 0 ? models : MODELS).flatMap((model) =>
    profiles.flatMap((name) =>
      name === WHOLE ? model.memorySlices : (resolveProfile(model, name)?.memorySlices ?? []),
    ),
  );
  return Math.max(1, Math.min(...sizes));
}

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Parser of an option for a stretch of the past, as Prometheus writes it. @returns seconds */
export function readWindow(text: string): number {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,4})([mhdw])$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds[unit] ?? 0);
  if (seconds >= 3600 && seconds <= 366 * 86_400) return seconds;
  throw new InvalidArgumentError('must be a time from 1h to 366d, such as 12h or 7d.');
}

/** Parser of an option for a share of the time. */
export function readQuantile(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 1) return value;
  throw new InvalidArgumentError('must be a number above 0 and at most 1, such as 0.95.');
}

/** Parser of an option for the address of a web service. */
export function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new InvalidArgumentError('must be an address such as http://prometheus.monitoring:9090.');
}

/** A stretch of the past. */
interface HistoryWindow {
  readonly url: URL;
  /** Length of the window in seconds. */
  readonly length: number;
  /** Seconds since the epoch. */
  readonly end: number;
  /** Labels of the series of one cluster, where Prometheus has those of several. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** Prometheus answers at most 11,000 points of a series. */
const mostPoints = 10_000;
const leastStep = 300;
const timeoutMs = 60_000;

/**
 * Pods of several scrapers, or of one that has just restarted, count once. Ended pods keep their requests in kube-state-metrics, and
 * what waits has no node.
 */
function askRequests(own: string): string {
  const requests = `kube_pod_container_resource_requests{resource=~"nvidia_com_(gpu|mig_.+)",resource!~".+_shared"${own}}`;
  const open = `max by (namespace, pod) (kube_pod_status_phase{phase=~"Pending|Running"${own}} == 1)`;
  return `sum by (resource, node) (max by (namespace, pod, container, resource, node) (${requests}) * on (namespace, pod) group_left () ${open})`;
}

/** The query that has a value where it was known what pods ask for. */
function askKnown(own: string): string {
  return `max(kube_pod_status_phase{phase="Running"${own}})`;
}

/** What Prometheus answered, and what it warns of: that a part of the data did not answer, for example. */
interface ToldHistory extends RequestHistory {
  readonly warnings: readonly string[];
}

/** Reads the requests of pods from Prometheus. @throws CliError with code 3 if it does not answer, or has nothing */
export async function readRequests(window: HistoryWindow): Promise<ToldHistory> {
  const own = Object.entries(window.labels ?? {})
    .map(([label, value]) => `,${label}="${value}"`)
    .join('');
  const [seen, asked] = await Promise.all([queryRange(window, askKnown(own)), queryRange(window, askRequests(own))]);
  const times = seen.series.flatMap(({ values }) => values.map(([time]) => time));
  if (times.length === 0)
    throw new CliError(
      `Prometheus at ${nameOf(window.url)} has no kube_pod_status_phase in this window: does it scrape kube-state-metrics?`,
      3,
    );
  return {
    times,
    warnings: [...new Set([seen, asked].flatMap(({ warnings }) => warnings))].map(
      (text) => `Prometheus at ${nameOf(window.url)} says: ${text}`,
    ),
    series: asked.series.map(({ metric, values }): RequestHistory['series'][number] => {
      const { resource = '', node = '' } = metric;
      return { resource, node: node === '' ? undefined : node, amounts: new Map(values) };
    }),
  };
}

interface RangeAnswer {
  readonly series: readonly Series[];
  readonly warnings: readonly string[];
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [time: number, value: number])[];
}

async function queryRange({ url, length, end }: HistoryWindow, query: string): Promise<RangeAnswer> {
  const step = Math.max(leastStep, Math.ceil(length / mostPoints));
  // At full steps, so that both questions, and the next run's, are asked of the same times.
  const last = Math.floor(end / step) * step;
  const body = new URLSearchParams({ query, start: `${last - length}`, end: `${last}`, step: `${step}` });
  const answer = await post(url, body);
  const fields = fieldsOf(answer);
  if (fields?.['status'] === 'error') throw fail(url, `refused the query: ${String(fields['error'])}`);
  const data = fieldsOf(fields?.['data']);
  const result = data?.['result'];
  if (data?.['resultType'] !== 'matrix' || !Array.isArray(result))
    throw fail(url, 'answered something that is not a range of values');
  const warnings = Array.isArray(fields?.['warnings']) ? fields['warnings'] : [];
  return {
    series: result.map((one) => readSeries(url, one)),
    warnings: warnings.filter((one) => typeof one === 'string'),
  };
}

function readSeries(url: URL, value: unknown): Series {
  const { metric, values } = fieldsOf(value) ?? {};
  const labels = Object.entries(fieldsOf(metric) ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  if (!Array.isArray(values)) throw fail(url, 'answered a series without values');
  return {
    metric: Object.fromEntries(labels),
    values: values.map((point: unknown) => {
      const [time, amount] = Array.isArray(point) ? [Number(point[0]), Number(point[1])] : [NaN, NaN];
      if (!Number.isFinite(time) || !Number.isFinite(amount))
        throw fail(url, `answered ${JSON.stringify(point)} for a value`);
      return [time, amount] as const;
    }),
  };
}

async function post(url: URL, body: URLSearchParams): Promise<unknown> {
  const target = new URL(url);
  target.pathname = `${url.pathname.replace(/\/$/, '')}/api/v1/query_range`;
  const { username, password } = url;
  target.username = '';
  target.password = '';
  const secret = Buffer.from(`${unescape(username)}:${unescape(password)}`).toString('base64');
  const headers = username === '' ? {} : { authorization: `Basic ${secret}` };
  let response: Response;
  let text: string;
  try {
    response = await fetch(target, { method: 'POST', body, headers, signal: AbortSignal.timeout(timeoutMs) });
    text = await response.text();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw fail(url, `does not answer: ${messageOf(cause)}`, error);
  }
  const answer = parse(text);
  // Prometheus explains what is wrong with a query in JSON.
  if (answer !== undefined && (response.ok || fieldsOf(answer)?.['status'] === 'error')) return answer;
  throw fail(url, response.ok ? 'answered something that is not JSON' : `answered with HTTP status ${response.status}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fail(url: URL, message: string, cause?: unknown): CliError {
  return new CliError(`Prometheus at ${nameOf(url)} ${message}`, 3, { cause });
}

/** The name of a URL without its password. */
function nameOf({ origin, pathname }: URL): string {
  return `${origin}${pathname === '/' ? '' : pathname}`;
}
