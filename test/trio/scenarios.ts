import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { resourceSlices } from '../../src/api/resources.ts';
import type { GpuPartitionPolicy, PolicySpec } from '../../src/api/types.ts';
import type { ResourceSliceView } from '../../src/core/kubernetes/pod.ts';
import { collectionPath } from '../../src/kube/watch.ts';
import { applyFolder } from '../../src/simulator/rig/install.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { readEndState } from '../support/end-state.ts';
import { pluginConfigMap, pluginDaemonSet } from '../support/nvidia-daemons.ts';
import { ownTaints, type TestRig } from '../support/rig.ts';
import { listSliceDevices } from '../../src/core/node/offer.ts';

const run = promisify(execFile);
const gpus = ['A100-SXM4-40GB'];
const deployment = 'trio';

/** Turns of one node, of which each begins where the one before has ended; the first follows the last. */
export interface Scenario {
  readonly name: string;
  /** The node, its policy and its label `pool`. */
  readonly node: string;
  readonly turns: readonly Turn[];
  /** Before the first turn. */
  prepare?(rig: TestRig): Promise<void>;
  /** What must be equal however it came about. */
  readEnd(rig: TestRig): Promise<object>;
}

interface Turn {
  readonly name: string;
  /** What happens, and then makes the programs work. */
  act(rig: TestRig): Promise<void>;
  /** Besides that the policy and the node are Ready. */
  isDone?(rig: TestRig): Promise<boolean>;
  /** Where neither is Ready in the end. @returns what is awaited; empty if nothing is */
  findUndone?(rig: TestRig): Promise<string>;
}

type Profiles = Readonly<Record<string, number>>;

const layouts: readonly [Profiles, Profiles] = [
  { '3g.20gb': 1, '2g.10gb': 1 },
  { '3g.20gb': 1, '1g.5gb': 2 },
];

export const scenarioNodes: readonly RigNode[] = [
  { name: 'plain', gpus, labels: { pool: 'plain' }, strategy: 'mixed' },
  { name: 'busy', gpus, labels: { pool: 'busy' }, strategy: 'mixed' },
  { name: 'claims', gpus, labels: { pool: 'claims' }, strategy: 'mixed', plugin: 'dra' },
  { name: 'given-up', gpus, labels: { pool: 'given-up' }, strategy: 'mixed' },
  { name: 'shared', gpus, labels: { pool: 'shared' }, strategy: 'none', plugin: 'pod' },
];

const namespace = 'gpu-operator';
const configMap = 'gpu-partition-device-plugin';
export const controllerArguments = ['--device-plugin-config-map', `${namespace}/${configMap}`];

export const scenarios: readonly Scenario[] = [
  {
    name: 'a layout is edited, and destroyed by hand',
    node: 'plain',
    turns: layouts.flatMap((profiles): readonly Turn[] => [
      edit('plain', profiles),
      {
        name: 'repair',
        act: (rig) => destroyByHand(rig, 'plain'),
        isDone: async (rig) => countInstances(await rig.rig.deviceState('plain')) === countOf(profiles),
      },
    ]),
    readEnd: (rig) => readEndState(rig, 'plain'),
  },
  {
    name: 'a pod is evicted',
    node: 'busy',
    prepare: (rig) => rig.create(describeDeployment()),
    turns: [
      { ...edit('busy', layouts[0]), isDone: async (rig) => (await readPhases(rig)) === 'Running' },
      { ...edit('busy', layouts[1]), isDone: async (rig) => (await readPhases(rig)) === 'Pending' },
    ],
    readEnd: async (rig) => ({ ...(await readEndState(rig, 'busy')), pods: await readPhases(rig) }),
  },
  {
    name: 'a layout for the DRA driver is edited',
    node: 'claims',
    turns: layouts.map((profiles) => edit('claims', profiles, { backend: 'DRA' })),
    readEnd: async (rig) => ({ ...(await readEndState(rig, 'claims')), published: await listPublished(rig) }),
  },
  {
    name: 'the number of pods that share a slice is edited',
    node: 'shared',
    turns: [2, 4].map((replicas): Turn => {
      const timeSlicing = [{ resource: 'nvidia.com/mig-1g.5gb', replicas }];
      return { ...edit('shared', { '1g.5gb': 7 }, { sharing: { timeSlicing } }), name: `edit to ${replicas} replicas` };
    }),
    readEnd: (rig) => readEndState(rig, 'shared'),
  },
  {
    name: 'a policy is deleted and its GPUs are made whole',
    node: 'given-up',
    turns: [
      edit('given-up', layouts[0], { onDelete: 'DisableMig' }),
      {
        name: 'deletion',
        act: async (rig) => void (await rig.kubectl('delete', 'gpp', 'given-up', '--wait=false')),
        findUndone: (rig) => findUndeleted(rig, 'given-up'),
      },
    ],
    readEnd: (rig) => readEndState(rig, 'given-up'),
  },
];

/** Everything that hands GPUs out on pods: before any policy, as an administrator would. */
export async function installPlugin(rig: TestRig): Promise<void> {
  await rig.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await applyFolder(rig.controlPlane, 'config/device-plugin-config');
  await rig.create(pluginConfigMap(configMap, namespace, { default: 'version: v1\nflags: {migStrategy: none}\n' }));
  const nodeSelector = { pool: 'shared' };
  await rig.create(pluginDaemonSet({ name: 'nvidia-device-plugin', namespace, configMap, nodeSelector }));
}

function edit(node: string, profiles: Profiles, more: Pick<PolicySpec, 'backend' | 'onDelete' | 'sharing'> = {}): Turn {
  const spec = { nodeSelector: { matchLabels: { pool: node } }, layouts: [{ profiles }], ...more };
  return { name: `edit to ${Object.keys(profiles).join(' and ')}`, act: (rig) => rig.apply(node, spec) };
}

async function findUndeleted(rig: TestRig, node: string): Promise<string> {
  const policies = await rig.list<GpuPartitionPolicy>('/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies');
  if (policies.some(({ metadata }) => metadata.name === node)) return `policy ${node} is there`;
  const { status } = await rig.partition(node);
  if (status?.phase !== 'Unmanaged') return `node ${node} is ${status?.phase}`;
  const taints = ownTaints(await rig.node(node));
  return taints.length > 0 ? `node ${node} has ${taints.join()}` : '';
}

/** The last instance, which no layout keeps. */
async function destroyByHand({ rig }: TestRig, node: string): Promise<void> {
  const state = await rig.deviceState(node);
  const id = [...state.matchAll(/^gi \d+ (\d+) /gm)].map(([, found]) => Number(found)).at(-1);
  for (const command of ['-dci', '-dgi'])
    await run(join(rig.folder, node, 'nvidia-smi'), ['mig', '-i', '0', '-gi', String(id), command]);
}

function countInstances(state: string): number {
  return [...state.matchAll(/^ci /gm)].length;
}

function countOf(profiles: Profiles): number {
  return Object.values(profiles).reduce((sum, count) => sum + count, 0);
}

/** One pod that only the first layout has room for. */
function describeDeployment(): object {
  const labels = { app: deployment };
  const container = {
    name: 'main',
    image: 'example.com/train',
    resources: { limits: { 'nvidia.com/mig-2g.10gb': 1 } },
  };
  const spec = { terminationGracePeriodSeconds: 1, nodeSelector: { pool: 'busy' }, containers: [container] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: deployment, namespace: 'default' },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

function readPhases(rig: TestRig): Promise<string> {
  return rig.kubectl('get', 'pods', '-l', `app=${deployment}`, '-o', 'jsonpath={.items[*].status.phase}');
}

async function listPublished({ controlPlane }: TestRig): Promise<readonly string[]> {
  const list = (await controlPlane.client.demand({ path: collectionPath(resourceSlices) })) as {
    readonly items: readonly ResourceSliceView[];
  };
  return listSliceDevices(list.items)
    .map(({ name }) => name)
    .toSorted();
}
