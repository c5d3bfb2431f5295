import { expect } from 'chai';
import { planGpu } from '../../../src/core/gpu/plan/gpu-plan.ts';
import { fitLayout } from '../../../src/core/gpu/plan/fit.ts';
import { anInstance, expectPlan, expectRefusal, isIdle, modelOf, someInstances, writePlaces } from './builders.ts';

const a100 = modelOf('a100-40gb');

describe('planning one GPU', () => {
  it('places a layout on an empty GPU, leaving the most room for later', () => {
    const plan = expectPlan(planGpu(a100, [], { '1g.5gb': 1 }));
    expect(writePlaces(plan.placements)).to.deep.equal(['1g.5gb@6']);
    expect(fitLayout(a100, { '1g.5gb': 1 })).to.deep.equal({ fits: true, placements: plan.placements });
  });

  it('lists what it makes and what there will be by start', () => {
    const plan = expectPlan(planGpu(a100, someInstances('2g.10gb@2'), { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 }));
    expect(writePlaces(plan.create)).to.deep.equal(['1g.5gb@0', '1g.5gb@1', '3g.20gb@4']);
    expect(writePlaces(plan.placements)).to.deep.equal(['1g.5gb@0', '1g.5gb@1', '2g.10gb@2', '3g.20gb@4']);
  });

  it('does nothing where the GPU is as wanted', () => {
    const have = someInstances('1g.5gb@0', '3g.20gb@4*');
    const plan = expectPlan(planGpu(a100, have, { '3g.20gb': 1, '1g.5gb': 1 }));
    expect(plan).to.deep.include({ keep: have, destroy: [], create: [], steps: [] });
  });

  it('destroys all instances for an empty layout', () => {
    const plan = expectPlan(planGpu(a100, someInstances('1g.5gb@0', '3g.20gb@4*'), {}));
    expect(writePlaces(plan.destroy)).to.deep.equal(['1g.5gb@0', '3g.20gb@4']);
    expect(plan.placements).to.deep.equal([]);
  });

  it('moves an idle instance rather than a busy one', () => {
    const plan = expectPlan(planGpu(a100, someInstances('1g.5gb@0', '1g.5gb@5*'), { '1g.5gb': 2, '3g.20gb': 1 }));
    expect(writePlaces(plan.keep)).to.deep.equal(['1g.5gb@5']);
    expect(plan.cost).to.include({ busyDisturbed: 0, destroyed: 1 });
  });

  it('destroys three idle instances to spare one busy one', () => {
    const have = someInstances('1g.5gb@0', '1g.5gb@1', '1g.5gb@2', '1g.5gb@6*');
    const plan = expectPlan(planGpu(a100, have, { '4g.20gb': 1, '1g.5gb': 3 }));
    expect(writePlaces(plan.destroy)).to.deep.equal(['1g.5gb@0', '1g.5gb@1', '1g.5gb@2']);
  });

  it('destroys before it creates, idle instances first, and creates the largest first', () => {
    const plan = expectPlan(
      planGpu(a100, someInstances('1g.5gb@0*', '2g.10gb@2'), { '4g.20gb': 1, '2g.10gb': 1, '1g.5gb': 1 }),
    );
    expect(plan.steps.map(({ action, profile, start }) => `${action} ${profile}@${start}`)).to.deep.equal([
      'DestroyInstance 2g.10gb@2',
      'DestroyInstance 1g.5gb@0',
      'CreateInstance 4g.20gb@0',
      'CreateInstance 2g.10gb@4',
      'CreateInstance 1g.5gb@6',
    ]);
  });

  it('keeps an instance at a start that the table does not list, since the device shows it', () => {
    const plan = expectPlan(planGpu(a100, someInstances('2g.10gb@5'), { '2g.10gb': 1 }));
    expect(writePlaces(plan.keep)).to.deep.equal(['2g.10gb@5']);
  });

  it('takes a former name for the profile that it was', () => {
    const plan = expectPlan(planGpu(modelOf('a100-80gb'), someInstances('7g.79gb@0*'), { '7g.80gb': 1 }));
    expect(plan.steps).to.deep.equal([]);
  });

  it('refuses a model whose placements are not published', () => {
    const refusal = expectRefusal(planGpu(modelOf('thor'), [], { '1g.0gb': 1 }));
    expect(refusal.code).to.equal('PlacementsUnknown');
    expect(refusal.message).to.include('nvidia-smi mig -lgipp');
  });

  it('refuses rather than destroy a busy instance if it is told to', () => {
    const have = someInstances('1g.5gb@0*');
    expect(expectPlan(planGpu(a100, have, { '7g.40gb': 1 })).cost.busyDisturbed).to.equal(1);
    const refusal = expectRefusal(planGpu(a100, have, { '7g.40gb': 1 }, { mayDisturb: isIdle }));
    expect(refusal).to.include({ code: 'BusyInstanceInTheWay' });
    expect(refusal.message).to.include('1g.5gb at 0');
  });
});

describe('planning around instances of unknown profiles', () => {
  it('leaves them alone and uses the rest of the GPU', () => {
    const foreign = { ...anInstance('5g.30gb@0*'), size: 4 };
    const plan = expectPlan(planGpu(a100, [foreign, anInstance('1g.5gb@4')], { '3g.20gb': 1 }));
    expect(plan.foreign).to.deep.equal([foreign]);
    expect(writePlaces(plan.destroy)).to.deep.equal(['1g.5gb@4']);
    expect(writePlaces(plan.placements)).to.deep.equal(['3g.20gb@4']);
  });

  it('refuses what does not fit beside them, and names what does', () => {
    const foreign = { ...anInstance('5g.30gb@0*'), size: 4 };
    const refusal = expectRefusal(planGpu(a100, [foreign], { '3g.20gb': 2 }));
    expect(refusal.code).to.equal('ForeignInstanceInTheWay');
    expect(refusal.message).to.include('5g.30gb at 0');
    expect(refusal.alternatives[0]).to.deep.equal({ '3g.20gb': 1 });
  });

  it('refuses if their size is not known', () => {
    const refusal = expectRefusal(planGpu(a100, [anInstance('5g.30gb@0')], { '1g.5gb': 1 }));
    expect(refusal.code).to.equal('UnknownInstance');
    expect(refusal.message).to.include('5g.30gb at 0');
  });

  it('refuses a report of instances that overlap', () => {
    const refusal = expectRefusal(planGpu(a100, someInstances('3g.20gb@0', '1g.5gb@2'), { '1g.5gb': 1 }));
    expect(refusal.code).to.equal('OverlappingInstances');
  });

  for (const start of [-1, 1.5, Number.NaN, 1e9])
    it(`refuses an instance at ${start}`, () => {
      expect(expectRefusal(planGpu(a100, [anInstance(`1g.5gb@${start}`)], {})).code).to.equal('UnknownInstance');
    });
});

describe('planning compute instances', () => {
  it('makes one over the whole GPU instance unless told otherwise', () => {
    const plan = expectPlan(planGpu(a100, [], { '3g.20gb': 1 }));
    expect(plan.create[0]?.computeInstances).to.deep.equal(['3g.20gb']);
  });

  it('spreads them over the fewest GPU instances', () => {
    const plan = expectPlan(planGpu(a100, [], { '1c.3g.20gb': 4 }));
    expect(plan.create.map(({ computeInstances }) => computeInstances.length)).to.deep.equal([3, 1]);
    expect(expectPlan(planGpu(a100, [], { '1c.3g.20gb': 1, '2c.3g.20gb': 1 })).create).to.have.length(1);
    expect(expectPlan(planGpu(a100, [], { '2c.3g.20gb': 2 })).create).to.have.length(2);
  });

  it('makes the missing one on an instance that has none', () => {
    const plan = expectPlan(planGpu(a100, [anInstance('3g.20gb@4', [])], { '3g.20gb': 1 }));
    expect(plan.steps).to.deep.equal([
      { action: 'CreateComputeInstances', profile: '3g.20gb', start: 4, computeInstances: ['3g.20gb'] },
    ]);
  });

  it('replaces only the wrong ones, and destroys before it creates', () => {
    const have = [anInstance('4g.20gb@0', ['1c.4g.20gb', '2c.4g.20gb'])];
    const plan = expectPlan(planGpu(a100, have, { '1c.4g.20gb': 4 }));
    expect(plan.keep).to.deep.equal(have);
    expect(plan.steps).to.deep.equal([
      { action: 'DestroyComputeInstances', profile: '4g.20gb', start: 0, computeInstances: ['2c.4g.20gb'] },
      {
        action: 'CreateComputeInstances',
        profile: '4g.20gb',
        start: 0,
        computeInstances: ['1c.4g.20gb', '1c.4g.20gb', '1c.4g.20gb'],
      },
    ]);
  });

  it('adds to a busy instance without disturbing it, and counts taking from it as harm', () => {
    const busy = [anInstance('3g.20gb@0*', ['1c.3g.20gb'])];
    expect(expectPlan(planGpu(a100, busy, { '1c.3g.20gb': 3 })).cost.busyDisturbed).to.equal(0);
    expect(expectPlan(planGpu(a100, busy, { '3g.20gb': 1 })).cost).to.include({ busyDisturbed: 1, destroyed: 0 });
    const refusal = expectRefusal(planGpu(a100, busy, { '3g.20gb': 1 }, { mayDisturb: isIdle }));
    expect(refusal.code).to.equal('BusyInstanceInTheWay');
  });

  it('names of those in the way only instances that lose something', () => {
    const have = [anInstance('3g.20gb@0*', ['1c.3g.20gb', '1c.3g.20gb']), anInstance('3g.20gb@4*')];
    const planned = planGpu(a100, have, { '1c.3g.20gb': 1, '3g.20gb': 1 }, { mayDisturb: isIdle });
    expect(planned).to.deep.include({ fits: false, inTheWay: have.slice(0, 1) });
    expect(expectRefusal(planned).message).to.include('removes compute instances');
  });

  it('gives each kept GPU instance the wish that its compute instances are nearest to', () => {
    const have = [anInstance('3g.20gb@0', ['1c.3g.20gb', '1c.3g.20gb']), anInstance('3g.20gb@4*')];
    const plan = expectPlan(planGpu(a100, have, { '3g.20gb': 1, '1c.3g.20gb': 3 }));
    expect(plan.steps).to.deep.equal([
      { action: 'CreateComputeInstances', profile: '3g.20gb', start: 0, computeInstances: ['1c.3g.20gb'] },
    ]);
  });

  it('of several ways to fill the GPU instances takes the one that is there already', () => {
    const have = [
      anInstance('3g.20gb@0', ['1c.3g.20gb', '1c.3g.20gb']),
      anInstance('3g.20gb@4', ['1c.3g.20gb', '1c.3g.20gb']),
    ];
    expect(expectPlan(planGpu(a100, have, { '1c.3g.20gb': 4 })).steps).to.deep.equal([]);
  });

  it('knows the compute instance of a +me instance under the name that nvidia-smi prints', () => {
    const have = [anInstance('1g.5gb+me@6', ['1g.5gb'])];
    expect(expectPlan(planGpu(a100, have, { '1g.5gb+me': 1 })).steps).to.deep.equal([]);
  });

  it('names the compute instances that go with a GPU instance', () => {
    const have = [anInstance('3g.20gb@0', ['2c.3g.20gb', '1c.3g.20gb'])];
    expect(expectPlan(planGpu(a100, have, {})).steps).to.deep.equal([
      { action: 'DestroyInstance', profile: '3g.20gb', start: 0, computeInstances: ['2c.3g.20gb', '1c.3g.20gb'] },
    ]);
  });
});
