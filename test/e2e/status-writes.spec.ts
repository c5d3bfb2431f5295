import { expect } from 'chai';
import { policies } from '../../src/api/resources.ts';
import type { GpuPartitionPolicy } from '../../src/api/types.ts';
import { deepEqual } from '../../src/core/text/json.ts';
import type { KubeObject } from '../../src/kube/watch.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { concernsNode, describeWrite, isEvent, listOwnWrites, waitForQuiet } from '../bench/audited-writes.ts';
import { createKubeClient } from '../support/cluster.ts';
import { useRig } from '../support/rig.ts';
import { History } from '../support/timeline.ts';

type Policy = GpuPartitionPolicy & KubeObject;

const nodes = ['n1', 'n2', 'n3', 'n4'].map((name): RigNode => ({
  name,
  gpus: ['A100-SXM4-40GB'],
  labels: { pool: 'p' },
  strategy: 'mixed',
}));
const layouts = [{ '7g.40gb': 1 }, { '3g.20gb': 2 }, { '1g.5gb': 7 }, { '2g.10gb': 3 }];
const edits = 40;

/** What other field managers do not write: the ledger, which admits nodes and waits for nobody, and the history, once for each turn. */
function gistOf({ metadata, status }: Policy): unknown {
  const { inFlight: _slots, canary: _canary, pace: _pace, history: _turns, ...rest } = status ?? {};
  return [metadata.generation, rest];
}

/** The states that differ from the one before in more than that. */
function listTold(history: History<Policy>): readonly Policy[] {
  const states = history.eventsOf('p').flatMap(({ object }) => object ?? []);
  return states.filter((state, index) => {
    const before = states[index - 1];
    const isEdit = before?.metadata.generation !== state.metadata.generation;
    return before !== undefined && !isEdit && !deepEqual(gistOf(before), gistOf(state));
  });
}

describe('a policy that is edited many times in a row @all', function () {
  const rig = useRig(nodes);

  it('has its status written once a second, and ends as its last edit says', async () => {
    const nodeSelector = { matchLabels: { pool: 'p' } };
    await rig().apply('p', { nodeSelector, layouts: [{ profiles: { '3g.20gb': 2 } }], rollout: { maxUnavailable: 4 } });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    const admin = await createKubeClient(rig().controlPlane);
    const history = new History<Policy>(admin, policies);
    await history.start();
    const startedMs = Date.now();
    for (let n = 1; n <= edits; n += 1)
      await admin.merge<Policy>(
        { resource: policies, name: 'p' },
        { spec: { layouts: [{ profiles: layouts[n % layouts.length] }] } },
      );
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    const seconds = (Date.now() - startedMs) / 1000;
    await history.catchUp();
    await history.stop();

    const writes = listTold(history);
    // However slow the machine is: one for each second that has begun, and one for the last edit.
    expect(writes.length).to.be.at.most(2 + seconds);
    for (const { name } of nodes) {
      const { layout, closed } = (await rig().partition(name)).status ?? {};
      expect(layout).to.equal('1 GPU: 1×7g.40gb');
      expect(closed).to.include.keys('lastSeconds', 'offeredTime').and.not.to.have.property('since');
      expect(closed?.lastSeconds).to.be.at.most(1 + seconds);
    }
  });

  it('rolls with few writes: at most 6 of its status, and of each node at most 8 and 2 Events', async () => {
    const { controlPlane } = rig();
    const nodeSelector = { matchLabels: { pool: 'p' } };
    await rig().apply('p', { nodeSelector, layouts: [{ profiles: { '3g.20gb': 2 } }], rollout: { maxUnavailable: 1 } });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    await waitForQuiet(controlPlane, 1000);
    const history = new History<Policy>(await createKubeClient(controlPlane), policies);
    await history.start();
    const startedMs = Date.now();
    await rig().apply('p', { nodeSelector, layouts: [{ profiles: { '1g.5gb': 7 } }], rollout: { maxUnavailable: 1 } });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    const seconds = (Date.now() - startedMs) / 1000;
    await waitForQuiet(controlPlane, 1000);
    await history.catchUp();
    await history.stop();
    // One every two seconds, one for the edit, and one for its end.
    expect(listTold(history).length).to.be.at.most(Math.max(6, 3 + seconds / 2));
    const writes = await listOwnWrites(controlPlane, startedMs);
    for (const { name } of nodes) {
      const own = writes.filter((write) => concernsNode(write, name));
      expect(own.filter((write) => !isEvent(write)).map(describeWrite), name).to.have.length.at.most(8);
      expect(own.filter(isEvent).map(describeWrite), name).to.have.length.at.most(2);
    }
  });
});
