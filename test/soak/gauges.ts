import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { request } from 'undici';
import type { RigProcess } from '../../src/simulator/rig/process.ts';
import { readMemory } from '../bench/process-memory.ts';

/** What a program holds at one moment. */
export interface Sample {
  readonly program: string;
  readonly pid: number;
  /** Seconds since the process was first sampled. */
  readonly ageSeconds: number;
  readonly rssMB: number;
  readonly files: number;
  /** Timers, sockets, children and the like, by the program's own metrics; undefined if it did not answer. */
  readonly resources: number | undefined;
  /** Only where they were counted, which takes a collection of garbage. */
  readonly promises?: number;
  /** The round in which it was taken while nothing was to be done; undefined at any other time. */
  readonly restRound: number | undefined;
}

/** Samples programs as the operating system and their own metrics show them. */
export class Gauges {
  readonly #listPrograms: () => readonly RigProcess[];
  readonly #countPromises: (pid: number) => Promise<number>;
  readonly #firstSeen = new Map<number, number>();
  readonly #ports = new Map<number, number>();
  readonly samples: Sample[] = [];

  constructor(listPrograms: () => readonly RigProcess[], countPromises: (pid: number) => Promise<number>) {
    this.#listPrograms = listPrograms;
    this.#countPromises = countPromises;
  }

  async sample(restRound?: number): Promise<void> {
    await this.#sample(restRound, (sample) => Promise.resolve(sample));
  }

  /** Once more, with the promises. */
  async samplePromises(restRound: number): Promise<void> {
    await this.#sample(restRound, async (sample) => {
      // One that has just started may not know the signal yet, and would end.
      if (sample.ageSeconds < 10) return sample;
      return { ...sample, promises: await this.#countPromises(sample.pid) };
    });
  }

  async #sample(restRound: number | undefined, addTo: (sample: Sample) => Promise<Sample>): Promise<void> {
    for (const program of this.#listPrograms()) {
      const { name, pid } = program;
      if (pid === undefined) continue;
      // It may end meanwhile.
      const sample = await this.#read(name, pid)
        .then((read) => addTo({ ...read, restRound }))
        .catch(() => undefined);
      if (sample && program.pid === pid) this.samples.push(sample);
    }
  }

  /** Bytes of all logs so far. */
  async logBytes(): Promise<number> {
    const sizes = await Promise.all(
      this.#listPrograms().map(async ({ logFile }) => (await stat(logFile).catch(() => ({ size: 0 }))).size),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  async #read(program: string, pid: number): Promise<Omit<Sample, 'restRound'>> {
    const now = performance.now();
    const since = this.#firstSeen.get(pid) ?? now;
    this.#firstSeen.set(pid, since);
    const [{ rss }, files, resources] = await Promise.all([
      readMemory(pid),
      readdir(`/proc/${pid}/fd`),
      this.#readResources(pid),
    ]);
    return { program, pid, ageSeconds: (now - since) / 1000, rssMB: rss, files: files.length, resources };
  }

  async #readResources(pid: number): Promise<number | undefined> {
    const port = this.#ports.get(pid) ?? (await findListeningPort(pid));
    if (port === undefined) return undefined;
    this.#ports.set(pid, port);
    const { body } = await request(`http://127.0.0.1:${port}/metrics`, { reset: true, headersTimeout: 5_000 });
    return countResources(await body.text());
  }
}

/** The sum of `nodejs_active_resources` over its types. */
export function countResources(metrics: string): number | undefined {
  const counts = [...metrics.matchAll(/^nodejs_active_resources\{.*\} (\d+)$/gm)].map(([, count]) => Number(count));
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
}

/** The TCP port on which a process listens, by its sockets: it chose a free one. */
async function findListeningPort(pid: number): Promise<number | undefined> {
  const files = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
  const own = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const rows = (await readFile('/proc/net/tcp', 'utf8')).split('\n').slice(1);
  for (const row of rows) {
    const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/);
    if (state === '0A' && own.has(inode)) return Number.parseInt(local.split(':')[1] ?? '', 16);
  }
  return undefined;
}
