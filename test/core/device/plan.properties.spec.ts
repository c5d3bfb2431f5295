import { expect } from 'chai';
import fc from 'fast-check';
import type { DeviceReport, GpuReport, GpuWish, InstanceReport, PlanReport, Wish } from '../../../src/api/types.ts';
import { type Layout, findModel, type GpuModel, MODELS } from '../../../src/core/gpu/geometry.ts';
import { listDisturbed, planGpu } from '../../../src/core/gpu/plan.ts';
import { placeOf } from '../../../src/core/gpu/grid.ts';
import { planDrained, planWish } from '../../../src/core/device/plan.ts';
import { aDevice, aGpu, uuidOf } from '../../support/builders.ts';
import { anInstance, expectPlan, modelOf } from '../gpu/builders.ts';
import { listPlacedStates, multisetOf, parseMultiset, writeMultiset } from '../gpu/placed-states.ts';
import { StrictGpu } from '../gpu/simulated-gpu.ts';

/** Names its model only, so that a counterexample stays readable. */
interface Scene {
  readonly product: string;
  readonly gpu: GpuReport;
  readonly want: Layout;
}

/** Every model whose placements are known, by the product name that finds it. */
const products = MODELS.flatMap(({ products: [first] }) => first?.name ?? []).filter(
  (name) => (findModel(name)?.profiles.flatMap(({ starts }) => starts).length ?? 0) > 0,
);

/** Its driver supports MIG on every model. */
const aNewDevice = (gpu: GpuReport): DeviceReport => ({ ...aDevice(gpu), driverVersion: '595.58.03' });

const draws = fc.array(fc.nat(1000), { minLength: 12, maxLength: 12 });
const somePods = fc.subarray(['team/a', 'team/b', 'team/c', 'team/d'], { maxLength: 2 });

/** A pod may hold several slices, and a process may run on them; on the GPU itself, too. */
const aScene: fc.Arbitrary<Scene> = fc
  .record({
    product: fc.constantFrom(...products),
    have: draws,
    want: draws,
    pods: fc.array(somePods, { minLength: 12, maxLength: 12 }),
    busy: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
    whole: fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, somePods),
    isOff: fc.boolean(),
  })
  .map(({ product, have, want, pods, busy, whole, isOff }) => {
    const slices = fill(modelNamed(product), have);
    const gpu = isOff && slices.length < 3 ? aGpu({ product }) : aGpu({ product, slices });
    const instances = gpu.instances.map((one, index) => ({
      ...one,
      ...hold(pods[index] ?? [], busy[index] === true && (pods[index]?.length ?? 0) > 0),
    }));
    return {
      product,
      gpu: { ...gpu, ...hold(whole, false), instances },
      want: parseMultiset(multisetOf(fill(modelNamed(product), want))),
    };
  });

function hold(pods: readonly string[], busy: boolean): Pick<InstanceReport, 'busy' | 'pods'> {
  return { ...(busy || pods.length > 0 ? { busy: true } : {}), ...(pods.length > 0 ? { pods } : {}) };
}

function modelNamed(product: string): GpuModel {
  return modelOf(product);
}

/** Plain slices that have room beside one another, as they are drawn. */
function fill({ profiles, computeSlices }: GpuModel, picks: readonly number[]): readonly string[] {
  const plain = profiles.filter(({ name }) => /^\dg\.\d+gb$/.test(name));
  const places = plain.flatMap((profile) => profile.starts.map((start) => ({ profile, start })));
  const taken: typeof places = [];
  for (const pick of picks) {
    const place = places[pick % places.length];
    if (!place) continue;
    const { profile, start } = place;
    const overlaps = taken.some(
      (one) => start < one.start + one.profile.memorySlices && one.start < start + profile.memorySlices,
    );
    const compute = taken.reduce((sum, one) => sum + one.profile.computeSlices, profile.computeSlices);
    const same = taken.filter((one) => one.profile === profile).length;
    if (!overlaps && compute <= computeSlices && same < profile.maxInstances) taken.push(place);
  }
  return taken.map(({ profile, start }) => `${profile.name}@${start}`);
}

function wishOf({ want }: Scene): Wish {
  return { gpus: [{ uuid: uuidOf(0), ...(Object.keys(want).length > 0 ? { profiles: want } : { mig: 'Disabled' }) }] };
}

/** The GPU without these pods; processes of theirs may be left. */
function leave({ pods, ...gpu }: GpuReport, gone: readonly string[], left: readonly boolean[]): GpuReport {
  const stay = (names: readonly string[] = []): readonly string[] => names.filter((name) => !gone.includes(name));
  return {
    ...withoutUse(gpu),
    ...hold(stay(pods), false),
    instances: gpu.instances.map(({ pods: names, ...one }, index) => ({
      ...withoutUse(one),
      ...hold(stay(names), one.busy === true && left[index] === true),
    })),
  };
}

function withoutUse<Used extends { readonly busy?: boolean }>({ busy: _busy, ...rest }: Used): Omit<Used, 'busy'> {
  return rest;
}

function drainOf({ hash, drains = [], affectedPods = [] }: PlanReport) {
  const pods = affectedPods.map((pod) => ({ namespace: 'team', name: pod.slice(5), uid: pod }));
  return { planHash: hash, places: [...drains], pods };
}

describe('any plan that pods are in the way of', () => {
  it('is that of the same GPU with what pods hold free to go, only that it is spared where there is a choice', () => {
    fc.assert(
      fc.property(aScene, (scene) => {
        const { gpu } = scene;
        const wish = wishOf(scene);
        const { work, report } = planWish(aNewDevice(gpu), wish);
        expect(report).to.not.have.property('refusal');
        if (work.length === 0) return;
        const isHeld = gpu.pods !== undefined;
        const have = gpu.instances.map((one) => anInstance(`${placeOf(one)}${isHeld || one.pods ? '*' : ''}`));
        const [{ steps } = { steps: [] }] = work;
        if (wish.gpus[0]?.mig !== 'Disabled') {
          expect(steps).to.deep.equal(expectPlan(planGpu(modelNamed(scene.product), have, scene.want)).steps);
        }
        const gone = new Set(listDisturbed(steps).map(placeOf));
        const used = gpu.instances.filter((one) => gone.has(placeOf(one)) && (isHeld || one.pods));
        const places = [...(isHeld ? [gpu.uuid] : []), ...used.map((one) => `${gpu.uuid} ${placeOf(one)}`)];
        expect(report.drains ?? []).to.deep.equal(places.toSorted());
        const pods = [...(gpu.pods ?? []), ...used.flatMap((one) => one.pods ?? [])];
        expect(report.affectedPods ?? []).to.deep.equal([...new Set(pods)].toSorted());
      }),
      { numRuns: 600 },
    );
  });

  it('can be done step by step when they have gone, and never touches a slice that stays', () => {
    fc.assert(
      fc.property(aScene, (scene) => {
        const { work } = planWish(aNewDevice(scene.gpu), wishOf(scene));
        const have = scene.gpu.instances.map((one) => anInstance(placeOf(one)));
        const gpu = new StrictGpu(modelNamed(scene.product), have);
        const [{ steps } = { steps: [] }] = work;
        const gone = new Set(listDisturbed(steps).map(placeOf));
        const kept = have.filter((one) => !gone.has(placeOf(one))).map((one) => `${placeOf(one)}[${one.profile}]`);
        for (const step of steps) {
          gpu.execute(step);
          expect(gpu.state).to.include.members(kept);
        }
        const wanted = work.length === 0 ? have.map(placeOf) : gpu.state.map((text) => text.replace(/\[.*/, ''));
        expect(multisetOf(wanted)).to.equal(writeMultiset(scene.want));
      }),
      { numRuns: 300 },
    );
  });

  it('stays the same plan, whichever of its pods have gone and whichever processes they left', () => {
    const leaving = fc.tuple(fc.subarray([0, 1, 2, 3]), fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }));
    fc.assert(
      fc.property(aScene, leaving, (scene, [which, left]) => {
        const wish = wishOf(scene);
        const device = aNewDevice(scene.gpu);
        const made = planWish(device, wish);
        const { affectedPods = [] } = made.report;
        const marks = { drain: drainOf(made.report), basis: { plan: made.report, device } };
        const gone = which.flatMap((index) => affectedPods[index] ?? []);
        const now = aNewDevice(leave(scene.gpu, gone, left));
        // What the others left is theirs: no process of theirs is alone.
        fc.pre(marks.drain.pods.length > 0 && isExplained(now, device, gone));
        expect(planDrained(now, wish, marks, new Map(), new Map())).to.deep.equal(made);
      }),
      { numRuns: 600 },
    );
  });

  it('spares a slice on which a process runs that no pod explains, and is refused only where there is no such way', () => {
    const subjects = ['a100-40gb', 'a30'].map((name) => {
      const model = modelOf(name);
      const states = listPlacedStates(model, plainNames(model));
      return { product: model.products[0]?.name ?? '', states, byMultiset: Map.groupBy(states, multisetOf) };
    });
    const scenes = fc.constantFrom(...subjects).chain(({ product, states, byMultiset }) =>
      fc.record({
        product: fc.constant(product),
        state: fc.constantFrom(...states),
        multiset: fc.constantFrom(...byMultiset.keys()),
        results: fc.constant(byMultiset),
        use: fc.array(fc.constantFrom('', 'Pod', 'Process'), { minLength: 12, maxLength: 12 }),
      }),
    );
    fc.assert(
      fc.property(scenes, ({ product, state, multiset, results, use }) => {
        const ends = state.map((placed, index) => ({ placed, use: use[index] ?? '' }));
        const gpu = aGpu({ product, slices: state });
        const instances = gpu.instances.map((one) => {
          const how = ends.find(({ placed }) => placed === placeOf(one))?.use;
          return { ...one, ...hold(how === 'Pod' ? [`team/on-${one.start}`] : [], how === 'Process') };
        });
        const wish: GpuWish = { uuid: uuidOf(0), profiles: parseMultiset(multiset) };
        const { report, work } = planWish(aNewDevice({ ...gpu, instances }), { gpus: [wish] });
        const stuck = ends.filter((one) => one.use === 'Process').map(({ placed }) => placed);
        const held = ends.filter((one) => one.use === 'Pod').map(({ placed }) => placed);
        const ways = (results.get(multiset) ?? []).filter((way) => stuck.every((placed) => way.includes(placed)));
        expect(report.refusalCode).to.equal(ways.length === 0 ? 'InUse' : undefined);
        if (ways.length === 0) {
          expect([work, report.drains, report.affectedPods]).to.deep.equal([[], undefined, undefined]);
          return;
        }
        const costs = ways.map((way) => [held, state].map((all) => all.filter((one) => !way.includes(one)).length));
        const [best] = costs.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d);
        expect([report.drains?.length ?? 0, report.destroy]).to.deep.equal(best);
      }),
      { numRuns: 400 },
    );
  });
});

function plainNames({ profiles }: GpuModel): readonly string[] {
  return profiles.map(({ name }) => name).filter((name) => /^\dg\.\d+gb$/.test(name));
}

/** True if every slice that is in use without a pod was held by one of those that have gone. */
function isExplained(now: DeviceReport, before: DeviceReport, gone: readonly string[]): boolean {
  const [gpu] = now.gpus ?? [];
  const [was] = before.gpus ?? [];
  return (gpu?.instances ?? []).every(
    (one, index) => !one.busy || one.pods || was?.instances[index]?.pods?.some((pod) => gone.includes(pod)),
  );
}
