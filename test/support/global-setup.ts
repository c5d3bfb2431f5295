import { stopSharedCluster } from './cluster.ts';

/** For `mocha --require`: ends the shared cluster with the run, not with the process, so that failures are reported. */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopSharedCluster();
}
