import { expect } from 'chai';
import { exportClasses } from '../../../src/core/policy/device-classes.ts';
import { readSelector, type SelectableDevice } from '../../../src/core/explain/claims.ts';
import { aPolicy } from '../../support/builders.ts';

const mebibyte = 2n ** 20n * 10n ** 9n;
const slice: SelectableDevice = {
  attributes: { type: 'mig', profile: '1g.5gb', productName: 'NVIDIA A100-SXM4-40GB' },
  capacity: { memory: 4864n * mebibyte },
};
const whole: SelectableDevice = { attributes: { type: 'gpu' }, capacity: { memory: 40960n * mebibyte } };
const attribute = (name: string): string => `device.attributes['gpu.nvidia.com'].${name}`;

const meets = (expression: string, device = slice): boolean | undefined => readSelector(expression)?.(device);

describe('a selector of devices', () => {
  it('compares the driver, texts and lists of texts', () => {
    expect(meets("device.driver == 'gpu.nvidia.com'")).to.equal(true);
    expect(meets("device.driver == 'dra.net'")).to.equal(false);
    expect(meets(`${attribute('profile')} == '1g.5gb'`)).to.equal(true);
    expect(meets(`${attribute('profile')} == "2g.10gb"`)).to.equal(false);
    expect(meets(`${attribute('profile')} != '2g.10gb'`)).to.equal(true);
    expect(meets(`${attribute('profile')} in ['2g.10gb', '1g.5gb']`)).to.equal(true);
    expect(meets(`${attribute('profile')} in ['2g.10gb']`)).to.equal(false);
  });

  it('is met by no comparison of what a device does not have', () => {
    for (const sign of ['==', '!=']) expect(meets(`${attribute('profile')} ${sign} '1g.5gb'`, whole)).to.equal(false);
    const [is, isMig, isGpu] = [
      `${attribute('profile')} == '1g.5gb'`,
      ...['mig', 'gpu'].map((type) => `${attribute('type')} == '${type}'`),
    ];
    // In CEL that is an error, which no negation turns into a match, and which counts where nothing else decides.
    for (const one of [
      `!(${is})`,
      `!(${attribute('profile')} in ['1g.5gb'])`,
      `!(${is} && ${isGpu})`,
      `!(${isMig} || ${is})`,
    ])
      expect(meets(one, whole), one).to.equal(false);
    for (const one of [`!(${is} && ${isMig})`, `!(${is}) || ${isGpu}`]) expect(meets(one, whole), one).to.equal(true);
  });

  it('compares capacities exactly', () => {
    const memory = (sign: string, quantity: string): boolean | undefined =>
      meets(`device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('${quantity}')) ${sign} 0`);
    expect(['>=', '<=', '==', '!=', '>', '<'].map((sign) => memory(sign, '4864Mi'))).to.deep.equal([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(memory('>', '4863Mi')).to.equal(true);
    expect(memory('<', '5Gi')).to.equal(true);
  });

  it('joins tests as CEL does', () => {
    const [yes, no] = [`${attribute('type')} == 'mig'`, `${attribute('type')} == 'gpu'`];
    expect(meets(`${yes} && ${no}`)).to.equal(false);
    expect(meets(`${no} || ${yes}`)).to.equal(true);
    expect(meets(`${yes} || ${no} && ${no}`)).to.equal(true);
    expect(meets(`(${yes} || ${no}) && ${no}`)).to.equal(false);
    expect(meets(`!(${no}) && !(${no})`)).to.equal(true);
  });

  it('is not read if it is anything else, in any part', () => {
    const known = `${attribute('type')} == 'mig'`;
    for (const other of [
      '',
      'true',
      `${known} &&`,
      `(${known}`,
      `${known} ${known}`,
      `${known} && ${attribute('profile')}.startsWith('1g')`,
      `${attribute('index')} == 0`,
      "device.attributes['other.example.com'].type == 'mig'",
      "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('much')) >= 0",
      "device.capacity['gpu.nvidia.com'].memory.isGreaterThan(quantity('1Gi'))",
      `${attribute('profile')} in []`,
      `${known} # comment`,
    ]) {
      expect(readSelector(other), other).to.equal(undefined);
    }
  });

  it('is read of every class that `export dra` writes', () => {
    const policies = [aPolicy({ layouts: [{ preset: 'all-balanced' }, { profiles: { '1g.24gb': 1 } }] })];
    const exported = exportClasses(policies);
    const expressions = (typeof exported === 'string' ? [] : exported).flatMap(({ object }) => {
      const { spec } = object as { spec?: { selectors?: readonly { cel: { expression: string } }[] } };
      return (spec?.selectors ?? []).map(({ cel }) => cel.expression);
    });
    expect(expressions.length).to.be.above(5);
    for (const one of expressions) expect(readSelector(one), one).to.be.a('function');
  });
});
