import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { isGpuResource } from '../../core/kubernetes/pod.ts';
import type { HostFacts } from '../../core/smi/selftest-bundle.ts';
import { deviceAt, unitOf, listGpuOpeners, explainHiddenProcesses } from '../../device/host/openers.ts';
import { notUnderstoodFile } from '../../device/host/journal.ts';
import { PodResourcesClient, allocatableResponse, listResponse } from '../../kubelet/pod-resources.ts';
import { type PodOptions, askHostToolkit, type ToolkitOptions } from '../node/host.ts';
import { messageOf } from '../../core/text/words.ts';
import { hostname, release } from 'node:os';
import { programVersion } from '../../process/options.ts';

/** Bounds, in bytes: the driver has a file for each instance, and a spec an entry. */
const mostFileBytes = 4096;
const mostFiles = 400;
const mostSpecBytes = 1024 * 1024;
const mostLogBytes = 16 * 1024 * 1024;
const mostAnswerBytes = 512 * 1024;

/** Programs without which GPUs of a node do not work, or that hold them; by the first 15 characters, which is what the kernel keeps. */
const services = [
  'kubelet',
  'k3s-server',
  'k3s-agent',
  'rke2',
  'containerd',
  'crio',
  'dockerd',
  'nvidia-persistenced',
  'nv-fabricmanager',
  'nvidia-fabricmanager',
  'nv-hostengine',
  'dcgm-exporter',
  'nvidia-device-plugin',
  'gpu-feature-discovery',
  'nvidia-mig-manager',
  'nvsm_core',
].map((name) => name.slice(0, 15));

type Options = PodOptions & ToolkitOptions & { readonly stateDir: string };

/** Reads facts that help to understand a node from afar. Nothing that is missing or forbidden ends it: `notRead` says so. */
export async function readHostFacts(options: Options, host: HostView, cwd: string): Promise<HostFacts> {
  const notRead: string[] = [];
  const attempt = <Result>(what: string, none: Result, read: () => Result): Result => {
    try {
      return read();
    } catch (error) {
      notRead.push(`${what}: ${messageOf(error)}`);
      return none;
    }
  };
  const { proc, sys, root } = host;
  const note = join(options.stateDir, notUnderstoodFile);
  return {
    kernelLog: attempt<readonly string[]>('the kernel’s log', [], () => pickDriverMessages(readRecords(host.kmsg))),
    driver: attempt('the driver’s files', {}, () => readFolder(join(proc, 'driver/nvidia'))),
    modules: attempt<readonly string[]>('the modules', [], () => [
      ...linesOf(join(proc, 'modules'), /^(?:nvidia|nouveau|gdrdrv|vfio)/),
      ...linesOf(join(proc, 'devices'), /nvidia/),
    ]),
    deviceNodes: attempt<HostFacts['deviceNodes']>('device nodes', [], () => listDeviceNodes(`${root}/dev`)),
    cdi: ['etc/cdi', 'run/cdi'].flatMap((folder) =>
      attempt<HostFacts['cdi']>(`CDI specs in /${folder}`, [], () => readSpecs(`${root}/${folder}`)),
    ),
    toolkit: await askHostToolkit(options, cwd),
    podResources: await readKubelet(options, notRead),
    cgroups: existsSync(join(sys, 'fs/cgroup/cgroup.controllers'))
      ? 'v2'
      : existsSync(join(sys, 'fs/cgroup/memory'))
        ? 'v1'
        : 'unknown',
    services: attempt<HostFacts['services']>('services', [], () => listServices(proc)),
    ...(existsSync(note) && {
      notUnderstood: attempt<unknown>(note, undefined, () => JSON.parse(readFileSync(note, 'utf8'))),
    }),
    notRead,
  };
}

/** `/dev/kmsg` gives a record with each read, and an error instead of an end. */
function readRecords(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const buffer = Buffer.alloc(8192);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    while (bytes < mostLogBytes) {
      const read = readRecord(file, buffer);
      if (read === undefined) continue;
      if (read === 0) break;
      bytes += read;
      chunks.push(Buffer.from(buffer.subarray(0, read)));
    }
  } finally {
    closeSync(file);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** @returns 0 at the end; undefined if the record was overwritten meanwhile */
function readRecord(file: number, buffer: Buffer): number | undefined {
  try {
    return readSync(file, buffer);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EAGAIN') return 0;
    if (code === 'EPIPE') return undefined;
    throw error;
  }
}

const mostLines = 300;

/**
 * The kernel's messages about the driver, newest last.
 *
 * @param records of `/dev/kmsg`: `6,1234,5678901,-;TEXT`, followed by lines of fields that begin with a space
 */
function pickDriverMessages(records: string): readonly string[] {
  const found = records.split('\n').flatMap((record) => {
    const [, us, text = ''] = /^\d+,\d+,(\d+),[^;]*;(.*)$/.exec(record) ?? [];
    const isMeant = /\bNVRM\b|\bXid\b|nvidia|nvlink|nvswitch/i.test(text);
    return isMeant ? [`[${(Number(us) / 1e6).toFixed(3)}] ${text}`] : [];
  });
  return found.slice(-mostLines);
}

function readFolder(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const read = files.slice(0, mostFiles).map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [path.slice(folder.length + 1), readHead(path)] as const;
  });
  return Object.fromEntries(read);
}

/** Files of `/proc` have no size. */
function readHead(path: string): string {
  try {
    return readFileSync(path).subarray(0, mostFileBytes).toString('utf8');
  } catch (error) {
    return `(${messageOf(error)})`;
  }
}

function linesOf(path: string, pattern: RegExp): readonly string[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.map((line) => line.trim()).filter((line) => pattern.test(line.replace(/^\d+ /, '')));
}

function listDeviceNodes(folder: string): HostFacts['deviceNodes'] {
  const names = readdirSync(folder).filter((name) => name.startsWith('nvidia'));
  return names.toSorted().flatMap((name): HostFacts['deviceNodes'] => {
    const path = join(folder, name);
    const device = deviceAt(path);
    if (device !== undefined) return [{ path: `/dev/${name}`, ...device, mode: device.mode.toString(8) }];
    const inner = tryList(path);
    return inner.toSorted().flatMap((one) => {
      const found = deviceAt(path, one);
      return found === undefined ? [] : [{ path: `/dev/${name}/${one}`, ...found, mode: found.mode.toString(8) }];
    });
  });
}

function tryList(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

interface Spec {
  readonly kind?: unknown;
  readonly cdiVersion?: unknown;
  readonly devices?: readonly {
    readonly name?: unknown;
    readonly containerEdits?: { readonly deviceNodes?: readonly { readonly path?: unknown }[] };
  }[];
}

/** Reads the specs of NVIDIA's devices: names and device nodes. The environment of a spec is left out. */
function readSpecs(folder: string): HostFacts['cdi'] {
  return tryList(folder)
    .filter((name) => /\.(?:ya?ml|json)$/.test(name))
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      if (text.length > mostSpecBytes) return [{ file: name, kind: 'too large', version: '', devices: [] }];
      const { kind, cdiVersion, devices = [] } = parse(text) as Spec;
      if (!String(kind).includes('nvidia')) return [];
      return [
        {
          file: basename(name),
          kind: String(kind),
          version: String(cdiVersion),
          devices: devices.map((device) => ({
            name: String(device.name),
            nodes: (device.containerEdits?.deviceNodes ?? []).map(({ path }) => String(path)),
          })),
        },
      ];
    });
}

async function readKubelet(
  { podResourcesSocket: socket, ignorePods = false }: PodOptions,
  notRead: string[],
): Promise<HostFacts['podResources']> {
  if (ignorePods || !existsSync(socket)) return [];
  const client = new PodResourcesClient({ socket });
  const facts: HostFacts['podResources'][number][] = [];
  for (const method of ['List', 'GetAllocatableResources'] as const) {
    try {
      const bytes = await client.read(method);
      const base64 = bytes.subarray(0, mostAnswerBytes).toString('base64');
      facts.push({ method, bytes: bytes.length, answer: decode(method, bytes), base64 });
    } catch (error) {
      notRead.push(messageOf(error));
    }
  }
  return facts;
}

function decode(method: 'List' | 'GetAllocatableResources', bytes: Buffer): unknown {
  try {
    if (method === 'GetAllocatableResources') return allocatableResponse.decode(bytes);
    const { podResources } = listResponse.decode(bytes);
    return podResources.filter(({ containers }) =>
      containers.some(
        ({ devices, dynamicResources = [] }) =>
          dynamicResources.length > 0 || devices.some(({ resourceName }) => isGpuResource(resourceName)),
      ),
    );
  } catch (error) {
    return `not a valid answer: ${String(error)}`;
  }
}

/** The number of NUMA nodes of a machine, and the one of each GPU by its index; a GPU whose firmware tells none has none. */
export function readNumaNodes(
  gpus: readonly { readonly index: number; readonly pciBusId: string }[],
  { sys }: Pick<HostView, 'sys'>,
): { readonly count: number; readonly ofGpu: ReadonlyMap<number, number> } | undefined {
  const count = tryList(join(sys, 'devices/system/node')).filter((name) => /^node\d+$/.test(name)).length;
  if (count === 0) return undefined;
  const found = gpus.flatMap(({ index, pciBusId }): readonly (readonly [number, number])[] => {
    // nvidia-smi writes eight digits of the domain, the kernel four.
    const address = pciBusId.toLowerCase().replace(/^0{4}(?=[0-9a-f]{4}:)/, '');
    const node = Number.parseInt(readHead(join(sys, 'bus/pci/devices', address, 'numa_node')), 10);
    return node >= 0 ? [[index, node]] : [];
  });
  return { count, ofGpu: new Map(found) };
}

function listServices(proc: string): HostFacts['services'] {
  return readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const name = readHead(join(proc, pid, 'comm')).trim();
      if (!services.includes(name)) return [];
      const unit = unitOf(readHead(join(proc, pid, 'cgroup')));
      return [{ name, pid: Number(pid), ...(unit !== undefined && { unit }) }];
    });
}

/** What can be shown of the proof that a GPU is idle: processes, their namespace, and the kubelet; and what keeps a GPU open. */
export async function readProof(
  gpus: readonly { readonly processes: readonly { readonly pid: number | undefined }[] }[],
  options: PodOptions,
  { proc, sys, pid, isPod }: HostView,
) {
  const listed = gpus.flatMap(({ processes }) => processes.flatMap((process) => process.pid ?? []));
  return {
    hidden: explainHiddenProcesses({ proc, pid, isPod }),
    isPod,
    ended: new Set(listed.filter((one) => !existsSync(join(proc, String(one))))),
    kubelet: await askKubelet(options),
    openers: listGpuOpeners(undefined, { proc, modules: join(sys, 'module') }),
  };
}

async function askKubelet({ podResourcesSocket: socket, ignorePods = false }: PodOptions) {
  if (ignorePods) return { state: 'Ignored' as const };
  if (!existsSync(socket)) return { state: 'NoSocket' as const, socket };
  try {
    return { state: 'Told' as const, holdings: await new PodResourcesClient({ socket }).list() };
  } catch (error) {
    return { state: 'Silent' as const, why: messageOf(error) };
  }
}

/** The machine that this program runs on. */
export function describeMachine() {
  return {
    name: hostname(),
    uid: process.geteuid?.() ?? 0,
    versions: { gpuPartition: programVersion, node: process.version },
    system: { kernel: release(), distribution: readDistribution(), architecture: process.arch },
  };
}

function readDistribution(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

/** The places where the operating system describes itself, and who asks. */
export interface HostView {
  readonly proc: string;
  readonly sys: string;
  /** Path of the host's file system, without a slash at its end: empty for this program's own. */
  readonly root: string;
  /** The kernel's log. */
  readonly kmsg: string;
  readonly pid: number;
  /** Whether this program runs in a pod's container. */
  readonly isPod: boolean;
}

const isPod = process.env['KUBERNETES_SERVICE_HOST'] !== undefined;

export const thisHost: HostView = {
  proc: '/proc',
  sys: '/sys',
  // A privileged pod in the host's process namespace.
  root: isPod ? '/proc/1/root' : '',
  kmsg: '/dev/kmsg',
  pid: process.pid,
  isPod,
};
