import { countWords } from '../../core/text/cut-text.ts';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findControlPlane } from '../control-plane/binaries.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { ControlPlaneError } from '../control-plane/errors.ts';
import { startControlPlane } from '../control-plane/start.ts';
import { projectRoot } from '../rig/programs.ts';
import { applyFolder, Rig } from '../rig/rig.ts';
import { ClusterView, type DemoPod, isReady } from './cluster-view.ts';
import { abortOnInterrupt, unlessAborted } from './interrupt.ts';
import { demoNodes } from './nodes.ts';
import { previewNode, readSamples } from './preview.ts';
import { drawNodes, expectedNodes, showResult } from './result.ts';
import { Screen } from './screen.ts';
import {
  apply,
  describeFleetPolicy,
  describeFleetWorkload,
  drawFleet,
  fleetApp,
  fleetBudget,
  fleetNodes,
  fleetPolicy,
} from './second-act.ts';
import { describeDemandPolicy, describeLargeWorkload, hasShifted, listStaying, shift } from './third-act.ts';

const demoFolder = join(projectRoot, '.demo');
const readyWithinMs = 120_000;
const boundWithinMs = 30_000;

const screen = new Screen();
const signal = abortOnInterrupt();
const keep = process.argv.includes('--keep');

process.exit(await exitCode());

async function exitCode(): Promise<number> {
  try {
    return await runDemo();
  } catch (error) {
    if (signal.aborted) return 130;
    if (!(error instanceof ControlPlaneError)) throw error;
    screen.line(error.message);
    return 3;
  } finally {
    await rm(demoFolder, { recursive: true, force: true });
  }
}

async function runDemo(): Promise<number> {
  const startedAt = Date.now();
  await preview();

  screen.title("Kubernetes' own control plane");
  const onProgress = (line: string): void => screen.live([line]);
  const binaries = await unlessAborted(findControlPlane({ onProgress }), signal);
  await using controlPlane = await startControlPlane({ binaries });
  signal.throwIfAborted();
  screen.line(`running at ${controlPlane.server} (loopback only)`);
  if (keep) await writeKubeconfig(controlPlane);

  screen.title('CRDs, RBAC, four GPU nodes, the controller, and an agent on each node');
  await using rig = await Rig.start({
    controlPlane,
    nodes: demoNodes,
    controllerArguments: ['--max-concurrent-nodes', '100%'],
    // The third act waits for agents to see that pods have ended.
    agentArguments: ['--read-interval-ms', '4000'],
  });
  screen.line('kubectl apply -k config/crd; kubectl apply -k config/rbac');

  screen.title('kubectl apply -k samples');
  screen.line((await applyFolder(controlPlane, 'samples')).trimEnd());
  screen.line();
  const view = new ClusterView(controlPlane);
  const allReady = await watchUntilReady(rig, view);
  const allBound = allReady && (await scheduleWorkloads(controlPlane, view));
  const moved = allBound ? await moveFleet(rig, controlPlane, view) : undefined;
  const shifted = moved && (await followPods(rig, controlPlane, view));
  await showResult(screen, rig, controlPlane, view);
  if (shifted === undefined) await showLogs(rig);

  const seconds = Math.round((Date.now() - startedAt) / 1000);
  const isGood = moved !== undefined && shifted !== undefined;
  screen.title(
    isGood
      ? `Every policy is Ready, both pods are on the right node; 12 nodes changed, ${moved.most} at a time, ${countWords(moved.pods, 'pod')} moved; then ${shifted.large} larger pods got their slices, and ${shifted.evicted} were evicted (${seconds} s)`
      : 'The demo failed: see above',
  );
  if (keep && isGood) {
    screen.line(
      `It keeps running. In another terminal: export KUBECONFIG=${demoFolder}/kubeconfig; kubectl get gpp,gpn`,
    );
    screen.line('Ctrl-C ends it and cleans up.');
    await unlessAborted(new Promise(() => undefined), signal).catch(() => undefined);
  }
  return isGood ? 0 : 1;
}

/** The part without a cluster, so that there is something to see while the control plane compiles. */
async function preview(): Promise<void> {
  screen.title('Planned layout (computed offline)');
  const samples = await readSamples();
  const names = samples.map(({ metadata }) => metadata.name).join(', ');
  screen.line(`samples/: ${samples.length} policies, all valid: ${names}`);
  for (const node of demoNodes) for (const line of previewNode(node, samples)) screen.line(line);
}

async function watchUntilReady(rig: Rig, view: ClusterView): Promise<boolean> {
  const expected = (await readSamples()).length;
  const isDone = await askUntil(readyWithinMs, async () => {
    const [pictures, policies] = await Promise.all([drawNodes(rig, view), view.policies()]);
    screen.live(pictures);
    return (policies.length === expected && policies.every(isReady)) || undefined;
  });
  return isDone === true;
}

async function scheduleWorkloads(controlPlane: ControlPlane, view: ClusterView): Promise<boolean> {
  screen.title('kubectl apply -k samples/workloads');
  screen.line((await applyFolder(controlPlane, 'samples/workloads')).trimEnd());
  const nodeOf = new Map<string, string>();
  await askUntil(boundWithinMs, async () => {
    for (const { metadata, spec } of await view.pods()) if (spec.nodeName) nodeOf.set(metadata.name, spec.nodeName);
    return nodeOf.size >= Object.keys(expectedNodes).length || undefined;
  });
  for (const [pod, node] of Object.entries(expectedNodes)) {
    const found = nodeOf.get(pod) ?? 'no node';
    screen.line(`pod ${pod}: bound to ${found}${found === node ? '' : `, expected ${node}`}`);
  }
  return Object.entries(expectedNodes).every(([pod, node]) => nodeOf.get(pod) === node);
}

/** The second act: an edit rolls through twelve nodes, three at a time, and pods move within their disruption budget. */
async function moveFleet(
  rig: Rig,
  controlPlane: ControlPlane,
  view: ClusterView,
): Promise<{ readonly most: number; readonly pods: number } | undefined> {
  screen.title(`Act two: ${fleetNodes.length} more nodes in two pools, a policy for both, a deployment on the slices`);
  await rig.join(fleetNodes);
  screen.line(await apply(controlPlane, describeFleetPolicy('First')));
  if ((await watchFleet(rig, view)) === undefined) return undefined;
  screen.line(await apply(controlPlane, ...describeFleetWorkload()));
  const before = await untilRunning(view);
  if (!before) return undefined;
  screen.title(`kubectl apply of an edit: maxUnavailable ${fleetBudget}; pods on slices that go are evicted`);
  screen.line(await apply(controlPlane, describeFleetPolicy('Edited')));
  const most = await watchFleet(rig, view);
  if (most === undefined || most > fleetBudget) return undefined;
  const left = new Set((await view.pods()).map(({ metadata }) => metadata.uid));
  return { most, pods: before.filter((uid) => !left.has(uid)).length };
}

/** The third act: pods shift from small slices to larger ones, and the policy follows without evicting any. */
async function followPods(
  rig: Rig,
  controlPlane: ControlPlane,
  view: ClusterView,
): Promise<{ readonly large: number; readonly evicted: number } | undefined> {
  screen.title('Act three: no layouts any more; the policy follows what pods ask for, and evicts none');
  screen.line(await apply(controlPlane, describeDemandPolicy(fleetPolicy)));
  await controlPlane.kubectl(['scale', `deployment/${fleetApp}`, `--replicas=${shift.small}`]);
  screen.line(await apply(controlPlane, describeLargeWorkload()));
  const staying = await untilScaled(view);
  const most = await watchFleet(rig, view, hasShifted);
  if (!staying || most === undefined || most > fleetBudget) return undefined;
  const left = new Set((await view.pods()).map(({ metadata }) => metadata.uid));
  return { large: shift.large, evicted: staying.filter((uid) => !left.has(uid)).length };
}

/** @returns the uids of the small pods that stay */
function untilScaled(view: ClusterView): Promise<readonly string[] | undefined> {
  return askUntil(boundWithinMs, async () => {
    const small = listStaying(await view.pods(), fleetApp);
    return small.length === shift.small ? small.map(({ metadata }) => metadata.uid) : undefined;
  });
}

/**
 * Draws the fleet until its policy is Ready.
 *
 * @param isOver whether its pods are where they should be
 * @returns the most nodes that were in flight at a time; undefined if it takes too long
 */
function watchFleet(
  rig: Rig,
  view: ClusterView,
  isOver: (pods: readonly DemoPod[]) => boolean = () => true,
): Promise<number | undefined> {
  let most = 0;
  return askUntil(readyWithinMs, async () => {
    const [partitions, policies, pods] = await Promise.all([view.partitions(), view.policies(), view.pods()]);
    const policy = policies.find(({ metadata }) => metadata.name === fleetPolicy);
    most = Math.max(most, policy?.status?.inFlight?.length ?? 0);
    screen.live(await drawFleet(rig, partitions, pods, policy));
    return policy && isReady(policy) && isOver(pods) ? most : undefined;
  });
}

/** @returns the uids of the deployment's pods once all of them run */
function untilRunning(view: ClusterView): Promise<readonly string[] | undefined> {
  return askUntil(boundWithinMs, async () => {
    const pods = (await view.pods()).filter(({ metadata }) => metadata.name.startsWith(fleetApp));
    const isRunning = pods.length > 0 && pods.every(({ status }) => status.phase === 'Running');
    return isRunning ? pods.map(({ metadata }) => metadata.uid) : undefined;
  });
}

/** The first answer; undefined if none comes in time. */
async function askUntil<T>(withinMs: number, ask: () => Promise<T | undefined>): Promise<T | undefined> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    signal.throwIfAborted();
    const answer = await ask();
    if (answer !== undefined) return answer;
    await sleep(150);
  }
  return undefined;
}

async function showLogs(rig: Rig): Promise<void> {
  for (const program of [rig.controller, ...rig.agents]) {
    screen.title(`Last lines of the log of ${program.name}`);
    screen.line((await program.readLog()).trimEnd().split('\n').slice(-15).join('\n'));
  }
}

async function writeKubeconfig(controlPlane: ControlPlane): Promise<void> {
  await mkdir(demoFolder, { recursive: true });
  await writeFile(join(demoFolder, 'kubeconfig'), await readFile(await controlPlane.kubeconfigFile()), { mode: 0o600 });
}
