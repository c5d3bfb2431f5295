import { readFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import type { ControlPlane } from '../control-plane/start.ts';
import { type ApiClient, pickText } from '../control-plane/access.ts';
import { projectRoot } from './process.ts';
import { Waiting } from '../control-plane/run.ts';
import { createHash, randomUUID } from 'node:crypto';

/** An object to apply, as far as its address needs it. */
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** A kind as the API's discovery lists it. */
interface ServedKind {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

const folders = new Map<string, Promise<readonly Manifest[]>>();
const served = new WeakMap<ApiClient, Map<string, ServedKind>>();

/** Applies the objects of kustomizations; those that are as wanted already stay untouched. */
export async function applyManifests(controlPlane: ControlPlane, ...paths: readonly string[]): Promise<void> {
  const objects = (await Promise.all(paths.map(readOnce))).flat();
  const isNamespace = ({ kind }: Manifest): boolean => kind === 'Namespace';
  const apply = (object: Manifest): Promise<void> => applyObject(controlPlane, object);
  await Promise.all(objects.filter(isNamespace).map(apply));
  await Promise.all(objects.filter((object) => !isNamespace(object)).map(apply));
}

/**
 * Applies an object as `kubectl apply --server-side` does, without its process, which reads the API's whole description first.
 *
 * @throws Error with the API server's message
 */
export async function applyObject({ client }: ControlPlane, object: object): Promise<void> {
  const path = await findPath(client, object as Manifest);
  const query = 'fieldManager=kubectl&force=true&fieldValidation=Strict';
  const contentType = 'application/apply-patch+yaml';
  const { status, body } = await client.send({ method: 'PATCH', path: `${path}?${query}`, body: object, contentType });
  if (status >= 300) throw new Error(`${path} is refused: ${pickText(body, 'message') ?? status}`);
}

/** Reads the manifests of a folder once: they are the same for every cluster of a run. */
function readOnce(folder: string): Promise<readonly Manifest[]> {
  const read = folders.get(folder) ?? readFolder(folder);
  folders.set(folder, read);
  return read;
}

/** @throws Error for a kustomization that does more than list files and folders: kubectl must render it */
async function readFolder(folder: string): Promise<readonly Manifest[]> {
  const file = join(folder, 'kustomization.yaml');
  const { apiVersion: _version, kind: _kind, resources, ...others } = parse(await readText(file)) as Kustomization;
  const [other] = Object.keys(others);
  if (other !== undefined) throw new Error(`${file} has "${other}", which only kubectl renders`);
  const read = async (path: string): Promise<readonly Manifest[]> =>
    path.endsWith('.yaml')
      ? parseAllDocuments(await readText(path)).map((document) => document.toJS() as Manifest)
      : readFolder(path);
  return (await Promise.all(resources.map((name) => read(join(folder, name))))).flat();
}

interface Kustomization {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resources: readonly string[];
}

function readText(path: string): Promise<string> {
  return readFile(join(projectRoot, path), 'utf8');
}

async function findPath(client: ApiClient, { apiVersion, kind, metadata }: Manifest): Promise<string> {
  const root = `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`;
  const { name, namespaced } = await findKind(client, root, kind);
  const scope = namespaced ? `/namespaces/${metadata.namespace ?? 'default'}` : '';
  return `${root}${scope}/${name}/${metadata.name}`;
}

async function findKind(client: ApiClient, root: string, kind: string): Promise<ServedKind> {
  const known = served.get(client) ?? new Map<string, ServedKind>();
  served.set(client, known);
  const found = known.get(`${root} ${kind}`);
  if (found) return found;
  const { resources } = (await client.demand({ path: root })) as { readonly resources: readonly ServedKind[] };
  // Subresources have names with a slash, and kinds of their own or the object's.
  for (const one of resources) if (!one.name.includes('/')) known.set(`${root} ${one.kind}`, one);
  const now = known.get(`${root} ${kind}`);
  if (now === undefined) throw new Error(`${root} has no ${kind}`);
  return now;
}

/**
 * Installs CRDs, RBAC and the agents' DaemonSet of config/; done when the API serves them. The pods of the DaemonSet run nothing: they
 * stand for the agents' processes, as the nodes' kubelets report.
 */
export async function installApi(controlPlane: ControlPlane): Promise<void> {
  await installRights(controlPlane);
  await applyManifests(controlPlane, 'config/agent');
}

/** Installs CRDs and RBAC; done when the API serves the kinds. */
export async function installRights(controlPlane: ControlPlane): Promise<void> {
  await applyManifests(controlPlane, 'config/crd', 'config/rbac');
  const paths = ['gpupartitionpolicies', 'gpunodepartitions'].map(
    (plural) => `/apis/gpupartition.dev/v1alpha1/${plural}`,
  );
  await waitFor(async () => {
    const answers = await Promise.all(paths.map((path) => controlPlane.client.send({ path })));
    return answers.every(({ status }) => status === 200);
  });
}

/** `kubectl apply -k` as a user runs it. @throws Error with kubectl's message. */
export async function applyFolder(controlPlane: ControlPlane, path: string): Promise<string> {
  const { code, stdout, stderr } = await controlPlane.kubectl(['apply', '-k', join(projectRoot, path)]);
  if (code !== 0) throw new Error(`kubectl apply -k ${path} failed: ${stderr || stdout}`);
  return stdout;
}

/** @throws Error that shows what did not become true */
export async function waitFor(holds: () => Promise<boolean>, allowanceMs = 30_000): Promise<void> {
  const waiting = new Waiting(allowanceMs);
  while (!(await holds())) {
    if (waiting.isOver()) throw new Error(`still not so: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Files on the host of a simulated node. */
export type NodeFiles = ReturnType<typeof nodeFilesIn>;

/** `sun_path` of unix(7) has 108 bytes, the last of them NUL. */
const longestSocketPath = 107;

/**
 * A node whose name is too long for the path of a socket has a folder named by a hash.
 *
 * @throws RangeError if the path of the kubelet's socket is too long for the operating system even then
 */
export function nodeFilesIn(rigFolder: string, node: string) {
  const isLong = Buffer.byteLength(socketIn(join(rigFolder, node))) > longestSocketPath;
  const folder = join(rigFolder, isLong ? createHash('sha256').update(node).digest('hex').slice(0, 16) : node);
  const podResourcesSocket = socketIn(folder);
  const bytes = Buffer.byteLength(podResourcesSocket);
  if (bytes > longestSocketPath) {
    throw new RangeError(
      `the PodResources socket of node ${node} would have the path ${podResourcesSocket} of ${bytes} bytes, and a Unix socket ` +
        `has at most ${longestSocketPath}: give TMPDIR a shorter path`,
    );
  }
  return {
    folder,
    /** State of its nvidia-smi, the faults injected into it, and its operation log; see docs/internal/simulator.md. */
    state: join(folder, 'state'),
    faults: join(folder, 'faults'),
    operations: join(folder, 'operations.jsonl'),
    bootId: join(folder, 'boot-id'),
    machine: join(folder, 'machine'),
    rebootSentinel: join(folder, 'reboot-required'),
    agentLog: join(folder, 'agent.log'),
    agentFolder: join(folder, 'agent'),
    podResourcesSocket,
  };
}

function socketIn(folder: string): string {
  return join(folder, 'kubelet.sock');
}

/** The files that exist before anything runs on the node. @returns the boot id */
export async function writeNodeFiles(files: NodeFiles, machineProduct: string): Promise<string> {
  await mkdir(files.folder, { recursive: true });
  await writeFile(files.faults, '');
  await writeFile(files.machine, `${machineProduct}\n`);
  return writeBootId(files);
}

/** The kernel's boot id, new after each boot. */
export async function writeBootId({ bootId }: NodeFiles): Promise<string> {
  const id = randomUUID();
  await writeFile(bootId, `${id}\n`);
  return id;
}
