import { expect } from 'chai';

import type { NodeDescription } from '../../../src/core/nvidia/labels/node-description.ts';
import { findOfferGap } from '../../../src/core/nvidia/plugin-config/offer-gap.ts';
import type { OfferSituation } from '../../../src/core/nvidia/plugin-config/offer-gap.ts';
import { aGpu, aMigGpu, aNode, SLICES, times } from './node-builder.ts';

const slice = 'nvidia.com/mig-1g.5gb';
const gpu = 'nvidia.com/gpu';

const whole = aNode([aGpu(), aGpu()]);
const sliced = aNode([aMigGpu(times(7, SLICES['1g']))]);

/** An open node under a policy of strategy mixed, without a known device plugin. */
function aSituation(
  device: NodeDescription,
  counts: Readonly<Record<string, number>>,
  more: Partial<OfferSituation> = {},
): OfferSituation {
  return {
    device,
    strategy: 'mixed',
    offer: {
      allocatable: Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, `${count}`])),
      advertised: { resources: { ...counts }, stale: 0 },
      labels: {},
    },
    hasOwnConfig: false,
    hasPlugin: false,
    isClosed: false,
    becomesWhole: false,
    ...more,
  };
}

const reasonOf = (situation: OfferSituation): string | undefined => findOfferGap(situation)?.reason;

describe('whether the device plugin of a node may misunderstand a change', () => {
  it('is ruled out if the node advertises its devices by the policy’s strategy', () => {
    expect(reasonOf(aSituation(whole, { [gpu]: 2 }))).to.equal(undefined);
    expect(reasonOf(aSituation(whole, { [gpu]: 2 }, { strategy: 'single' }))).to.equal(undefined);
    expect(reasonOf(aSituation(sliced, { [slice]: 7 }))).to.equal(undefined);
    expect(reasonOf(aSituation(sliced, { [gpu]: 7 }, { strategy: 'single' }))).to.equal(undefined);
    expect(reasonOf(aSituation(sliced, { [gpu]: 1 }, { strategy: 'none' }))).to.equal(undefined);
    expect(reasonOf(aSituation(sliced, { [slice]: 28 }))).to.equal(undefined);
  });

  describe('without a device plugin', () => {
    it('is possible if the node advertises nothing', () => {
      expect(findOfferGap(aSituation(whole, {}))).to.deep.equal({
        reason: 'NoDevicePlugin',
        message:
          'the node advertises none of its GPUs (nvidia.com/gpu 2 under strategy mixed), and no pod of a known device plugin is on it: ' +
          'nothing would offer the slices. Searched for: pods of a DaemonSet with app=nvidia-device-plugin-daemonset, ' +
          'app.kubernetes.io/name=nvidia-device-plugin or name=nvidia-device-plugin-ds. Install the device plugin, or name its ' +
          'labels with --device-plugin-selector. Nothing is touched until then',
      });
    });

    it('is named with the labels that were looked for besides, and what keeps gpu-operator’s away', () => {
      const situation = aSituation(whole, {}, { selector: { app: 'mine' } });
      const labels = { 'nvidia.com/gpu.deploy.device-plugin': 'false' };
      const { message } = findOfferGap({ ...situation, offer: { ...situation.offer, labels } }) ?? {};
      expect(message).to.contain('name=nvidia-device-plugin-ds or app=mine.');
      expect(message).to.contain('The label nvidia.com/gpu.deploy.device-plugin=false keeps gpu-operator’s away.');
    });

    it('is ruled out on a node that joins closed: a stock plugin comes when the start-up taint has gone', () => {
      expect(reasonOf(aSituation(whole, {}, { isClosed: true }))).to.equal(undefined);
    });

    it('is ruled out if a pod of a plugin is there, whatever keeps it from advertising', () => {
      expect(reasonOf(aSituation(whole, {}, { hasPlugin: true }))).to.equal(undefined);
    });

    it('is ruled out for devices that are never offered: GPUs in MIG mode without slices', () => {
      expect(reasonOf(aSituation(aNode([aMigGpu([])]), {}))).to.equal(undefined);
      expect(reasonOf(aSituation(aNode([aMigGpu([])]), {}, { strategy: 'single' }))).to.equal(undefined);
    });
  });

  describe('with another strategy', () => {
    for (const [strategy, counts, found] of [
      ['single', { [slice]: 7 }, 'mixed'],
      ['none', { [slice]: 7 }, 'mixed'],
      ['mixed', { [gpu]: 7 }, 'single'],
      ['none', { [gpu]: 7 }, 'single'],
      ['mixed', { [gpu]: 1 }, 'none'],
      ['single', { [gpu]: 1 }, 'none'],
    ] as const) {
      it(`is possible if the node advertises as under ${found}, where the policy says ${strategy}`, () => {
        const gap = findOfferGap(aSituation(sliced, counts, { strategy }));
        expect(gap?.reason).to.equal('StrategyMismatch');
        expect(gap?.message).to.contain(`as strategy ${found} does`);
        expect(gap?.message).to.contain(`the policy wants ${strategy}`);
      });
    }

    it('says what is advertised and what should be', () => {
      expect(findOfferGap(aSituation(sliced, { [slice]: 7 }, { strategy: 'single' }))?.message).to.equal(
        'the node advertises nvidia.com/mig-1g.5gb 7, as strategy mixed does, and the policy wants single, which gives nvidia.com/gpu 7 for ' +
          'the same GPUs. Set the device plugin to single, or spec.strategy of the policy to mixed. Nothing is touched until then',
      );
    });

    it('is possible if the node advertises slices by profile, which mixed alone does, whatever they are now', () => {
      expect(reasonOf(aSituation(sliced, { 'nvidia.com/mig-2g.10gb': 3 }, { strategy: 'single' }))).to.equal(
        'StrategyMismatch',
      );
    });

    it('is ruled out if all GPUs become whole, which every strategy advertises alike', () => {
      expect(reasonOf(aSituation(sliced, { [gpu]: 7 }, { becomesWhole: true }))).to.equal(undefined);
      expect(reasonOf(aSituation(sliced, {}, { becomesWhole: true }))).to.equal('NoDevicePlugin');
    });

    it('is ruled out if the plugin’s settings are known: they are more reliable than its offer, which may be outdated', () => {
      expect(reasonOf(aSituation(sliced, { [gpu]: 1 }, { hasPlugin: true }))).to.equal(undefined);
    });

    it('is ruled out if the plugin takes its strategy from our file, when the layout is there', () => {
      expect(reasonOf(aSituation(sliced, { [gpu]: 7 }, { hasOwnConfig: true }))).to.equal(undefined);
    });

    it('is ruled out if devices have changed and are not reported yet: that fits no strategy', () => {
      expect(reasonOf(aSituation(sliced, { [slice]: 3 }))).to.equal(undefined);
    });

    it('is ruled out if the plugin cannot start on the present devices', () => {
      const uneven = aNode([aMigGpu([SLICES['1g'], SLICES['2g']])]);
      expect(reasonOf(aSituation(uneven, {}, { strategy: 'single' }))).to.equal(undefined);
    });
  });

  describe('with sharing that is not the policy’s', () => {
    const unasked = (situation: OfferSituation): OfferSituation => ({
      ...situation,
      offer: { ...situation.offer, advertised: undefined },
    });

    it('is ruled out if the kubelet confirms the devices', () => {
      expect(reasonOf(aSituation(sliced, { [slice]: 28 }, { hasPlugin: true }))).to.equal(undefined);
    });

    it('is possible if the kubelet cannot be asked, and named', () => {
      expect(findOfferGap(unasked(aSituation(sliced, { [slice]: 28 }, { hasPlugin: true })))).to.deep.equal({
        reason: 'SharingRefused',
        message:
          'the node advertises nvidia.com/mig-1g.5gb 28 for nvidia.com/mig-1g.5gb 7: the device plugin shares nvidia.com/mig-1g.5gb by 4, by ' +
          'sharing.timeSlicing of its own config, and the kubelet cannot tell which devices these are. Mount the kubelet’s folder ' +
          'pod-resources into the agent, or share by spec.sharing.timeSlicing of the policy, or remove sharing from the plugin’s config ' +
          '(if the GPUs were changed manually, restart its pod). Nothing is touched until then',
      });
    });

    it('is ruled out if the sharing is going to be the policy’s', () => {
      const situation = unasked(aSituation(sliced, { [slice]: 28 }, { hasPlugin: true }));
      expect(reasonOf({ ...situation, hasOwnConfig: true })).to.equal(undefined);
    });
  });
});
