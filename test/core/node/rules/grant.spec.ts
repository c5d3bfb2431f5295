import { expect } from 'chai';
import type { PolicySpec } from '../../../../src/api/types.ts';
import {
  aGrant,
  aManagedPartition,
  aNode,
  aSlicingPolicy,
  aWish,
  judge,
  noMemory,
  noon,
  taints,
  wholeGpu,
} from '../../../support/node-builders.ts';

const settled = { ...noMemory, waits: { Closed: { since: noon - 1000 } } };

/** What the agent of a closed node is told under a policy that says this, ten minutes being allowed for it. */
function grantUnder(
  spec: Partial<PolicySpec> = {},
  deadlineMs = 600_000,
  managed: Parameters<typeof aManagedPartition>[0] = {},
) {
  const policy = aSlicingPolicy();
  const answer = judge(
    {
      node: aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } }),
      partition: aManagedPartition({ device: wholeGpu, ...managed }),
      policy: { ...policy, spec: { ...policy.spec, ...spec } },
      settings: { deadlineMs },
    },
    {},
    settled,
  );
  const [write] = answer.commands.flatMap((command) => (command.name === 'WriteGrant' ? [command] : []));
  if (!write) throw new Error(`no grant: ${answer.verdict.message}`);
  return { ...write, requeueAfterMs: answer.verdict.requeueAfterMs };
}

describe('a grant', () => {
  it('is of what the node is told, with what the policy allows', () => {
    const { granted } = grantUnder({ allow: { replaceForeignInstances: true } }, 600_000, {
      wish: { ...aWish, replaceForeignInstances: true },
    });
    expect(granted).to.deep.include({ gpus: aWish.gpus, replaceForeignInstances: true });
    expect(grantUnder().granted).to.deep.include({ gpus: aWish.gpus, replaceForeignInstances: null });
  });

  it('gives the agent as many seconds as there are until its deadline, and is looked at when that has passed', () => {
    const { granted, requeueAfterMs } = grantUnder();
    expect(granted).to.include({ deadline: '2026-01-01T12:10:00Z', seconds: 600 });
    expect(requeueAfterMs).to.equal(601_000);
    expect(grantUnder({}, 300).granted.seconds, 'never none').to.equal(1);
  });

  it('allows a GPU reset by default, and a reboot or no rollback only if the policy says so', () => {
    expect(grantUnder().granted).to.include({ allowGpuReset: true, allowReboot: null, rollback: null });
    const spec = { allow: { reboot: true }, rollout: { rollback: 'Never' } } as const;
    expect(grantUnder(spec).granted).to.include({ allowGpuReset: true, allowReboot: true, rollback: 'Never' });
  });

  it('that repairs a layout is counted, beside those of the last hour', () => {
    const device = { ...wholeGpu, step: 'Idle' as const, lastGood: { bootID: 'boot-a', gpus: [] } };
    const changed = { granted: aGrant(), device, repairs: ['2026-01-01T11:30:00Z'] };
    expect(grantUnder({}, 600_000, { granted: aGrant(), device }).repairs).to.deep.equal(['2026-01-01T12:00:00Z']);
    expect(grantUnder({}, 600_000, changed).repairs).to.deep.equal(['2026-01-01T11:30:00Z', '2026-01-01T12:00:00Z']);
  });

  it('that repairs nothing counts as no repair', () => {
    expect(grantUnder().repairs).to.equal(null);
  });
});
