import { join } from 'node:path';
import type { Rig } from '../../src/simulator/rig/rig.ts';
import { createKubeClient } from '../support/cluster.ts';
import { Random } from '../model/random.ts';
import { ClusterActs } from './cluster-acts.ts';
import { dumpObjects } from './evidence.ts';
import { FaultMaker } from './fault-maker.ts';
import { Gauges } from './gauges.ts';
import { Onlooker } from './onlooker.ts';
import type { PromiseCounter } from './promise-counter.ts';
import { readLines } from './read-lines.ts';
import type { SoakOptions } from './soak-options.ts';
import { findUnrest } from './unrest.ts';
import { Users } from './users.ts';

/** Everybody who acts at a fleet, or looks on. */
export interface Stage extends AsyncDisposable {
  readonly options: SoakOptions;
  readonly rig: Rig;
  readonly acts: ClusterActs;
  readonly random: Random;
  readonly users: Users;
  readonly faults: FaultMaker;
  readonly gauges: Gauges;
  readonly onlooker: Onlooker;
  /** As its kubelet does: on a loaded machine the controller may not renew its lease in time, and ends. */
  readonly restartController: () => void;
  /** @returns everything that is not as the policies say, a line each */
  readonly findUnrest: () => Promise<readonly string[]>;
  /** Keeps the objects as they are now, for the reader of a violation. */
  readonly dump: (what: string) => Promise<void>;
}

export async function openStage(options: SoakOptions, rig: Rig, promises: PromiseCounter): Promise<Stage> {
  const acts = new ClusterActs(rig.controlPlane);
  const random = new Random(options.seed);
  const spared = new Set(rig.nodeNames.filter((_, at) => at % 3 === 0));
  const countSlices = (node: string): number =>
    readLines(rig.stateFile(node)).filter((line) => line.startsWith('ci ')).length;
  const onlooker = await Onlooker.start(await createKubeClient(rig.controlPlane), countSlices);
  const { evidenceFolder } = options;
  return {
    options,
    rig,
    acts,
    random,
    users: new Users(acts, random, rig.nodeNames),
    faults: new FaultMaker(rig, acts, random, spared),
    gauges: new Gauges(
      () => [rig.controller, ...rig.agents],
      (pid) => promises.count(pid),
    ),
    onlooker,
    restartController: () => rig.controller.start(),
    findUnrest: () => findUnrest(acts, countSlices),
    dump: async (what) => {
      if (evidenceFolder !== undefined) await dumpObjects(rig.controlPlane, join(evidenceFolder, `${what}.json`));
    },
    [Symbol.asyncDispose]: () => onlooker.stop(),
  };
}
