import { expect } from 'chai';
import fc from 'fast-check';
import type { GpuPartitionPolicy, GpuReport, PolicyLayout } from '../../../src/api/types.ts';
import { explainPod } from '../../../src/core/explain/pod.ts';
import { applyEdit } from '../../../src/core/explain/suggestions.ts';
import { enumerateLayouts } from '../../../src/core/gpu/layouts.ts';
import { fitLayout } from '../../../src/core/gpu/layouts.ts';
import { checkPolicy } from '../../../src/core/policy/check.ts';
import { foreignOn } from '../../../src/core/device/grants.ts';
import { planWish } from '../../../src/core/device/plan.ts';
import { resolveNode } from '../../../src/core/policy/resolve-node.ts';
import { planChange, someSetup } from '../plan/cluster-builder.ts';
import { modelOf } from '../gpu/builders.ts';
import { aGpu, aPolicy } from '../../support/builders.ts';
import { aCluster, aPod, type StoryNode } from '../kubernetes/cluster-builder.ts';

/** Mostly one model, so that most policies and pods are about GPUs that are there. */
const usual = modelOf('a100-40gb');
const models = [usual, usual, usual, usual, usual, modelOf('a30-24gb'), modelOf('h100-80gb-sxm')];
const resources = usual.profiles.map(({ name }) => `nvidia.com/mig-${name.replace('+', '.')}`);

/** A GPU that is cut by some layout, of whose slices some are in use, by pods or by processes. */
const someGpu = fc
  .record({
    model: fc.constantFrom(...models),
    at: fc.nat(),
    use: fc.array(fc.constantFrom('', 'pod', 'process'), { minLength: 8, maxLength: 8 }),
    isSliced: fc.boolean(),
    isForeign: fc.boolean(),
  })
  .map(({ model, at, use, isSliced, isForeign }) => {
    const layouts = enumerateLayouts(model);
    const fit = fitLayout(model, layouts[at % layouts.length] ?? {});
    const placements = fit.fits ? (fit.placements ?? []) : [];
    const product = model.products[0]?.name ?? '';
    const gpu = aGpu({
      product,
      ...(isSliced && { slices: placements.map(({ profile, start }) => `${profile}@${start}`) }),
    });
    const instances = gpu.instances.map((one, index) => ({
      ...one,
      ...(use[index] === 'process' && { busy: true }),
      ...(use[index] === 'pod' && { busy: true, pods: [`team/p${index}`] }),
    }));
    return { gpu: { ...gpu, instances }, isForeign };
  });

const someEntry = fc
  .record({ model: fc.constantFrom(...models), at: fc.nat(), mode: fc.constantFrom('profiles', 'off', 'glob') })
  .map(({ model, at, mode }): PolicyLayout => {
    const layouts = enumerateLayouts(model);
    if (mode === 'off') return { mig: 'Disabled' };
    const profiles = layouts[at % layouts.length] ?? {};
    const glob = model.products[0]?.name.replace('NVIDIA ', '') ?? '*';
    return mode === 'glob' ? { gpus: { models: [glob] }, profiles } : { profiles };
  });

describe('what explain suggests @slow', () => {
  it('is never an edit of a policy that rules or planner refuse, on any node of the policy', function () {
    let edits = 0;
    fc.assert(
      fc.property(
        fc.array(fc.array(someGpu, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        fc.array(someEntry, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(...resources),
        fc.integer({ min: 1, max: 3 }),
        (fleet, layouts, resource, amount) => {
          const policy = aPolicy({ layouts });
          const nodes = fleet.map((gpus, at): StoryNode => ({
            name: `n${at}`,
            policy,
            gpus: gpus.map(({ gpu }, index): GpuReport => ({ ...gpu, index, uuid: `GPU-${at}-${index}` })),
          }));
          const facts = withForeign(
            aCluster(nodes),
            new Set(fleet.flatMap((gpus, at) => (gpus.some(({ isForeign }) => isForeign) ? [`n${at}`] : []))),
          );
          const { suggestions } = explainPod(aPod({ asks: { [resource]: String(amount) } }), facts);
          for (const one of suggestions) {
            if (one.kind !== 'EditPolicy') continue;
            edits += 1;
            const spec = applyEdit(policy.spec, one);
            expect(checkPolicy(spec)).to.equal(undefined);
            expect(listRefusals(facts, { ...policy, spec })).to.deep.equal([]);
            for (const {
              spec: { wish },
              status,
            } of facts.partitions) {
              const device = status?.device ?? {};
              const resolved = resolveNode(spec, device, wish);
              if ('refusal' in resolved) throw new Error(resolved.refusal.message);
              const foreign = foreignOn({ ...device, bootID: '' });
              const { report } = planWish(device, resolved.wish, foreign);
              expect(report.refusalCode, report.refusal).to.equal(undefined);
              expect(one.evicts).to.include.members([...(report.affectedPods ?? [])]);
            }
          }
        },
      ),
      { numRuns: 400 },
    );
    expect(edits).to.be.above(10);
  });
});

/** What `gpu-partition plan` finds wrong with the edited policy itself, whoever has to go for it. */
function listRefusals(facts: ReturnType<typeof aCluster>, policy: GpuPartitionPolicy): readonly string[] {
  const { nodes, partitions, policies } = facts;
  const cluster = { now: 0, nodes, partitions, policies, pods: [], budgets: [] };
  return planChange(cluster, [policy], someSetup)
    .findings.filter(({ code }) => ['PolicyInvalid', 'PolicyNotAccepted', 'NodeRefused'].includes(code))
    .map(({ message }) => message);
}

/** On these nodes nothing is ours. */
function withForeign(facts: ReturnType<typeof aCluster>, names: ReadonlySet<string>): ReturnType<typeof aCluster> {
  const partitions = facts.partitions.map((partition) => {
    if (!names.has(partition.metadata.name)) return partition;
    const { lastGood: _none, ...device } = partition.status?.device ?? {};
    return { ...partition, status: { ...partition.status, device } };
  });
  return { ...facts, partitions };
}
