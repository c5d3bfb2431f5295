import { mkdirSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';

import type { ChangeOptions, ChangeWatcher } from '../../../src/cli/selftest/trial.ts';
import type { HostView } from '../../../src/cli/selftest/host-facts.ts';
import { type RecordedSelftest, runSelftest } from '../../../src/cli/selftest/selftest.ts';
import type { SmiRun } from '../../../src/core/smi/command.ts';
import { recordRuns } from '../../../src/device/nvidia-smi.ts';
import { openTerminal } from '../../../src/cli/terminal.ts';
import { InProcessNode } from '../../device/simulated-node.ts';

/** A node whose nvidia-smi runs in this process, and the folders that a self-test looks into. */
export class TestedNode extends InProcessNode {
  readonly #folder: string;
  readonly onProfile: NonNullable<ChangeWatcher['onProfile']>;

  constructor(
    folder: string,
    gpus: readonly string[],
    state = '',
    onProfile: NonNullable<ChangeWatcher['onProfile']> = () => undefined,
  ) {
    super(gpus, state);
    this.#folder = folder;
    this.onProfile = onProfile;
    mkdirSync(`${folder}/proc`, { recursive: true });
  }

  get host(): HostView {
    const [proc, sys, kmsg] = ['proc', 'sys', 'kmsg'].map((name) => `${this.#folder}/${name}`) as [
      string,
      string,
      string,
    ];
    return { proc, sys, kmsg, root: this.#folder, pid: process.pid, isPod: false };
  }

  async selftest(host: Partial<HostView> = {}): Promise<RecordedSelftest> {
    return this.#run(undefined, host);
  }

  async tryGpu(gpu: number, options: Partial<ChangeOptions> = {}): Promise<RecordedSelftest> {
    // An nvidia-smi that is named is of no machine whose device nodes would have to follow.
    const limits = { nvidiaSmi: 'simulated', stateDir: `${this.#folder}/lib`, deadline: 600, lockTimeout: 0 };
    return this.#run({ podResourcesSocket: this.socket, ...limits, ...options, gpu });
  }

  get socket(): string {
    return `${this.#folder}/kubelet.sock`;
  }

  async #run(change: ChangeOptions | undefined, host: Partial<HostView> = {}): Promise<RecordedSelftest> {
    const runs: SmiRun[] = [];
    const streams = { stdin: Readable.from(['']), stdout: new PassThrough(), stderr: new PassThrough() };
    const selftest = await runSelftest(
      { name: 'nvidia-smi', execute: recordRuns(this.execute, (run) => runs.push(run)), runs },
      { podResourcesSocket: this.socket, ...(change && { change }) },
      { ...this.host, ...host },
      { onChecks: () => undefined, onBegin: () => undefined, onProfile: this.onProfile },
      openTerminal({ ...streams, cwd: this.#folder }),
    );
    return { selftest, runs };
  }
}
