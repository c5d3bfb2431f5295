import { expect } from 'chai';
import { explainPluginPod } from '../../../src/core/nvidia/plugin-config/plugin-reason.ts';
import type { PodView } from '../../../src/core/pods/pod-view.ts';

type Status = NonNullable<PodView['status']>;

function explain(status: Status, deletionTimestamp?: string): string | undefined {
  const metadata = { name: 'plugin-1', namespace: 'gpu' };
  return explainPluginPod({
    metadata: deletionTimestamp === undefined ? metadata : { ...metadata, deletionTimestamp },
    status,
  });
}

describe('the reason why a device plugin is not ready', () => {
  it('does not exist for a pod that is ready', () => {
    expect(explain({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] })).to.equal(undefined);
  });

  it('is that the pod is told to end', () => {
    const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    expect(explain(ready, '2026-01-01T00:00:00Z')).to.equal('pod gpu/plugin-1 is being terminated');
  });

  it('is what ended the pod', () => {
    expect(explain({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' })).to.equal(
      'pod gpu/plugin-1 has ended (Failed): Evicted: The node was low on resource: memory.',
    );
  });

  it("is the scheduler's", () => {
    const message = '0/3 nodes are available: 3 node(s) had untolerated taint.';
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
    expect(explain({ phase: 'Pending', conditions })).to.equal(
      `pod gpu/plugin-1 has no node: Unschedulable: ${message}`,
    );
  });

  it('is the init container that it waits for', () => {
    const done = { name: 'first', state: { terminated: { exitCode: 0, reason: 'Completed' } } };
    const running = { name: 'toolkit-validation', state: { running: {} } };
    expect(explain({ phase: 'Pending', initContainerStatuses: [done, running] })).to.equal(
      'pod gpu/plugin-1: init container toolkit-validation runs and has not ended yet',
    );
  });

  it('is the container that crashes, with the end of its last run', () => {
    const crashing = {
      name: 'nvidia-device-plugin-ctr',
      ready: false,
      restartCount: 4,
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container' } },
      lastState: {
        terminated: { exitCode: 1, reason: 'Error', message: 'more than one MIG device type present on node\n' },
      },
    };
    expect(explain({ phase: 'Running', containerStatuses: [{ name: 'side', ready: true }, crashing] })).to.equal(
      'pod gpu/plugin-1: container nvidia-device-plugin-ctr is waiting: CrashLoopBackOff: back-off 40s restarting failed container; ' +
        'it ended with 1: Error: more than one MIG device type present on node; restarts: 4',
    );
  });

  it('is the image that cannot be pulled', () => {
    const state = { waiting: { reason: 'ImagePullBackOff' } };
    expect(explain({ phase: 'Pending', containerStatuses: [{ name: 'ctr', ready: false, state }] })).to.equal(
      'pod gpu/plugin-1: container ctr is waiting: ImagePullBackOff',
    );
  });

  it('is the container that has ended or is not ready yet', () => {
    const ended = { name: 'ctr', ready: false, state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } };
    expect(explain({ phase: 'Running', containerStatuses: [ended] })).to.equal(
      'pod gpu/plugin-1: container ctr ended with 137: OOMKilled',
    );
    expect(explain({ phase: 'Running', containerStatuses: [{ name: 'ctr', state: { running: {} } }] })).to.equal(
      'pod gpu/plugin-1: container ctr runs and is not ready yet',
    );
  });

  it('is that nothing has begun', () => {
    expect(explain({})).to.equal('pod gpu/plugin-1 has not started yet');
    expect(explain({ containerStatuses: [{ name: 'ctr' }] })).to.equal(
      'pod gpu/plugin-1: container ctr has not started yet',
    );
  });

  it('is cut where a message is long', () => {
    const state = { waiting: { reason: 'CreateContainerError', message: 'x'.repeat(1000) } };
    const text = explain({ containerStatuses: [{ name: 'ctr', state }] }) ?? '';
    expect(text).to.have.length.below(400);
    expect(text.endsWith('…')).to.equal(true);
  });
});
