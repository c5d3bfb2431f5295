import { expect } from 'chai';
import { NodePools } from '../../../src/cli/cluster/facts.ts';
import { FleetFeed } from '../../../src/ui/fleet-feed.ts';
import { fleet, policies } from '../../core/view/status-stories.ts';

describe('pools of nodes', () => {
  const aNode = (name: string, pool: string) => ({ metadata: { name, labels: { pool } } });

  it('are read once for each node that joins, and again for one that comes back', async () => {
    const read: string[] = [];
    const pools = new NodePools([aNode('n1', 'a')], async (name) => {
      read.push(name);
      return name === 'n3' ? undefined : aNode(name, 'b');
    });
    expect(await pools.follow(['n1'])).to.equal(false);
    expect(await pools.follow(['n1', 'n2', 'n3'])).to.equal(true);
    expect(['n1', 'n2', 'n3'].map((name) => pools.of(name))).to.deep.equal(['a', 'b', '']);
    expect(await pools.follow(['n1', 'n2', 'n3'])).to.equal(false);
    expect(read).to.deep.equal(['n2', 'n3']);
    await pools.follow(['n2']);
    expect(await pools.follow(['n1', 'n2'])).to.equal(true);
    expect(pools.of('n1')).to.equal('b');
  });

  it('are shown of a node that is known already', () => {
    let pool = '';
    const feed = new FleetFeed({ source: { files: [] }, poolOf: () => pool, now: () => 0 });
    feed.update({ policies, partitions: fleet });
    pool = 'inference';
    feed.update({ policies, partitions: fleet });
    expect(new Set(feed.fleet.nodes.map((node) => node.pool))).to.deep.equal(new Set(['inference']));
  });
});
