import { expect } from 'chai';
import type { PolicySpec } from '../../src/api/types.ts';
import { describeDeployment } from '../../src/simulator/rig/workloads.ts';
import { renderFolder, type RenderedObject } from '../api/installation.ts';
import { eventually } from '../support/eventually.ts';
import { applyObjects, gpuPod } from '../support/gpu-pods.ts';
import { useRig } from '../support/rig.ts';
import { isStreamedList, type SeenRequest } from '../support/seen-request.ts';

const name = 'a100';

/** Rights that are not needed here, and when they are. */
const rare: ReadonlySet<string> = new Set([
  // An Event that is repeated is counted.
  'controller patch events.events.k8s.io',
  // Only before a change with backend DRA.
  'controller list resourceclaims.resource.k8s.io',
  // Only while there is a policy with backend DRA; dra.spec.ts has one.
  'controller watch resourceslices.resource.k8s.io',
  // Only for policies with spec.dra.deviceClasses: Managed; dra.spec.ts has one.
  'controller list deviceclasses.resource.k8s.io',
  'controller create deviceclasses.resource.k8s.io',
  'controller patch deviceclasses.resource.k8s.io',
  // Only for policies with demand.namespaceSelector; follow-demand.spec.ts reads namespaces.
  'controller list namespaces',
  // Only for policies with demand.from: Kueue; kueue.spec.ts has one.
  ...['workloads', 'localqueues', 'clusterqueues', 'resourceflavors'].map(
    (plural) => `controller list ${plural}.kueue.x-k8s.io`,
  ),
  // The kubelet here is faster than a real one: fence.spec.ts has a slow one, and a device plugin in a pod.
  'controller patch nodes/status',
]);

/** `controller list pods (gpu-partition-agents)` */
function describeRight(program: string, verb: string, group: string, resource: string, namespace = ''): string {
  const [plural = '', subresource] = resource.split('/');
  const what = `${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
  return `${program} ${verb} ${what}${namespace === '' ? '' : ` (${namespace})`}`;
}

type Rule = Readonly<Record<'apiGroups' | 'resources' | 'verbs', readonly string[]>>;

/** What the roles of a program grant; those of a namespace name it. */
function listGranted(objects: readonly RenderedObject[], program: string): readonly string[] {
  return objects
    .filter(({ kind, metadata }) => /^(?:Cluster)?Role$/.test(kind) && metadata.name === `gpu-partition-${program}`)
    .flatMap((role) => {
      const rules = (role as unknown as { readonly rules: readonly Rule[] }).rules;
      return rules.flatMap(({ apiGroups, resources, verbs }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) =>
            verbs.map((verb) => describeRight(program, verb, group, resource, role.metadata.namespace)),
          ),
        ),
      );
    });
}

/** The rights that a request needs: of a role in its namespace, or of one for the cluster. */
function listUsed(program: string, request: SeenRequest): readonly string[] {
  const group = /^\/apis\/([^/]+)\//.exec(request.path)?.[1] ?? '';
  const namespace = /\/namespaces\/([^/]+)\/./.exec(request.path)?.[1];
  // Servers that do not stream lists are asked for a list.
  const verbs = isStreamedList(request) ? ['list', 'watch'] : [request.verb];
  return verbs.flatMap((verb) =>
    [undefined, namespace].map((place) => describeRight(program, verb, group, request.resource, place)),
  );
}

describe('the rights of our programs @all', function () {
  const rig = useRig([{ name, gpus: ['A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed' }], {
    proxied: ['controller-0', name],
  });

  const ask = (profiles: Readonly<Record<string, number>>, more: Partial<PolicySpec> = {}): Promise<void> =>
    rig().apply('p', {
      nodeSelector: { matchLabels: { pool: 'p' } },
      layouts: [{ profiles }],
      onDelete: 'DisableMig',
      ...more,
    });
  const untilReady = async (): Promise<void> => {
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 90_000);
  };
  const untilRunning = (count = 1): Promise<unknown> =>
    eventually(
      () => rig().list('/api/v1/namespaces/default/pods?fieldSelector=status.phase=Running'),
      ({ length }) => length === count,
      { timeoutMs: 60_000, what: `${count} running pods` },
    );

  /** All that they do in a cluster, once. */
  async function liveThrough(): Promise<void> {
    await rig().create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'bare', labels: { pool: 'bare' } } });
    await rig().apply('bare', { nodeSelector: { matchLabels: { pool: 'bare' } }, layouts: [{ mig: 'Disabled' }] });
    await rig().untilReason('bare', 'NoGpus');
    await rig().kubectl('delete', 'gpp', 'bare');
    await rig().kubectl('wait', 'gpn/bare', '--for=delete', '--timeout=30s');

    await ask({ '3g.20gb': 2 });
    await untilReady();
    const labels = { app: 'daemon' };
    const containers = [
      { name: 'main', image: 'example.com/x:1', resources: { limits: { 'nvidia.com/mig-3g.20gb': 1 } } },
    ];
    const template = { metadata: { labels }, spec: { nodeSelector: { pool: 'p' }, containers } };
    const metadata = { name: 'daemon', namespace: 'default' };
    const spec = { selector: { matchLabels: labels }, template };
    await rig().create({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec });
    await untilRunning();
    await ask({ '7g.40gb': 1 });
    await rig().untilReason(name, 'PodsUseGpus');
    await rig().kubectl('delete', 'daemonset', 'daemon', '-n', 'default');
    await untilReady();

    await rig().create(
      describeDeployment({
        name: 'moves',
        resource: 'nvidia.com/mig-7g.40gb',
        replicas: 1,
        prefers: { key: 'pool', value: 'p' },
      }),
    );
    await untilRunning();
    await ask({ '3g.20gb': 2 });
    await untilReady();
    await rig().kubectl('delete', 'deployment', 'moves', '-n', 'default');

    await applyObjects(rig(), [gpuPod({ name: 'stays', resource: 'nvidia.com/mig-3g.20gb' })]);
    await untilRunning();
    await ask({ '7g.40gb': 1 }, { drain: { timeout: '1s', onTimeout: 'Force' } });
    await untilReady();
    await rig().kubectl('delete', 'gpp', 'p', '--timeout=90s');
    // A leader that ends gives up its lease.
    await rig().rig.controller.stop('SIGTERM');
  }

  it('are used, each of them', async () => {
    await liveThrough();
    const objects = await renderFolder('config/rbac');
    const seen = [
      ...rig()
        .proxy('controller-0')
        .requests.map((request) => ['controller', request] as const),
      ...rig()
        .proxy(name)
        .requests.map((request) => ['agent', request] as const),
    ];
    const used = new Set([...rare, ...seen.flatMap(([program, request]) => listUsed(program, request))]);
    const granted = ['controller', 'agent'].flatMap((program) => listGranted(objects, program));
    expect(granted.length).to.be.above(20);
    expect(granted.filter((right) => !used.has(right))).to.deep.equal([]);
    expect(
      [...rare].filter((right) => !granted.includes(right)),
      'rare rights that nobody has',
    ).to.deep.equal([]);
  });
});
