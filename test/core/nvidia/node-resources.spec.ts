import { expect } from 'chai';

import { computeResources, findUnusedSharing } from '../../../src/core/nvidia/resources/node-resources.ts';
import type { MigStrategy } from '../../../src/core/nvidia/labels/mig-strategy.ts';
import type { GpuDescription } from '../../../src/core/nvidia/labels/node-description.ts';
import type { Sharing, SharingStrategy } from '../../../src/core/nvidia/plugin-config/sharing.ts';
import { aGpu, aMigGpu, aNode, SLICES, times } from './node-builder.ts';

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
