import { readFileSync } from 'node:fs';
import { cp, lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Rig } from '../../src/simulator/rig/rig.ts';
import { ownCluster, createKubeClient } from '../support/cluster.ts';
import { FleetRecorder } from '../support/fleet-recorder.ts';
import { ownTaints } from '../support/rig.ts';
import { patience } from '../support/eventually.ts';
import { Random } from '../model/random.ts';
import { AuditTail } from '../support/audit-tail.ts';
import { describeNodes, describePlugin, maxConcurrentNodes, pluginName } from './cast.ts';
import { ClusterActs } from './cluster-acts.ts';
import { FaultMaker } from './fault-maker.ts';
import { Gauges, type Sample } from './gauges.ts';
import { countOffered, Onlooker } from './onlooker.ts';
import { Users } from './users.ts';

export interface SoakOptions {
  readonly nodes: number;
  readonly minutes: number;
  readonly seed: number;
  /** How long people and faults act before all faults end and the fleet has to come to rest. */
  readonly stormSeconds: number;
  /** How long nothing may be written then. */
  readonly quietSeconds: number;
  readonly sampleSeconds: number;
  /** Between two looks of an agent at its GPUs: what pods do in between is written at the next. */
  readonly readSeconds: number;
  /** Minutes after which the controller's life is not ended any more, so that its memory can be measured. */
  readonly warmUpMinutes: number;
  readonly tell?: (line: string) => void;
  /** Gets the logs, the states of the devices and the audit log if an invariant was broken. */
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
  readonly quietSeconds: number;
  readonly quietWrites: readonly string[];
  /** Longest time to come to rest after a storm. */
  readonly slowestRestSeconds: number;
  readonly violations: readonly string[];
}

const own = /^system:serviceaccount:gpu-partition-(?:system|agents):gpu-partition-(controller|agent)$/;

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
  const result = await new Soak(options, rig).run();
  if (options.evidenceFolder !== undefined && result.violations.length > 0)
    await keepEvidence(rig, options.evidenceFolder);
  return result;
}

async function keepEvidence({ folder, controlPlane }: Rig, into: string): Promise<void> {
  // Locks of agents are sockets, too, and come and go.
  const isFile = async (file: string): Promise<boolean> =>
    (await lstat(file).catch(() => undefined))?.isSocket() === false;
  await cp(folder, into, { recursive: true, filter: isFile });
  await cp(join(controlPlane.folder, 'audit.log'), join(into, 'audit.log'));
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
      while (this.#elapsedMinutes < this.#options.minutes) await this.#round(onlooker);
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
    const limitMs = 60_000 * patience;
    let askedMs = 0;
    let isAsked = false;
    for (let found = 'not yet looked'; found !== ''; found = await this.#findUnrest()) {
      if (Date.now() - from > limitMs)
        return onlooker.report(`L1: round ${this.#rounds} does not come to rest: ${found}`);
      isAsked ||= await this.#users.settle();
      if (isAsked && Date.now() - askedMs > 15_000) {
        askedMs = Date.now();
        this.#options.tell?.(`round ${this.#rounds}: ${found}`);
        await this.#users.retryAll(this.#rig.nodeNames);
      }
      onlooker.tick();
      await pause(500);
    }
    const seconds = (Date.now() - from) / 1000;
    this.#slowestRestSeconds = Math.max(this.#slowestRestSeconds, seconds);
    this.#options.tell?.(`round ${this.#rounds}: at rest after ${seconds.toFixed(0)} s`);
  }

  /** @returns the first thing that is not as the policies say; empty if all is */
  async #findUnrest(): Promise<string> {
    const [policies, partitions, nodes] = await Promise.all([
      this.#acts.policies(),
      this.#acts.partitions(),
      this.#acts.nodes(),
    ]);
    if (policies.length < 2) return 'a policy is missing';
    for (const { metadata, status } of policies) {
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      if (ready?.status !== 'True' || ready.observedGeneration !== metadata.generation)
        return `policy ${metadata.name} is ${ready?.status ?? 'new'} ${ready?.reason ?? ''}`;
    }
    for (const node of nodes) {
      const { name } = node.metadata;
      const partition = partitions.find(({ metadata }) => metadata.name === name);
      if (partition?.status?.phase !== 'Ready') return `node ${name} is ${partition?.status?.phase ?? 'new'}`;
      const taints = ownTaints(node);
      if (taints.length > 0) return `node ${name} is closed: ${taints.join()}`;
      const [offered, has] = [countOffered(node), this.#countSlices(name)];
      if (offered !== has || has === 0) return `node ${name} offers ${offered} slices and has ${has}`;
    }
    return '';
  }

  async #beQuiet(onlooker: Onlooker): Promise<void> {
    await this.#untilNoWrites(this.#options.readSeconds * 2_200);
    await pause(this.#options.quietSeconds * 1000);
    const writes = await this.#readOwnWrites();
    this.#quietSeconds += this.#options.quietSeconds;
    this.#quietWrites.push(...writes);
    for (const write of new Set(writes)) onlooker.report(`S9: written at rest: ${write}`);
    const unrest = await this.#findUnrest();
    if (unrest !== '') onlooker.report(`S3: at rest, ${unrest}`);
  }

  async #untilNoWrites(forMs: number): Promise<void> {
    const deadline = Date.now() + (60_000 + 5 * forMs) * patience;
    let lastMs = Date.now();
    while (Date.now() - lastMs < forMs && Date.now() < deadline) {
      await pause(500);
      if ((await this.#readOwnWrites()).length > 0) lastMs = Date.now();
    }
  }

  /** What our programs wrote since the last call, without leases and Events, which a rate limit spreads over minutes. */
  async #readOwnWrites(): Promise<readonly string[]> {
    return (await this.#audit.read()).flatMap(({ user, verb, resource, subresource, name }) => {
      const program = own.exec(user)?.[1];
      if (program === undefined || /^(?:leases|events)\./.test(resource)) return [];
      return [`${program} ${verb} ${resource}${subresource && `/${subresource}`} ${name}`];
    });
  }

  #judgeRound(recorder: FleetRecorder, onlooker: Onlooker): void {
    if (recorder.hasSeenAll) {
      this.#completeRounds += 1;
      for (const broken of recorder.broken) onlooker.report(`S5: ${broken}`);
    }
    for (const { name, crashes } of [this.#rig.controller, ...this.#rig.agents])
      if (crashes > 0) onlooker.report(`${name} has ended without being told to`);
    for (const refused of this.#listRefused()) onlooker.report(`S1: ${refused}`);
  }

  /** Destroys that the device refused as in use, on nodes that nobody disturbed at the time. */
  #listRefused(): readonly string[] {
    return this.#rig.nodeNames.flatMap((node) => {
      const file = join(dirname(this.#rig.stateFile(node)), 'operations.jsonl');
      return readLines(file).flatMap((line) => {
        const { event, rc, argv, time } = JSON.parse(line) as LogLine;
        if (event !== 'end' || rc !== 19 || !argv.some((word) => word === '-dci' || word === '-dgi')) return [];
        const atMs = Date.parse(time);
        const isDisturbed = this.#faults.disturbances.some(
          (one) => one.node === node && one.fromMs <= atMs && atMs <= one.untilMs,
        );
        return isDisturbed ? [] : [`${node} tried to destroy what is in use, at ${time}: ${argv.join(' ')}`];
      });
    });
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

interface LogLine {
  readonly event: string;
  readonly rc?: number;
  readonly argv: readonly string[];
  readonly time: string;
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}
