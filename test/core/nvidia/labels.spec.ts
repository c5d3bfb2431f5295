import { expect } from 'chai';
import fc from 'fast-check';
import {
  changesWithLayout,
  isGfdLabelKey,
  migProfileOfLabelKey,
  dropInvalidLabels,
  invalidLabels,
  type Labels,
  MIG_STRATEGIES,
  type GpuDescription,
  type NodeDescription,
  computeLabels,
} from '../../../src/core/nvidia/labels.ts';
import {
  describeStaleLabels,
  diffLabels,
  handOver,
  nfdOwnedLabelKeys,
  staleLabels,
  writerModeOf,
  type WriterEvidence,
} from '../../../src/core/node/rules/labels.ts';
import { readVectors, readRealDump } from './label-fixtures.ts';
import { toProductLabel } from '../../../src/core/gpu/geometry.ts';
import { aMigDevice, aMigGpu, aNode, aGpu, SLICES, times } from './node-builder.ts';
import { parseNodeDescription } from '../../../src/cli/commands/labels.ts';

const OURS = [
  'nvidia.com/gpu.product',
  'nvidia.com/gpu.count',
  'nvidia.com/mig.strategy',
  'nvidia.com/mig-1g.5gb.count',
  'nvidia.com/mig-1g.5gb.me.count',
  'gpupartition.dev/state',
];
const FOREIGN = [
  'kubernetes.io/hostname',
  'nvidia.com/gpu.present',
  'nvidia.com/gpu.deploy.dcgm',
  'nvidia.com/mig.config',
  'nvidia.com/mig.config.state',
  'nvidia.com/device-plugin.config',
  'nvidia.com/gfd.timestamp',
  '__proto__x',
];
const VALUE = fc.constantFrom('', '1', '7', 'true');
const CURRENT = fc.dictionary(fc.constantFrom(...OURS, ...FOREIGN), VALUE);
const WANTED = fc.dictionary(fc.constantFrom(...OURS), VALUE);
const MANAGED = fc.array(fc.constantFrom(...OURS, ...FOREIGN));

describe('diffLabels', () => {
  it('makes the wanted labels true, removes what we wrote before, leaves the rest, and then has nothing to do', () => {
    fc.assert(
      fc.property(CURRENT, MANAGED, WANTED, (current, managed, wanted) => {
        const change = diffLabels(current, managed, wanted);
        const after = apply(current, change);
        for (const key of OURS) {
          const left = managed.includes(key) ? undefined : current[key];
          expect(after[key], key).to.equal(wanted[key] ?? left);
        }
        for (const key of FOREIGN) expect(after[key], key).to.equal(current[key]);
        expect(Object.entries(change.set).filter(([key, value]) => current[key] === value)).to.deep.equal([]);
        const again = diffLabels(after, managed, wanted);
        expect([again.set, again.remove]).to.deep.equal([{}, []]);
      }),
    );
  });

  it('removes the keys of a profile that is gone and keeps those of a profile whose name begins alike', () => {
    const current = { 'nvidia.com/mig-1g.10gb.count': '2', 'nvidia.com/mig-1g.10gb.me.count': '1' };
    const wanted = { 'nvidia.com/mig-1g.10gb.me.count': '1' };
    expect(diffLabels(current, Object.keys(current), wanted)).to.deep.equal({
      set: {},
      remove: ['nvidia.com/mig-1g.10gb.count'],
    });
  });

  it('leaves keys of other owners alone even if the list of managed keys names them', () => {
    const current = { 'nvidia.com/gpu.present': 'true', 'kubernetes.io/hostname': 'n1' };
    const change = diffLabels(current, Object.keys(current), { 'nvidia.com/mig.config': 'all-1g.5gb' });
    expect(change).to.deep.equal({
      set: {},
      remove: [],
    });
  });
});

describe('nfdOwnedLabelKeys', () => {
  it('reads the lists of all NFD instances and completes short names', () => {
    const annotations = {
      'nfd.node.kubernetes.io/feature-labels': 'cpu-model.id,nvidia.com/gpu.count',
      'gpu.nfd.node.kubernetes.io/feature-labels': 'nvidia.com/gpu.product, ',
      'nfd.node.kubernetes.io/extended-resources': 'example.com/x',
    };
    expect([...nfdOwnedLabelKeys(annotations)]).to.deep.equal([
      'feature.node.kubernetes.io/cpu-model.id',
      'nvidia.com/gpu.count',
      'nvidia.com/gpu.product',
    ]);
  });
});

function apply(
  current: Readonly<Record<string, string>>,
  change: { readonly set: Readonly<Record<string, string>>; readonly remove: readonly string[] },
): Readonly<Record<string, string>> {
  const kept = Object.entries(current).filter(([key]) => !change.remove.includes(key));
  return { ...Object.fromEntries(kept), ...change.set };
}

const FOREIGNOfLabelKey = [
  'nvidia.com/gpu.present',
  'nvidia.com/gpu.deploy.device-plugin',
  'nvidia.com/gpu.deploy.operands',
  'nvidia.com/gpu.workload.config',
  'nvidia.com/gpu-driver-upgrade-state',
  'nvidia.com/mig.config',
  'nvidia.com/mig.config.state',
  'nvidia.com/device-plugin.config',
  'nvidia.com/mig-mine.count',
  'nvidia.com/mig-1g.5gb.colour',
  'nvidia.com/mig-1g.5gb',
  'kubernetes.io/hostname',
  'example.com/gpu.product',
  'constructor',
];

describe('keys of labels', () => {
  it('knows every key in every vector as one of GFD', () => {
    const keys = readVectors().flatMap(({ expected }) => Object.keys(expected.labels ?? {}));
    expect(keys.filter((key) => !isGfdLabelKey(key))).to.deep.equal([]);
    expect(new Set(keys).size).to.be.greaterThan(80);
  });

  it('knows keys that only some versions or nodes have', () => {
    const rare = [
      'gfd.timestamp',
      'gpu.clique',
      'gpu.imex-domain',
      'vgpu.host-driver-version',
      'vgpu.host-driver-branch',
    ];
    expect(rare.filter((name) => !isGfdLabelKey(`nvidia.com/${name}`))).to.deep.equal([]);
  });

  for (const key of FOREIGNOfLabelKey) {
    it(`leaves ${key} to its owner`, () => {
      expect(isGfdLabelKey(key)).to.equal(false);
      expect(changesWithLayout(key)).to.equal(false);
    });
  }

  it('reads the profile from the end of the key', () => {
    const profileOf = (rest: string) => migProfileOfLabelKey(`nvidia.com/mig-${rest}`);
    expect(profileOf('1g.10gb.count')).to.equal('1g.10gb');
    expect(profileOf('1g.10gb.me.count')).to.equal('1g.10gb.me');
    expect(profileOf('1g.24gb.me.all.engines.copy')).to.equal('1g.24gb.me.all');
    expect(profileOf('2g.48gb-me.sharing-strategy')).to.equal('2g.48gb-me');
    expect(profileOf('1c.3g.20gb.slices.gi')).to.equal('1c.3g.20gb');
    expect(migProfileOfLabelKey('nvidia.com/mig.strategy')).to.equal(undefined);
  });

  it('knows which keys a new layout may change', () => {
    const changing = ['gpu.product', 'gpu.count', 'gpu.slices.ci', 'mig.strategy', 'mig-1g.5gb.me.count'];
    expect(changing.filter((name) => !changesWithLayout(`nvidia.com/${name}`))).to.deep.equal([]);
    const lasting = ['gpu.family', 'gpu.machine', 'gpu.present', 'mig.capable', 'cuda.driver.major'];
    expect(lasting.filter((name) => changesWithLayout(`nvidia.com/${name}`))).to.deep.equal([]);
  });
});

describe('values of labels', () => {
  it('drops what a label may not hold and joins words with one dash', () => {
    expect(toProductLabel('NVIDIA H100 80GB HBM3')).to.equal('NVIDIA-H100-80GB-HBM3');
    expect(toProductLabel(' GeForce (TM)  RTX/2080\tTi ')).to.equal('GeForce-TM-RTX2080Ti');
  });

  it('takes the longest known product, and predicts that NFD drops it once it is shared', () => {
    const sharing = {
      strategy: 'time-slicing',
      renameByDefault: false,
      failRequestsGreaterThanOne: false,
      resources: [{ name: 'nvidia.com/gpu', replicas: 2 }],
    } as const;
    const device = aMigDevice('1g.24gb+me.all', 24064, 47, [1, 4, 4, 4, 1]);
    const node = aNode([aMigGpu([device], { name: 'NVIDIA RTX PRO 6000 Blackwell Server Edition' })]);
    const alone = computeLabels(node, 'single').labels;
    expect(alone['nvidia.com/gpu.product']).to.have.length(63);
    expect(invalidLabels(alone)).to.deep.equal([]);
    const shared = computeLabels(node, 'single', { sharing }).labels;
    const kept = dropInvalidLabels(shared);
    expect(invalidLabels(shared)).to.deep.equal([
      {
        key: 'nvidia.com/gpu.product',
        value: 'NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition-MIG-1g.24gb.me.all-SHARED',
        reason: 'the value has 70 characters, Kubernetes allows 63',
      },
    ]);
    expect(kept).not.to.have.property('nvidia.com/gpu.product');
    expect(kept).to.have.property('nvidia.com/gpu.count', '1');
  });

  it('reports values and keys of wrong form', () => {
    const labels = { 'nvidia.com/gpu.machine': 'PowerEdge-', 'nvidia.com/mig-1g.5gb+me.count': '1', good: '' };
    expect(invalidLabels(labels).map(({ key }) => key)).to.deep.equal([
      'nvidia.com/gpu.machine',
      'nvidia.com/mig-1g.5gb+me.count',
    ]);
  });
});

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

const managed = 'gpupartition.dev/managed-labels';
const nfd = 'nfd.node.kubernetes.io/feature-labels';

function modeOf(part: Partial<WriterEvidence>): string {
  return writerModeOf({ labels: {}, annotations: {}, before: undefined, ...part });
}

describe('the writer mode of a node', () => {
  it('is Patch where nothing tells of GPU Feature Discovery', () => {
    expect(modeOf({})).to.equal('Patch');
    expect(modeOf({ before: 'Patch' })).to.equal('Patch');
    expect(modeOf({ labels: { 'nvidia.com/gpu.count': '1' } })).to.equal('Patch');
  });

  it('is Verify where GFD has left its timestamp', () => {
    expect(modeOf({ labels: { 'nvidia.com/gfd.timestamp': '1700000000' }, before: 'Patch' })).to.equal('Verify');
  });

  it('is Verify where NFD owns a key of GFD, under an instance name too', () => {
    expect(modeOf({ annotations: { [nfd]: 'cpu-model.id,nvidia.com/gpu.product' } })).to.equal('Verify');
    expect(modeOf({ annotations: { [`gpu.${nfd}`]: 'nvidia.com/mig-1g.5gb.count' } })).to.equal('Verify');
  });

  it('is Patch where NFD owns other keys alone', () => {
    expect(modeOf({ annotations: { [nfd]: 'pci-10de.present,nvidia.com/gpu.present' } })).to.equal('Patch');
  });

  it('stays Verify when GFD vanishes', () => {
    expect(modeOf({ before: 'Verify' })).to.equal('Verify');
  });
});

describe('handing the labels over to GFD', () => {
  const labels = {
    'nvidia.com/gpu.count': '1',
    'nvidia.com/gpu.product': 'A100',
    'nvidia.com/mig-1g.5gb.count': '7',
    'nvidia.com/mig-2g.10gb.count': '1',
    'nvidia.com/gpu.machine': 'theirs',
  };

  it('drops the note and those of our keys that GFD is not going to write; the values of the others stay', () => {
    const annotations = { [managed]: 'gpu.count,gpu.product,mig-1g.5gb.count,mig-2g.10gb.count' };
    const predicted = ['nvidia.com/gpu.count', 'nvidia.com/gpu.product', 'nvidia.com/mig-1g.5gb.count'];
    expect(handOver({ labels, annotations, taints: [] }, predicted)).to.deep.equal({
      labels: { 'nvidia.com/mig-2g.10gb.count': undefined },
      annotations: { [managed]: undefined },
    });
  });

  it('leaves keys that NFD owns by now, and keys that were never ours', () => {
    const annotations = { [managed]: 'mig-1g.5gb.count,mig-2g.10gb.count', [nfd]: 'nvidia.com/mig-2g.10gb.count' };
    expect(handOver({ labels, annotations, taints: [] }, []).labels).to.deep.equal({
      'nvidia.com/mig-1g.5gb.count': undefined,
    });
  });

  it('removes no key that cannot be ours, even if the note names it', () => {
    const annotations = { [managed]: 'gfd.timestamp,gpu.present,gpu.deploy.dcgm' };
    const all = {
      'nvidia.com/gfd.timestamp': '1',
      'nvidia.com/gpu.present': 'true',
      'nvidia.com/gpu.deploy.dcgm': 'true',
    };
    expect(handOver({ labels: all, annotations, taints: [] }, []).labels).to.deep.equal({});
  });

  it('does not change if we never wrote a label', () => {
    expect(handOver({ labels, annotations: {}, taints: [] }, [])).to.deep.equal({});
  });
});
