import { expect } from 'chai';
import fc from 'fast-check';

import { computeResources } from '../../../src/core/nvidia/resources/node-resources.ts';
import { explainOffer } from '../../../src/core/nvidia/resources/offer.ts';
import type { Offer, OfferedResources } from '../../../src/core/nvidia/resources/offer.ts';
import { aMigGpu, aNode, SLICES, times } from './node-builder.ts';

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
