import { setTimeout as pause } from 'node:timers/promises';
import { cutText } from '../../src/core/text/words.ts';
import { mergePatchOf } from '../../src/core/text/json.ts';
import { AuditTail } from '../support/audit-tail.ts';
import { patience } from '../support/eventually.ts';
import type { SoakResult } from './soak-options.ts';
import type { Stage } from './stage.ts';

const looksAtRest = 5;
/** An agent that could not report while the API server was away tries again after 30 s at the latest. */
const longestRetryMs = 32_000;
const mostAttempts = 10;

const ownUser = /^system:serviceaccount:gpu-partition-(?:system|agents):gpu-partition-(controller|agent)$/;

interface Writes {
  /** Of our programs, without leases and Events, which a rate limit spreads over minutes. */
  readonly own: readonly string[];
  /** What others wrote of pods. */
  readonly ofPods: readonly string[];
}

type States = ReadonlyMap<string, object>;

function describeChange(write: string, before: States, now: States): string {
  const name = write.split(' ').at(-1) ?? '';
  return cutText(JSON.stringify(mergePatchOf(before.get(name) ?? {}, now.get(name) ?? {})), 500);
}

/** Judges what is written while nothing is to be done. */
export class QuietTimes {
  readonly #stage: Stage;
  readonly #audit: AuditTail;
  readonly #writes: string[] = [];
  #seconds = 0;
  #logBytes = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#audit = new AuditTail(stage.rig.controlPlane);
  }

  get figures(): Pick<SoakResult, 'quietLogBytes' | 'quietSeconds' | 'quietWrites'> {
    return { quietLogBytes: this.#logBytes, quietSeconds: this.#seconds, quietWrites: this.#writes };
  }

  /** A pod that somebody else starts or ends meanwhile is to be reported: then it begins again. */
  async judge(round: number): Promise<void> {
    const { options, gauges, onlooker, findUnrest } = this.#stage;
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      await this.#untilNoWrites(Math.max(options.readSeconds * 2_200, longestRetryMs));
      const logBytes = await gauges.logBytes();
      const before = await this.#states();
      // What a program holds while it reads its GPUs is gone in most of several looks.
      for (let look = 0; look < looksAtRest; look += 1) {
        await pause((options.quietSeconds * 1000) / looksAtRest);
        await gauges.sample(round);
      }
      const { own, ofPods } = await this.#read();
      if (ofPods.length > 0 && own.length > 0) continue;
      this.#logBytes += (await gauges.logBytes()) - logBytes;
      this.#seconds += options.quietSeconds;
      this.#writes.push(...own);
      const now = own.length > 0 ? await this.#states() : before;
      for (const write of new Set(own))
        onlooker.report(`S9: written at rest: ${write}: ${describeChange(write, before, now)}`);
      for (const unrest of await findUnrest()) onlooker.report(`S3: at rest, ${unrest}`);
      return;
    }
    onlooker.report(`round ${round}: pods come and go for ever`);
  }

  /** What was written of, by name: policies and nodes have different ones. */
  async #states(): Promise<States> {
    const { acts } = this.#stage;
    const objects = [...(await acts.policies()), ...(await acts.partitions())];
    return new Map(objects.map(({ metadata, spec, status }) => [metadata.name, { spec, status }]));
  }

  async #untilNoWrites(forMs: number): Promise<void> {
    const deadline = Date.now() + (60_000 + 5 * forMs) * patience;
    let lastMs = Date.now();
    while (Date.now() - lastMs < forMs && Date.now() < deadline) {
      this.#stage.restartController();
      await pause(500);
      const { own, ofPods } = await this.#read();
      if (own.length + ofPods.length > 0) lastMs = Date.now();
    }
  }

  /** What was written since the last call. */
  async #read(): Promise<Writes> {
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
}
