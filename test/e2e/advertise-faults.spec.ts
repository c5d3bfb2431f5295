import { expect } from 'chai';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { falseRefusal, refusal, type RequestFault } from '../support/fault.ts';
import { advertisedBy, isClosed, listFenceBreaks, listLabelLags } from '../support/fence.ts';
import { applyObjects, devicesOf, gpuPod, slicesOf } from '../support/gpu-pods.ts';
import { Injector, type Match } from '../support/injection.ts';
import { pluginDaemonSet } from '../support/nvidia-daemons.ts';
import { useRig } from '../support/rig.ts';
import { Timeline } from '../support/timeline.ts';

const node = 'ahead';
const controller = 'controller-0';
const nodes: readonly RigNode[] = [
  { name: node, gpus: ['A100-SXM4-40GB'], labels: { pool: node }, strategy: 'mixed', plugin: 'pod' },
];
/** What the node offers in turn. */
const layouts = [
  { profile: '1g.5gb', count: 7 },
  { profile: '2g.10gb', count: 3 },
] as const;

const write: Match = { verb: 'patch', resource: 'nodes/status' };
const faults: readonly (readonly [what: string, fault: RequestFault])[] = [
  ['is refused for want of a right', refusal(403, 'Forbidden')],
  ['meets a conflict', refusal(409, 'Conflict')],
  ['is refused for overload', refusal(429, 'TooManyRequests', 1)],
  ['fails on the server', refusal(500, 'InternalError')],
  ['is said to have failed, and has not', falseRefusal(500, 'InternalError')],
  ['is said to have met a conflict, and has not', falseRefusal(409, 'Conflict')],
  ['never arrives', { drop: 'before' }],
  ['is never answered', { drop: 'after' }],
  ['is cut off before it arrives', { reset: 'before' }],
  ['is cut off before its answer', { reset: 'after' }],
  ['is cut off within its answer', { reset: 'body' }],
  ['arrives late', { delay: 'before', ms: 3_000 }],
  ['is answered late', { delay: 'after', ms: 3_000 }],
  ['is sent twice on the way', { repeat: true }],
];

describe('the status of a node that the controller writes ahead of the kubelet @all', function () {
  const rig = useRig(nodes, {
    proxied: [controller],
    // A real kubelet's status period.
    kubeletTiming: { statusLagMs: 10_000 },
  });
  let timeline: Timeline;
  const injector = new Injector();
  let edits = 0;

  before(async function () {
    timeline = await Timeline.start(rig().controlPlane);
    rig().proxy(controller).rule = injector.rule;
    // One that does not tolerate our taint: the controller writes twice, nothing and then the new slices.
    const tolerations = [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }];
    const env = { MIG_STRATEGY: 'mixed' };
    const plugin = { name: 'plugin', namespace: 'kube-system', nodeSelector: { pool: node }, tolerations, env };
    await applyObjects(rig(), [pluginDaemonSet(plugin)]);
    await edit();
  });

  after(async () => timeline.stop());

  /** Changes the layout while a pod waits for a slice of it, and sees it run there. */
  async function edit(): Promise<void> {
    const { profile, count } = layouts[edits % layouts.length] ?? layouts[0];
    const pod = `after-${edits}`;
    edits += 1;
    await applyObjects(rig(), [gpuPod({ name: pod, resource: `nvidia.com/mig-${profile}`, node })]);
    await rig().apply('p', {
      nodeSelector: { matchLabels: { pool: node } },
      strategy: 'mixed',
      layouts: [{ profiles: { [profile]: count } }],
    });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    await eventually(
      () => timeline.pods.at(`default/${pod}`, Infinity),
      (found) => found?.status?.phase === 'Running',
      { timeoutMs: 40_000, what: pod },
    );
    await timeline.catchUp();
    const found = timeline.nodes.at(node, Infinity);
    expect(isClosed(found)).to.equal(false);
    expect(advertisedBy(found)).to.deep.equal({ [`nvidia.com/mig-${profile}`]: count });
    expect(await slicesOf(rig(), node, profile)).to.include.members(devicesOf(rig(), node, pod));
    expect([...listFenceBreaks(timeline), ...listLabelLags(timeline)]).to.deep.equal([]);
    await rig().kubectl('delete', 'pod', pod, '--wait', '--grace-period=1');
  }

  /** Edits until a write of the controller has met the fault: on a slow machine the kubelet may come first. */
  async function editUnder(fault: RequestFault): Promise<void> {
    injector.inject(write, fault);
    for (let tries = 0; tries < 6; tries += 1) {
      await edit();
      if (injector.count > 0) return;
    }
    throw new Error('the kubelet was first each time');
  }

  afterEach(() => {
    injector.clear();
  });

  for (const [what, fault] of faults) {
    it(`${what}: the pod that waits runs on a slice that is there`, async () => {
      await editUnder(fault);
    });
  }

  it('is left to another leader, who cannot know whether it arrived: the pod that waits runs on a slice that is there', async () => {
    const next = await rig().rig.addController('controller-1');
    next.start();
    const killed = eventually(
      () => injector.count,
      (count) => count > 0,
      { timeoutMs: 60_000, what: 'the count of writes' },
    ).then(() => rig().rig.controller.stop('SIGKILL'));
    await Promise.all([editUnder({ drop: 'after' }), killed]);
  });
});
