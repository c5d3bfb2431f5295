import type { Execute } from './child.ts';
import type { Execution, SmiRun } from '../../core/smi/output.ts';

/** Reports each run, whatever its result. */
export function recordRuns(execute: Execute, note: (run: SmiRun) => void): Execute {
  return async (args, deadlineMs) => {
    const [begin, started] = [Date.now(), performance.now()];
    const tell = (result: Execution | Error): void => note({ args, result, begin, ms: performance.now() - started });
    try {
      const execution = await execute(args, deadlineMs);
      tell(execution);
      return execution;
    } catch (error) {
      tell(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  };
}
