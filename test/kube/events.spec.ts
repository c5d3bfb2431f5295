import { expect } from 'chai';
import type { KubeClient } from '../../src/kube/client.ts';
import { EventRecorder, type EventNote } from '../../src/kube/events.ts';
import type { KubeObject, Resource } from '../../src/kube/watch.ts';
import { uniqueName, useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../process/fake-clock.ts';
import { RecordedLog } from '../process/recorded-log.ts';
import { aConfigMap, configMaps, connect, makeNamespace } from './connection.ts';
import { FaultProxy } from '../support/fault-proxy.ts';

interface Event extends KubeObject {
  readonly reason: string;
  readonly note: string;
  readonly type: string;
  readonly action: string;
  readonly regarding: { readonly name: string; readonly uid: string };
  readonly reportingController: string;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

const events: Resource = { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event' };
const nodes: Resource = { group: '', version: 'v1', plural: 'nodes', kind: 'Node' };

describe('EventRecorder', () => {
  const cluster = useSharedCluster();
  let client: KubeClient;
  let namespace: string;
  let clock: FakeClock;
  let object: KubeObject;
  let log: RecordedLog;

  before(() => {
    client = connect(cluster());
  });
  after(() => client.config.close());
  beforeEach(async () => {
    namespace = await makeNamespace(client);
    object = await client.create(configMaps, aConfigMap(namespace, 'a'));
    clock = new FakeClock();
    log = new RecordedLog();
  });

  const aRecorder = (options: { client?: KubeClient; burst?: number; perSecond?: number } = {}): EventRecorder =>
    new EventRecorder({
      client,
      logger: log,
      controller: 'test.gpupartition.dev/c',
      instance: 'pod-1',
      clock,
      ...options,
    });
  const aNote = (change: Partial<EventNote> = {}): EventNote => ({
    resource: configMaps,
    object,
    type: 'Warning',
    reason: 'DrainFailed',
    action: 'Drain',
    message: 'the pod is stuck',
    ...change,
  });
  const eventsHere = async (): Promise<readonly Event[]> => (await client.list<Event>(events, { namespace })).items;

  it('writes an event that names the object, the reason and the writer', async () => {
    const recorder = aRecorder();
    recorder.record(aNote());
    await recorder.stop();
    const [event, ...others] = await eventsHere();
    expect(others).to.deep.equal([]);
    expect(event).to.deep.include({
      type: 'Warning',
      reason: 'DrainFailed',
      action: 'Drain',
      note: 'the pod is stuck',
      reportingController: 'test.gpupartition.dev/c',
    });
    expect(event?.regarding).to.deep.include({ name: 'a', uid: object.metadata.uid });
    expect(event).not.to.have.property('series');
  });

  it('counts repetitions on one event, within ten minutes of each other', async () => {
    const recorder = aRecorder();
    recorder.record(aNote());
    await eventually(eventsHere, (seen) => seen.length === 1);
    recorder.record(aNote());
    recorder.record(aNote());
    const [counted] = await eventually(eventsHere, (seen) => seen[0]?.series?.count === 3);
    expect(counted?.note).to.equal('the pod is stuck');
    expect(await eventsHere()).to.have.length(1);
    await clock.advance(10 * 60_000 + 1);
    recorder.record(aNote());
    await recorder.stop();
    expect(await eventsHere()).to.have.length(2);
    expect(recorder.dropped).to.equal(0);
  });

  it('tells events of other objects, reasons and messages apart', async () => {
    const recorder = aRecorder();
    for (const change of [{}, { reason: 'Other' }, { message: 'other' }, { type: 'Normal' as const }]) {
      recorder.record(aNote(change));
    }
    await recorder.stop();
    expect(await eventsHere()).to.have.length(4);
  });

  it('writes those of cluster-scoped objects into the default namespace, where kubectl looks for them', async () => {
    const name = uniqueName('node');
    const node = await client.create(nodes, { metadata: { name } });
    const recorder = aRecorder();
    recorder.record(aNote({ resource: nodes, object: node }));
    await recorder.stop();
    const found = await cluster().kubectl(['events', '--for', `node/${name}`, '-n', 'default']);
    expect(found.stdout).to.contain('DrainFailed').and.to.contain('the pod is stuck');
    await client.delete({ resource: nodes, name });
  });

  it('cuts a message that is longer than the server takes, between two characters', async () => {
    const recorder = aRecorder();
    recorder.record(aNote({ message: 'ä'.repeat(2_000) }));
    await recorder.stop();
    const [event] = await eventsHere();
    expect(event?.note).to.match(/^ä{500,}…$/);
    expect(Buffer.byteLength(event?.note ?? '')).to.be.at.most(1_024);
  });

  it('writes those of an object with a long name, wherever it is cut', async () => {
    const name = `${'a'.repeat(219)}-${'b'.repeat(20)}`;
    const recorder = aRecorder();
    recorder.record(aNote({ object: await client.create(configMaps, aConfigMap(namespace, name)) }));
    await recorder.stop();
    expect((await eventsHere()).map(({ regarding }) => regarding.name)).to.deep.equal([name]);
  });

  it('creates an event again that the server has forgotten', async () => {
    const recorder = aRecorder();
    recorder.record(aNote());
    const [event] = await eventually(eventsHere, (seen) => seen.length === 1);
    await client.delete({ resource: events, namespace, name: event?.metadata.name ?? '' });
    recorder.record(aNote());
    await recorder.stop();
    const [again] = await eventsHere();
    expect(again?.series?.count).to.equal(2);
  });

  it('writes no faster than its rate, and the rest later', async () => {
    const recorder = aRecorder({ burst: 2, perSecond: 1 });
    for (let number = 0; number < 5; number += 1) recorder.record(aNote({ message: `number ${number}` }));
    await eventually(eventsHere, (seen) => seen.length === 2);
    await eventually(
      () => clock.pending,
      (pending) => pending === 1,
    );
    await clock.advance(1_000);
    await eventually(eventsHere, (seen) => seen.length === 3);
    await recorder.stop();
    expect(recorder.dropped).to.equal(2);
  });

  it('continues to count an event whose creation was not answered', async () => {
    await using proxy = await FaultProxy.open(cluster());
    let lost = 0;
    proxy.rule = ({ method }) => (method === 'POST' && lost++ === 0 ? { reset: 'after' } : undefined);
    const shaky = connect(cluster(), { server: proxy.server });
    const recorder = aRecorder({ client: shaky });
    recorder.record(aNote());
    await eventually(
      () => recorder.dropped,
      (dropped) => dropped === 1,
    );
    recorder.record(aNote());
    await eventually(eventsHere, (seen) => seen[0]?.series?.count === 2);
    recorder.record(aNote());
    await recorder.stop();
    expect((await eventsHere()).map(({ series }) => series?.count)).to.deep.equal([3]);
    expect(recorder.dropped).to.equal(1);
    await shaky.config.close();
  });

  it('never throws and never repeats forever when events cannot be written', async () => {
    await using proxy = await FaultProxy.open(cluster());
    proxy.rule = () => ({ status: 403, body: { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' } });
    const refused = connect(cluster(), { server: proxy.server });
    const recorder = aRecorder({ client: refused });
    recorder.record(aNote());
    await recorder.stop();
    expect(recorder.dropped).to.equal(1);
    expect(proxy.requests).to.have.length(1);
    expect(log.lines).to.have.length(1);
    recorder.record(aNote());
    expect(proxy.requests).to.have.length(1);
    await refused.config.close();
  });
});
