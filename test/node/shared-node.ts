import { eventually } from '../support/eventually.ts';
import { makeGpusWhole } from './gpus.ts';
import { readKubeletOffer } from './kubelet-offer.ts';
import { Operator } from './operator.ts';
import { isOnNode, readNodeLogs, startRealNode } from './real-node.ts';
import type { RealNode } from './real-node.ts';

let shared: Promise<RealNode> | undefined;

// All suites have one node, which ends with the run.
after(async () => (await shared)?.stop());

/**
 * Registers the hooks of a suite on the real node that all of them share, with whole GPUs, no device plugin, and no pods of an earlier
 * suite; it skips the suite where there can be none.
 */
export function useRealNode(): () => Operator {
  let operator: Operator | undefined;
  before(async function () {
    if (!isOnNode()) {
      console.log('    skipped: there is no node of its own here; make test-node starts one, or says why it cannot');
      return this.skip();
    }
    this.timeout(600_000);
    shared ??= startRealNode(1);
    operator = new Operator(await shared);
    await operator.kubectl('delete', 'pods', '--all', '-n', 'default');
    await operator.removePlugin();
    await forgetPlugins(await shared);
    await makeGpusWhole();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') console.log(await readNodeLogs());
  });
  return () => {
    if (operator === undefined) throw new Error('the node is there only within tests');
    return operator;
  };
}

/** A kubelet may not have noticed that a plugin is gone (stale-offer.spec.ts): it then offers its devices until it is restarted. */
async function forgetPlugins(node: RealNode): Promise<void> {
  const untilNothing = (timeoutMs: number): Promise<unknown> =>
    eventually(readKubeletOffer, (offered) => Object.keys(offered).length === 0, {
      timeoutMs,
      what: 'what is offered',
    });
  try {
    await untilNothing(3_000);
  } catch (error) {
    console.log(`    the kubelet is restarted: ${String(error)}`);
    await node.restartKubelet();
    await untilNothing(60_000);
  }
}
