import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Rig } from '../../src/simulator/rig/rig.ts';
import { ownCluster, createKubeClient } from '../support/cluster.ts';
import { FleetRecorder } from '../support/fleet-recorder.ts';
import { patience } from '../support/eventually.ts';
import { Random } from '../model/random.ts';
import { AuditTail } from '../support/audit-tail.ts';
import { describeNodes, describePlugin, maxConcurrentNodes, pluginName } from './cast.ts';
import { ClusterActs } from './cluster-acts.ts';
import { dumpObjects, keepFiles } from './evidence.ts';
import { FaultMaker } from './fault-maker.ts';
import { Gauges, type Sample } from './gauges.ts';
import { Onlooker } from './onlooker.ts';
import { readLines } from './read-lines.ts';
import { listRefused } from './refused.ts';
import { Standstill } from './standstill.ts';
import { findUnrest } from './unrest.ts';
import { Users } from './users.ts';

export interface SoakOptions {
  readonly nodes: number;
  readonly minutes: number;
  /** Ends after this many, even if minutes are left. */
  readonly rounds?: number;
  readonly seed: number;
  /** How long people and faults act before all faults end and the fleet has to come to rest. */
  readonly stormSeconds: number;
  /** How long ever fewer things may fail to settle then before it counts as a standstill. */
  readonly standstillSeconds: number;
  /** How long nothing may be written once all has settled. */
  readonly quietSeconds: number;
  readonly sampleSeconds: number;
  /** Between two looks of an agent at its GPUs: what pods do in between is written at the next. */
  readonly readSeconds: number;
  /** Minutes after which the controller's life is not ended any more, so that its memory can be measured. */
  readonly warmUpMinutes: number;
  readonly tell?: (line: string) => void;
  /** Gets the objects, the logs, the states of the devices and the audit log if an invariant was broken. */
  readonly evidenceFolder?: string;
}

export interface SoakResult {
  readonly options: SoakOptions;
  readonly seconds: number;
  readonly rounds: number;
  readonly revisions: number;
  /** Rounds of which every revision was seen, none skipped by a list. */
  readonly completeRounds: number;
  readonly deeds: ReadonlyMap<string, number>;
  readonly faults: ReadonlyMap<string, number>;
  readonly samples: readonly Sample[];
  readonly logBytes: number;
  /** Of it, what was logged while nothing was to be done. */
  readonly quietLogBytes: number;
  readonly quietSeconds: number;
  readonly quietWrites: readonly string[];
  /** Longest time to come to rest after a storm. */
  readonly slowestRestSeconds: number;
  readonly violations: readonly string[];
}

const looksAtRest = 5;
const mostQuietAttempts = 10;

const ownUser = /^system:serviceaccount:gpu-partition-(?:system|agents):gpu-partition-(controller|agent)$/;

/** People and faults at a cluster at random, in rounds of storm and rest, and an onlooker that judges. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  await using controlPlane = await ownCluster({ auditLog: true });
  await using rig = await Rig.start({
    controlPlane,
    nodes: describeNodes(options.nodes),
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
    const result = await new Soak(options, rig).run();
    isEvidence = result.violations.length > 0;
    return result;
  } finally {
    if (options.evidenceFolder !== undefined && isEvidence) await keepFiles(rig, options.evidenceFolder);
  }
}

function toArguments(options: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

class Soak {
  readonly #options: SoakOptions;
  readonly #rig: Rig;
  readonly #acts: ClusterActs;
  readonly #random: Random;
  readonly #users: Users;
  readonly #faults: FaultMaker;
  readonly #gauges: Gauges;
  readonly #audit: AuditTail;
  readonly #startedMs = Date.now();
  readonly #quietWrites: string[] = [];
  #quietSeconds = 0;
  #quietLogBytes = 0;
  #rounds = 0;
  #completeRounds = 0;
  #slowestRestSeconds = 0;

  constructor(options: SoakOptions, rig: Rig) {
    this.#options = options;
    this.#rig = rig;
    this.#acts = new ClusterActs(rig.controlPlane);
    this.#random = new Random(options.seed);
    this.#users = new Users(this.#acts, this.#random, rig.nodeNames);
    const spared = new Set(rig.nodeNames.filter((_, at) => at % 3 === 0));
    this.#faults = new FaultMaker(rig, this.#acts, this.#random, spared);
    this.#gauges = new Gauges(() => [rig.controller, ...rig.agents]);
    this.#audit = new AuditTail(rig.controlPlane);
  }

  async run(): Promise<SoakResult> {
    const client = await createKubeClient(this.#rig.controlPlane);
    const onlooker = await Onlooker.start(client, (node) => this.#countSlices(node));
    const ticking = new AbortController();
    const sampling = this.#sampleUntil(ticking.signal);
    try {
      await this.#acts.apply(`/apis/apps/v1/namespaces/kube-system/daemonsets/${pluginName}`, describePlugin());
      const { minutes, rounds = Infinity } = this.#options;
      while (this.#elapsedMinutes < minutes && this.#rounds < rounds) await this.#round(onlooker);
    } finally {
      ticking.abort();
      await sampling;
      await onlooker.stop();
    }
    return {
      options: this.#options,
      seconds: (Date.now() - this.#startedMs) / 1000,
      rounds: this.#rounds,
      completeRounds: this.#completeRounds,
      revisions: onlooker.revisions,
      deeds: this.#users.done,
      faults: this.#faults.done,
      samples: this.#gauges.samples,
      logBytes: await this.#gauges.logBytes(),
      quietLogBytes: this.#quietLogBytes,
      quietSeconds: this.#quietSeconds,
      quietWrites: this.#quietWrites,
      slowestRestSeconds: this.#slowestRestSeconds,
      violations: onlooker.violations,
    };
  }

  get #elapsedMinutes(): number {
    return (Date.now() - this.#startedMs) / 60_000;
  }

  async #round(onlooker: Onlooker): Promise<void> {
    this.#rounds += 1;
    await using recorder = await this.#startRecorder();
    this.#options.tell?.(`round ${this.#rounds}: storm`);
    await this.#storm(onlooker);
    await this.#faults.heal();
    onlooker.forgive();
    await this.#untilAtRest(onlooker);
    await this.#beQuiet(onlooker);
    this.#judgeRound(recorder.it, onlooker);
  }

  /** Whether what is granted is in a ledger takes every revision of a round. */
  async #startRecorder(): Promise<AsyncDisposable & { readonly it: FleetRecorder }> {
    const it = await FleetRecorder.start(await createKubeClient(this.#rig.controlPlane));
    it.begin(Infinity);
    return { it, [Symbol.asyncDispose]: () => it.stop() };
  }

  async #storm(onlooker: Onlooker): Promise<void> {
    const end = Date.now() + this.#options.stormSeconds * 1000;
    while (Date.now() < end) {
      if (this.#random.chance(0.6)) await this.#users.act();
      else {
        await this.#faults.strike({
          killController: this.#elapsedMinutes < this.#options.warmUpMinutes,
          // In every other round each revision is seen, so that it can be judged.
          killApiServer: this.#rounds % 2 === 0,
        });
        onlooker.forgive();
      }
      onlooker.tick();
      await pause(this.#random.between(100, 1_500));
    }
  }

  async #untilAtRest(onlooker: Onlooker): Promise<void> {
    const from = Date.now();
    const standstill = new Standstill(this.#options.standstillSeconds * 1000);
    let askedMs = 0;
    let isAsked = false;
    for (;;) {
      const left = await this.#findUnrest();
      if (left.length === 0 && isAsked) break;
      if (standstill.note(left.length, Date.now())) {
        onlooker.report(`L1: round ${this.#rounds} does not come to rest: ${left.join('; ')}`);
        return this.#dump('unrest');
      }
      isAsked ||= await this.#users.settle();
      if (isAsked && Date.now() - askedMs > 15_000) {
        askedMs = Date.now();
        this.#options.tell?.(`round ${this.#rounds}: ${left.join('; ')}`);
        await this.#users.retryAll(this.#rig.nodeNames);
      }
      onlooker.tick();
      await pause(500);
    }
    const seconds = (Date.now() - from) / 1000;
    this.#slowestRestSeconds = Math.max(this.#slowestRestSeconds, seconds);
    this.#options.tell?.(`round ${this.#rounds}: at rest after ${seconds.toFixed(0)} s`);
  }

  async #findUnrest(): Promise<readonly string[]> {
    return findUnrest(this.#acts, (node) => this.#countSlices(node));
  }

  /** The objects as they are now, for whoever has to explain a violation. */
  async #dump(what: string): Promise<void> {
    const { evidenceFolder } = this.#options;
    if (evidenceFolder !== undefined)
      await dumpObjects(this.#rig.controlPlane, join(evidenceFolder, `round-${this.#rounds}-${what}.json`));
  }

  /** Judges what is written while nothing is to be done: a pod that somebody else starts or ends meanwhile is to be reported, so it begins again. */
  async #beQuiet(onlooker: Onlooker): Promise<void> {
    for (let attempt = 1; attempt <= mostQuietAttempts; attempt += 1) {
      await this.#untilNoWrites(this.#options.readSeconds * 2_200);
      const logBytes = await this.#gauges.logBytes();
      // What a program holds while it reads its GPUs is gone in most of several looks.
      for (let look = 0; look < looksAtRest; look += 1) {
        await pause((this.#options.quietSeconds * 1000) / looksAtRest);
        await this.#gauges.sample(this.#rounds);
      }
      const { own, ofPods } = await this.#readWrites();
      if (ofPods.length > 0 && own.length > 0) continue;
      this.#quietLogBytes += (await this.#gauges.logBytes()) - logBytes;
      this.#quietSeconds += this.#options.quietSeconds;
      this.#quietWrites.push(...own);
      for (const write of new Set(own)) onlooker.report(`S9: written at rest: ${write}`);
      for (const unrest of await this.#findUnrest()) onlooker.report(`S3: at rest, ${unrest}`);
      return;
    }
    onlooker.report(`round ${this.#rounds}: pods come and go for ever`);
  }

  async #untilNoWrites(forMs: number): Promise<void> {
    const deadline = Date.now() + (60_000 + 5 * forMs) * patience;
    let lastMs = Date.now();
    while (Date.now() - lastMs < forMs && Date.now() < deadline) {
      await pause(500);
      const { own, ofPods } = await this.#readWrites();
      if (own.length + ofPods.length > 0) lastMs = Date.now();
    }
  }

  /** Since the last call: what our programs wrote, without leases and Events, which a rate limit spreads over minutes, and what others wrote of pods. */
  async #readWrites(): Promise<{ readonly own: readonly string[]; readonly ofPods: readonly string[] }> {
    const writes = (await this.#audit.read()).map(({ user, verb, resource, subresource, name }) => {
      const program = ownUser.exec(user)?.[1];
      return { program, resource, text: `${program} ${verb} ${resource}${subresource && `/${subresource}`} ${name}` };
    });
    const isOwn = (write: (typeof writes)[number]): boolean =>
      write.program !== undefined && !/^(?:leases|events)\./.test(write.resource);
    return {
      own: writes.filter(isOwn).map(({ text }) => text),
      ofPods: writes
        .filter(({ program, resource }) => program === undefined && resource === 'pods')
        .map(({ text }) => text),
    };
  }

  #judgeRound(recorder: FleetRecorder, onlooker: Onlooker): void {
    if (recorder.hasSeenAll) {
      this.#completeRounds += 1;
      for (const broken of recorder.broken) onlooker.report(`S5: ${broken}`);
    }
    for (const { name, crashes } of [this.#rig.controller, ...this.#rig.agents])
      if (crashes > 0) onlooker.report(`${name} has ended without being told to`);
    for (const refused of listRefused(this.#rig, this.#faults.disturbances)) onlooker.report(`S1: ${refused}`);
  }

  #countSlices(node: string): number {
    return readLines(this.#rig.stateFile(node)).filter((line) => line.startsWith('ci ')).length;
  }

  async #sampleUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#gauges.sample();
      await pause(this.#options.sampleSeconds * 1000, undefined, { signal }).catch(() => undefined);
    }
  }
}
