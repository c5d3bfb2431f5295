import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClaimExplanation } from '../../src/core/explain/claim-explanation.ts';
import type { ClusterFacts } from '../../src/core/explain/cluster-facts.ts';
import { aClaimCluster, aHeldClaim, attribute, deviceNames } from '../core/explain/claim-cluster.ts';
import { aPod } from '../core/explain/cluster-builder.ts';
import { type CliRun, jsonRunner, run } from './run.ts';

const [device = ''] = deviceNames;

/** As `kubectl get ... -o json` prints it. */
function snapshotJson({
  nodes,
  partitions,
  policies,
  pods = [],
  claims = [],
  classes = [],
  slices = [],
}: ClusterFacts) {
  const kinds = {
    Node: nodes,
    GpuNodePartition: partitions,
    GpuPartitionPolicy: policies,
    Pod: pods,
    ResourceClaim: claims,
    DeviceClass: classes,
    ResourceSlice: slices.map((one, at) => ({ metadata: { name: `slice-${at}` }, ...one })),
  };
  const items = Object.entries(kinds).flatMap(([kind, found]) => found.map((one) => ({ kind, ...one })));
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

describe('gpu-partition explain claim', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'claim-'));
    const user = aPod({
      name: 'other',
      node: 'n',
      spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: 'held' }] },
    });
    const exactly = {
      deviceClassName: 'mig.nvidia.com',
      selectors: [{ cel: { expression: `${attribute('profile')} == '7g.40gb'` } }],
    };
    const wanted = {
      metadata: { name: 'wanted', namespace: 'team' },
      spec: { devices: { requests: [{ name: 'one', exactly }] } },
    };
    const facts = aClaimCluster([{}], [user], { claims: [aHeldClaim([device]), wanted] });
    await writeFile(join(folder, 'cluster.json'), snapshotJson(facts));
    await writeFile(join(folder, 'bare.json'), snapshotJson({ ...facts, claims: [] }));
  });
  after(() => rm(folder, { recursive: true }));

  const explain = (...argv: readonly string[]): Promise<CliRun> =>
    run(['explain', 'claim', ...argv, '--snapshot', 'cluster.json'], { cwd: folder });

  it('says where a claim of a snapshot has its slice and who uses it, with code 0', async () => {
    const { code, stdout, stderr } = await explain('team/held');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.equal(
      `claim team/held is not pending: it has ${device} of node n (GPU 0: 1g.5gb at 0); used by team/other (Running)\n`,
    );
    expect((await explain('held', '-n', 'team')).stdout).to.equal(stdout);
  });

  it('says why one has none, with code 1, and the same as data', async () => {
    const { code, stdout } = await explain('team/wanted');
    expect(code).to.equal(1);
    expect(stdout).to.match(
      /^claim team\/wanted is pending: no pod asks for it, .* the nearest is node n: none of its devices meets /,
    );
    const argv = ['explain', 'claim', 'team/wanted', '--snapshot', 'cluster.json'];
    const { answer } = await jsonRunner<ClaimExplanation>()(argv, { cwd: folder });
    expect(answer).to.include({ claim: 'team/wanted', code: 'Unused', isPending: true });
    expect(answer.nodes).to.have.length(1);
  });

  it('names a claim that is not there, a snapshot without claims, and half a name', async () => {
    expect(await explain('team/none')).to.deep.include({
      code: 2,
      stderr: 'error: the snapshot has no ResourceClaim team/none\n',
    });
    const bare = await run(['explain', 'claim', 'team/held', '--snapshot', 'bare.json'], { cwd: folder });
    expect(bare.code).to.equal(2);
    expect(bare.stderr).to.match(
      /^error: the snapshot has no ResourceClaim; make it with: kubectl get nodes,gpn,gpp,pods,pdb,deviceclasses,resourceclaims,\S+ -A -o yaml$/m,
    );
    expect((await explain('team/held', '-n', 'other')).stderr).to.equal(
      'error: the claim is in team or in other: name one namespace\n',
    );
  });
});
