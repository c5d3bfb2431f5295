import { join } from 'node:path';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { Waiting } from '../control-plane/progress.ts';
import { applyManifests } from './manifests.ts';
import { projectRoot } from './programs.ts';

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
