import { parseAllDocuments } from 'yaml';
import { findControlPlane } from '../../src/simulator/control-plane/build.ts';
import { runProgram } from '../../src/simulator/control-plane/run.ts';

/** An object of rendered manifests, as far as tests look at it. */
export interface RenderedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
}

interface PodSpec {
  readonly serviceAccountName?: string;
}

/** The objects of a kustomization, as `kubectl kustomize` writes them; no cluster is asked. */
export async function renderFolder(path: string): Promise<readonly RenderedObject[]> {
  const { kubectl } = await findControlPlane();
  const { code, stdout, stderr } = await runProgram(kubectl, ['kustomize', path]);
  if (code !== 0) throw new Error(`kubectl kustomize ${path}: ${stderr}`);
  return readManifests(stdout);
}

export function readManifests(text: string): readonly RenderedObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const object = document.toJS() as RenderedObject | null;
    return object === null ? [] : [object];
  });
}

/** Under which account the pods of a Deployment or DaemonSet run: derived, so that a renamed one is still attacked. */
export function accountOf(
  objects: readonly RenderedObject[],
  kind: 'Deployment' | 'DaemonSet',
): readonly [string, string] {
  const found = objects.find((object) => object.kind === kind);
  const template = found?.spec?.['template'] as { readonly spec?: PodSpec } | undefined;
  const account = template?.spec?.serviceAccountName;
  if (found?.metadata.namespace === undefined || account === undefined) throw new Error(`no account in a ${kind}`);
  return [found.metadata.namespace, account];
}
