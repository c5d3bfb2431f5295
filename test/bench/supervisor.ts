import type { RigProcess } from '../../src/simulator/rig/process.ts';
import { tell } from './metric.ts';

/** Starts programs of a rig again that end by themselves and have no pod: a simulated kubelet does so with agents. */
export class Supervisor implements Disposable {
  readonly #timer: NodeJS.Timeout;

  constructor(programs: readonly RigProcess[]) {
    this.#timer = setInterval(() => {
      for (const program of programs) {
        if (program.crashedAtMs === undefined) continue;
        tell(`${program.name} has ended with ${program.exitCode}; starting it again`);
        program.start();
      }
    }, 1_000);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
