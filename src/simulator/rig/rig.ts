import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { type Guard, startGuard } from '../control-plane/guard.ts';
import { KubeClient } from '../../kube/client.ts';
import { loadKubeConfig } from '../../kube/kubeconfig-loader.ts';
import type { MigStrategy } from '../../core/labels/mig-strategy.ts';
import { KubeletFleet } from '../kubelet/fleet.ts';
import type { PluginMode, Taint } from '../kubelet/simulated-node.ts';
import type { KubeletTiming } from '../kubelet/timing.ts';
import { rebootNode } from '../nvidia-smi/device.ts';
import { assembleGpus } from '../nvidia-smi/gpu.ts';
import { updateStateFile } from '../nvidia-smi/state-file.ts';
import { writeNvidiaSmiWrapper } from '../nvidia-smi/wrapper.ts';
import { RigProcess } from './process.ts';
import { programPath, projectRoot } from './programs.ts';

/** A simulated GPU node. */
export interface RigNode {
  readonly name: string;
  /** Model names as the simulated nvidia-smi takes them: `A100-SXM4-40GB`. */
  readonly gpus: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  /** Strategy that the node's device plugin is started with. */
  readonly strategy: MigStrategy;
  /** When its device plugin looks at the devices; `pod` needs a DaemonSet of the plugin in the cluster. Default `watching`. */
  readonly plugin?: PluginMode;
  /** With which it joins. */
  readonly taints?: readonly Taint[];
}

export interface RigOptions {
  readonly controlPlane: ControlPlane;
  readonly nodes: readonly RigNode[];
  readonly controllerArguments?: readonly string[];
  readonly agentArguments?: readonly string[];
  /** Waits of the simulated kubelets. */
  readonly kubeletTiming?: Partial<KubeletTiming>;
}

/** Longer than any demo is kept open. */
const tokenSeconds = 48 * 3600;

/**
 * A whole GPU cluster on this machine: Kubernetes' own control plane, simulated nodes, and our controller and agents as
 * programs, each with the token of its own ServiceAccount and the RBAC of config/.
 */
export class Rig implements AsyncDisposable {
  readonly controlPlane: ControlPlane;
  readonly folder: string;
  readonly fleet: KubeletFleet;
  readonly controller: RigProcess;
  readonly #guard: Guard;
  readonly #agents = new Map<string, RigProcess>();
  readonly #options: RigOptions;
  readonly #nodeFolder: (name: string) => string;

  private constructor(options: RigOptions, folder: string, fleet: KubeletFleet, controllerKubeconfig: string) {
    this.#options = options;
    this.controlPlane = options.controlPlane;
    // Whatever becomes of us, the programs and the folder go with us.
    this.#guard = startGuard(folder);
    this.folder = folder;
    this.fleet = fleet;
    this.#nodeFolder = (name) => join(folder, name);
    const argv = [
      programPath('controller'),
      '--kubeconfig',
      controllerKubeconfig,
      '--identity',
      'controller-0',
      ...(options.controllerArguments ?? []),
    ];
    this.controller = new RigProcess('controller', argv, join(folder, 'controller.log'), this.#guard);
  }

  /** Installs CRDs and RBAC, boots the nodes, and starts the controller and an agent on each node. */
  static async start(options: RigOptions): Promise<Rig> {
    const { controlPlane, nodes } = options;
    await applyFolder(controlPlane, 'config/crd');
    await applyFolder(controlPlane, 'config/rbac');
    await waitForApi(controlPlane);
    const folder = await mkdtemp(join(tmpdir(), 'gpu-partition-rig-'));
    const kubeletConfig = await controlPlane.kubeconfigFile({ token: controlPlane.kubeletToken });
    const client = new KubeClient(loadKubeConfig({ kubeconfig: kubeletConfig }), 'simulated-kubelet');
    const fleet = new KubeletFleet({ client, timing: options.kubeletTiming ?? {} });
    await fleet.start();
    const token = await controlPlane.serviceAccountToken('gpu-partition-system', 'gpu-partition-controller', {
      expirationSeconds: tokenSeconds,
    });
    const rig = new Rig(options, folder, fleet, await controlPlane.kubeconfigFile({ token }));
    await Promise.all(nodes.map((node) => rig.#boot(node)));
    rig.controller.start();
    for (const agent of rig.#agents.values()) agent.start();
    return rig;
  }

  agent(node: string): RigProcess {
    const agent = this.#agents.get(node);
    if (agent === undefined) throw new Error(`no agent on ${node}; there is ${[...this.#agents.keys()].join(', ')}`);
    return agent;
  }

  get agents(): readonly RigProcess[] {
    return [...this.#agents.values()];
  }

  /** Restarts a node: instances and processes are gone, MIG mode where the board does not keep it; the agent starts anew. */
  async rebootNode(name: string): Promise<void> {
    const node = this.#options.nodes.find((one) => one.name === name);
    if (node === undefined) throw new Error(`no node ${name}`);
    await this.agent(name).stop('SIGKILL');
    const gpus = assembleGpus(node.gpus, name);
    updateStateFile(this.stateFile(name), gpus.length, (state) => rebootNode(gpus, state));
    await writeFile(join(this.#nodeFolder(name), 'boot-id'), `${randomUUID()}\n`);
    this.agent(name).start();
  }

  /** Deletes a Node and boots it again under its old name, as an autoscaler may; its agent is left stopped. */
  async replaceNode(name: string): Promise<void> {
    const node = this.#options.nodes.find((one) => one.name === name);
    if (node === undefined) throw new Error(`no node ${name}`);
    await this.agent(name).stop('SIGKILL');
    await this.fleet.removeNode(name);
    const path = `/api/v1/nodes/${name}`;
    await this.controlPlane.client.demand({ method: 'DELETE', path });
    await waitFor(async () => (await this.controlPlane.client.send({ path })).status === 404);
    await this.#boot(node);
  }

  /** State of a node's simulated nvidia-smi, one fact a line. */
  async deviceState(node: string): Promise<string> {
    return readFile(this.stateFile(node), 'utf8').catch(() => '');
  }

  stateFile(node: string): string {
    return join(this.#nodeFolder(node), 'state');
  }

  /** A file of faults that the node's simulated nvidia-smi obeys; see docs/simulator.md. */
  faultsFile(node: string): string {
    return join(this.#nodeFolder(node), 'faults');
  }

  /** Every run of a node's nvidia-smi that changed the device, oldest first. */
  async deviceOperations(node: string): Promise<readonly (readonly string[])[]> {
    const text = await readFile(join(this.#nodeFolder(node), 'operations.jsonl'), 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { readonly event: string; readonly argv: readonly string[] })
      .flatMap(({ event, argv }) => (event === 'start' ? [argv] : []))
      .filter((argv) => argv.some((word) => /^-(mig|cgi|cci|dgi|dci|C|-gpu-reset|r)$/.test(word)));
  }

  async stop(): Promise<void> {
    await Promise.all([this.controller, ...this.#agents.values()].map((program) => program.stop('SIGTERM')));
    await this.fleet.stop();
    this.#guard.release();
    await rm(this.folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #boot(node: RigNode): Promise<void> {
    const { controlPlane, agentArguments = [] } = this.#options;
    const folder = this.#nodeFolder(node.name);
    await mkdir(folder, { recursive: true });
    await writeFile(this.faultsFile(node.name), '');
    await writeFile(join(folder, 'machine'), 'Simulated GPU Node\n');
    await writeFile(join(folder, 'boot-id'), `${randomUUID()}\n`);
    const stateFile = this.stateFile(node.name);
    const nvidiaSmi = writeNvidiaSmiWrapper(folder, {
      gpus: node.gpus,
      stateFile,
      logFile: join(folder, 'operations.jsonl'),
      faultsFile: this.faultsFile(node.name),
      seed: node.name,
      program: programPath('nvidia-smi-sim'),
      node: process.execPath,
    });
    await this.fleet.addNode({
      name: node.name,
      gpus: node.gpus,
      gpuSeed: node.name,
      stateFile,
      strategy: node.strategy,
      ...(node.plugin !== undefined && { plugin: node.plugin }),
      ...(node.taints !== undefined && { taints: node.taints }),
      labels: { 'nvidia.com/gpu.present': 'true', ...node.labels },
    });
    // A token names its node by uid: the Node has to be there first.
    await waitFor(async () => (await controlPlane.client.send({ path: `/api/v1/nodes/${node.name}` })).status === 200);
    const token = await controlPlane.serviceAccountToken('gpu-partition-agents', 'gpu-partition-agent', {
      bound: { node: node.name },
      expirationSeconds: tokenSeconds,
    });
    const argv = [
      programPath('agent'),
      '--node-name',
      node.name,
      '--kubeconfig',
      await controlPlane.kubeconfigFile({ token }),
      '--nvidia-smi',
      nvidiaSmi,
      '--state-dir',
      join(folder, 'agent'),
      '--machine-file',
      join(folder, 'machine'),
      '--boot-id-file',
      join(folder, 'boot-id'),
      ...agentArguments,
    ];
    this.#agents.set(node.name, new RigProcess(`agent ${node.name}`, argv, join(folder, 'agent.log'), this.#guard));
  }
}

/** `kubectl apply -k` as a user does it. @throws Error with kubectl's words. */
export async function applyFolder(controlPlane: ControlPlane, path: string): Promise<string> {
  const { code, stdout, stderr } = await controlPlane.kubectl(['apply', '-k', join(projectRoot, path)]);
  if (code !== 0) throw new Error(`kubectl apply -k ${path} failed: ${stderr || stdout}`);
  return stdout;
}

async function waitForApi(controlPlane: ControlPlane): Promise<void> {
  const paths = ['gpupartitionpolicies', 'gpunodepartitions'].map(
    (plural) => `/apis/gpupartition.dev/v1alpha1/${plural}`,
  );
  await waitFor(async () => {
    const answers = await Promise.all(paths.map((path) => controlPlane.client.send({ path })));
    return answers.every(({ status }) => status === 200);
  });
}

async function waitFor(holds: () => Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not so after ${timeoutMs} ms: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
