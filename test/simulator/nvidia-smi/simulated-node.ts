import { type SimulatedGpu, assembleGpus } from '../../../src/simulator/nvidia-smi/device.ts';
import { type SimulatedRunResult, runNvidiaSmi } from '../../../src/simulator/nvidia-smi/memory-world.ts';

/** A node in memory whose state lives on from one command to the next. */
export class NvidiaSmiNode {
  readonly gpus: readonly SimulatedGpu[];
  state = '';
  #faults = '';
  #counts: ReadonlyMap<string, number> = new Map();

  constructor(models: readonly string[]) {
    this.gpus = assembleGpus(models);
  }

  /** Faults of every command from now on, as lines of a fault file. */
  withFaults(...lines: readonly string[]): this {
    this.#faults = lines.join('\n');
    return this;
  }

  withState(...lines: readonly string[]): this {
    this.state = lines.map((line) => `${line}\n`).join('');
    return this;
  }

  withMig(): this {
    return this.withState(...this.gpus.map(({ index }) => `gpu ${index} mig 1 pending 1`));
  }

  withProcess(line: string): this {
    this.state += `${line}\n`;
    return this;
  }

  /** Runs `nvidia-smi` with the words of `command`, as root. */
  run(command: string): SimulatedRunResult {
    const words = command.split(' ').filter((word) => word !== '');
    const result = runNvidiaSmi({
      gpus: this.gpus,
      state: this.state,
      argv: words,
      faults: this.#faults,
      counts: this.#counts,
    });
    this.state = result.state;
    this.#counts = result.counts;
    return result;
  }

  /** Lines of the state that begin with `kind`. */
  lines(kind: 'gpu' | 'gi' | 'ci' | 'proc'): readonly string[] {
    return this.state.split('\n').filter((line) => line.startsWith(`${kind} `));
  }

  /** `start:size` of every GPU instance, by id. */
  places(): readonly string[] {
    return this.lines('gi').map((line) => line.split(' place ')[1] ?? '');
  }
}

export function aNode(...models: readonly string[]): NvidiaSmiNode {
  return new NvidiaSmiNode(models);
}
