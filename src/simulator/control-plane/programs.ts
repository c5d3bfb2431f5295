import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

import { definedOnly } from '../../core/text/defined-fields.ts';
import { ControlPlaneError } from './errors.ts';
import { runProgram } from './run.ts';

/** Paths of the programs. The last three are absent if the user's KUBEBUILDER_ASSETS lacks them. */
export interface Binaries {
  readonly folder: string;
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubectl: string;
  readonly kubeControllerManager?: string;
  readonly kubeScheduler?: string;
  /** For the tests on a real node. */
  readonly kubelet?: string;
}

export const requiredPrograms = ['etcd', 'kube-apiserver', 'kubectl'] as const;
export const allPrograms = [...requiredPrograms, 'kube-controller-manager', 'kube-scheduler', 'kubelet'] as const;

/** Those of `names` that are not executable files in this folder. */
export async function missingPrograms(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(names.map(async (name) => isExecutable(join(folder, name))));
  return names.filter((_, i) => found[i] !== true);
}

export async function binariesIn(folder: string): Promise<Binaries> {
  const ifThere = async (name: string): Promise<string | undefined> =>
    (await isExecutable(join(folder, name))) ? join(folder, name) : undefined;
  return definedOnly({
    folder,
    etcd: join(folder, 'etcd'),
    kubeApiserver: join(folder, 'kube-apiserver'),
    kubectl: join(folder, 'kubectl'),
    kubeControllerManager: await ifThere('kube-controller-manager'),
    kubeScheduler: await ifThere('kube-scheduler'),
    kubelet: await ifThere('kubelet'),
  });
}

/** The user's folder, by envtest's convention: setup-envtest provides etcd, kube-apiserver and kubectl. */
export async function findAssets(folder: string): Promise<Binaries> {
  const missing = await missingPrograms(folder, requiredPrograms);
  if (missing.length > 0) {
    throw new ControlPlaneError(
      'AssetsIncomplete',
      `KUBEBUILDER_ASSETS is ${folder}, which lacks ${missing.join(', ')} (as executable files): ` +
        `point it at a folder with ${requiredPrograms.join(', ')}, or unset it to build them with Go.`,
    );
  }
  return binariesIn(folder);
}

/** Undefined if the program answers `kubectl version --client` with its version, else its actual response. */
export async function probeKubectl(kubectl: string, version: string): Promise<string | undefined> {
  try {
    const asked = await runProgram(kubectl, ['version', '--client', '-o', 'json'], { timeoutMs: 20_000 });
    if (asked.code === 0 && asked.stdout.includes(`"${version}"`)) return undefined;
    return `\`kubectl version --client\` gave ${asked.code}, ${(asked.stderr || asked.stdout).slice(0, 300).trim()}`;
  } catch (error) {
    return `\`kubectl version --client\` did not run: ${String(error)}`;
  }
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
