import { expect } from 'chai';
import type { DeviceReport } from '../../src/api/types.ts';
import type { OwnRecord } from '../../src/core/node/own-record.ts';
import { OwnWork } from '../../src/agent/own-work.ts';
import type { Partition } from '../../src/agent/partition.ts';
import { RecordFile } from '../../src/agent/record-file.ts';
import { useScratchFolder } from '../device/scratch-folder.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { RecordedLog } from '../process/recorded-log.ts';
import { AgentScene, later, useAgentClient } from './agent-scene.ts';

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
