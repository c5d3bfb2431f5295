import { expect } from 'chai';
import { currentOffer } from '../../../../src/core/node/rules/current-offer.ts';
import { noteUntouched } from '../../../../src/core/node/rules/untouched.ts';
import { aDevice, aGpu } from '../../../support/builders.ts';
import {
  advertisesSlice,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSituation,
  aSlicingPolicy,
  slicedGpu,
  wholeGpu,
} from '../../../support/node-builders.ts';

const strategyLabel = 'nvidia.com/mig.strategy';

describe('what a node offers of its device as it is', () => {
  const partition = aManagedPartition({ device: slicedGpu });

  it('is by the strategy that explains what is offered, the policy’s first', () => {
    const offer = (allocatable: Readonly<Record<string, string>>) =>
      currentOffer(aSituation({ partition, node: aNode({ allocatable }) })).resources;
    expect(offer(advertisesSlice)).to.deep.equal({ 'nvidia.com/mig-7g.40gb': 1 });
    expect(offer({ 'nvidia.com/gpu': '1' })).to.deep.equal({ 'nvidia.com/gpu': 1 });
    const whole = aManagedPartition({ device: wholeGpu });
    const { labels } = currentOffer(aSituation({ partition: whole, node: aNode() }));
    expect(labels.labels[strategyLabel]).to.equal('mixed');
  });

  it('is nothing where NVIDIA’s plugin exits on the device', () => {
    const device = aDevice(aGpu({ slices: ['3g.20gb@4', '1g.5gb@0'] }));
    const pods = [aPluginPod({ strategy: 'single' })];
    const offer = currentOffer(aSituation({ partition: aManagedPartition({ device }) }, { pods }));
    expect(offer).to.deep.include({ cannotStart: true, resources: {} });
    expect(currentOffer(aSituation({ partition }, { pods })).cannotStart).to.equal(false);
  });

  it('is labelled by backend DRA, too, and offered by slices', () => {
    const offer = currentOffer(aSituation({ partition, policy: aSlicingPolicy({ backend: 'DRA' }) }));
    expect(offer).to.deep.include({ cannotStart: false, resources: {} });
    expect(offer.labels.labels).to.include({ 'nvidia.com/mig-7g.40gb.count': '1' });
  });
});

describe('a node that is about to be closed', () => {
  it('is remembered as untouched only if all pods of its plugin have read the devices', () => {
    const situation = aSituation({ node: aNode() });
    const pods = [aPluginPod({ uid: 'a' }), aPluginPod({ uid: 'b', isReady: false })];
    expect(noteUntouched(situation, pods.slice(0, 1))).to.have.property('Untouched');
    expect(noteUntouched(situation, pods)).to.equal(undefined);
  });
});
