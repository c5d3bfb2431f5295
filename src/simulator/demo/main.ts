import { mkdir, rm, writeFile } from 'node:fs/promises';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { abortOnInterrupt } from './interrupt.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { findControlPlane } from '../control-plane/binaries.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { ControlPlaneError } from '../control-plane/errors.ts';
import { describeProgress } from '../control-plane/progress.ts';
import { startControlPlane } from '../control-plane/start.ts';
import { projectRoot } from '../rig/programs.ts';
import { applyFolder, Rig } from '../rig/rig.ts';
import { drawNode } from './fleet-picture.ts';
import { demoNodes } from './nodes.ts';
import { previewNode, readSamples } from './preview.ts';
import { Screen } from './screen.ts';

const kubeconfig = join(projectRoot, '.demo', 'kubeconfig');
const readyWithinMs = 120_000;
/** Which node each pod of samples/workloads must land on. */
const expectedNodes: Readonly<Record<string, string>> = { notebook: 'sim-a30', 'small-model': 'sim-a100' };

const screen = new Screen();
const signal = abortOnInterrupt();
const keep = process.argv.includes('--keep');

try {
  process.exitCode = await runDemo();
} catch (error) {
  if (signal.aborted) process.exitCode = 130;
  else if (error instanceof ControlPlaneError) {
    screen.line(error.message);
    process.exitCode = 3;
  } else throw error;
}

async function runDemo(): Promise<number> {
  const startedAt = Date.now();
  screen.title('What will become of the GPUs (worked out without a cluster)');
  const samples = await readSamples();
  screen.line(
    `samples/: ${samples.length} policies, all valid: ${samples.map(({ metadata }) => metadata.name).join(', ')}`,
  );
  for (const node of demoNodes) previewNode(node, samples).forEach((line) => screen.line(line));

  screen.title("Kubernetes' own control plane");
  const binaries = await findControlPlane({
    onProgress: (progress) => screen.live([`  ${describeProgress(progress)}`]),
  });
  signal.throwIfAborted();
  await using controlPlane = await startControlPlane({ binaries });
  signal.throwIfAborted();
  screen.line(`running at ${controlPlane.server} (loopback only)`);

  screen.title('CRDs, RBAC, four GPU nodes, the controller, and an agent on each node');
  await using rig = await Rig.start({ controlPlane, nodes: demoNodes });
  screen.line(`applied config/crd and config/rbac; logs in ${rig.folder}`);
  if (keep) await writeKubeconfig(controlPlane);

  screen.title('kubectl apply -k samples');
  screen.line((await applyFolder(controlPlane, 'samples')).trimEnd());
  const allReady = await watchUntilReady(controlPlane, samples.length);
  const scheduled = allReady && (await scheduleWorkloads(controlPlane));
  await showResult(controlPlane);
  if (!allReady) await showLogs(rig);

  screen.title(
    allReady && scheduled
      ? `Every policy is Ready and both pods are on the right node (${Math.round((Date.now() - startedAt) / 1000)} s)`
      : 'The demo failed: see above',
  );
  if (keep && allReady) {
    screen.line(
      `It keeps running. In another terminal: export KUBECONFIG=${kubeconfig}; kubectl get gpp,gpn. Ctrl-C ends it.`,
    );
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }
  await rm(join(projectRoot, '.demo'), { recursive: true, force: true });
  return allReady && scheduled ? 0 : 1;
}

async function watchUntilReady(controlPlane: ControlPlane, count: number): Promise<boolean> {
  const deadline = Date.now() + readyWithinMs;
  while (Date.now() < deadline) {
    signal.throwIfAborted();
    const partitions = await list<GpuNodePartition>(controlPlane, 'gpunodepartitions');
    screen.live(partitions.flatMap(drawNode));
    const policies = await list<GpuPartitionPolicy>(controlPlane, 'gpupartitionpolicies');
    const ready = policies.filter(({ metadata, status }) =>
      status?.conditions?.some(
        ({ type, status: holds, observedGeneration }) =>
          type === 'Ready' && holds === 'True' && observedGeneration === metadata.generation,
      ),
    );
    if (policies.length === count && ready.length === count) return true;
    await pause(150);
  }
  return false;
}

async function scheduleWorkloads(controlPlane: ControlPlane): Promise<boolean> {
  screen.title('kubectl apply -k samples/workloads');
  screen.line((await applyFolder(controlPlane, 'samples/workloads')).trimEnd());
  const deadline = Date.now() + 30_000;
  const seen = new Map<string, string>();
  while (Date.now() < deadline && seen.size < Object.keys(expectedNodes).length) {
    signal.throwIfAborted();
    const answer = await controlPlane.client.demand({ path: '/api/v1/namespaces/default/pods' });
    const { items } = answer as {
      readonly items: readonly { metadata: { name: string }; spec: { nodeName?: string } }[];
    };
    for (const { metadata, spec } of items) if (spec.nodeName) seen.set(metadata.name, spec.nodeName);
    await pause(100);
  }
  for (const [pod, node] of Object.entries(expectedNodes)) {
    const found = seen.get(pod) ?? 'no node';
    screen.line(`pod ${pod}: bound to ${found}${found === node ? '' : `, expected ${node}`}`);
  }
  return Object.entries(expectedNodes).every(([pod, node]) => seen.get(pod) === node);
}

async function showResult(controlPlane: ControlPlane): Promise<void> {
  for (const args of [
    ['get', 'gpp'],
    ['get', 'gpn'],
    ['get', 'pods', '-o', 'wide'],
  ]) {
    screen.title(`kubectl ${args.join(' ')}`);
    const { stdout, stderr } = await controlPlane.kubectl(args);
    screen.line((stdout || stderr).trimEnd());
  }
  screen.title("The nodes' nvidia.com/* labels (as GPU Feature Discovery writes them)");
  const answer = await controlPlane.client.demand({ path: '/api/v1/nodes' });
  const { items } = answer as {
    readonly items: readonly { metadata: { name: string; labels: Record<string, string> } }[];
  };
  for (const { metadata } of items) {
    screen.line(metadata.name);
    const labels = Object.entries(metadata.labels).filter(([key]) => key.startsWith('nvidia.com/'));
    for (const [key, value] of labels.sort(([a], [b]) => (a < b ? -1 : 1))) screen.line(`  ${key}=${value}`);
  }
}

async function showLogs(rig: Rig): Promise<void> {
  for (const program of [rig.controller, ...rig.agents]) {
    const log = (await readFile(program.logFile, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-15);
    screen.title(`last lines of ${program.name}`);
    screen.line(log.join('\n'));
  }
}

async function list<T>(controlPlane: ControlPlane, plural: string): Promise<readonly T[]> {
  const answer = await controlPlane.client.demand({ path: `/apis/gpupartition.dev/v1alpha1/${plural}` });
  return (answer as { readonly items: readonly T[] }).items;
}

async function writeKubeconfig(controlPlane: ControlPlane): Promise<void> {
  await mkdir(join(projectRoot, '.demo'), { recursive: true });
  const source = await controlPlane.kubeconfigFile();
  await writeFile(kubeconfig, await readFile(source), { mode: 0o600 });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
