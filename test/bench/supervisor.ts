import type { RigProcess } from '../../src/simulator/rig/process.ts';
import { tell } from './metric.ts';

/** A kubelet for programs of a rig: one that ends by itself is started again. */
export class Supervisor implements Disposable {
  readonly #timer: NodeJS.Timeout;
  restarts = 0;

  /** One that a signal ended was killed by the measurement, which starts it again itself. */
  constructor(programs: readonly RigProcess[]) {
    this.#timer = setInterval(() => {
      for (const program of programs) {
        if (program.exitCode === undefined || program.exitCode === null) continue;
        this.restarts += 1;
        tell(`${program.name} has ended with ${program.exitCode}; starting it again`);
        program.start();
      }
    }, 1_000);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
