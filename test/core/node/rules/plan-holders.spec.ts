import { expect } from 'chai';
import { findHolders, listHolderNamespaces } from '../../../../src/core/node/rules/plan-holders.ts';
import type { Situation } from '../../../../src/core/node/outcome.ts';
import type { DeviceReport, PolicySpec } from '../../../../src/api/types.ts';
import { listReportedPods } from '../../../../src/core/pods/reported-pods.ts';
import { planWish } from '../../../../src/core/wish/plan-wish.ts';
import { aPod, drainWish, heldDevice } from '../../../support/drain-world.ts';
import { aClaim, aFreshRead, aManagedPartition, aNode, aSlicingPolicy } from '../../../support/node-builders.ts';
import type { PodView } from '../../../../src/core/pods/pod-view.ts';

type Announced = NonNullable<Parameters<typeof aManagedPartition>[0]>['drain'];
const { report: plan } = planWish(heldDevice, drainWish);
const before = '2026-01-01T11:00:00Z';
const readTime = '2026-01-01T11:30:00Z';
const since = '2026-01-01T11:59:00Z';
const order = (uid: string, planHash = plan.hash): NonNullable<Announced> => ({
  planHash,
  pods: [{ namespace: 'ns', name: uid.replace('uid-', ''), uid }],
});

interface Parts {
  readonly drain?: Announced;
  readonly scope?: NonNullable<PolicySpec['drain']>['scope'];
  readonly device?: DeviceReport;
  /** What the agent's reading names; by default what the device says. */
  readonly read?: Partial<NonNullable<Situation['fresh']>>;
}

/** Names by kind, of a node whose plan destroys what `ns/goes` holds. */
function judge(pods: readonly PodView[], { drain, scope, device = { ...heldDevice, readTime }, read }: Parts = {}) {
  const partition = aManagedPartition({ device, wish: drainWish, ...(drain && { drain }) });
  const policy = aSlicingPolicy({ ...(scope && { drain: { scope } }) });
  const fresh = aFreshRead({ ...listReportedPods(device), ...read });
  const found = findHolders({ node: aNode(), partition, claim: aClaim(policy, partition), fresh }, pods);
  return Object.fromEntries(
    Object.entries(found).map(([kind, list]) => [
      kind,
      (list as readonly PodView[]).map(({ metadata }) => metadata.uid),
    ]),
  );
}
const of = (kind: 'affected' | 'namesakes' | 'unknown' | 'none', uid: string) => ({
  affected: [],
  namesakes: [],
  unknown: [],
  ...(kind !== 'none' && { [kind]: [uid] }),
});
const created = (name: string, creationTimestamp: string, more: object = {}) =>
  aPod(name, { creationTimestamp, ...more });

describe('a pod whose name a plan gives as a holder', () => {
  it('has to go if it is older than the reading, and may be another one if it is younger', () => {
    expect(judge([created('goes', before)])).to.deep.equal(of('affected', 'uid-goes'));
    expect(judge([created('goes', since)])).to.deep.equal(of('namesakes', 'uid-goes'));
  });

  it('has to go, whenever it was read, if this very pod was told to', () => {
    expect(judge([created('goes', since)], { drain: order('uid-goes') })).to.deep.equal(of('affected', 'uid-goes'));
    expect(judge([created('goes', since)], { drain: order('uid-other') })).to.deep.equal(of('namesakes', 'uid-goes'));
  });

  it('is told by its name alone if it was told to go for another plan', () => {
    const drain = order('uid-goes', 'another');
    expect(judge([created('goes', since)], { drain })).to.deep.equal(of('namesakes', 'uid-goes'));
  });

  it('is spared during a drain if it is read on what stays', () => {
    const read = { holders: ['ns/goes', 'ns/stays'], going: [] };
    const again = created('goes', before, { uid: 'uid-again' });
    expect(judge([again], { drain: order('uid-goes'), read })).to.deep.equal(of('none', ''));
    expect(judge([again], { read })).to.deep.equal(of('affected', 'uid-again'));
  });

  it('is unknown during a drain if the reading does not show it any more: only another one of the name can be there', () => {
    const read = { holders: ['ns/stays'], going: [] };
    const again = created('goes', before, { uid: 'uid-again' });
    expect(judge([again], { drain: order('uid-goes'), read })).to.deep.equal(of('unknown', 'uid-again'));
  });
});

describe('a pod whose device no longer exists', () => {
  it('has to go, under whatever name its kubelet hands such devices out, unless it uses no GPU', () => {
    const lostDevices = [{ id: 'MIG-destroyed', pods: ['ns/tools'] }];
    const advertised = { stale: 0, resources: { 'tools.example/slice': 1 } };
    const device = { ...heldDevice, readTime, lostDevices, advertised };
    const using = (resource: string): PodView => {
      const containers = [{ resources: { limits: { [resource]: 1 } } }];
      return { ...created('tools', before), spec: { containers } };
    };
    expect(judge([using('tools.example/slice')], { device })).to.deep.equal(of('affected', 'uid-tools'));
    expect(judge([using('tools.example/license')], { device })).to.deep.equal(of('none', ''));
    const claiming = { ...created('tools', before), spec: { containers: [], resourceClaims: [{ name: 'gpu' }] } };
    expect(judge([claiming], { device })).to.deep.equal(of('none', ''));
  });
});

describe('a pod that was told to go', () => {
  it('is spared if neither the plan names it nor the whole node drains', () => {
    const drain = order('uid-stays');
    expect(judge([created('stays', before)], { drain })).to.deep.equal(of('none', ''));
    expect(judge([created('stays', before)], { drain, scope: 'Node' })).to.deep.equal(of('affected', 'uid-stays'));
  });

  it('still has to while the whole node drains and nothing tells what its claim is for', () => {
    const pod = created('claims', before);
    const claiming = { ...pod, spec: { containers: [], resourceClaims: [{ name: 'gpu' }] } };
    const parts = { scope: 'Node', read: { holders: [], going: [] } } as const;
    expect(judge([claiming], parts)).to.deep.equal(of('none', ''));
    expect(judge([claiming], { ...parts, drain: order('uid-claims') })).to.deep.equal(of('affected', 'uid-claims'));
  });
});

describe('the namespaces whose disruption budgets are read', () => {
  const device = { ...heldDevice, plan: { ...plan, affectedPods: ['team/goes'] } };
  const list = (parts: { drain?: NonNullable<Announced>; device?: DeviceReport }, scope?: 'Node' | 'Affected') =>
    listHolderNamespaces(aManagedPartition({ device, ...parts }), scope && { scope });

  it('are those of pods that the plan names, and that were told to go', () => {
    expect(list({})).to.deep.equal(['team']);
    expect(list({}, 'Affected')).to.deep.equal(['team']);
    expect(list({ drain: order('uid-x') })).to.deep.equal(['team', 'ns']);
    expect(list({ device: {} })).to.deep.equal([]);
  });

  it('are those of every reported pod if the whole node drains, or if the plan could not name all', () => {
    expect(list({}, 'Node')).to.deep.equal(['team', 'ns']);
    expect(list({ device: { ...device, plan: { ...device.plan, morePods: 1 } } })).to.deep.equal(['team', 'ns']);
  });
});
