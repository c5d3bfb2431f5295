import { DeviceError } from '../../src/core/gpu/device-state.ts';
import type { GpuTarget } from '../../src/core/smi/change.ts';
import { applyNode, type DeviceApplyOptions, type GpuResult } from '../../src/device/apply.ts';
import type { Execute } from '../../src/device/child.ts';
import type { Execution } from '../../src/core/smi/command.ts';
import { NvidiaSmi } from '../../src/device/nvidia-smi.ts';
import type { DriverBranch } from '../../src/simulator/nvidia-smi/board.ts';
import { assembleGpus, type SimulatedGpu, rebootNode } from '../../src/simulator/nvidia-smi/device.ts';
import { runNvidiaSmi } from '../../src/simulator/nvidia-smi/memory-world.ts';
import { parseState, renderState } from '../../src/simulator/nvidia-smi/state.ts';
import { readGpuInstances } from '../../src/core/smi/reader.ts';

/** What one command did; tests look at it or replace its answer. */
export type Interception = (args: readonly string[], run: () => Execution) => Execution | Promise<Execution>;

/** True if a command asks for a change, whatever comes of it. */
export function isChange(args: readonly string[]): boolean {
  return args.some((arg) => /^-(?:cgi|cci|dgi|dci|mig|pm|-gpu-reset)$/.test(arg));
}

/** Bus ids of the GPUs that a command names. */
export function listNamed(args: readonly string[]): readonly string[] {
  const at = args.indexOf('-i');
  return at === -1 ? [] : (args[at + 1] ?? '').split(',');
}

/** The code of the error with which something ends; `None` if it ends well. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'None';
  } catch (error) {
    if (error instanceof DeviceError) return error.code;
    throw error;
  }
}

/** `Applied`, `Refused InUse`. */
export function brief({ outcome, error }: GpuResult): string {
  return [outcome, error?.code ?? ''].join(' ').trim();
}

/** A node whose nvidia-smi is the simulator in this process: no file, no child, no time. */
export class InProcessNode {
  readonly gpus: readonly SimulatedGpu[];
  readonly commands: (readonly string[])[] = [];
  driver: DriverBranch = '550';
  state: string;
  faults = '';
  uid = 0;
  intercept: Interception = (_args, run) => run();
  #counts: ReadonlyMap<string, number> = new Map();

  constructor(gpus: readonly string[], state = '') {
    this.gpus = assembleGpus(gpus);
    this.state = state;
  }

  readonly execute: Execute = async (args) => {
    this.commands.push(args);
    return this.intercept(args, () => this.run(args));
  };

  run(args: readonly string[]): Execution {
    const { gpus, driver, state, uid, faults } = this;
    const result = runNvidiaSmi({ gpus, driver, state, uid, faults, argv: args, counts: this.#counts });
    this.state = result.state;
    this.#counts = result.counts;
    return { rc: result.rc, stdout: result.stdout, end: 'Exited' };
  }

  /** Runs a command for all GPUs that it names but one, of which it says this instead; as it is if it does not name that one. */
  runBut(index: number, args: readonly string[], said: string): Execution {
    const named = listNamed(args);
    const others = named.filter((gpu) => gpu !== this.busId(index));
    if (named.length === others.length) return this.run(args);
    if (others.length === 0) return { rc: 0, stdout: said, end: 'Exited' };
    const execution = this.run(args.with(args.indexOf('-i') + 1, others.join()));
    return { ...execution, stdout: said + execution.stdout };
  }

  /** Brings the first GPU to this layout, with a driver that has read nothing yet. */
  async change(want: GpuTarget['want'], options: DeviceApplyOptions = {}): Promise<GpuResult> {
    const { results } = await applyNode(this.openDriver(), [{ uuid: this.uuid(0), want }], options);
    const [result] = results;
    if (result === undefined) throw new Error('no result');
    return result;
  }

  /** Brings every GPU to this layout. */
  async changeAll(want: GpuTarget['want']): Promise<void> {
    await applyNode(
      this.openDriver(),
      this.gpus.map(({ uuid }) => ({ uuid, want })),
    );
  }

  openDriver(): NvidiaSmi {
    return new NvidiaSmi(this.execute);
  }

  /** Commands since the last call that change something. */
  takeChanges(): readonly string[] {
    const changes = this.commands.filter(isChange);
    this.commands.length = 0;
    return changes.map((args) => args.join(' '));
  }

  /** `PROFILE@START` of what is on a GPU, with its compute instances where it is not one over the whole. */
  async layout(index: number): Promise<readonly string[]> {
    const { state, uid, faults, intercept } = this;
    this.faults = '';
    this.uid = 0;
    this.intercept = (_args, run) => run();
    try {
      const instances = await this.openDriver().read(readGpuInstances(this.busId(index)));
      return instances.map(({ profile, start, computeInstances }) => {
        const parts = computeInstances.map((part) => part.profile);
        return parts.join() === profile ? `${profile}@${start}` : `${profile}@${start}[${parts.join()}]`;
      });
    } finally {
      Object.assign(this, { state, uid, faults, intercept });
    }
  }

  /** Starts a process on the instance at a place, or on the whole GPU. */
  async startProcess(index: number, start?: number): Promise<void> {
    const instances = start === undefined ? [] : await this.openDriver().read(readGpuInstances(this.busId(index)));
    const instance = instances.find((candidate) => candidate.start === start);
    const where = instance === undefined ? '' : ` gi ${instance.id} ci 0`;
    this.state += `proc gpu ${index}${where} pid ${4200 + index} mem 1200 name python3 train.py\n`;
  }

  reboot(): void {
    this.state = renderState(rebootNode(this.gpus, parseState(this.state, this.gpus.length)));
  }

  /** As a person does at a shell. */
  async destroyByHand(index: number, start: number): Promise<void> {
    const instances = await this.openDriver().read(readGpuInstances(this.busId(index)));
    const id = String(instances.find((candidate) => candidate.start === start)?.id);
    for (const what of ['-dci', '-dgi']) {
      const { rc, stdout } = this.run(['mig', what, '-i', String(index), '-gi', id]);
      if (rc !== 0) throw new Error(stdout);
    }
  }

  busId(index: number): string {
    return this.gpus[index]?.busId ?? '';
  }

  uuid(index: number): string {
    return this.gpus[index]?.uuid ?? '';
  }
}
