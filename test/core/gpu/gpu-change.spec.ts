import { expect } from 'chai';
import {
  type ChangeRefusal,
  type GpuChange,
  type GpuChangeResult,
  planGpuChange,
} from '../../../src/core/gpu/plan/gpu-change.ts';
import type { GpuView, ViewedInstance } from '../../../src/core/gpu/plan/gpu-view.ts';
import { planGpuReset } from '../../../src/core/gpu/plan/reset-plan.ts';
import { aView, aViewed, writePlaces, writeSteps } from './builders.ts';

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
