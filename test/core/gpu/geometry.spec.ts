import { expect } from 'chai';
import fc from 'fast-check';
import {
  matchesGlob,
  findModel,
  hasNoMig,
  matchesModelGlob,
  toProductLabel,
  MODELS,
  type Engines,
  type GpuModel,
  SOURCES,
} from '../../../src/core/gpu/geometry.ts';
import { readFileSync } from 'node:fs';
import { deriveEngineTotals } from '../../../src/core/gpu/profiles.ts';

describe('globs', () => {
  it('match what a regular expression of the same meaning matches', () => {
    const aText = fc.string({ unit: fc.constantFrom('a', 'B', '-', '.'), maxLength: 6 });
    const aGlob = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', '*', '?'), maxLength: 6 });
    fc.assert(
      fc.property(aGlob, aText, (glob, text) => {
        const pattern = glob.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
        expect(matchesGlob(glob, text)).to.equal(new RegExp(`^${pattern}$`, 'i').test(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('answer a glob of many stars at once', function () {
    this.timeout(1000);
    expect(matchesGlob(`${'*a'.repeat(30)}b`, 'a'.repeat(200))).to.equal(false);
  });
});

/** A product name or PCI id under which two models hide; the first is the one that a name finds. */
const SHARED_BOARDS = new Map([
  ['gb300-station-251gb', 'gb300-278gb'],
  ['rtx-pro-5000-48gb-r580', 'rtx-pro-5000-48gb'],
]);

describe('looking up a GPU model', () => {
  it('finds every model by its id, in any case', () => {
    for (const { id } of MODELS) {
      expect(findModel(id)?.id).to.equal(id);
      expect(findModel(id.toUpperCase())?.id).to.equal(id);
    }
  });

  it('finds every product by its name, its label, its older name and its PCI id', () => {
    for (const { id, products, unnamedPciDeviceIds = [] } of MODELS) {
      const expected = SHARED_BOARDS.get(id) ?? id;
      const names = products.flatMap(({ name, pciDeviceId, uncertain }) => [
        name,
        toProductLabel(name),
        ...(uncertain === true ? [] : [name.replace('NVIDIA ', '')]),
        ...(pciDeviceId === undefined ? [] : [pciDeviceId]),
      ]);
      for (const name of [...names, ...unnamedPciDeviceIds]) expect(findModel(name)?.id, name).to.equal(expected);
    }
  });

  for (const [text, id] of [
    ['NVIDIA-A100-SXM4-40GB-MIG-1g.5gb', 'a100-40gb'],
    ['NVIDIA-A100-SXM4-40GB-MIG-1g.5gb.me-SHARED', 'a100-40gb'],
    ['A100-SXM4-40GB-MIG-INVALID', 'a100-40gb'],
    ['NVIDIA-H200-SHARED', 'h200-141gb'],
    ['NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition-MIG-1g.24gb.me.all', 'rtx-pro-6000-96gb'],
    ['20B0', 'a100-40gb'],
    ['10de:2335', 'h200-141gb'],
    ['0x233010DE', 'h100-80gb-sxm'],
    ['H200', 'h200-141gb'],
    ['rtx pro 6000', 'rtx-pro-6000-96gb'],
    ['H100-SXM5-80GB', 'h100-80gb-sxm'],
    ['h100-96gb', 'gh200-96gb'],
    ['GB300', 'gb300-278gb'],
  ] as const) {
    it(`takes "${text}" for ${id}`, () => {
      expect(findModel(text)?.id).to.equal(id);
    });
  }

  it('answers a name that several models share if their profiles have the same names', () => {
    expect(findModel('h100-80gb')?.id).to.equal('h100-80gb-sxm');
  });

  for (const text of ['A100', 'H100', 'GH200', 'T4', 'A10', 'NVIDIA L40S', '0x1FB010DE', '', '   '])
    it(`finds nothing for "${text}"`, () => {
      expect(findModel(text)).to.equal(undefined);
    });

  it('knows products without MIG by their names in any form, and takes none of the table for one', () => {
    const without =
      'A2, a10, A10G, NVIDIA A10G-SHARED, NVIDIA-A16, A40, NVIDIA A40-48Q, L4, L20, L40, NVIDIA L40S, T4, Tesla T4, T4G, V100, ' +
      'Tesla V100-SXM2-16GB, V100S-PCIE-32GB, P100, Tesla P40, Tesla K80, M60, RTX 4090, NVIDIA GeForce RTX 3090, ' +
      'Quadro RTX 8000, NVIDIA RTX A6000, NVIDIA RTX 6000 Ada Generation, NVIDIA TITAN V, NVIDIA GB10, NVIDIA T1000 8GB';
    for (const name of without.split(', ')) expect(hasNoMig(name), name).to.equal(true);
    for (const { id, products } of MODELS)
      for (const name of [id, ...products.map((product) => product.name)]) expect(hasNoMig(name), name).to.equal(false);
    for (const name of ['A100', 'A30X', 'A200', 'L400', 'GB100', 'RTX PRO 2000', 'MI300X', '0x1EB810DE', ''])
      expect(hasNoMig(name), name).to.equal(false);
  });

  it('keeps the guess about the 64 GB H100 to the full name that its driver prints', () => {
    expect(findModel('NVIDIA H100')?.id).to.equal('h100-64gb');
  });
});

describe('the models selector of a policy', () => {
  for (const [glob, product] of [
    ['A100-*-40GB', 'NVIDIA A100-SXM4-40GB'],
    ['a100-*-40gb', 'NVIDIA-A100-PCIE-40GB-MIG-1g.5gb'],
    ['a100-40gb', 'NVIDIA A100-SXM4-40GB'],
    ['H100-*', 'NVIDIA H100 80GB HBM3'],
    ['H?00*', 'NVIDIA H200'],
    ['*', 'NVIDIA A30'],
    ['*-MIG-1g.5gb', 'NVIDIA-A100-SXM4-40GB-MIG-1g.5gb'],
    ['A100-SXM4-40GB', 'A100-SXM4-40GB'],
    ['H100 80GB HBM3', 'NVIDIA H100 80GB HBM3'],
    ['RTX PRO 6000 *', 'NVIDIA RTX PRO 6000 Blackwell Server Edition'],
  ] as const)
    it(`${glob} meets ${product}`, () => {
      expect(matchesModelGlob(glob, { product })).to.equal(true);
    });

  for (const [glob, product] of [
    ['A100-*-80GB', 'NVIDIA A100-SXM4-40GB'],
    ['A100', 'NVIDIA A100-SXM4-40GB'],
    ['H100.*', 'NVIDIA H100 80GB HBM3'],
    ['', 'NVIDIA A30'],
  ] as const)
    it(`${glob || '(nothing)'} does not meet ${product}`, () => {
      expect(matchesModelGlob(glob, { product })).to.equal(false);
    });

  it('matches on a model id that the caller knows, whatever the product says', () => {
    expect(matchesModelGlob('gb300-station*', { product: 'NVIDIA GB300', modelId: 'gb300-station-251gb' })).to.equal(
      true,
    );
  });
});

/** A profile in the columns of the fixture. */
type ProfileRow = readonly [
  name: string,
  role: string,
  id: number | null,
  computeSlices: number,
  memorySlices: number | null,
  starts: readonly number[],
  maxInstances: number,
  engines: readonly number[],
  memoryMiB: number | null,
  multiprocessors: number | null,
  formerNames: readonly string[],
  inferred: readonly string[],
];

interface Facts {
  readonly chip: string;
  readonly family: string;
  readonly computeSlices: number;
  readonly memorySlices: number;
  readonly memoryMiB: number | null;
  readonly multiprocessors: number | null;
  readonly resetToChangeMode: boolean;
  readonly modeSurvivesReboot: boolean;
  readonly minDriver: string | null;
  readonly engines: readonly number[] | null;
  readonly confidence: string;
  readonly sources: readonly string[];
  readonly products: readonly (readonly [name: string, label: string, pci: string, old: readonly string[]])[];
  readonly profiles: readonly ProfileRow[];
}

const fixture: { readonly models: Readonly<Record<string, Facts>> } = JSON.parse(
  readFileSync(new URL('../../fixtures/geometry/models.json', import.meta.url), 'utf8'),
);
const factsOf = Object.entries(fixture.models);

describe('the table of GPU models', () => {
  it('has the models of the facts and no other', () => {
    expect(MODELS.map(({ id }) => id)).to.have.members(Object.keys(fixture.models));
  });

  for (const [id, fact] of factsOf) {
    const model = MODELS.find((candidate) => candidate.id === id);

    it(`states for ${id} what the facts state of the board`, () => {
      expect(model && writeBoard(model)).to.deep.equal(readBoard(fact));
    });

    it(`states for ${id} what the facts state of each profile, in the order of -lgip`, () => {
      expect(model?.profiles.map((profile) => writeProfile(profile))).to.deep.equal(fact.profiles.map(readProfile));
    });
  }

  it('names only sources that it explains', () => {
    for (const { sources } of MODELS) for (const source of sources) expect(SOURCES[source]).to.be.a('string');
  });

  it('derives the engines of a whole GPU from its largest profile as the facts state them', () => {
    for (const { engines, profiles } of MODELS)
      if (engines !== undefined) expect(deriveEngineTotals(profiles)).to.deep.equal(engines);
  });
});

function writeBoard(model: GpuModel): object {
  return {
    chip: model.chip,
    architecture: model.architecture,
    computeSlices: model.computeSlices,
    memorySlices: model.memorySlices,
    memoryMiB: model.memoryMiB ?? null,
    multiprocessors: model.multiprocessors ?? null,
    resetToChangeMode: model.resetToChangeMode,
    modeSurvivesReboot: model.modeSurvivesReboot,
    minDriver: model.minDriver ?? null,
    engines: model.engines === undefined ? null : listEngines(model.engines),
    confidence: model.confidence,
    sources: model.sources,
    products: model.products.map(({ name, pciDeviceId }) => [name, toProductLabel(name), pciDeviceId ?? null]),
    unnamedPciDeviceIds: model.unnamedPciDeviceIds ?? [],
  };
}

function readBoard(fact: Facts): object {
  const { products } = fact;
  // A name in brackets stands for none: the facts have only the PCI id of such a board.
  const named = products.filter(([name]) => !name.startsWith('('));
  return {
    chip: fact.chip,
    architecture: fact.family.split('-')[0],
    computeSlices: fact.computeSlices,
    memorySlices: fact.memorySlices,
    // Thor has no memory of its own: the facts say 0, the table nothing.
    memoryMiB: fact.memoryMiB || null,
    multiprocessors: fact.multiprocessors,
    resetToChangeMode: fact.resetToChangeMode,
    modeSurvivesReboot: fact.modeSurvivesReboot,
    minDriver: fact.minDriver,
    engines: fact.engines,
    confidence: fact.confidence,
    sources: fact.sources,
    products: named.map(([name, label, pci]) => [name, label, pci.includes('-') ? null : pci]),
    unnamedPciDeviceIds: products.filter(([name]) => name.startsWith('(')).map(([, , pci]) => pci),
  };
}

function writeProfile(profile: GpuModel['profiles'][number]): object {
  return {
    name: profile.name,
    id: profile.id ?? null,
    computeSlices: profile.computeSlices,
    memorySlices: profile.memorySlices,
    starts: profile.starts,
    maxInstances: profile.maxInstances,
    engines: listEngines(profile.engines),
    memoryMiB: profile.memoryMiB ?? null,
    multiprocessors: profile.multiprocessors ?? null,
    formerNames: profile.formerNames ?? [],
    inferred: profile.inferred,
  };
}

function readProfile(row: ProfileRow): object {
  const [name, , id, compute, memory, starts, max, engines, memoryMiB, multiprocessors, formerNames, inferred] = row;
  return {
    name,
    id,
    computeSlices: compute,
    memorySlices: memory ?? 0,
    starts,
    maxInstances: max,
    engines,
    memoryMiB: memoryMiB || null,
    multiprocessors,
    formerNames,
    inferred,
  };
}

function listEngines({ copy, decoder, encoder, jpeg, ofa }: Engines): readonly number[] {
  return [copy, decoder, encoder, jpeg, ofa];
}
