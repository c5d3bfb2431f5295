import { expect } from 'chai';
import type { PolicyLayout } from '../../../src/api/types.ts';
import { findModel } from '../../../src/core/gpu/geometry/model-lookup.ts';
import { MODELS } from '../../../src/core/gpu/geometry/models.ts';
import { judgeLayouts, nameModel } from '../../../src/core/policy/layout-verdict.ts';

describe('the models that an entry can match', () => {
  const matched = (...layouts: readonly PolicyLayout[]) =>
    judgeLayouts(layouts).map(({ verdicts }) => verdicts.map(({ model }) => model.id));
  const whole = (gpus?: PolicyLayout['gpus']): PolicyLayout => ({ ...(gpus && { gpus }), mig: 'Disabled' });

  it('are those of any of its globs, and of any of its device ids', () => {
    expect(matched(whole({ models: ['A30', 'A100-SXM4-40GB'] }))[0]).to.have.members(['a30-24gb', 'a100-40gb']);
    const named = MODELS.flatMap(({ id, products }) => products.map(({ pciDeviceId }) => [id, pciDeviceId] as const));
    for (const [id, pciDeviceId] of named)
      if (pciDeviceId !== undefined)
        expect(matched(whole({ pciDeviceIds: ['0xFFFF10DE', pciDeviceId] }))[0]).to.include(id);
  });

  it('have boards whose names are not published: by their device ids, and behind an entry by name', () => {
    for (const model of MODELS) {
      const { id, unnamedPciDeviceIds = [] } = model;
      for (const pciDeviceId of unnamedPciDeviceIds) {
        expect(matched(whole({ pciDeviceIds: [pciDeviceId] }))[0]).to.deep.equal([id]);
        expect(matched(whole({ models: [id], pciDeviceIds: [pciDeviceId] }))[0]).to.deep.equal([id]);
      }
      const [, behind = []] = matched(whole({ models: [id] }), whole());
      expect(behind.includes(id), id).to.equal(unnamedPciDeviceIds.length > 0);
    }
  });

  it('have names by which each of them is found', () => {
    for (const model of MODELS) expect(findModel(nameModel(model))?.id).to.equal(model.id);
    expect(MODELS.filter((model) => nameModel(model) !== model.id)).to.not.be.empty;
  });
});
