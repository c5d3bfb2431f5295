import type { Execution } from '../../src/core/smi/command.ts';
import { executionOf, recordedRuns, type RecordedBranch } from './recorded-runs.ts';
import { InProcessNode } from './simulated-node.ts';

/** A node that stands still: what each command of a reading says of it. */
export interface NodeRecording {
  readonly name: string;
  readonly busIds: readonly string[];
  readonly answer: (args: readonly string[]) => Execution;
}

/**
 * What the real nvidia-smi printed in a state where it was recorded; where it was not, what the simulator prints, which is
 * held to the recordings (test/simulator/nvidia-smi).
 */
export function recordNode(
  name: string,
  gpus: readonly string[],
  state: string,
  branch: RecordedBranch = '550',
): NodeRecording {
  const node = new InProcessNode(gpus, state);
  node.driver = branch;
  const withoutProcesses = (text: string): string => text.replaceAll(/^proc .*\n?/gm, '').trim();
  const answers = new Map<string, Execution>();
  const answer = (args: readonly string[]): Execution => {
    const key = args.join(' ');
    // All commands but the report say the same with and without processes.
    const isReport = args.includes('-q');
    const recorded = recordedRuns.find(
      (run) =>
        run.branch === branch &&
        run.gpus === gpus.join() &&
        run.argv.join(' ') === key &&
        run.fault === null &&
        (run.rc === 0 || run.rc === 6) &&
        run.uid === 0 &&
        (isReport ? run.before.trim() === state.trim() : withoutProcesses(run.before) === withoutProcesses(state)),
    );
    const known = answers.get(key) ?? (recorded === undefined ? node.run(args) : executionOf(recorded));
    answers.set(key, known);
    return known;
  };
  return { name, busIds: node.gpus.map(({ busId }) => busId), answer };
}

const mix = (gpu: number): string => `gpu ${gpu} mig 1 pending 1
gi ${gpu} 1 profile 9 place 0:4
ci ${gpu} 1 0 profile 2 place 0:3
gi ${gpu} 5 profile 14 place 4:2
ci ${gpu} 5 0 profile 1 place 0:2
gi ${gpu} 13 profile 19 place 6:1
ci ${gpu} 13 0 profile 0 place 0:1
`;

const halves = (gpu: number): string => `gpu ${gpu} mig 1 pending 1
gi ${gpu} 1 profile 9 place 0:4
ci ${gpu} 1 0 profile 0 place 0:1
ci ${gpu} 1 1 profile 0 place 1:1
ci ${gpu} 1 2 profile 0 place 2:1
gi ${gpu} 2 profile 9 place 4:4
ci ${gpu} 2 0 profile 2 place 0:3
`;

const process = (gpu: number, gi: number, pid: number): string =>
  `proc gpu ${gpu} gi ${gi} ci 0 pid ${pid} mem 1200 name python3 train.py\n`;

/** States of one GPU of which the real nvidia-smi made a report with MIG on. */
const recordedStates = [
  ...new Map(
    recordedRuns
      .filter(
        ({ branch, argv, rc, gpus, before, fault, uid }) =>
          branch === '550' &&
          argv.join(' ') === '-q -x' &&
          rc === 0 &&
          !gpus.includes(',') &&
          fault === null &&
          uid === 0 &&
          before !== '',
      )
      .map((run) => [run.gpus + run.before, run]),
  ).values(),
];

export const recordedNodes: readonly NodeRecording[] = [
  ...recordedStates.map(({ name, gpus, before }) => recordNode(`${gpus} ${name}`, [gpus], `${before}\n`)),
  recordNode(
    'two A100, both busy',
    ['A100-SXM4-40GB', 'A100-SXM4-40GB'],
    mix(0) + process(0, 1, 42) + mix(1) + process(1, 5, 43),
  ),
  recordNode(
    'an A100 and an H100 in parts',
    ['A100-SXM4-40GB', 'H100-80GB-HBM3'],
    mix(0) + process(0, 13, 42) + halves(1) + process(1, 1, 43),
  ),
  recordNode(
    'MIG on, off, and none',
    ['A30', 'A100-SXM4-40GB', 'T4'],
    `gpu 0 mig 1 pending 1\nproc gpu 1 pid 7 mem 9 name x\nproc gpu 2 pid 8 mem 9 name y\n`,
  ),
  recordNode(
    'an instance without a compute instance',
    ['A100-SXM4-40GB'],
    `${mix(0).replace(/^ci 0 5.*\n/m, '')}${process(0, 1, 42)}`,
  ),
  recordNode('two processes', ['H100-80GB-HBM3'], mix(0) + process(0, 1, 42) + process(0, 13, 44)),
];
