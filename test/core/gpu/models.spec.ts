import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Engines } from '../../../src/core/gpu/geometry/geometry.ts';
import { toProductLabel } from '../../../src/core/gpu/geometry/model-lookup.ts';
import { MODELS, type GpuModel } from '../../../src/core/gpu/geometry/models.ts';
import { deriveEngineTotals } from '../../../src/core/gpu/geometry/profile-lookup.ts';
import { SOURCES } from '../../../src/core/gpu/geometry/sources.ts';

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
