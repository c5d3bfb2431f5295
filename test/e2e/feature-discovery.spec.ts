import { expect } from 'chai';
import { nodes as nodesResource } from '../../src/api/resources.ts';
import type { PolicyLayout } from '../../src/api/types.ts';
import { isGfdLabelKey } from '../../src/core/nvidia/labels.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import type { KubeObject } from '../../src/kube/watch.ts';
import { silentLogger } from '../../src/process/log.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { createKubeClient } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { discoveryDaemonSet, pluginDaemonSet } from '../support/nvidia-daemons.ts';
import { useRig } from '../support/rig.ts';

const gpus = ['A100-SXM4-40GB'];
const nodes: readonly RigNode[] = [
  { name: 'discovered', gpus, labels: { pool: 'discovered', gfd: 'true' }, strategy: 'mixed', plugin: 'pod' },
  { name: 'later', gpus, labels: { pool: 'later' }, strategy: 'mixed', plugin: 'pod' },
];
const env = { MIG_STRATEGY: 'mixed' };
const namespace = 'kube-system';
const large = { '3g.20gb': 2 };
const small = { '1g.5gb': 7 };

interface ManagedFields {
  readonly manager?: string;
  readonly fieldsV1?: { readonly 'f:metadata'?: { readonly 'f:labels'?: Readonly<Record<string, unknown>> } };
}

describe('GPU Feature Discovery beside the controller @all', function () {
  // As usual it looks every 60 s: whatever is quicker, its new pod has done.
  const rig = useRig(nodes);
  /** Every value that a label of GPU Feature Discovery's had on a node, in order; undefined: it was not there. */
  const histories = new Map<string, (string | undefined)[]>();
  let watch: Reflector<KubeObject>;

  before(async function () {
    const client = await createKubeClient(rig().controlPlane, { fieldManager: 'test' });
    watch = new Reflector<KubeObject>({
      client,
      logger: silentLogger,
      resource: nodesResource,
      onChange: (change) => {
        if (change.type !== 'delete') record(change.key, change.object.metadata.labels ?? {});
      },
    }).start();
    await rig().create(pluginDaemonSet({ name: 'plugin', namespace, env }));
    await rig().create(discoveryDaemonSet({ name: 'discovery', namespace, env, nodeSelector: { gfd: 'true' } }));
    await eventually(
      () => rig().node('discovered'),
      ({ metadata }) => metadata.labels['nvidia.com/gpu.count'] === '1',
      { timeoutMs: 20_000, what: 'the labels of GPU Feature Discovery' },
    );
  });
  after(() => watch?.stop());

  function record(node: string, labels: Readonly<Record<string, string>>): void {
    const seen = [...histories.keys()]
      .filter((key) => key.startsWith(`${node} `))
      .map((key) => key.slice(node.length + 1));
    for (const key of new Set([...seen, ...Object.keys(labels).filter(isGfdLabelKey)])) {
      const history = histories.get(`${node} ${key}`) ?? [];
      if (history.length === 0 || history.at(-1) !== labels[key]) history.push(labels[key]);
      histories.set(`${node} ${key}`, history);
    }
  }

  async function ask(pool: string, profiles: PolicyLayout['profiles']): Promise<void> {
    await rig().apply(pool, { nodeSelector: { matchLabels: { pool } }, layouts: [{ ...(profiles && { profiles }) }] });
    await rig().waitFor(pool, 'Ready', 'True', 'Ready');
  }

  /** Labels of a node by the field manager that set them last. */
  async function labelsOf(node: string, isManager: (manager: string) => boolean): Promise<readonly string[]> {
    const text = await rig().kubectl('get', 'node', node, '-o', 'json', '--show-managed-fields');
    const { metadata } = JSON.parse(text) as { metadata: { managedFields: readonly ManagedFields[] } };
    return metadata.managedFields
      .filter(({ manager = '' }) => isManager(manager))
      .flatMap(({ fieldsV1 }) => Object.keys(fieldsV1?.['f:metadata']?.['f:labels'] ?? {}))
      .map((key) => key.slice(2))
      .filter(isGfdLabelKey);
  }

  const isOurs = (manager: string): boolean => manager.startsWith('gpu-partition');
  const writerMode = async (node: string) => (await rig().partition(node)).status?.writerMode;

  /** No value comes back after another: who flaps is written by two. */
  function expectSteady(node: string, layouts: number): void {
    for (const [key, values] of histories) {
      if (!key.startsWith(`${node} `) || key.endsWith('gfd.timestamp')) continue;
      expect(values.length, `${key}: ${values.join(' -> ')}`).to.be.at.most(layouts + 1);
      expect(new Set(values).size, `${key}: ${values.join(' -> ')}`).to.equal(values.length);
    }
  }

  it('writes its labels alone over whole changes of the layout, and is asked to look at once', async () => {
    await ask('discovered', large);
    const { metadata } = await rig().node('discovered');
    expect(metadata.labels).to.include({ 'nvidia.com/mig-3g.20gb.count': '2', 'nvidia.com/gpu.replicas': '0' });
    expect(await writerMode('discovered')).to.equal('Verify');
    await ask('discovered', small);
    expect((await rig().node('discovered')).metadata.labels).to.include({ 'nvidia.com/mig-1g.5gb.count': '7' });
    expect(await labelsOf('discovered', isOurs)).to.deep.equal([]);
    expect(await labelsOf('discovered', (manager) => manager === 'nfd-master')).to.include(
      'nvidia.com/mig-1g.5gb.count',
    );
    expectSteady('discovered', 3);
  });

  it('is not replaced by us when its labels vanish', async () => {
    await rig().kubectl(
      'label',
      'node',
      'discovered',
      'gfd-',
      'nvidia.com/gfd.timestamp-',
      'nvidia.com/mig-1g.5gb.count-',
    );
    await rig().kubectl('annotate', 'node', 'discovered', 'nfd.node.kubernetes.io/feature-labels-');
    expect(await rig().untilReason('discovered', 'LabelsStale')).to.include('nvidia.com/mig-1g.5gb.count should be 7');
    expect(await writerMode('discovered')).to.equal('Verify');
    expect(await labelsOf('discovered', isOurs)).to.deep.equal([]);
    await rig().kubectl('label', 'node', 'discovered', 'gfd=true');
    await rig().waitFor('discovered', 'Ready', 'True', 'Ready');
  });

  it('takes over labels that we have written, which keep their values all the while', async () => {
    await ask('later', large);
    expect(await writerMode('later')).to.equal('Patch');
    expect(await labelsOf('later', isOurs)).to.include('nvidia.com/mig-3g.20gb.count');
    const before = (await rig().node('later')).metadata.labels;
    await rig().kubectl('label', 'node', 'later', 'gfd=true');
    await eventually(
      () => writerMode('later'),
      (mode) => mode === 'Verify',
      { timeoutMs: 20_000, what: 'writer mode of later' },
    );
    await rig().waitFor('later', 'Ready', 'True', 'Ready');
    const node = await eventually(
      () => rig().node('later'),
      ({ metadata }) => metadata.annotations?.['gpupartition.dev/managed-labels'] === undefined,
      { timeoutMs: 20_000, what: 'the note of what is ours to go' },
    );
    const labels = Object.entries(node.metadata.labels).filter(([key]) => isGfdLabelKey(key));
    const kept = Object.entries(before).filter(([key]) => isGfdLabelKey(key));
    expect(Object.fromEntries(labels)).to.include(Object.fromEntries(kept));
    expectSteady('later', 1);
    // From now on it alone writes.
    await ask('later', small);
    expect((await rig().node('later')).metadata.labels).to.include({ 'nvidia.com/mig-1g.5gb.count': '7' });
    expect(Object.keys((await rig().node('later')).metadata.labels)).to.not.include('nvidia.com/mig-3g.20gb.count');
  });
});
