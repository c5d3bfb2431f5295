import { countWords } from '../../core/text/words.ts';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findControlPlane } from '../control-plane/build.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/start.ts';
import { ControlPlaneError, Waiting } from '../control-plane/run.ts';
import { projectRoot, type RigOptions } from '../rig/process.ts';
import { applyFolder } from '../rig/install.ts';
import { Rig } from '../rig/rig.ts';
import { ClusterView, type DemoPod, describeUnready, describeWaiting, isReady, demoNodes, Screen } from './screen.ts';
import {
  previewNode,
  readSamples,
  drawNodes,
  expectedNodes,
  showResult,
  apply,
  describeFleetPolicy,
  describeFleetWorkload,
  drawFleet,
  fleetApp,
  fleetBudget,
  fleetNodes,
  fleetPolicy,
  describeDemandPolicy,
  describeLargeWorkload,
  hasShifted,
  listStaying,
  shift,
} from './acts.ts';

/** Aborts on the first Ctrl-C, to stop everything in order; the second exits at once (children die with us). */
function abortOnInterrupt(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(130);
    process.stdout.write('\nstopping everything …\n');
    controller.abort(new Error('interrupted'));
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);
  return controller.signal;
}

/** Does not wait for what cannot be interrupted, such as a compiler: it dies with us. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const interrupted = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(new Error('interrupted'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  return Promise.race([work, interrupted]);
}

const demoFolder = join(projectRoot, '.demo');
/** Milliseconds without any change, on a machine that does nothing else, after which the demo counts as stuck. */
const stuckMs = 60_000;

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
  // Stopped at the very end: KEEP leaves it running even if the demo fails.
  await using started = new AsyncDisposableStack();
  const controlPlane = started.use(await startControlPlane({ binaries }));
  signal.throwIfAborted();
  screen.line(`running at ${controlPlane.server} (loopback only)`);
  if (keep) await writeKubeconfig(controlPlane);

  const failure = await play(controlPlane, started, startedAt).then(
    () => undefined,
    (error: unknown) => String(error instanceof Error ? error.message : error).replaceAll(/\s+/g, ' '),
  );
  signal.throwIfAborted();
  if (keep) {
    screen.line(
      `It keeps running. In another terminal: export KUBECONFIG=${demoFolder}/kubeconfig; kubectl get gpp,gpn`,
    );
    screen.line('Ctrl-C ends it and cleans up.');
  }
  if (failure !== undefined) screen.title(`The demo failed: ${failure}`);
  if (keep) await unlessAborted(new Promise(() => undefined), signal).catch(() => undefined);
  return failure === undefined ? 0 : 1;
}

/** @throws Error that says why it cannot continue */
async function play(controlPlane: ControlPlane, started: AsyncDisposableStack, startedAt: number): Promise<void> {
  screen.title('CRDs, RBAC, four GPU nodes, the controller, and an agent on each node');
  const options: RigOptions = {
    controlPlane,
    nodes: demoNodes,
    controllerArguments: ['--max-concurrent-nodes', '100%'],
    // The third act waits for agents to see that pods have ended.
    agentArguments: ['--read-interval-ms', '4000'],
  };
  const rig = started.use(await Rig.start(options));
  screen.line('kubectl apply -k config/crd; kubectl apply -k config/rbac');

  screen.title('kubectl apply -k samples');
  screen.line((await applyFolder(controlPlane, 'samples')).trimEnd());
  screen.line();
  const view = new ClusterView(controlPlane);
  try {
    await watchUntilReady(rig, view);
    await scheduleWorkloads(controlPlane, view);
    const moved = await moveFleet(rig, controlPlane, view);
    const shifted = await followPods(rig, controlPlane, view);
    await showResult(screen, rig, controlPlane, view);
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    screen.title(
      `Every policy is Ready, both pods are on the right node; 12 nodes changed, ${moved.most} at a time, ${countWords(moved.pods, 'pod')} moved; then ${shifted.large} larger pods got their slices, and ${shifted.evicted} were evicted (${seconds} s)`,
    );
  } catch (error) {
    if (!signal.aborted) await showTrouble(rig, controlPlane, view).catch(() => undefined);
    throw error;
  }
}

/** The part without a cluster, so that there is something to see while the control plane compiles. */
async function preview(): Promise<void> {
  screen.title('Planned layout (computed offline)');
  const samples = await readSamples();
  const names = samples.map(({ metadata }) => metadata.name).join(', ');
  screen.line(`samples/: ${samples.length} policies, all valid: ${names}`);
  for (const node of demoNodes) for (const line of previewNode(node, samples)) screen.line(line);
}

async function watchUntilReady(rig: Rig, view: ClusterView): Promise<void> {
  const expected = (await readSamples()).length;
  await untilSeen(async () => {
    const [pictures, policies] = await Promise.all([drawNodes(rig, view), view.policies()]);
    screen.live(pictures);
    const answer = (policies.length === expected && policies.every(isReady)) || undefined;
    return { answer, seen: pictures, missing: describeUnready(policies) };
  });
}

async function scheduleWorkloads(controlPlane: ControlPlane, view: ClusterView): Promise<void> {
  screen.title('kubectl apply -k samples/workloads');
  screen.line((await applyFolder(controlPlane, 'samples/workloads')).trimEnd());
  const nodeOf = await untilSeen(async () => {
    const bound = new Map<string, string>();
    for (const { metadata, spec } of await view.pods()) if (spec.nodeName) bound.set(metadata.name, spec.nodeName);
    const missing = Object.keys(expectedNodes).filter((pod) => !bound.has(pod));
    const answer = missing.length === 0 ? bound : undefined;
    return { answer, seen: [...bound.keys()], missing: `no node for pod ${missing.join(', ')}` };
  });
  for (const [pod, node] of Object.entries(expectedNodes)) {
    screen.line(`pod ${pod}: bound to ${nodeOf.get(pod)}`);
    if (nodeOf.get(pod) !== node) throw new Error(`pod ${pod} is bound to ${nodeOf.get(pod)}, expected ${node}`);
  }
}

/** The second act: an edit rolls through twelve nodes, three at a time, and pods move within their disruption budget. */
async function moveFleet(
  rig: Rig,
  controlPlane: ControlPlane,
  view: ClusterView,
): Promise<{ readonly most: number; readonly pods: number }> {
  screen.title(`Act two: ${fleetNodes.length} more nodes in two pools, a policy for both, a deployment on the slices`);
  await rig.join(fleetNodes);
  screen.line(await apply(controlPlane, describeFleetPolicy('First')));
  await watchFleet(rig, view);
  screen.line(await apply(controlPlane, ...describeFleetWorkload()));
  const before = await untilRunning(view);
  screen.title(`kubectl apply of an edit: maxUnavailable ${fleetBudget}; pods on slices that go are evicted`);
  screen.line(await apply(controlPlane, describeFleetPolicy('Edited')));
  const most = checkBudget(await watchFleet(rig, view));
  const left = new Set((await view.pods()).map(({ metadata }) => metadata.uid));
  return { most, pods: before.filter((uid) => !left.has(uid)).length };
}

/** The third act: pods shift from small slices to larger ones, and the policy follows without evicting any. */
async function followPods(
  rig: Rig,
  controlPlane: ControlPlane,
  view: ClusterView,
): Promise<{ readonly large: number; readonly evicted: number }> {
  screen.title('Act three: no layouts any more; the policy follows what pods ask for, and evicts none');
  screen.line(await apply(controlPlane, describeDemandPolicy(fleetPolicy)));
  await controlPlane.kubectl(['scale', `deployment/${fleetApp}`, `--replicas=${shift.small}`]);
  screen.line(await apply(controlPlane, describeLargeWorkload()));
  const staying = await untilScaled(view);
  checkBudget(await watchFleet(rig, view, hasShifted));
  const left = new Set((await view.pods()).map(({ metadata }) => metadata.uid));
  return { large: shift.large, evicted: staying.filter((uid) => !left.has(uid)).length };
}

function checkBudget(most: number): number {
  if (most > fleetBudget) throw new Error(`${most} nodes changed at a time, with maxUnavailable ${fleetBudget}`);
  return most;
}

/** @returns the uids of the small pods that stay */
function untilScaled(view: ClusterView): Promise<readonly string[]> {
  return untilSeen(async () => {
    const small = listStaying(await view.pods(), fleetApp);
    const uids = small.map(({ metadata }) => metadata.uid);
    const missing = `${small.length} pods of ${fleetApp} instead of ${shift.small}`;
    return { answer: small.length === shift.small ? uids : undefined, seen: uids, missing };
  });
}

/**
 * Draws the fleet until its policy is Ready.
 *
 * @param isOver whether its pods are where they should be
 * @returns the most nodes that were in flight at a time
 */
function watchFleet(
  rig: Rig,
  view: ClusterView,
  isOver: (pods: readonly DemoPod[]) => boolean = () => true,
): Promise<number> {
  let most = 0;
  return untilSeen(async () => {
    const [partitions, policies, pods] = await Promise.all([view.partitions(), view.policies(), view.pods()]);
    const policy = policies.find(({ metadata }) => metadata.name === fleetPolicy);
    most = Math.max(most, policy?.status?.inFlight?.length ?? 0);
    const seen = await drawFleet(rig, partitions, pods, policy);
    screen.live(seen);
    const answer = policy && isReady(policy) && isOver(pods) ? most : undefined;
    return { answer, seen, missing: describeUnready(policies) || describeWaiting(pods) };
  });
}

/** @returns the uids of the deployment's pods once all of them run */
function untilRunning(view: ClusterView): Promise<readonly string[]> {
  return untilSeen(async () => {
    const pods = (await view.pods()).filter(({ metadata }) => metadata.name.startsWith(fleetApp));
    const isRunning = pods.length > 0 && pods.every(({ status }) => status.phase === 'Running');
    const answer = isRunning ? pods.map(({ metadata }) => metadata.uid) : undefined;
    return { answer, seen: pods.map(({ status }) => status.phase), missing: describeWaiting(pods) };
  });
}

interface Look<T> {
  readonly answer: T | undefined;
  /** Whatever changes as long as there is progress. */
  readonly seen: readonly string[];
  /** Why there is no answer yet. */
  readonly missing: string;
}

/** @returns the first answer. @throws Error with what is missing, once nothing has changed for too long */
async function untilSeen<T>(look: () => Promise<Look<T>>): Promise<T> {
  const waiting = new Waiting(stuckMs);
  for (;;) {
    signal.throwIfAborted();
    const { answer, seen, missing } = await look();
    if (answer !== undefined) return answer;
    if (waiting.isOver(() => seen.join('\n'))) throw new Error(`nothing changes any more: ${missing}`);
    await sleep(150);
  }
}

/** The end of the fleet, and the last lines of the logs that matter: of the controller, and of agents whose node is not Ready. */
async function showTrouble(rig: Rig, controlPlane: ControlPlane, view: ClusterView): Promise<void> {
  await showResult(screen, rig, controlPlane, view);
  const unready = (await view.partitions()).filter(({ status }) => status?.phase !== 'Ready');
  const agents = unready.slice(0, 2).map(({ metadata }) => rig.agent(metadata.name));
  for (const program of [rig.controller, ...agents]) {
    screen.title(`Last lines of the log of ${program.name}: ${program.logFile}`);
    screen.line((await program.readLog()).trimEnd().split('\n').slice(-5).join('\n'));
  }
}

async function writeKubeconfig(controlPlane: ControlPlane): Promise<void> {
  await mkdir(demoFolder, { recursive: true });
  await writeFile(join(demoFolder, 'kubeconfig'), await readFile(await controlPlane.kubeconfigFile()), { mode: 0o600 });
}
