import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { type ApiClient, pickText } from '../control-plane/request.ts';
import { projectRoot } from './programs.ts';

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
 * As `kubectl apply --server-side` does it, without its process, which reads the API's whole description first.
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

/** They are the same for every cluster of a run. */
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
