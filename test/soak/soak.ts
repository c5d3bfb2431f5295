import { setTimeout as pause } from 'node:timers/promises';
import { Rig } from '../../src/simulator/rig/rig.ts';
import { createKubeClient, ownCluster } from '../support/cluster.ts';
import { FleetRecorder } from '../support/fleet-recorder.ts';
import { describeNodes, describePlugin, maxConcurrentNodes, pluginName } from './cast.ts';
import { keepFiles } from './evidence.ts';
import type { Sample } from './gauges.ts';
import { judgeRound } from './judge-round.ts';
import { QuietTimes } from './quiet-times.ts';
import { comeToRest } from './come-to-rest.ts';
import { PromiseCounter } from './promise-counter.ts';
import type { SoakOptions, SoakResult } from './soak-options.ts';
import { openStage, type Stage } from './stage.ts';
import { storm } from './storm.ts';

/** People and faults at a cluster at random, in rounds of storm and rest, and an onlooker that judges. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  await using controlPlane = await ownCluster({ auditLog: true });
  await using promises = await PromiseCounter.open();
  await using rig = await Rig.start({
    controlPlane,
    nodes: describeNodes(options.nodes),
    servesNvidiaSmi: true,
    fileOf: (program) => promises.fileOf(program),
    controllerArguments: toArguments({
      'max-concurrent-nodes': maxConcurrentNodes,
      'lease-seconds': 10,
      'waiting-poll-ms': 300,
      'settle-ms': 100,
      'health-port': 0,
    }),
    agentArguments: toArguments({
      'read-interval-ms': options.readSeconds * 1000,
      'health-port': 0,
      'read-timeout-seconds': 6,
      'change-timeout-seconds': 6,
    }),
  });
  let isEvidence = true;
  try {
    const result = await play(options, rig, promises);
    isEvidence = result.violations.length > 0;
    return result;
  } finally {
    if (options.evidenceFolder !== undefined && isEvidence) await keepFiles(rig, options.evidenceFolder);
  }
}

function toArguments(options: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

async function play(options: SoakOptions, rig: Rig, promises: PromiseCounter): Promise<SoakResult> {
  const startedMs = Date.now();
  const elapsedMinutes = (): number => (Date.now() - startedMs) / 60_000;
  await using stage = await openStage(options, rig, promises);
  const quiet = new QuietTimes(stage);
  const rests: number[] = [];
  let [rounds, completeRounds] = [0, 0];
  const ticking = new AbortController();
  const sampling = sampleUntil(stage, ticking.signal);
  try {
    await stage.acts.apply(`/apis/apps/v1/namespaces/kube-system/daemonsets/${pluginName}`, describePlugin());
    while (elapsedMinutes() < options.minutes && rounds < (options.rounds ?? Infinity)) {
      rounds += 1;
      // Whether what is granted is in a ledger takes every revision of a round.
      await using recorder = await startRecorder(rig);
      options.tell?.(`round ${rounds}: storm`);
      await storm(stage, {
        killController: () => elapsedMinutes() < options.warmUpMinutes,
        // In every other round each revision is seen, so that it can be judged.
        killApiServer: rounds % 2 === 0,
      });
      const restSeconds = await comeToRest(stage, rounds);
      if (restSeconds !== undefined) rests.push(restSeconds);
      await quiet.judge(rounds);
      // Only at the beginning and at the end: a collection of garbage is not part of a program's life.
      const isFirst = elapsedMinutes() >= options.warmUpMinutes && !stage.gauges.samples.some(hasPromises);
      const isLast = elapsedMinutes() >= options.minutes || rounds === options.rounds;
      if (isFirst || isLast) await stage.gauges.samplePromises(rounds);
      if (await judgeRound(stage, recorder.it)) completeRounds += 1;
    }
  } finally {
    ticking.abort();
    await sampling;
  }
  return {
    options,
    seconds: elapsedMinutes() * 60,
    rounds,
    completeRounds,
    revisions: stage.onlooker.revisions,
    deeds: stage.users.done,
    faults: stage.faults.done,
    samples: stage.gauges.samples,
    logBytes: await stage.gauges.logBytes(),
    ...quiet.figures,
    slowestRestSeconds: Math.max(0, ...rests),
    violations: stage.onlooker.violations,
  };
}

function hasPromises({ promises }: Sample): boolean {
  return promises !== undefined;
}

async function startRecorder(rig: Rig): Promise<AsyncDisposable & { readonly it: FleetRecorder }> {
  const it = await FleetRecorder.start(await createKubeClient(rig.controlPlane));
  it.begin(Infinity);
  return { it, [Symbol.asyncDispose]: () => it.stop() };
}

async function sampleUntil({ gauges, options }: Stage, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await gauges.sample();
    await pause(options.sampleSeconds * 1000, undefined, { signal }).catch(() => undefined);
  }
}
