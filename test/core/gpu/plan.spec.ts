import { expect } from 'chai';
import {
  type ChangeRefusal,
  type GpuChange,
  type GpuChangeResult,
  planGpuChange,
  type GpuView,
  type ViewedInstance,
  planGpuReset,
  planGpu,
  type Step,
} from '../../../src/core/gpu/plan.ts';
import { planReturn } from '../../../src/core/smi/change.ts';
import { batchSteps } from '../../../src/core/smi/instances.ts';
import {
  aView,
  aViewed,
  writePlaces,
  writeSteps,
  anInstance,
  expectPlan,
  expectRefusal,
  isIdle,
  modelOf,
  someInstances,
} from './builders.ts';
import { fitLayout } from '../../../src/core/gpu/layouts.ts';

const off = { current: 'Disabled', pending: 'Disabled' } as const;
const anything = (): boolean => true;
const nothing = (): boolean => false;

function expectChange(result: GpuChangeResult): GpuChange {
  if ('refusal' in result) throw new Error(`expected a change, got: ${result.refusal.message}`);
  return result.change;
}

function expectRefused(result: GpuChangeResult): ChangeRefusal {
  if ('change' in result) throw new Error('expected a refusal, got a change');
  return result.refusal;
}

/** Busy because of pods that may be evicted. */
function evictable(text: string, computeInstances?: readonly string[]): ViewedInstance {
  return { ...aViewed(`${text}*`, computeInstances), isEvictable: true };
}

describe('the change of a GPU', () => {
  it('switches MIG on before it makes instances', () => {
    const change = expectChange(planGpuChange(aView({ mig: off }), { '3g.20gb': 2 }, anything));
    expect(change).to.include({ mode: 'Enable', isDone: false, drainsGpu: false });
    expect(writeSteps(change.steps)).to.deep.equal([
      'CreateInstance 3g.20gb@0 [3g.20gb]',
      'CreateInstance 3g.20gb@4 [3g.20gb]',
    ]);
  });

  it('destroys all instances before it switches MIG off', () => {
    const instances = [aViewed('1g.5gb@0'), aViewed('3g.20gb@4', ['1c.3g.20gb'])];
    const change = expectChange(planGpuChange(aView({ instances }), 'Disabled', anything));
    expect(change).to.deep.include({ mode: 'Disable', keep: [], destroy: instances, create: [], isDone: false });
    expect(writeSteps(change.steps)).to.deep.equal([
      'DestroyInstance 1g.5gb@0 [1g.5gb]',
      'DestroyInstance 3g.20gb@4 [1c.3g.20gb]',
    ]);
  });

  it('names what stays, what goes, and what is made', () => {
    const instances = [aViewed('1g.5gb@0'), aViewed('1g.5gb@1'), aViewed('3g.20gb@4')];
    const change = expectChange(
      planGpuChange(aView({ instances }), { '3g.20gb': 1, '2g.10gb': 1, '1g.5gb': 1 }, anything),
    );
    expect(writePlaces(change.keep)).to.have.length(2).and.include('3g.20gb@4');
    expect([...writePlaces(change.keep), ...writePlaces(change.destroy)]).to.have.members(writePlaces(instances));
    expect(change.create).to.have.length(1);
    expect(change.mode).to.equal(undefined);
  });

  it('is done where the GPU matches, whoever uses it, and not while another MIG mode is pending', () => {
    const instances = [aViewed('3g.20gb@0*')];
    for (const use of ['None', 'Processes', 'Held', 'Evictable'] as const) {
      const done = expectChange(planGpuChange(aView({ instances, use }), { '3g.20gb': 1 }, anything));
      expect(done, use).to.deep.include({ isDone: true, steps: [], drains: [], drainsGpu: false, mode: undefined });
    }
    const pending = { current: 'Enabled', pending: 'Disabled' } as const;
    const undone = expectChange(planGpuChange(aView({ instances, mig: pending }), { '3g.20gb': 1 }, anything));
    expect(undone).to.deep.include({ isDone: false, steps: [], mode: undefined });
    const late = expectChange(
      planGpuChange(aView({ mig: { current: 'Disabled', pending: 'Enabled' } }), 'Disabled', anything),
    );
    expect(late).to.deep.include({ isDone: false, steps: [], mode: undefined });
    const early = aView({ mig: { current: 'Disabled', pending: 'Enabled' } });
    expect(expectChange(planGpuChange(early, {}, anything))).to.deep.include({ isDone: false, mode: 'Enable' });
  });

  it('needs MIG, and a known geometry for anything but MIG off', () => {
    const without = aView({ mig: undefined });
    expect(expectRefused(planGpuChange(without, {}, anything))).to.deep.include({ code: 'NoMig', inTheWay: [] });
    expect(expectChange(planGpuChange({ ...without, use: 'Held' }, 'Disabled', anything))).to.deep.include({
      isDone: true,
      mode: undefined,
    });
    const unknown: GpuView = { ...aView(), geometry: undefined };
    for (const use of ['None', 'Held'] as const)
      expect(expectRefused(planGpuChange({ ...unknown, use }, {}, anything)).code, use).to.equal('NoMig');
    const emptied = expectChange(planGpuChange({ ...unknown, instances: [aViewed('9g.9gb@0')] }, 'Disabled', anything));
    expect([emptied.mode, writePlaces(emptied.destroy)]).to.deep.equal(['Disable', ['9g.9gb@0']]);
  });

  describe('of which the whole is used', () => {
    const instances = [aViewed('1g.5gb@0')];

    it('waits for whoever holds it', () => {
      for (const want of [{}, 'Disabled'] as const) {
        const refusal = expectRefused(planGpuChange(aView({ instances, use: 'Held' }), want, anything));
        expect(refusal).to.deep.include({ code: 'InUse', inTheWay: [] });
      }
    });

    it('waits for processes if MIG is switched, or if it has no instance that they could be on', () => {
      const planWith = (parts: Parameters<typeof aView>[0], want: Parameters<typeof planGpuChange>[1]) =>
        planGpuChange(aView({ use: 'Processes', ...parts }), want, anything);
      expect(expectRefused(planWith({ mig: off }, { '3g.20gb': 1 })).code).to.equal('InUse');
      expect(expectRefused(planWith({ instances }, 'Disabled')).code).to.equal('InUse');
      expect(expectRefused(planWith({}, { '3g.20gb': 1 })).code).to.equal('InUse');
      expect(expectChange(planWith({ instances }, { '3g.20gb': 1 })).create).to.have.length(1);
    });

    it('drains it of pods that may be evicted', () => {
      const view = aView({ instances, use: 'Evictable' });
      for (const want of [{ '3g.20gb': 1 }, 'Disabled'] as const)
        expect(expectChange(planGpuChange(view, want, anything)).drainsGpu).to.equal(true);
    });
  });

  describe('with instances in use', () => {
    it('does not switch MIG off, and names them', () => {
      const instances = [aViewed('1g.5gb@0'), aViewed('3g.20gb@4*')];
      const refusal = expectRefused(planGpuChange(aView({ instances }), 'Disabled', anything));
      expect(refusal).to.deep.include({ code: 'InUse', inTheWay: instances.slice(1) });
      expect(refusal.message).to.include('3g.20gb at 4').and.not.include('1g.5gb');
    });

    it('drains those whose pods may be evicted', () => {
      const instances = [aViewed('1g.5gb@0'), evictable('3g.20gb@4')];
      const emptied = expectChange(planGpuChange(aView({ instances }), 'Disabled', anything));
      expect(emptied.drains).to.deep.equal(instances.slice(1));
      const changed = expectChange(planGpuChange(aView({ instances }), { '7g.40gb': 1 }, anything));
      expect([changed.drains, changed.destroy]).to.deep.equal([instances.slice(1), instances]);
    });

    it('drains one that only loses a compute instance, although it stays', () => {
      const instances = [evictable('3g.20gb@0', ['1c.3g.20gb', '1c.3g.20gb'])];
      const change = expectChange(planGpuChange(aView({ instances }), { '1c.3g.20gb': 1 }, anything));
      expect(change).to.deep.include({ keep: instances, destroy: [], drains: instances, isDone: false });
      const more = expectChange(planGpuChange(aView({ instances }), { '1c.3g.20gb': 3 }, anything));
      expect(more.drains, 'and not one that gets another').to.deep.equal([]);
    });

    it('plans around them as long as it can, and else names those in the way', () => {
      const busy = aViewed('1g.5gb@6*');
      const around = expectChange(planGpuChange(aView({ instances: [busy] }), { '1g.5gb': 1, '4g.20gb': 1 }, anything));
      expect([around.keep, around.drains]).to.deep.equal([[busy], []]);
      const refusal = expectRefused(
        planGpuChange(aView({ instances: [busy, aViewed('1g.5gb@0')] }), { '7g.40gb': 1 }, anything),
      );
      expect(refusal).to.deep.include({ code: 'InUse', inTheWay: [busy] });
      expect(refusal.message).to.include('1g.5gb at 6');
    });

    it('disturbs rather pods that may be evicted than those that may not', () => {
      const instances = [aViewed('1g.5gb@0*'), evictable('1g.5gb@4')];
      const change = expectChange(planGpuChange(aView({ instances }), { '3g.20gb': 1, '1g.5gb': 2 }, anything));
      expect(change.drains).to.deep.equal(instances.slice(1));
    });
  });

  describe('with instances that must not be touched', () => {
    const [foreign, own] = [aViewed('1g.5gb@0'), aViewed('1g.5gb@6')];
    const isOwn = ({ start }: { readonly start: number }): boolean => start === own.start;
    const view = aView({ instances: [foreign, own] });

    it('does not switch MIG off, and names them', () => {
      const refusal = expectRefused(planGpuChange(view, 'Disabled', isOwn));
      expect(refusal).to.deep.include({ code: 'Untouchable', inTheWay: [foreign] });
      expect(refusal.message).to.include('1g.5gb at 0').and.not.include('1g.5gb at 6');
    });

    it('plans around them as long as it can, and else names those in the way', () => {
      const around = expectChange(planGpuChange(view, { '1g.5gb': 1, '3g.20gb': 1 }, isOwn));
      expect(around.keep).to.deep.include(foreign);
      const refusal = expectRefused(planGpuChange(view, { '7g.40gb': 1 }, isOwn));
      expect(refusal).to.deep.include({ code: 'Untouchable', inTheWay: [foreign] });
      expect(refusal.message).to.include('1g.5gb at 0').and.not.include('1g.5gb at 6');
    });

    it('blames those in use if these are in the way as well', () => {
      const busy = aView({ instances: [foreign, aViewed('1g.5gb@6*')] });
      expect(expectRefused(planGpuChange(busy, { '7g.40gb': 1 }, isOwn)).code).to.equal('InUse');
    });
  });

  it('passes on why a layout does not fit', () => {
    expect(expectRefused(planGpuChange(aView(), { '3g.20gb': 3 }, anything)).code).to.equal('NotEnoughMemorySlices');
    const formerly = expectChange(planGpuChange(aView({ product: 'A100-SXM4-80GB' }), { '7g.79gb': 1 }, anything));
    expect(writePlaces(formerly.create), 'a former name').to.deep.equal(['7g.80gb@0']);
  });
});

describe('the reset of a GPU', () => {
  it('destroys everything, and recreates all that is wanted', () => {
    const instances = [aViewed('1g.5gb@0'), aViewed('3g.20gb@4')];
    const change = expectChange(planGpuReset(aView({ instances }), { '3g.20gb': 1 }, anything));
    expect(change).to.deep.include({ resets: true, mode: undefined, keep: [], destroy: instances, isDone: false });
    expect(writeSteps(change.steps)).to.deep.equal([
      'DestroyInstance 1g.5gb@0 [1g.5gb]',
      'DestroyInstance 3g.20gb@4 [3g.20gb]',
      'CreateInstance 3g.20gb@4 [3g.20gb]',
    ]);
    expect(writePlaces(change.create)).to.deep.equal(['3g.20gb@4']);
  });

  it('is no less a change where the GPU has no instances, and switches MIG on', () => {
    for (const mig of [off, { current: 'Disabled', pending: 'Enabled' } as const]) {
      const change = expectChange(planGpuReset(aView({ mig }), {}, anything));
      expect(change).to.deep.include({ resets: true, mode: 'Enable', steps: [], isDone: false });
    }
    const on = aView({ mig: { current: 'Enabled', pending: 'Disabled' } });
    expect(expectChange(planGpuReset(on, {}, anything)).mode).to.equal(undefined);
  });

  it('drains the whole GPU of pods that may be evicted', () => {
    const instances = [evictable('1g.5gb@0')];
    const change = expectChange(planGpuReset(aView({ instances, use: 'Evictable' }), { '1g.5gb': 1 }, anything));
    expect(change).to.deep.include({ drains: instances, drainsGpu: true });
  });

  it('waits for any use, and says what comes then', () => {
    const busy = aViewed('3g.20gb@4*');
    const refusal = expectRefused(planGpuReset(aView({ instances: [busy] }), {}, anything));
    expect(refusal).to.deep.include({ code: 'InUse', inTheWay: [busy] });
    expect(refusal.message).to.include('3g.20gb@4').and.include('reset');
    for (const use of ['Held', 'Processes'] as const)
      expect(expectRefused(planGpuReset(aView({ use }), {}, anything)), use).to.deep.include({
        code: 'InUse',
        inTheWay: [],
        message: 'the GPU is in use; it can change once that ends',
      });
  });

  it('touches nothing that must not be touched, and makes nothing that does not fit', () => {
    const instances = [aViewed('1g.5gb@0')];
    const refusal = expectRefused(planGpuReset(aView({ instances }), {}, nothing));
    expect(refusal).to.deep.include({ code: 'Untouchable', inTheWay: instances });
    expect(refusal.message).to.not.include('in use');
    expect(expectRefused(planGpuReset(aView(), { '3g.20gb': 3 }, anything)).code).to.equal('NotEnoughMemorySlices');
    expect(expectRefused(planGpuReset(aView({ mig: undefined }), {}, anything)).code).to.equal('NoMig');
  });
});

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

describe('the way back to how a GPU was', () => {
  const back = (
    now: readonly ViewedInstance[],
    before: readonly ViewedInstance[],
    isMade: (instance: ViewedInstance) => boolean = () => true,
  ): readonly string[] => writeSteps(planReturn(now, before, isMade));

  it('takes no step where nothing has changed', () => {
    const same = [aViewed('1g.5gb@0'), aViewed('3g.20gb@4', ['1c.3g.20gb', '1c.3g.20gb'])];
    expect(back(same, same)).to.deep.equal([]);
  });

  it('destroys what was made meanwhile, then creates what is missing, the largest first', () => {
    const before = [
      aViewed('1g.5gb@0', undefined, 1),
      aViewed('2g.10gb@2', undefined, 2),
      aViewed('3g.20gb@4', undefined, 4),
    ];
    expect(back([aViewed('7g.40gb@0')], before)).to.deep.equal([
      'DestroyInstance 7g.40gb@0 [7g.40gb]',
      'CreateInstance 3g.20gb@4 [3g.20gb]',
      'CreateInstance 2g.10gb@2 [2g.10gb]',
      'CreateInstance 1g.5gb@0 [1g.5gb]',
    ]);
  });

  it('takes an instance of the same profile at another start for another one', () => {
    expect(back([aViewed('3g.20gb@0')], [aViewed('3g.20gb@4')])).to.deep.equal([
      'DestroyInstance 3g.20gb@0 [3g.20gb]',
      'CreateInstance 3g.20gb@4 [3g.20gb]',
    ]);
  });

  it('leaves alone what others have made meanwhile', () => {
    const now = [aViewed('1g.5gb@0'), aViewed('1g.5gb@1')];
    expect(back(now, [], ({ start }) => start === 1)).to.deep.equal(['DestroyInstance 1g.5gb@1 [1g.5gb]']);
  });

  it('exchanges only those compute instances that differ, and frees their slices first', () => {
    const before = [aViewed('4g.20gb@0', ['1c.4g.20gb', '1c.4g.20gb', '2c.4g.20gb'])];
    const now = [aViewed('4g.20gb@0', ['1c.4g.20gb', '1c.4g.20gb', '1c.4g.20gb', '1c.4g.20gb']), aViewed('3g.20gb@4')];
    expect(
      back([aViewed('3g.20gb@0', ['1c.3g.20gb'])], [aViewed('3g.20gb@0', ['2c.3g.20gb', '1c.3g.20gb'])]),
    ).to.deep.equal(['CreateComputeInstances 3g.20gb@0 [2c.3g.20gb]']);
    expect(back(now, before)).to.deep.equal([
      'DestroyComputeInstances 4g.20gb@0 [1c.4g.20gb,1c.4g.20gb]',
      'DestroyInstance 3g.20gb@4 [3g.20gb]',
      'CreateComputeInstances 4g.20gb@0 [2c.4g.20gb]',
    ]);
  });

  it('makes the compute instances of an instance that it creates, the largest first', () => {
    expect(back([], [aViewed('3g.20gb@4', ['1c.3g.20gb', '2c.3g.20gb'])])).to.deep.equal([
      'CreateInstance 3g.20gb@4 [2c.3g.20gb,1c.3g.20gb]',
    ]);
    const emptied = [aViewed('3g.20gb@4', [])];
    expect(back(emptied, [aViewed('3g.20gb@4', ['1c.3g.20gb', '2c.3g.20gb'])])).to.deep.equal([
      'CreateComputeInstances 3g.20gb@4 [2c.3g.20gb,1c.3g.20gb]',
    ]);
  });
});

const create = (profile: string, start: number, computeInstances: readonly string[] = [profile]): Step => ({
  action: 'CreateInstance',
  profile,
  start,
  computeInstances,
});
const destroy = (profile: string, start: number): Step => ({ ...create(profile, start), action: 'DestroyInstance' });
const cut = (start: number, computeInstance: string): Step => ({
  action: 'DestroyComputeInstances',
  profile: '3g.20gb',
  start,
  computeInstances: [computeInstance],
});

describe('steps that one command does', () => {
  const starts = (...steps: readonly Step[]): readonly (readonly number[])[] =>
    batchSteps(steps).map((batch) => batch.map(({ start }) => start));

  it('are destroys in a row, whatever the profile', () => {
    expect(starts(destroy('1g.5gb', 0), destroy('3g.20gb', 4), destroy('1g.5gb', 1))).to.deep.equal([[0, 4, 1]]);
  });

  it('are creates in a row with the compute instance over the whole, and those with none', () => {
    expect(starts(create('3g.20gb', 4), create('1g.5gb', 0))).to.deep.equal([[4, 0]]);
    expect(starts(create('3g.20gb', 4, []), create('1g.5gb', 0, []))).to.deep.equal([[4, 0]]);
    expect(starts(create('3g.20gb', 4, []), create('1g.5gb', 0))).to.deep.equal([[4], [0]]);
  });

  it('are never creates with parts of an instance, as each part is made alone', () => {
    const part = ['1c.3g.20gb'];
    expect(starts(create('3g.20gb', 4, part), create('3g.20gb', 0))).to.deep.equal([[4], [0]]);
    expect(starts(create('3g.20gb', 4), create('3g.20gb', 0, part))).to.deep.equal([[4], [0]]);
    const twice = ['3g.20gb', '3g.20gb'];
    expect(starts(create('3g.20gb', 4, twice), create('3g.20gb', 0, twice))).to.deep.equal([[4], [0]]);
  });

  it('are never of two kinds, nor of the compute instances of two instances', () => {
    expect(starts(destroy('1g.5gb', 0), create('1g.5gb', 1), destroy('1g.5gb', 2))).to.deep.equal([[0], [1], [2]]);
    for (const name of ['1c.3g.20gb', '3g.20gb'])
      expect(starts(cut(0, name), cut(4, name)), name).to.deep.equal([[0], [4]]);
  });

  it('do not exist where there are no steps', () => {
    expect(batchSteps([])).to.deep.equal([]);
  });
});
