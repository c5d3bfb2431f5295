import { expect } from 'chai';
import { decidePolicy, resolveNode } from '../../../src/core/policy/resolve-node.ts';
import { aDevice, aGpu, aPolicy, uuidOf } from '../../support/builders.ts';

const pool = { pool: 'p' };

describe('decidePolicy', () => {
  it('lets the higher priority win and names the losers', () => {
    const { winner, losers } = decidePolicy([aPolicy({ name: 'low' }), aPolicy({ name: 'high', priority: 5 })], pool);
    expect(winner?.metadata.name).to.equal('high');
    expect(losers.map(({ metadata }) => metadata.name)).to.deep.equal(['low']);
  });

  it('lets the older policy win at equal priority, then the name', () => {
    const young = aPolicy({ name: 'a', createdAt: '2026-02-01T00:00:00Z' });
    expect(decidePolicy([young, aPolicy({ name: 'z' }), aPolicy({ name: 'b' })], pool).winner?.metadata.name).to.equal(
      'b',
    );
  });

  it('finds nobody for a node that no policy selects, and for a policy that is being deleted', () => {
    const policy = aPolicy();
    const deleted = { ...policy, metadata: { ...policy.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' } };
    expect(decidePolicy([policy], { pool: 'other' }).winner).to.equal(undefined);
    expect(decidePolicy([deleted], pool).winner).to.equal(undefined);
  });
});

describe('resolveNode', () => {
  it('gives each GPU the first layout that matches it, and leaves alone what matches none', () => {
    const spec = aPolicy({
      layouts: [
        { gpus: { models: ['A100-*-40GB'], indices: [0] }, profiles: { '3g.20gb': 2 } },
        { gpus: { models: ['a30-*'] }, profiles: { '1g.6gb': 4 } },
      ],
    }).spec;
    const device = aDevice(aGpu(), aGpu({ index: 1 }), aGpu({ index: 2, product: 'NVIDIA A30' }));
    expect(resolveNode(spec, device, undefined)).to.deep.equal({
      wish: {
        gpus: [
          { uuid: uuidOf(0), profiles: { '3g.20gb': 2 } },
          { uuid: uuidOf(2), profiles: { '1g.6gb': 4 } },
        ],
      },
    });
  });

  it('skips a GPU without MIG where slices are asked for, and takes it as done where MIG is to be off', () => {
    const t4 = aGpu({ index: 1, product: 'Tesla T4', migCapable: false });
    const slices = resolveNode(aPolicy().spec, aDevice(aGpu(), t4), undefined);
    expect(slices).to.have.nested.property('wish.gpus').with.lengthOf(1);
    const whole = resolveNode(aPolicy({ layouts: [{ mig: 'Disabled' }] }).spec, aDevice(t4), undefined);
    expect(whole).to.deep.equal({ wish: { gpus: [{ uuid: uuidOf(1), mig: 'Disabled' }] } });
  });

  it('refuses a profile that the model does not have, with what it has', () => {
    const result = resolveNode(aPolicy().spec, aDevice(aGpu({ product: 'NVIDIA A100-SXM4-80GB' })), undefined);
    expect(result).to.have.nested.property('refusal.reason', 'UnknownProfile');
    expect(result).to.have.nested.property('refusal.message').that.includes('1g.10gb');
  });

  it('refuses a layout that does not fit, with numbers', () => {
    const { spec } = aPolicy({ layouts: [{ profiles: { '3g.20gb': 2, '1g.5gb': 1 } }] });
    const result = resolveNode(spec, aDevice(aGpu()), undefined);
    expect(result).to.have.nested.property('refusal.reason', 'DoesNotFit');
    expect(result)
      .to.have.nested.property('refusal.message')
      .that.matches(/9 of 8 memory slices/);
  });

  it('takes so many GPUs as count says: first those chosen before, then those that cost least', () => {
    const { spec } = aPolicy({ layouts: [{ gpus: { count: 1 }, profiles: { '7g.40gb': 1 } }, { mig: 'Disabled' }] });
    const device = aDevice(
      aGpu({ index: 0, slices: ['1g.5gb@0'] }),
      aGpu({ index: 1 }),
      aGpu({ index: 2, slices: ['7g.40gb@0'] }),
    );
    const fresh = resolveNode(spec, device, undefined);
    expect(fresh)
      .to.have.nested.property('wish.gpus[2]')
      .that.deep.equals({ uuid: uuidOf(2), profiles: { '7g.40gb': 1 } });
    const before = { gpus: [{ uuid: uuidOf(1), profiles: { '7g.40gb': 1 } }] };
    const kept = resolveNode(spec, device, before);
    expect(kept)
      .to.have.nested.property('wish.gpus[1]')
      .that.deep.equals({ uuid: uuidOf(1), profiles: { '7g.40gb': 1 } });
  });

  it('expands presets from the geometry of each GPU', () => {
    const { spec } = aPolicy({ layouts: [{ preset: 'all-balanced' }] });
    expect(resolveNode(spec, aDevice(aGpu()), undefined)).to.deep.equal({
      wish: { gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 } }] },
    });
  });

  it('keeps compute instance profiles as they are written', () => {
    const { spec } = aPolicy({ strategy: 'single', layouts: [{ profiles: { '1c.3g.20gb': 6 } }] });
    expect(resolveNode(spec, aDevice(aGpu()), undefined)).to.deep.equal({
      wish: { gpus: [{ uuid: uuidOf(0), profiles: { '1c.3g.20gb': 6 } }] },
    });
  });

  it('speaks the names of the driver that is there', () => {
    const { spec } = aPolicy({ layouts: [{ profiles: { '7g.79gb': 1 } }] });
    expect(resolveNode(spec, aDevice(aGpu({ product: 'NVIDIA A100-SXM4-80GB' })), undefined)).to.deep.equal({
      wish: { gpus: [{ uuid: uuidOf(0), profiles: { '7g.80gb': 1 } }] },
    });
  });

  it('refuses strategy single on a node that would keep a whole GPU beside slices', () => {
    const { spec } = aPolicy({ strategy: 'single', layouts: [{ gpus: { indices: [0] }, profiles: { '1g.5gb': 7 } }] });
    const result = resolveNode(spec, aDevice(aGpu(), aGpu({ index: 1 })), undefined);
    expect(result).to.have.nested.property('refusal.reason', 'SingleNeedsOneProfile');
    expect(result).to.have.nested.property('refusal.message').that.includes('GPU 1');
  });

  it('believes the driver’s table rather than the built-in one, also for a model that nobody knows', () => {
    const profile = { name: '1g.9gb', id: 19, computeSlices: 1, memorySlices: 1, starts: [0, 1], maxInstances: 2 };
    const device = {
      ...aDevice(aGpu({ product: 'NVIDIA X9000' })),
      models: [{ product: 'NVIDIA X9000', computeSlices: 2, memorySlices: 2, profiles: [profile] }],
    };
    const { spec } = aPolicy({ layouts: [{ profiles: { '1g.9gb': 2 } }] });
    expect(resolveNode(spec, device, undefined)).to.have.property('wish');
    const tooMany = aPolicy({ layouts: [{ profiles: { '1g.9gb': 3 } }] }).spec;
    expect(resolveNode(tooMany, device, undefined)).to.have.nested.property('refusal.reason', 'DoesNotFit');
  });
});
