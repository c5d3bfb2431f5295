import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { projectRoot } from './programs.ts';

/** An object to apply, as far as its address needs it. */
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const known = new Map<string, Promise<readonly Manifest[]>>();

/**
 * Applies the objects of kustomizations as `kubectl apply --server-side` does, without its process: each reads the API's discovery first.
 * Objects that are as wanted already stay untouched.
 */
export async function applyManifests({ client }: ControlPlane, ...folders: readonly string[]): Promise<void> {
  const objects = (await Promise.all(folders.map(readOnce))).flat();
  const apply = async (object: Manifest): Promise<void> => {
    const path = `${pathOf(object)}?fieldManager=kubectl&force=true`;
    await client.demand({ method: 'PATCH', path, body: object, contentType: 'application/apply-patch+yaml' });
  };
  await Promise.all(objects.filter(isNamespace).map(apply));
  await Promise.all(objects.filter((object) => !isNamespace(object)).map(apply));
}

/** They are the same for every cluster of a run. */
function readOnce(folder: string): Promise<readonly Manifest[]> {
  const read = known.get(folder) ?? readFolder(folder);
  known.set(folder, read);
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

function isNamespace({ kind }: Manifest): boolean {
  return kind === 'Namespace';
}

function pathOf({ apiVersion, kind, metadata: { name, namespace } }: Manifest): string {
  const root = apiVersion.includes('/') ? 'apis' : 'api';
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `/${root}/${apiVersion}${scope}/${pluralOf(kind)}/${name}`;
}

/** As Kubernetes itself guesses it (meta.UnsafeGuessKindToResource); true of all kinds in config/. */
function pluralOf(kind: string): string {
  return kind.toLowerCase().replace(/y$/, 'ie').concat('s');
}
