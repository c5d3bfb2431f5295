import type { GpuNodePartition, GpuPartitionPolicy, PolicySpec } from '../../src/api/types.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { applyObject } from '../../src/simulator/rig/install.ts';
import { Rig, type RigNode } from '../../src/simulator/rig/rig.ts';
import type { RigOptions } from '../../src/simulator/rig/process.ts';
import { clusterTimeoutMs, ownCluster } from './cluster.ts';
import { borrowCluster } from './cluster-pool.ts';
import { eventually, patience } from './eventually.ts';
import { FaultProxy } from './fault-proxy.ts';

export interface RigNodeView {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly taints?: readonly { readonly key: string }[] };
  readonly status: { readonly allocatable?: Readonly<Record<string, string>> };
}

/** Our taints; a new node briefly has others, from the node life cycle. */
export function ownTaints({ spec }: RigNodeView): readonly string[] {
  return (spec.taints ?? []).map(({ key }) => key).filter((key) => key.startsWith('gpupartition.dev/'));
}

/** A suite's own rig, with helpers for its tests. */
export interface TestRig {
  readonly rig: Rig;
  readonly controlPlane: ControlPlane;
  /** The proxy of a program that {@link TestRigOptions} asked for. */
  proxy(program: string): FaultProxy;
  /** As `kubectl apply --server-side` of a policy; throws the API server's message when it is refused. */
  apply(name: string, spec: Partial<PolicySpec> & Pick<PolicySpec, 'nodeSelector'>): Promise<void>;
  kubectl(...args: string[]): Promise<string>;
  /** As `kubectl apply --server-side` of any object. */
  create(object: object): Promise<void>;
  /** Waits until a node has this state for this reason. @returns the message of its condition Ready */
  untilReason(node: string, reason: string, timeoutMs?: number): Promise<string>;
  policy(name: string): Promise<GpuPartitionPolicy>;
  /** Waits until the controller has reported this about the policy's newest generation. */
  waitFor(
    name: string,
    type: string,
    status: 'True' | 'False',
    reason?: string,
    timeoutMs?: number,
  ): Promise<GpuPartitionPolicy>;
  partition(node: string): Promise<GpuNodePartition>;
  node(name: string): Promise<RigNodeView>;
  /** Items of a collection, `/api/v1/pods?labelSelector=app=a`: for polls, where a kubectl each time costs more than what is tested. */
  list<T>(path: string): Promise<readonly T[]>;
  /** Writes of our accounts so far, without Events and leases: `gpu-partition-agent patch gpunodepartitions.gpupartition.dev/status n`. */
  writes(): Promise<readonly string[]>;
}

export interface TestRigOptions extends Pick<
  RigOptions,
  'agentArguments' | 'controllerArguments' | 'kubeletTiming' | 'fileOf'
> {
  /** Programs that reach the API server through their own proxy: controllers by identity, agents by node. */
  readonly proxied?: readonly string[];
  /** Release that the control plane emulates; its own if absent. */
  readonly kubernetes?: string;
}

/** Registers the hooks of a suite with a rig: `const rig = useRig(nodes);` in a describe. */
export function useRig(
  nodes: readonly RigNode[],
  { proxied = [], kubernetes, ...options }: TestRigOptions = {},
): () => TestRig {
  let test: TestRig | undefined;
  let controlPlane: ControlPlane | undefined;
  const proxies = new Map<string, FaultProxy>();
  before(async function () {
    this.timeout(clusterTimeoutMs);
    controlPlane =
      kubernetes === undefined
        ? await borrowCluster('alone')
        : await ownCluster({ auditLog: true, emulatedVersion: kubernetes });
    const paces = [
      '--max-concurrent-nodes',
      '100%',
      // A shorter one is lost on a busy machine.
      '--lease-seconds',
      '10',
      '--waiting-poll-ms',
      '300',
      '--settle-ms',
      '100',
    ];
    const controllerArguments = [...paces, ...(options.controllerArguments ?? [])];
    const agentArguments = ['--read-interval-ms', '5000', ...(options.agentArguments ?? [])];
    for (const program of proxied) proxies.set(program, await FaultProxy.open(controlPlane, program));
    const serverOf = (program: string): string | undefined => proxies.get(program)?.server;
    const given = {
      ...options,
      servesNvidiaSmi: true,
      controlPlane,
      nodes,
      controllerArguments,
      agentArguments,
      serverOf,
    };
    test = testRig(await Rig.start(given), proxies);
  });
  afterEach(async function () {
    if (this.currentTest?.state !== 'failed' || !test) return;
    for (const program of [test.rig.controller, ...test.rig.agents]) {
      process.stderr.write(
        `--- ${program.name}\n${(await program.readLog())
          .trimEnd()
          .split('\n')
          .slice(-25)
          .map((line) => line.slice(0, 800))
          .join('\n')}\n`,
      );
    }
  });
  after(async function () {
    await test?.rig.stop();
    for (const proxy of proxies.values()) await proxy[Symbol.asyncDispose]();
    await controlPlane?.stop();
  });
  return () => {
    if (!test) throw new Error('the rig is there only within tests and hooks of the suite');
    return test;
  };
}

/** `--timeout=30s` is for an idle machine; one of less than ten seconds asks for what must be so already. */
function stretchTimeout(argument: string): string {
  return argument.replace(/^--timeout=(\d{2,})s$/, (_all, seconds) => `--timeout=${Number(seconds) * patience}s`);
}

function testRig(rig: Rig, proxies: ReadonlyMap<string, FaultProxy>): TestRig {
  const { controlPlane } = rig;
  const read = async <T>(path: string): Promise<T> => (await controlPlane.client.demand({ path })) as T;
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await controlPlane.kubectl(args.map(stretchTimeout));
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr || stdout}`);
    return stdout;
  };
  const policy = (name: string): Promise<GpuPartitionPolicy> =>
    read(`/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies/${name}`);
  const partition = (node: string): Promise<GpuNodePartition> =>
    read(`/apis/gpupartition.dev/v1alpha1/gpunodepartitions/${node}`);
  return {
    rig,
    controlPlane,
    proxy(program) {
      const proxy = proxies.get(program);
      if (proxy === undefined) throw new Error(`${program} has no proxy; there is ${[...proxies.keys()].join(', ')}`);
      return proxy;
    },
    policy,
    kubectl,
    async create(object) {
      for (const one of listObjects(object)) await applyObject(controlPlane, one);
    },
    async untilReason(node, reason, timeoutMs = 30_000) {
      const ready = async () => (await partition(node)).status?.conditions?.find(({ type }) => type === 'Ready');
      const what = `node ${node} to be ${reason}`;
      const found = await eventually(ready, (condition) => condition?.reason === reason, { timeoutMs, what });
      return found?.message ?? '';
    },
    async apply(name, spec) {
      const object = {
        apiVersion: 'gpupartition.dev/v1alpha1',
        kind: 'GpuPartitionPolicy',
        metadata: { name },
        spec: { strategy: 'mixed', ...spec },
      };
      await applyObject(controlPlane, object);
    },
    async waitFor(name, type, status, reason, timeoutMs = 30_000) {
      // Only what the failure message should show: an object's managed fields would hide the rest.
      const conditions = async () => {
        const { metadata, status: found } = await policy(name);
        return { generation: metadata.generation, conditions: found?.conditions ?? [], summary: found?.summary };
      };
      await eventually(
        conditions,
        ({ generation, conditions: found }) =>
          found.some(
            (condition) =>
              condition.type === type &&
              condition.status === status &&
              (reason === undefined || condition.reason === reason) &&
              condition.observedGeneration === generation,
          ),
        { timeoutMs, what: `policy ${name} to be ${type}=${status} ${reason ?? ''}` },
      );
      return policy(name);
    },
    partition,
    node: (name) => read(`/api/v1/nodes/${name}`),
    list: async <T>(path: string) => (await read<{ readonly items: readonly T[] }>(path)).items,
    async writes() {
      const all = await controlPlane.auditedWrites();
      return all
        .filter(({ user, resource }) => user.includes(':gpu-partition-') && !/^(events|leases)\./.test(resource))
        .map(({ user, verb, resource, subresource, name }) =>
          [user.split(':').at(-1), verb, subresource ? `${resource}/${subresource}` : resource, name].join(' '),
        );
    },
  };
}

/** Those of a `List`, or the one object. */
function listObjects(object: object): readonly object[] {
  const { kind, items = [] } = object as { readonly kind?: string; readonly items?: readonly object[] };
  return kind === 'List' ? items : [object];
}
