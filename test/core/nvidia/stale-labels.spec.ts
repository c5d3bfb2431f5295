import { expect } from 'chai';

import { describeStaleLabels, staleLabels } from '../../../src/core/nvidia/feature-discovery/stale-labels.ts';
import { changesWithLayout, isGfdLabelKey, migProfileOfLabelKey } from '../../../src/core/nvidia/labels/label-key.ts';
import type { Labels } from '../../../src/core/nvidia/labels/label-value.ts';
import { MIG_STRATEGIES } from '../../../src/core/nvidia/labels/mig-strategy.ts';
import { parseNodeDescription } from '../../../src/cli/input/node-description-parser.ts';
import type { GpuDescription, NodeDescription } from '../../../src/core/nvidia/labels/node-description.ts';
import { computeLabels } from '../../../src/core/nvidia/labels/node-labels.ts';
import { readRealDump, readVectors } from './label-fixtures.ts';
import { aGpu, aMigGpu, aNode, SLICES, times } from './node-builder.ts';

const nodes = readVectors().map(({ node }) => {
  const parsed = parseNodeDescription(node);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.node;
});

/** The GPUs of a node in every state that the vectors have for such GPUs, and MIG off, and empty. */
function listLayouts(node: NodeDescription): readonly NodeDescription[] {
  const models = node.gpus.map(({ name }) => name).join();
  const recorded = nodes.filter(({ gpus }) => gpus.map(({ name }) => name).join() === models);
  const made = (change: Partial<GpuDescription>) => ({
    ...node,
    gpus: node.gpus.map((gpu) => ({ ...gpu, ...change })),
  });
  const isCapable = node.gpus.every(({ migCapable }) => migCapable);
  // A recording of the same model may be of another machine: only what the GPUs have become is taken from it.
  const states = recorded.map(({ gpus }) => ({
    ...node,
    gpus: node.gpus.map((gpu, index) => ({
      ...gpu,
      migEnabled: gpus[index]?.migEnabled ?? false,
      migDevices: gpus[index]?.migDevices ?? [],
    })),
  }));
  return [
    ...states,
    made({ migEnabled: false, migDevices: [] }),
    ...(isCapable ? [made({ migEnabled: true, migDevices: [] })] : []),
  ];
}

function listDifferingKeys(sets: readonly Labels[]): readonly string[] {
  const keys = new Set(sets.flatMap((labels) => Object.keys(labels)));
  return [...keys].filter((key) => new Set(sets.map((labels) => labels[key])).size > 1);
}

const withoutProfile = (key: string): string => key.replace(`-${migProfileOfLabelKey(key)}.`, '-P.');

describe('the keys that tell of a layout', () => {
  it('are exactly those that differ between layouts of the same GPUs, by the strategies', () => {
    const differing = nodes
      .filter(({ gpus }) => gpus.length > 0)
      .flatMap((node) => {
        const layouts = listLayouts(node);
        return listDifferingKeys(
          MIG_STRATEGIES.flatMap((strategy) => layouts.map((layout) => computeLabels(layout, strategy).labels)),
        );
      });
    const engines = ['copy', 'decoder', 'encoder', 'jpeg', 'ofa'].map((engine) => `engines.${engine}`);
    const slices = ['memory', 'multiprocessors', 'slices.gi', 'slices.ci', ...engines];
    const suffixes = ['product', 'count', 'replicas', 'sharing-strategy', ...slices];
    const table = ['gpu', 'mig-P'].flatMap((resource) => suffixes.map((suffix) => `nvidia.com/${resource}.${suffix}`));
    expect([...new Set(differing.map(withoutProfile))]).to.have.members(['nvidia.com/mig.strategy', ...table]);
    expect(differing.filter((key) => !changesWithLayout(key))).to.deep.equal([]);
    expect(table.filter((key) => !changesWithLayout(key.replace('-P', '-1g.5gb')))).to.deep.equal([]);
  });

  it('are no others of GPU Feature Discovery’s', () => {
    const keys = new Set(nodes.flatMap((node) => Object.keys(computeLabels(node, 'mixed').labels)));
    const lasting = [...keys].filter((key) => isGfdLabelKey(key) && !changesWithLayout(key));
    for (const node of nodes) {
      const sets = listLayouts(node).map((layout) => computeLabels(layout, 'mixed').labels);
      expect(listDifferingKeys(sets).filter((key) => lasting.includes(key))).to.deep.equal([]);
    }
  });
});

describe('labels that GPU Feature Discovery has not brought up to date', () => {
  const before = aNode([aMigGpu(times(7, SLICES['1g'])), aMigGpu(times(3, SLICES['2g']))]);
  const after = aNode([aMigGpu(times(7, SLICES['1g'])), aMigGpu([])]);
  const labelsOf = (node: NodeDescription) => computeLabels(node, 'mixed');
  const aLabelledNode = (labels: Labels, owned: readonly string[] = Object.keys(labels)) => ({
    labels,
    annotations: { 'nfd.node.kubernetes.io/feature-labels': owned.join(',') },
  });

  it('do not exist if all labels are as predicted', () => {
    expect(staleLabels(aLabelledNode(labelsOf(after).labels), labelsOf(after))).to.deep.equal([]);
  });

  it('are those of the layout that differ or are missing', () => {
    const node = aNode([aMigGpu(times(2, SLICES['3g']))]);
    const stale = staleLabels(aLabelledNode(labelsOf(aNode([aGpu()])).labels), labelsOf(node));
    expect(stale).to.deep.include({ key: 'nvidia.com/gpu.replicas', wanted: '0' });
    expect(stale).to.deep.include({ key: 'nvidia.com/mig-3g.20gb.count', wanted: '2' });
    expect(stale.every(({ key }) => changesWithLayout(key))).to.equal(true);
  });

  it('do not include labels that this version of it does not write, of a kind that no layout changes', () => {
    const { labels } = labelsOf(after);
    const older = Object.entries(labels).filter(([key]) => !/vgpu\.present|gpu\.mode|mps\.capable|version/.test(key));
    const odd = { ...Object.fromEntries(older), 'nvidia.com/gpu.family': 'undefined', 'nvidia.com/gpu.machine': 'x' };
    expect(staleLabels(aLabelledNode(odd), labelsOf(after))).to.deep.equal([]);
  });

  it('do not include labels that this version of it does not write of any resource', () => {
    // GFD before v0.15 has no sharing-strategy; before that it had no replicas.
    const { labels } = labelsOf(after);
    const older = Object.fromEntries(Object.entries(labels).filter(([key]) => !/sharing-strategy|replicas/.test(key)));
    expect(staleLabels(aLabelledNode(older), labelsOf(after))).to.deep.equal([]);
    const some = { ...older, 'nvidia.com/mig-2g.10gb.replicas': '1' };
    expect(staleLabels(aLabelledNode(some, []), labelsOf(after))).to.deep.equal([
      { key: 'nvidia.com/mig-1g.5gb.replicas', wanted: '1' },
    ]);
  });

  it('do not exist on a real node of an old version with the right layout', () => {
    const dump = readRealDump('a100-40gb-mixed-1g2g3g-driver450');
    const keys = staleLabels(aLabelledNode(dump), labelsOf(aNode([]))).map(({ key }) => key);
    // Without GPUs GFD writes none of them: all have to go, so all are known.
    expect(keys).to.have.members(Object.keys(dump).filter(changesWithLayout));
    const devices = [SLICES['1g'], SLICES['2g'], SLICES['3g']];
    const { labels, ...rest } = labelsOf(aNode([aMigGpu(devices, { name: 'A100-SXM4-40GB', memoryMiB: 40537 })]));
    // That version called 3g.20gb 3g.21gb.
    const named = Object.entries(labels).map(([key, value]) => [
      key.replace('mig-3g.20gb', 'mig-3g.21gb'),
      value.replace('3g.20gb', '3g.21gb'),
    ]);
    expect(staleLabels(aLabelledNode(dump), { ...rest, labels: Object.fromEntries(named) as Labels })).to.deep.equal(
      [],
    );
  });

  it('are those of slices that are gone too, which it takes away, and nobody else’s', () => {
    const left = { ...labelsOf(after).labels, 'nvidia.com/mig-2g.10gb.count': '3', 'nvidia.com/mig-mine': 'x' };
    expect(staleLabels(aLabelledNode(left), labelsOf(after))).to.deep.equal([
      { key: 'nvidia.com/mig-2g.10gb.count', wanted: undefined },
    ]);
    // What NFD does not own it does not take away either: waiting for that would never end.
    expect(staleLabels(aLabelledNode(left, []), labelsOf(after))).to.deep.equal([]);
  });

  it('are seen where the slices of one GPU went and those of another stay', () => {
    const keys = staleLabels(aLabelledNode(labelsOf(before).labels), labelsOf(after)).map(({ key }) => key);
    expect(new Set(keys.map(migProfileOfLabelKey))).to.deep.equal(new Set(['2g.10gb']));
  });

  it('do not exist where chance decides between models', () => {
    const mixed = aNode([aGpu(), aGpu({ name: 'NVIDIA A30', memoryMiB: 24576 })]);
    const predicted = labelsOf(mixed);
    const other = { ...predicted.labels, 'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-40GB' };
    expect(staleLabels(aLabelledNode(other), predicted)).to.deep.equal([]);
  });

  it('do not exist if it writes no labels at all', () => {
    const failed = { labels: {}, undetermined: {}, errors: labelsOf({ ...after, driverVersion: '?' }).errors };
    expect(failed.errors).to.have.length(1);
    expect(staleLabels(aLabelledNode(labelsOf(before).labels), failed)).to.deep.equal([]);
  });

  it('are named, the first three and how many more', () => {
    const stale = staleLabels(aLabelledNode(labelsOf(before).labels), labelsOf(aNode([aMigGpu([SLICES['3g']])])));
    expect(describeStaleLabels(stale)).to.match(/^nvidia\.com\/gpu\.count should be 1, .+ and \d+ more$/);
    expect(describeStaleLabels([{ key: 'a', wanted: undefined }])).to.equal('a should be gone');
  });
});
