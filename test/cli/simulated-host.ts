import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { stringify } from 'yaml';

import type { DriverBranch } from '../../src/simulator/nvidia-smi/board.ts';
import { assembleGpus } from '../../src/simulator/nvidia-smi/device.ts';
import {
  NvidiaSmiServer,
  type WrapperSettings,
  writeNvidiaSmiWrapper,
} from '../../src/simulator/nvidia-smi/wrapper.ts';
import { type CliRun, run } from './run.ts';

const program = new URL('../../src/simulator/nvidia-smi/main.ts', import.meta.url).pathname;

/** A machine whose nvidia-smi is the simulated one, as a program of its own. */
export class SimulatedHost implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'host-mode-'));
  readonly stateDir = join(this.folder, 'lib');
  readonly podResourcesSocket = join(this.folder, 'kubelet.sock');
  readonly nvidiaSmi: string;
  readonly #settings: WrapperSettings;
  #server: NvidiaSmiServer | undefined;
  readonly #log = join(this.folder, 'log');
  readonly #state = join(this.folder, 'state');
  readonly #faults = join(this.folder, 'faults');

  constructor(
    gpus: readonly string[],
    {
      mig = true,
      uid = 0,
      driver = '550',
    }: { mig?: boolean | readonly number[]; uid?: number; driver?: DriverBranch } = {},
  ) {
    const files = { stateFile: this.#state, logFile: this.#log, faultsFile: this.#faults };
    this.#settings = { gpus, driver, ...files, program, node: process.execPath, uid };
    this.nvidiaSmi = writeNvidiaSmiWrapper(join(this.folder, 'bin'), this.#settings);
    const isOn = (name: string, index: number) =>
      typeof mig === 'boolean' ? mig && name !== 'T4' : mig.includes(index);
    const modes = gpus.map((name, index) => `gpu ${index} mig ${isOn(name, index) ? '1 pending 1' : '0 pending 0'}\n`);
    writeFileSync(this.#state, modes.join(''));
    writeFileSync(this.#faults, '');
    writeFileSync(this.#log, '');
  }

  /** Runs `gpu-partition node VERB …` on this machine. */
  async node(verb: string, ...argv: readonly string[]): Promise<CliRun> {
    await this.#serve();
    const changes = verb === 'apply' || verb === 'reset' || verb === 'selftest';
    const own = [
      '--nvidia-smi',
      this.nvidiaSmi,
      ...(changes ? ['--state-dir', this.stateDir, '--pod-resources-socket', this.podResourcesSocket] : []),
    ];
    return run(['node', verb, ...own, ...argv], { cwd: this.folder });
  }

  /** Writes a file into the folder that commands run in, and returns its name. */
  write(name: string, content: unknown): string {
    writeFileSync(join(this.folder, name), typeof content === 'string' ? content : stringify(content));
    return name;
  }

  withFaults(...lines: readonly string[]): this {
    writeFileSync(this.#faults, lines.join('\n'));
    return this;
  }

  /** Cuts an A100-40GB into seven 1g.5gb, as if somebody had done it before. */
  withSevenSlices(...gpus: readonly number[]): this {
    const lines = gpus.flatMap((gpu) =>
      Array.from({ length: 7 }, (_, start) => {
        return `gi ${gpu} ${7 + start} profile 19 place ${start}:1\nci ${gpu} ${7 + start} 0 profile 0 place 0:1\n`;
      }),
    );
    appendFileSync(this.#state, lines.join(''));
    return this;
  }

  /** Cuts a 3g.20gb from the first half of an A100-40GB, and it into three compute instances. */
  withSplitSlice(gpu: number): this {
    const parts = [0, 1, 2].map((part) => `ci ${gpu} 1 ${part} profile 0 place ${part}:1\n`);
    appendFileSync(this.#state, `gi ${gpu} 1 profile 9 place 0:4\n${parts.join('')}`);
    return this;
  }

  /** Cuts a 3g.20gb from the first half of an A100-40GB. */
  withLargeSlice(...gpus: readonly number[]): this {
    const lines = gpus.map((gpu) => `gi ${gpu} 1 profile 9 place 0:4\nci ${gpu} 1 0 profile 2 place 0:3\n`);
    appendFileSync(this.#state, lines.join(''));
    return this;
  }

  /** Starts a process on the GPU instance at a place, or on the whole GPU. */
  startProcess(gpu: number, start?: number): void {
    const id = this.#instances(gpu).find((one) => one.start === start)?.id;
    const where = id === undefined ? '' : ` gi ${id} ci 0`;
    appendFileSync(this.#state, `proc gpu ${gpu}${where} pid 4242 mem 1200 name python3 train.py\n`);
  }

  /** Starts of the instances of a GPU, ascending. */
  starts(gpu: number): readonly number[] {
    return this.#instances(gpu)
      .map(({ start }) => start)
      .toSorted((a, b) => a - b);
  }

  get state(): string {
    return readFileSync(this.#state, 'utf8');
  }

  get hasJournal(): boolean {
    return existsSync(join(this.stateDir, 'journal.json'));
  }

  /** Calls of the driver since the last look that changed something. */
  takeChanges(): readonly string[] {
    const lines = readFileSync(this.#log, 'utf8').split('\n').filter(Boolean);
    writeFileSync(this.#log, '');
    return lines
      .map((line) => JSON.parse(line) as { readonly event: string; readonly call?: string })
      .flatMap(({ event, call }) => (event === 'change' && call !== undefined ? [call] : []));
  }

  [Symbol.dispose](): void {
    void this.#server?.[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Has nvidia-smi answered by this process, which takes a tenth of the time, as long as there are no faults. */
  async #serve(): Promise<void> {
    if (this.#server) return;
    const { gpus, driver = '550', uid = 0, stateFile, logFile = this.#log } = this.#settings;
    const settings = { gpus: assembleGpus(gpus), driver, pace: 0, uid, stateFile, logFile };
    this.#server = await NvidiaSmiServer.start(settings);
    writeNvidiaSmiWrapper(join(this.folder, 'bin'), { ...this.#settings, port: this.#server.port });
  }

  #instances(gpu: number): readonly { readonly id: number; readonly start: number }[] {
    return [...this.state.matchAll(/^gi (\d+) (\d+) profile \d+ place (\d+):\d+$/gm)]
      .filter(([, index]) => Number(index) === gpu)
      .map(([, , id, start]) => ({ id: Number(id), start: Number(start) }));
  }
}
