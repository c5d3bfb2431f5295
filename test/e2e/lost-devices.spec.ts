import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeDeployment } from '../../src/simulator/rig/workloads.ts';
import { idleAnnotation } from '../../src/simulator/kubelet/machine.ts';
import { applyObjects, devicesOf, gpuPod, slicesOf } from '../support/gpu-pods.ts';
import { eventually } from '../support/eventually.ts';
import { useRig } from '../support/rig.ts';

const run = promisify(execFile);
const profile = '3g.20gb';
const resource = `nvidia.com/mig-${profile}`;
const gpus = ['A100-SXM4-40GB'];

describe('a slice that a person destroys under an idle pod @all', function () {
  const rig = useRig([{ name: 'n', gpus, labels: { pool: 'slices' }, strategy: 'mixed' }]);

  /** Destroys all slices of the node, at a shell: no process uses them. */
  async function destroyByHand(): Promise<void> {
    const nvidiaSmi = join(rig().rig.folder, 'n', 'nvidia-smi');
    for (const what of ['-dci', '-dgi']) await run(nvidiaSmi, ['mig', what]);
  }

  interface Pods {
    readonly items: readonly { readonly metadata: { readonly name: string; readonly uid: string } }[];
  }

  const podsOf = async (app: string): Promise<Pods['items']> =>
    (JSON.parse(await rig().kubectl('get', 'pods', '-l', `app=${app}`, '-o', 'json')) as Pods).items;

  before(async () => {
    await rig().apply('slices', {
      nodeSelector: { matchLabels: { pool: 'slices' } },
      layouts: [{ profiles: { [profile]: 2 } }],
    });
    await rig().waitFor('slices', 'Ready', 'True', 'Ready');
  });

  it('is made again once the pod was evicted, and the new pod has a slice that exists', async () => {
    const deployment = describeDeployment({
      name: 'work',
      resource,
      replicas: 1,
      prefers: { key: 'pool', value: 'slices' },
    });
    await applyObjects(rig(), [idle(deployment)]);
    const [first] = await eventually(
      () => podsOf('work'),
      ([pod]) => devicesOf(rig(), 'n', pod?.metadata.name ?? '').length > 0,
      { what: 'a pod with a slice' },
    );
    await destroyByHand();
    await eventually(
      () => podsOf('work'),
      (pods) => pods.every(({ metadata }) => metadata.uid !== first?.metadata.uid),
      { what: 'the eviction of the pod' },
    );
    await rig().waitFor('slices', 'Ready', 'True', 'Ready', 60_000);
    const slices = await slicesOf(rig(), 'n', profile);
    expect(slices).to.have.length(2);
    const [second] = await eventually(
      () => podsOf('work'),
      ([pod]) => slices.some((uuid) => devicesOf(rig(), 'n', pod?.metadata.name ?? '').includes(uuid)),
      { what: 'a new pod on a slice that exists' },
    );
    expect(second?.metadata.uid).to.not.equal(first?.metadata.uid);
    await rig().kubectl('delete', 'deployment', 'work', '--wait');
  });

  it('waits, with the node open, for a pod that nothing would make again, and names both', async () => {
    await eventually(
      () => podsOf('work'),
      (pods) => pods.length === 0,
      { what: 'no pod of the deployment' },
    );
    await applyObjects(rig(), [idle(gpuPod({ name: 'bare', resource }))]);
    const [uuid] = await eventually(
      async () => devicesOf(rig(), 'n', 'bare'),
      (ids) => ids.length > 0,
      { what: 'the pod to have a slice' },
    );
    await destroyByHand();
    const message = await eventually(
      () => rig().untilReason('n', 'PodsUseGpus'),
      (text) => text.includes('no longer exists'),
      { what: 'the message' },
    );
    expect(message).to.include(`default/bare: it holds ${uuid}, which no longer exists`).and.include('no controller');
    await rig().kubectl('delete', 'pod', 'bare', '--wait', '--grace-period=1');
    await rig().waitFor('slices', 'Ready', 'True', 'Ready', 60_000);
    expect(await slicesOf(rig(), 'n', profile)).to.have.length(2);
  });
});

/** A pod, or a deployment of pods, that holds its device and runs nothing on it. */
function idle(object: object): object {
  const annotations = { [idleAnnotation]: 'true' };
  const { metadata, spec } = object as { readonly metadata: object; readonly spec: { readonly template?: Template } };
  const { template } = spec;
  if (template === undefined) return { ...object, metadata: { ...metadata, annotations } };
  return { ...object, spec: { ...spec, template: { ...template, metadata: { ...template.metadata, annotations } } } };
}

interface Template {
  readonly metadata: object;
}
