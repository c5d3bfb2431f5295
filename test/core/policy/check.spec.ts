import { expect } from 'chai';
import { checkPolicy, fullSupport, judgeLayouts, nameModel } from '../../../src/core/policy/check.ts';
import { aPolicy } from '../../support/builders.ts';
import type { PolicyLayout } from '../../../src/api/types.ts';
import { findModel, MODELS } from '../../../src/core/gpu/geometry.ts';

describe('checkPolicy', () => {
  it('accepts a layout that some model can take', () => {
    expect(checkPolicy(aPolicy().spec)).to.equal(undefined);
  });

  it('refuses an unreadable window, by its place', () => {
    const windows = [{ schedule: '0 22 * * *', duration: '6h', timeZone: 'Mars/Olympus' }];
    const refusal = checkPolicy(aPolicy({ rollout: { windows } }).spec);
    expect(refusal?.reason).to.equal('BadWindow');
    expect(refusal?.message).to.match(/^spec\.rollout\.windows\[0\]: .*Mars\/Olympus/);
    const readable = { schedule: '0 22 * * *', duration: '6h', timeZone: 'Europe/Berlin' };
    const schedules = [{ ...readable, name: 'night', layouts: [{ mig: 'Disabled' as const }] }];
    expect(checkPolicy(aPolicy({ rollout: { windows: [readable] }, schedules }).spec)).to.equal(undefined);
  });

  it('refuses a layout that no model it can meet could take, with the nearest that fit', () => {
    const refusal = checkPolicy(
      aPolicy({ layouts: [{ gpus: { models: ['A100-SXM4-40GB'] }, profiles: { '3g.20gb': 3 } }] }).spec,
    );
    expect(refusal?.reason).to.equal('DoesNotFit');
    expect(refusal?.message).to.match(/spec\.layouts\[0\].*12 of 8 memory slices/);
    for (const models of [['a100-40gb'], ['A100-SXM4-40GB', 'A30']])
      expect(
        checkPolicy(aPolicy({ layouts: [{ gpus: { models }, profiles: { '3g.20gb': 3 } }] }).spec),
        models.join(),
      ).to.include({ reason: 'DoesNotFit' });
  });

  it('leaves to the nodes what only some models can take, and globs of unknown models', () => {
    expect(checkPolicy(aPolicy({ layouts: [{ profiles: { '1g.6gb': 4 } }] }).spec)).to.equal(undefined);
    expect(
      checkPolicy(aPolicy({ layouts: [{ gpus: { models: ['X9000'] }, profiles: { '1g.99gb': 4 } }] }).spec),
    ).to.equal(undefined);
  });

  it('tells models apart that share a product name', () => {
    const layouts = [{ gpus: { models: ['gb300-station-251gb'] }, profiles: { '1g.5gb': 1 } }];
    expect(checkPolicy(aPolicy({ layouts }).spec)).to.include({ reason: 'UnknownProfile' });
  });

  it('refuses sharing where the controller has no ConfigMap for it, and nothing else', () => {
    const sharing = { timeSlicing: [{ resource: 'nvidia.com/mig-1g.5gb', replicas: 4 }] };
    expect(checkPolicy(aPolicy({ sharing }).spec, { sharing: false })).to.include({ reason: 'NotConfigured' });
    expect(checkPolicy(aPolicy().spec, { sharing: false })).to.equal(undefined);
  });

  it('refuses a preset that no node could have under strategy single, whatever its GPUs', () => {
    const refusalOf = (preset: string) => checkPolicy(aPolicy({ strategy: 'single', layouts: [{ preset }] }).spec);
    expect(refusalOf('all-balanced')).to.include({ reason: 'SingleNeedsOneProfile' });
    expect(refusalOf('all-balanced')?.message).to.match(/^spec\.layouts\[0\]: .*all-balanced makes slices of several/);
    expect(refusalOf('all-enabled')?.message).to.match(/all-enabled makes no slice/);
    for (const preset of ['all-1g.5gb', 'all-disabled']) expect(refusalOf(preset), preset).to.equal(undefined);
    expect(checkPolicy(aPolicy({ layouts: [{ preset: 'all-balanced' }] }).spec), 'mixed').to.equal(undefined);
  });

  describe('of an entry for any GPU', () => {
    const wrong = (profiles: Readonly<Record<string, number>>, ...products: readonly string[]) =>
      checkPolicy(aPolicy({ layouts: [{ profiles }] }).spec, fullSupport, products);
    const [a30, a100] = ['NVIDIA A30', 'NVIDIA A100-SXM4-40GB'];

    it('says what is wrong of the models that the fleet has', () => {
      expect(wrong({ '1g.6gb': 5 }, a30)).to.include({ reason: 'DoesNotFit' });
      expect(wrong({ '1g.6gb': 5 }, a30)?.message).to.match(/^spec\.layouts\[0\]: 5×1g\.6gb on A30: /);
      expect(wrong({ '1g.6gb': 5 }, a100)?.message).to.match(
        /^spec\.layouts\[0\]: .*A100-SXM4-40GB has no profile 1g\.6gb/,
      );
    });

    it('says it of the nearest: of one that has the profile, though not so many', () => {
      for (const products of [[], [a100, a30]]) {
        const { reason, message } = wrong({ '1g.6gb': 5 }, ...products) ?? {};
        expect(reason).to.equal('DoesNotFit');
        expect(message).to.match(/^spec\.layouts\[0\]: fits no GPU model; for example 5×1g\.6gb on A30: /);
      }
    });

    it('leaves it to the nodes where the fleet has a model that is not known here', () => {
      expect(wrong({ '1g.99gb': 4 }, a100, 'NVIDIA X9000')).to.equal(undefined);
      const models = ['A100-*'];
      const layouts = [{ gpus: { models }, profiles: { '1g.99gb': 4 } }];
      expect(checkPolicy(aPolicy({ layouts }).spec, fullSupport, [a100, 'NVIDIA X9000'])).to.not.equal(undefined);
    });
  });
});

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
