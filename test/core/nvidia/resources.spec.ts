import { expect } from 'chai';
import { offersDevices, computeResources, findUnusedSharing } from '../../../src/core/nvidia/predict.ts';
import {
  advertisedResources,
  advertises,
  explainOffer,
  type Offer,
  type OfferedResources,
} from '../../../src/core/node/offer.ts';
import type { MigStrategy, GpuDescription } from '../../../src/core/nvidia/labels.ts';
import type { Sharing, SharingStrategy } from '../../../src/core/nvidia/plugin-config.ts';
import { aGpu, aMigGpu, aNode, SLICES, times } from './node-builder.ts';
import fc from 'fast-check';

const devices = { 'nvidia.com/mig-1g.5gb': 7 };

describe('what a node advertises', () => {
  it('is counted as Kubernetes counts, which writes a thousand as 1k', () => {
    expect(advertises({ 'nvidia.com/gpu': '1k' }, { 'nvidia.com/gpu': 1000 })).to.equal(true);
    expect(advertises({ 'nvidia.com/gpu': '1k' }, { 'nvidia.com/gpu': 1 })).to.equal(false);
    expect(advertisedResources({ 'nvidia.com/gpu': '2e3', 'nvidia.com/mig-1g.5gb': '1M' })).to.deep.equal({
      'nvidia.com/gpu': 2000,
      'nvidia.com/mig-1g.5gb': 1e6,
    });
  });

  it('has no resource of which there is nothing, however that is written', () => {
    expect(advertisedResources({ 'nvidia.com/gpu': '0k', 'nvidia.com/gpu.shared': '0' })).to.deep.equal({});
  });

  it('is not what is wanted where it cannot be read', () => {
    expect(advertises({ 'nvidia.com/gpu': '' }, {})).to.equal(false);
  });
});

describe('offersDevices', () => {
  it('is true of exactly these devices, and of them shared', () => {
    expect(offersDevices(devices, devices)).to.equal(true);
    expect(offersDevices({ 'nvidia.com/mig-1g.5gb': 28 }, devices)).to.equal(true);
    expect(offersDevices({ 'nvidia.com/mig-1g.5gb.shared': 14 }, devices)).to.equal(true);
  });

  it('takes an amount of 0 for none', () => {
    expect(offersDevices({ ...devices, 'nvidia.com/gpu': 0 }, devices)).to.equal(true);
    expect(offersDevices({}, { 'nvidia.com/gpu': 0 })).to.equal(true);
  });

  it('looks at GPUs alone: other resources may be of GPUs too, by another plugin', () => {
    expect(offersDevices({ ...devices, 'k8s.amazonaws.com/vgpu': 10 }, devices)).to.equal(true);
  });

  it('is false of fewer, of others, and of others beside them', () => {
    expect(offersDevices({ 'nvidia.com/mig-1g.5gb': 6 }, devices)).to.equal(false);
    expect(offersDevices({ 'nvidia.com/gpu': 7 }, devices)).to.equal(false);
    expect(offersDevices({ ...devices, 'nvidia.com/gpu': 1 }, devices)).to.equal(false);
    expect(offersDevices({}, devices)).to.equal(false);
  });
});

const SEVEN = times(7, SLICES['1g']);

describe('computeResources', () => {
  it('hands out GPUs in MIG mode as whole GPUs under strategy none, empty ones too', () => {
    expect(resources('none', [aMigGpu([]), aMigGpu(SEVEN), aGpu()])).to.deep.equal({ 'nvidia.com/gpu': 3 });
  });

  it('hands out nothing for an empty GPU under mixed, and writes + as a dot', () => {
    const gpus = [aMigGpu([]), aMigGpu([SLICES['1g+me'], SLICES['1g']]), aGpu()];
    expect(resources('mixed', gpus)).to.deep.equal({
      'nvidia.com/gpu': 1,
      'nvidia.com/mig-1g.5gb': 1,
      'nvidia.com/mig-1g.5gb.me': 1,
    });
  });

  it('gives a shared resource its suffix if the config asks for it', () => {
    const sharing = share('time-slicing', { 'nvidia.com/gpu': 4 }, true);
    expect(resources('single', [aMigGpu(SEVEN)], sharing)).to.deep.equal({ 'nvidia.com/gpu.shared': 28 });
    expect(resources('mixed', [aMigGpu(SEVEN)], sharing)).to.deep.equal({ 'nvidia.com/mig-1g.5gb': 7 });
  });

  it('names the GPU that is in MIG mode and empty under single, before any other fault', () => {
    expect(failure('single', [aGpu(), aMigGpu(SEVEN), aMigGpu([])])).to.equal(
      'failed to construct resource managers: error building device map: error building device map from ' +
        'config.resources: invalid MIG configuration: at least one device with migEnabled=true was not configured ' +
        'correctly: error visiting device: device 2 has no MIG devices configured',
    );
  });

  it('blames different slices before whole GPUs among them under single', () => {
    expect(failure('single', [aGpu(), aMigGpu([SLICES['1g'], SLICES['2g']])])).to.match(
      /more than one MIG device type/,
    );
  });

  it('fails as a whole on a part of a GPU instance under mixed, and takes it under single', () => {
    const gpus = [aGpu(), aMigGpu(times(3, SLICES['1c.3g']))];
    expect(failure('mixed', gpus)).to.match(/: MIG profile '1c\.3g\.20gb' does not match any resource patterns$/);
    expect(resources('single', gpus.slice(1))).to.deep.equal({ 'nvidia.com/gpu': 3 });
  });

  it('refuses MPS under mixed even without slices or GPUs', () => {
    const sharing = share('mps', { 'nvidia.com/gpu': 4 });
    const text = 'unable to validate flags: using --mig-strategy=mixed is not supported with MPS';
    expect(failure('mixed', [aGpu()], sharing)).to.equal(text);
    expect(failure('mixed', [], sharing)).to.equal(text);
  });

  it('refuses MPS on slices under single and allows it on whole GPUs', () => {
    const sharing = share('mps', { 'nvidia.com/gpu': 4 });
    expect(failure('single', [aMigGpu(SEVEN)], sharing)).to.equal(
      'failed to create plugin: sharing using MPS is not supported for MIG devices',
    );
    expect(resources('single', [aGpu()], sharing)).to.deep.equal({ 'nvidia.com/gpu': 4 });
  });

  it('says with every error what to do', () => {
    const { errors } = computeResources(aNode([aMigGpu([])]), 'single');
    expect(errors.map(({ advice }) => advice)).to.deep.equal([
      'Create MIG devices on GPU 0, or disable MIG on it and on all others.',
    ]);
  });
});

describe('findUnusedSharing', () => {
  it('finds a share of whole GPUs on a node that only has slices', () => {
    const sharing = share('time-slicing', { 'nvidia.com/gpu': 4, 'nvidia.com/mig-1g.5gb': 2 });
    expect(findUnusedSharing(aNode([aMigGpu(SEVEN)]), 'mixed', { sharing })).to.deep.equal(['nvidia.com/gpu']);
    expect(findUnusedSharing(aNode([aMigGpu(SEVEN)]), 'single', { sharing })).to.deep.equal(['nvidia.com/mig-1g.5gb']);
  });
});

function resources(strategy: MigStrategy, gpus: readonly GpuDescription[], sharing?: Sharing) {
  const outcome = computeResources(aNode(gpus), strategy, sharing === undefined ? {} : { sharing });
  expect(outcome.errors).to.deep.equal([]);
  return outcome.resources;
}

function failure(strategy: MigStrategy, gpus: readonly GpuDescription[], sharing?: Sharing) {
  const outcome = computeResources(aNode(gpus), strategy, sharing === undefined ? {} : { sharing });
  expect(outcome.resources).to.deep.equal({});
  return outcome.errors[0]?.message;
}

function share(
  strategy: SharingStrategy,
  replicas: Readonly<Record<string, number>>,
  renameByDefault = false,
): Sharing {
  return {
    strategy,
    renameByDefault,
    failRequestsGreaterThanOne: strategy === 'mps',
    resources: Object.entries(replicas).map(([name, count]) => ({ name, replicas: count })),
  };
}

type Counts = Readonly<Record<string, number>>;

const slice = 'nvidia.com/mig-1g.5gb';
const large = 'nvidia.com/mig-3g.20gb';

/** A node that shows these amounts, and whose kubelet says the same. */
function aNodeOffering(counts: Counts, more: Partial<OfferedResources> = {}): OfferedResources {
  const allocatable = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, `${count}`]));
  return { allocatable, advertised: { resources: { ...counts }, stale: 0 }, labels: {}, ...more };
}

function sharingOf(offer: Offer): readonly string[] {
  if (offer.kind !== 'Shared' && offer.kind !== 'Multiples') return [offer.kind];
  const { sharing } = offer;
  const rename = sharing.renameByDefault ? ' renamed' : '';
  return [offer.kind, ...sharing.resources.map(({ name, replicas }) => `${name} by ${replicas}${rename}`)];
}

describe('what a node advertises, by its devices', () => {
  it('is each device once', () => {
    expect(explainOffer(aNodeOffering({ [slice]: 7, [large]: 0 }), { [slice]: 7 })).to.deep.equal({ kind: 'Exact' });
    expect(explainOffer(aNodeOffering({}), {})).to.deep.equal({ kind: 'Exact' });
    expect(explainOffer(aNodeOffering({ 'nvidia.com/hostdev': 4 }), {})).to.deep.equal({ kind: 'Exact' });
  });

  it('is nothing', () => {
    expect(explainOffer(aNodeOffering({ [slice]: 0 }), { [slice]: 7 })).to.deep.equal({ kind: 'Nothing' });
  });

  it('is each device several times, by settings of the administrator', () => {
    expect(sharingOf(explainOffer(aNodeOffering({ [slice]: 28 }), { [slice]: 7 }))).to.deep.equal([
      'Shared',
      `${slice} by 4`,
    ]);
    expect(
      sharingOf(explainOffer(aNodeOffering({ [slice]: 8, [large]: 1 }), { [slice]: 2, [large]: 1 })),
    ).to.deep.equal(['Shared', `${slice} by 4`]);
    expect(
      sharingOf(explainOffer(aNodeOffering({ [`${slice}.shared`]: 8, [large]: 1 }), { [slice]: 2, [large]: 1 })),
    ).to.deep.equal(['Shared', `${slice} by 4 renamed`]);
  });

  it('is counted as quantities', () => {
    const node = { allocatable: { [slice]: '7k' }, advertised: { resources: { [slice]: 7000 }, stale: 0 }, labels: {} };
    expect(sharingOf(explainOffer(node, { [slice]: 7 }))).to.deep.equal(['Shared', `${slice} by 1000`]);
  });

  it('is shared by MPS if the node is labelled so', () => {
    const labels = { 'nvidia.com/mps.capable': 'true' };
    const offer = explainOffer(aNodeOffering({ 'nvidia.com/gpu': 16 }, { labels }), { 'nvidia.com/gpu': 4 });
    expect(offer).to.deep.include({ kind: 'Shared' });
    expect(offer.kind === 'Shared' && offer.sharing.strategy).to.equal('mps');
  });

  for (const [what, counts, expected] of [
    ['fewer devices', { [slice]: 6 }, { [slice]: 7 }],
    ['no whole number of times', { [slice]: 10 }, { [slice]: 7 }],
    ['a device too few', { [slice]: 14 }, { [slice]: 7, [large]: 1 }],
    ['another beside them', { [slice]: 14, [large]: 1 }, { [slice]: 7 }],
    ['others', { [large]: 2 }, { [slice]: 7 }],
    ['a new name for devices that are not shared', { [`${slice}.shared`]: 7 }, { [slice]: 7 }],
    ['both names', { [slice]: 7, [`${slice}.shared`]: 14 }, { [slice]: 7 }],
    ['one renamed and one not', { [slice]: 14, [`${large}.shared`]: 2 }, { [slice]: 7, [large]: 1 }],
    ['something where nothing is', { [slice]: 7 }, {}],
  ] as const) {
    it(`is not explained by sharing: ${what}`, () => {
      expect(explainOffer(aNodeOffering(counts), expected)).to.deep.equal({ kind: 'Other' });
    });
  }

  describe('where seven of before might be one of now, shared by seven', () => {
    const counts = { [slice]: 7 };
    const expected = { [slice]: 1 };

    it('is of before where the kubelet offers devices that are gone', () => {
      const advertised = { resources: counts, stale: 6 };
      expect(explainOffer(aNodeOffering(counts, { advertised }), expected)).to.deep.equal({ kind: 'Other' });
    });

    it('is of before where the kubelet says something else by now', () => {
      const advertised = { resources: expected, stale: 0 };
      expect(explainOffer(aNodeOffering(counts, { advertised }), expected)).to.deep.equal({ kind: 'Other' });
    });

    it('is not known where the kubelet cannot be asked', () => {
      expect(explainOffer(aNodeOffering(counts, { advertised: undefined }), expected).kind).to.equal('Multiples');
    });
  });

  it('is explained so that the device plugin’s own rules make the same of it', () => {
    const node = aNode([
      aMigGpu([...times(2, SLICES['1g']), SLICES['2g'], SLICES['3g']]),
      aMigGpu(times(7, SLICES['1g'])),
    ]);
    const { resources: expected } = computeResources(node, 'mixed');
    const names = Object.keys(expected);
    const replicas = fc.array(fc.integer({ min: 1, max: 10 }), { minLength: names.length, maxLength: names.length });
    fc.assert(
      fc.property(replicas, fc.boolean(), (factors, renameByDefault) => {
        const resources = names
          .map((name, i) => ({ name, replicas: factors[i] ?? 1 }))
          .filter((one) => one.replicas > 1);
        const sharing = {
          strategy: 'time-slicing',
          renameByDefault,
          failRequestsGreaterThanOne: false,
          resources,
        } as const;
        const shared = computeResources(node, 'mixed', { sharing }).resources;
        const offer = explainOffer(aNodeOffering(shared), expected);
        if (resources.length === 0) expect(offer).to.deep.equal({ kind: 'Exact' });
        else expect(offer).to.deep.equal({ kind: 'Shared', sharing });
      }),
    );
  });
});
