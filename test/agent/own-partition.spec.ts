import { expect } from 'chai';
import type { DeviceReport } from '../../src/api/types.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { AgentScene, useAgentClient, later } from './agent-scene.ts';
import type { OwnRecord } from '../../src/agent/own-partition.ts';
import { OwnWork, type Partition, RecordFile } from '../../src/agent/own-partition.ts';
import { useScratchFolder } from '../device/scratch-folder.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { RecordedLog } from '../process/recorded-log.ts';

/** Can write, and gets no answer to what it asks. */
class SilentReader extends KubeClient {
  override get(): Promise<never> {
    return Promise.reject(new Error('no answer'));
  }
}

describe('the agent and the object of its node', () => {
  const client = useAgentClient();
  const profiles = { '3g.20gb': 2 };
  let scene: AgentScene;

  beforeEach(async () => {
    scene = new AgentScene(client());
    await scene.create();
  });

  const device = async (): Promise<DeviceReport | undefined> => (await scene.read()).status?.device;

  it('never lowers observedEpoch when it starts on a list that is out of date', async () => {
    const wish = await scene.wish({ profiles });
    const stale = await scene.read();
    await scene.grant(wish);
    await scene.run();
    scene.newAgent('boot-1');
    await scene.reconcile(stale);
    expect(await device()).to.include({ observedEpoch: 1, step: 'Idle' });
    expect((await device())?.lastGood?.gpus?.[0]?.placements).to.have.lengthOf(2);
  });

  it('does not act on a grant of a list that is out of date', async () => {
    // MIG mode is on: nothing has to go, so nothing would be confirmed.
    scene.createByHand();
    await scene.grant(await scene.wish({ profiles }));
    const stale = await scene.read();
    await scene.set({ granted: { epoch: 2, planHash: '' } });
    scene.newAgent('boot-1');
    await scene.reconcile(stale);
    expect(scene.node.takeChanges()).to.deep.equal([]);
  });

  it('does and reports nothing before the API server has told it what its object is', async () => {
    scene.createByHand();
    await scene.grant(await scene.wish({ profiles }));
    const stale = await scene.read();
    scene.newAgent('boot-1', { client: new SilentReader(client().config, 'gpu-partition-agent') });
    const outcome = await scene.reconcile(stale).catch(String);
    expect(outcome).to.equal('Error: no answer');
    expect(scene.node.takeChanges()).to.deep.equal([]);
    expect((await scene.read()).metadata.resourceVersion).to.equal(stale.metadata.resourceVersion);
  });

  it('adds its report to what was written since it last looked, and mixes it with no report of another agent', async () => {
    const wish = await scene.wish({ profiles });
    await scene.set({ wish: { gpus: [{ ...wish, profiles: { '1g.5gb': 7 } }] } });
    const seen = await scene.read();
    const status = { ...scene.ref, subresource: 'status' };
    const other = { agentVersion: 'other', step: 'Failed', error: { code: 'Failed', message: 'of the other' } };
    await client().merge(status, { status: { phase: 'Pending', device: other } });
    await scene.reconcile(seen);
    const { status: now } = await scene.read();
    expect(now?.phase).to.equal('Pending');
    expect(now?.device).to.include({ agentVersion: 'test', step: 'Idle' });
    expect(now?.device?.error).to.equal(undefined);
    expect(now?.device?.plan?.hash).to.match(/^[0-9a-f]{16}$/);
  });

  it('ignores objects of other nodes', async () => {
    const other = new AgentScene(client());
    await other.create();
    await scene.reconcile(await other.read());
    expect((await other.read()).status).to.equal(undefined);
    expect(await device()).to.equal(undefined);
  });

  const foreign = [
    { observedEpoch: 2 ** 53, next: 1 },
    // As far ahead as an object that has lost its grants may be.
    { observedEpoch: 1000, next: 1001 },
  ];
  for (const { observedEpoch, next } of foreign) {
    it(`carries out the grant that follows an observedEpoch of ${observedEpoch}, which was never granted`, async () => {
      const wish = await scene.wish({ profiles });
      await client().merge({ ...scene.ref, subresource: 'status' }, { status: { device: { observedEpoch } } });
      await scene.grant(wish);
      await scene.run();
      const seen = await device();
      expect(seen, JSON.stringify(seen?.error)).to.include({ observedEpoch: next, step: 'Idle' });
      expect(await scene.node.layout(0)).to.have.lengthOf(2);
    });
  }
});

/** What outlives an agent's process. */
class HostRecord {
  #kept: OwnRecord | undefined;

  read(): OwnRecord | undefined {
    return this.#kept;
  }

  async write(record: OwnRecord): Promise<void> {
    this.#kept = record;
  }
}

describe('an agent whose report somebody else has written', () => {
  const client = useAgentClient();
  const profiles = { '3g.20gb': 2 };
  const error = { code: 'CommandFailed', message: 'forged' };
  let scene: AgentScene;
  let record: HostRecord;

  beforeEach(async () => {
    record = new HostRecord();
    scene = new AgentScene(client());
    scene.newAgent('boot-1', { record });
    await scene.create();
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    scene.node.takeChanges();
  });

  /** Without the second in which it was read. */
  const device = async (): Promise<DeviceReport> => {
    const { readTime: _when, ...report } = (await scene.read()).status?.device ?? {};
    return report;
  };
  /** As whoever has its token. */
  const forge = (fields: object): Promise<unknown> =>
    client().merge({ ...scene.ref, subresource: 'status' }, { status: { device: fields } });

  it('corrects what it knows better: outcome, epoch, and which instances are ours', async () => {
    const honest = await device();
    const lastGood = { bootID: 'boot-1', gpus: [{ uuid: scene.node.uuid(0), placements: ['7g.40gb@0'] }] };
    await forge({ step: 'Failed', error, observedEpoch: null, lastGood });
    await scene.run();
    expect(await device()).to.deep.equal(honest);
    expect(scene.node.takeChanges(), 'the grant is not carried out again').to.deep.equal([]);
  });

  it('does the same when it has just been started', async () => {
    const honest = await device();
    await forge({ step: 'Failed', error });
    scene.newAgent('boot-1', { record });
    await scene.run();
    expect(await device()).to.deep.equal(honest);
  });

  it('still reports its own failure when somebody says that all is well', async () => {
    await scene.grant(await scene.wish({ profiles: { '7g.40gb': 1 } }), { planHash: 'of-another-plan' });
    await scene.run();
    expect((await device()).error?.code).to.equal('PlanChanged');
    await forge({ step: 'Idle', error: null });
    scene.newAgent('boot-1', { record });
    await scene.run();
    expect(await device()).to.include({ step: 'Failed', observedEpoch: 2 });
  });

  it('knows its instances in an object that was recreated without a status', async () => {
    await client().delete(scene.ref);
    await scene.create();
    scene.newAgent('boot-1', { record });
    await scene.wish({ profiles: { '7g.40gb': 1 } });
    expect((await device()).lastGood?.gpus?.[0]?.placements).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
    expect(await scene.plan())
      .to.include({ destroy: 2, create: 1 })
      .and.not.have.property('refusal');
    expect(await device(), 'epochs count from the start').to.not.have.property('observedEpoch');
  });

  it('acts on no epoch that it has finished, though the report of it is gone', async () => {
    await forge({ observedEpoch: null, lastGood: null, step: null });
    const { planHash = '' } = (await scene.read()).spec.granted ?? {};
    const gpus = [{ uuid: scene.node.uuid(0), profiles: { '7g.40gb': 1 } }];
    await scene.set({ granted: { gpus, epoch: 1, planHash, deadline: later() } });
    await scene.run();
    expect(scene.node.takeChanges()).to.deep.equal([]);
    expect(await device()).to.include({ observedEpoch: 1, step: 'Idle' });
  });
});

describe('the record of an agent on its host', () => {
  const scratch = useScratchFolder();
  const record: OwnRecord = {
    uid: 'uid',
    epoch: 3,
    outcome: { step: 'Failed', error: { code: 'CommandFailed', message: 'no', gpu: 'GPU-1' } },
    lastGood: {
      bootID: 'b',
      gpus: [{ uuid: 'GPU-1', mig: 'Enabled', placements: ['1g.5gb@0'], unsettled: { '1g.5gb': 1 } }],
    },
    signalled: { epoch: 3, uids: ['u'] },
  };

  it('is read as it was written', async () => {
    const file = new RecordFile(scratch.path('own/agent.json'));
    expect(file.read()).to.equal(undefined);
    await file.write(record);
    expect(file.read()).to.deep.equal(record);
    await file.write({ uid: 'uid', epoch: 4, outcome: { step: 'Idle' } });
    expect(file.read()).to.deep.equal({ uid: 'uid', epoch: 4, outcome: { step: 'Idle' } });
  });

  it('is written later where the host had no room for it at first', async () => {
    let isFull = true;
    let kept: OwnRecord | undefined;
    const file = {
      read: () => kept,
      write: async (next: OwnRecord): Promise<void> => {
        if (isFull) throw new Error('ENOSPC');
        kept = next;
      },
    };
    const work = new OwnWork(file, new RecordedLog());
    const partition = { metadata: { name: 'node', uid: 'uid' }, spec: {} } as Partition;
    const device = { step: 'Idle', observedEpoch: 3, lastGood: { bootID: 'b', gpus: [] } } as const;
    await work.keep(partition, device);
    isFull = false;
    await work.keep(partition, device);
    expect(kept?.epoch, 'a later agent knows of the work').to.equal(3);
  });

  it('is refused where it could not be reported: cut off, of another version, or of another shape', async () => {
    const path = scratch.path('own/agent.json');
    const file = new RecordFile(path);
    await file.write(record);
    const text = readFileSync(path, 'utf8');
    const page = JSON.parse(text) as Record<string, unknown>;
    for (const wrong of [
      text.slice(0, -20),
      'null',
      JSON.stringify({ ...page, version: 2 }),
      JSON.stringify({ ...page, epoch: -1 }),
      JSON.stringify({ ...page, outcome: { step: 'Unknown' } }),
      JSON.stringify({ ...page, lastGood: { gpus: [{ uuid: 'GPU-1', placements: [7] }] } }),
      JSON.stringify({ ...page, lastGood: { gpus: [{ uuid: 'GPU-1', mig: 'Maybe' }] } }),
      JSON.stringify({ ...page, signalled: { epoch: 3 } }),
    ]) {
      writeFileSync(path, wrong);
      expect(() => file.read(), wrong).to.throw();
    }
  });
});
