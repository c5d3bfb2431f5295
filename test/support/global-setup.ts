import { stopSharedCluster } from './cluster.ts';

/** For `mocha --require`: ends the shared cluster with the run, not with the process, and so reports what goes wrong. */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopSharedCluster();
}
