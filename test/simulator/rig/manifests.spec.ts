import { expect } from 'chai';
import { applyManifests } from '../../../src/simulator/rig/manifests.ts';
import { useSharedCluster } from '../../support/cluster.ts';

describe('manifests that the simulator applies', () => {
  const cluster = useSharedCluster();

  it('are what kubectl makes of the same folder', async () => {
    await applyManifests(cluster(), 'config/default');
    const { code, stdout, stderr } = await cluster().kubectl(['diff', '-k', 'config/default']);
    expect(code, stdout + stderr).to.equal(0);
  });

  it('are not taken from a folder that only kubectl can render', async () => {
    const error = await applyManifests(cluster(), 'config/overlays/talos').catch(String);
    expect(error).to.include('config/overlays/talos/kustomization.yaml has "');
  });
});
