import { countWords } from '../../core/text/cut-text.ts';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findControlPlane } from '../control-plane/binaries.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { ControlPlaneError } from '../control-plane/errors.ts';
import { describeProgress } from '../control-plane/progress.ts';
import { startControlPlane } from '../control-plane/start.ts';
import { projectRoot } from '../rig/programs.ts';
import { applyFolder, Rig } from '../rig/rig.ts';
import { ClusterView, type DemoPod, isReady } from './cluster-view.ts';
import { drawNode } from './fleet-picture.ts';
import { abortOnInterrupt, unlessAborted } from './interrupt.ts';
import { composeLastScreen } from './last-screen.ts';
import { demoNodes } from './nodes.ts';
import { previewNode, readSamples } from './preview.ts';
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
/** Which node each pod of samples/workloads must land on. */
const expectedNodes: Readonly<Record<string, string>> = { notebook: 'sim-a30', 'small-model': 'sim-a100' };

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
  const onProgress = (progress: Parameters<typeof describeProgress>[0]): void =>
    screen.live([describeProgress(progress)]);
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
  await showResult(rig, controlPlane, view);
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
  const deadline = Date.now() + readyWithinMs;
  for (;;) {
    signal.throwIfAborted();
    const [pictures, policies] = await Promise.all([drawNodes(rig, view), view.policies()]);
    screen.live(pictures);
    if (policies.length === expected && policies.every(isReady)) return true;
    if (Date.now() > deadline) return false;
    await pause(150);
  }
}

async function scheduleWorkloads(controlPlane: ControlPlane, view: ClusterView): Promise<boolean> {
  screen.title('kubectl apply -k samples/workloads');
  screen.line((await applyFolder(controlPlane, 'samples/workloads')).trimEnd());
  const deadline = Date.now() + boundWithinMs;
  const nodeOf = new Map<string, string>();
  while (nodeOf.size < Object.keys(expectedNodes).length && Date.now() < deadline) {
    signal.throwIfAborted();
    for (const { metadata, spec } of await view.pods()) if (spec.nodeName) nodeOf.set(metadata.name, spec.nodeName);
    await pause(100);
  }
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
async function untilScaled(view: ClusterView): Promise<readonly string[] | undefined> {
  const deadline = Date.now() + boundWithinMs;
  while (Date.now() < deadline) {
    signal.throwIfAborted();
    const small = listStaying(await view.pods(), fleetApp);
    if (small.length === shift.small) return small.map(({ metadata }) => metadata.uid);
    await pause(100);
  }
  return undefined;
}

/**
 * Draws the fleet until its policy is Ready.
 *
 * @param isOver whether its pods are where they should be
 * @returns the most nodes that were in flight at a time; undefined if it takes too long
 */
async function watchFleet(
  rig: Rig,
  view: ClusterView,
  isOver: (pods: readonly DemoPod[]) => boolean = () => true,
): Promise<number | undefined> {
  const deadline = Date.now() + readyWithinMs;
  let most = 0;
  while (Date.now() < deadline) {
    signal.throwIfAborted();
    const [partitions, policies, pods] = await Promise.all([view.partitions(), view.policies(), view.pods()]);
    const policy = policies.find(({ metadata }) => metadata.name === fleetPolicy);
    most = Math.max(most, policy?.status?.inFlight?.length ?? 0);
    screen.live(await drawFleet(rig, partitions, pods, policy));
    if (policy && isReady(policy) && isOver(pods)) return most;
    await pause(150);
  }
  return undefined;
}

/** @returns the uids of the deployment's pods once all of them run */
async function untilRunning(view: ClusterView): Promise<readonly string[] | undefined> {
  const deadline = Date.now() + boundWithinMs;
  while (Date.now() < deadline) {
    signal.throwIfAborted();
    const pods = (await view.pods()).filter(({ metadata }) => metadata.name.startsWith(fleetApp));
    if (pods.length > 0 && pods.every(({ status }) => status.phase === 'Running')) {
      return pods.map(({ metadata }) => metadata.uid);
    }
    await pause(200);
  }
  return undefined;
}

async function showResult(rig: Rig, controlPlane: ControlPlane, view: ClusterView): Promise<void> {
  const ask = async (...args: string[]): Promise<{ readonly title: string; readonly text: string }> => {
    const { stdout, stderr } = await controlPlane.kubectl(args);
    return { title: `kubectl ${args.slice(0, 2).join(' ')}`, text: stdout || stderr };
  };
  const [pictures, nodes, pods, ...tables] = await Promise.all([
    drawNodes(rig, view),
    view.nodes(),
    view.pods(),
    ask('get', 'gpp'),
    ask('get', 'gpn', ...demoNodes.map(({ name }) => name)),
  ]);
  const lines = composeLastScreen(
    {
      pictures,
      tables,
      pods: pods
        .filter(({ metadata }) => metadata.name in expectedNodes)
        .map(({ metadata, spec }) => `${metadata.name}: ${spec.nodeName ?? 'no node'}`),
      nodes: demoNodes.flatMap(({ name, strategy }) =>
        nodes.flatMap(({ metadata }) => (metadata.name === name ? [{ ...metadata, strategy }] : [])),
      ),
    },
    process.env['VERBOSE'] === '1',
  );
  for (const { text, isTitle } of lines) {
    if (isTitle) screen.title(text);
    else screen.line(text);
  }
}

async function drawNodes(rig: Rig, view: ClusterView): Promise<readonly string[]> {
  const partitions = await view.partitions();
  const rows = demoNodes.map(async (node) => {
    const partition = partitions.find(({ metadata }) => metadata.name === node.name);
    return drawNode(node, partition, await rig.deviceState(node.name));
  });
  return (await Promise.all(rows)).flat();
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

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
