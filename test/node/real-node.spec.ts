import { expect } from 'chai';

import { eventually } from '../support/eventually.ts';
import { readKubeletOffer } from './kubelet-offer.ts';
import { nodeName } from './node-config.ts';
import type { Profiles } from './operator.ts';
import { killPrograms } from './processes.ts';
import { useRealNode } from './shared-node.ts';

/** The 3g.20gb stays through all of them. */
const small: Profiles = { '1g.5gb': 4, '3g.20gb': 1 };
const middle: Profiles = { '2g.10gb': 2, '3g.20gb': 1 };
const mixed: Profiles = { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 };

describe('our image and manifests on a real kubelet and containerd', function () {
  const operator = useRealNode();

  before(async function () {
    await operator().applyFolder('config/default');
    await operator().runPlugin('mixed');
    await operator().rollOut();
  });

  /** Changes the layout and kills what `kill` kills while the device changes. */
  async function changeUnder(profiles: Profiles, kill: () => Promise<void>): Promise<void> {
    await operator().setFaults('sleep DeviceCreateGpuInstance ms=400', 'sleep GpuInstanceDestroy ms=400');
    const before = await operator().countChanges();
    await operator().ask(profiles);
    await operator().untilChanging(before);
    await kill();
    await operator().untilDone(profiles);
    await operator().setFaults();
  }

  it('makes the slices of a policy, and a pod runs on one', async () => {
    await operator().ask(mixed);
    await operator().untilDone(mixed);
    const uuid = await operator().runGpuPod('holder', 'nvidia.com/mig-3g.20gb');
    expect(uuid).to.match(/^MIG-/);
    expect(await operator().devices()).to.include(uuid);
  });

  it('has the plugin look again by a signal after an edit: its pod stays, and so does the pod on a slice', async () => {
    const before = await operator().pluginPod();
    await operator().ask(small);
    await operator().untilDone(small);
    expect(await operator().pluginPod()).to.equal(before);
    expect(await operator().devices()).to.include((await operator().kubectl('logs', 'holder')).trim());
    expect(
      await operator().kubectl('get', 'pod', 'holder', '-o=jsonpath={.status.containerStatuses[0].restartCount}'),
    ).to.equal('0');
  });

  it('continues after the agent was killed in the middle of a change', async () => {
    await changeUnder(middle, async () => {
      expect(await killPrograms('/app/agent.mjs')).to.equal(1);
    });
  });

  it('continues after the leader was killed in the middle of a change', async () => {
    await changeUnder(small, async () => {
      const lease = await operator().kubectl(
        'get',
        'lease',
        'gpu-partition-controller',
        '-n',
        'gpu-partition-system',
        '-o=jsonpath={.spec.holderIdentity}',
      );
      const uid = await operator().kubectl(
        'get',
        'pod',
        lease,
        '-n',
        'gpu-partition-system',
        '-o=jsonpath={.metadata.uid}',
      );
      expect(await killPrograms('/app/controller.mjs', uid)).to.equal(1);
    });
  });

  it('offers the layout again after the kubelet was restarted, and changes it', async () => {
    await operator().node.restartKubelet();
    await operator().ask(middle);
    await operator().untilDone(middle);
  });

  /** Changes the layout and kills what `kill` kills as soon as the node is said to have the new slices. */
  async function breakAdvertised(profiles: Profiles, kill: () => Promise<void>): Promise<void> {
    await operator().ask(profiles);
    await operator().untilAdvertised(profiles);
    await kill();
    await operator().untilDoneAgain(profiles);
    await operator().runGpuPod('after', 'nvidia.com/mig-1g.5gb');
    await operator().kubectl('delete', 'pod', 'after', '--timeout=30s');
  }

  it('offers the layout after the kubelet was killed as soon as the slices were advertised', async () => {
    await breakAdvertised(small, () => operator().node.restartKubelet());
  });

  it('offers the layout after the device plugin was killed as soon as the slices were advertised', async () => {
    await breakAdvertised(mixed, async () => {
      const before = await operator().pluginPod();
      expect(await killPrograms('/app/device-plugin.mjs')).to.equal(1);
      await operator().untilPluginRestarted(before);
    });
  });

  it('has the plugin start again where a slice turns unhealthy as soon as it was advertised', async () => {
    await operator().ask(small);
    await operator().untilAdvertised(small);
    const [, uuid = ''] = /MIG 1g\.5gb .*UUID: (MIG-[^)]+)/.exec(await operator().devices()) ?? [];
    const before = await operator().pluginPod();
    await operator().setUnhealthy(uuid);
    const given = 'nvidia.com/mig-1g.5gb';
    await eventually(readKubeletOffer, (offer) => offer[given] === 7, {
      timeoutMs: 30_000,
      what: 'the healthy slices',
    });
    await operator().untilDoneAgain(small);
    expect(await operator().pluginPod()).not.to.equal(before);
  });

  it('replaces the pod of the plugin where signals are not wanted', async () => {
    await operator().setPluginRefresh('Evict');
    const before = await operator().pluginPod();
    await operator().ask(middle);
    await operator().untilDone(middle);
    expect(await operator().pluginPod()).not.to.equal(before);
  });

  it('leaves nothing but the layout when it is removed', async () => {
    await operator().remove();
    expect(await operator().taints()).to.deep.equal([]);
    const { labels } = (await operator().readNode()).metadata;
    expect(Object.keys(labels).filter((key) => key.startsWith('gpupartition.dev/'))).to.deep.equal([]);
    expect(await operator().devices()).to.include((await operator().kubectl('logs', 'holder')).trim());
    expect(await killPrograms('/app/agent.mjs'), 'agents').to.equal(0);
    expect(await operator().kubectl('get', 'crd', '-o', 'name')).not.to.include('gpupartition.dev');
    expect(
      await operator().kubectl('get', 'node', nodeName, '-o=jsonpath={.status.conditions[?(@.type=="Ready")].status}'),
    ).to.equal('True');
  });
});
