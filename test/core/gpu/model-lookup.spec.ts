import { expect } from 'chai';
import { findModel, matchesModelGlob, toProductLabel } from '../../../src/core/gpu/geometry/model-lookup.ts';
import { MODELS } from '../../../src/core/gpu/geometry/models.ts';

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
