import type { Taint } from '../../core/kubernetes/node.ts';
import type { MigStrategy } from '../../core/nvidia/labels.ts';
import type { PluginMode, SimulatedNode } from '../kubelet/node.ts';
import { type DriverBranch, recordedBranch } from '../nvidia-smi/board.ts';
import { driverNodeLabel, agentOf, endDeviceCommands, installDriver } from './workloads.ts';
import { type NodeFiles, installApi, waitFor, nodeFilesIn, writeBootId, writeNodeFiles } from './install.ts';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlane } from '../control-plane/start.ts';
import { type Guard, startGuard } from '../control-plane/run.ts';
import { KubeClient } from '../../kube/client.ts';
import { loadKubeConfig } from '../../kube/kubeconfig.ts';
import { KubeletFleet } from '../kubelet/fleet.ts';
import { rebootNode, assembleGpus } from '../nvidia-smi/device.ts';
import { NvidiaSmiServer, writeNvidiaSmiWrapper } from '../nvidia-smi/wrapper.ts';
import { updateStateFile } from '../nvidia-smi/state.ts';
import { type RigProcess, programPath, type RigOptions, makeAgent, makeController } from './process.ts';

/** A simulated GPU node. */
export interface RigNode {
  readonly name: string;
  /** Model names in the simulated nvidia-smi's form: `A100-SXM4-40GB`. */
  readonly gpus: readonly string[];
  /** Branch of the driver, one of docs/simulator.md; default 550. */
  readonly driver?: DriverBranch;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Strategy of the node's device plugin and GFD if their pods do not set one. */
  readonly strategy: MigStrategy;
  /**
   * The times at which its device plugin reads the devices; `pod` needs a DaemonSet of the plugin in the cluster. `dra`: it has none, and
   * the rig installs the DRA driver for it. Default `watching`.
   */
  readonly plugin?: PluginMode | 'dra';
  /** The ids of its devices, as for {@link SimulatedNode}. */
  readonly deviceIds?: NonNullable<SimulatedNode['deviceIds']>;
  /** Taints with which it joins. */
  readonly taints?: readonly Taint[];
  /** Whether its kubelet reports to its agent who holds which device; default true. */
  readonly podResources?: boolean;
}

/** Name of the machine in every node's firmware. */
const machineProduct = 'Simulated GPU Node';

/** The node as the fleet of kubelets boots it. */
function describeRigNode(node: RigNode, files: NodeFiles): SimulatedNode {
  const { plugin, podResources = true, ...own } = node;
  return {
    ...own,
    gpuSeed: own.name,
    stateFile: files.state,
    faultsFile: files.faults,
    machine: machineProduct,
    labels: { 'nvidia.com/gpu.present': 'true', ...(plugin === 'dra' && { [driverNodeLabel]: 'true' }), ...own.labels },
    ...(plugin !== undefined && { plugin: plugin === 'dra' ? 'pod' : plugin }),
    ...(podResources && { podResourcesSocket: files.podResourcesSocket }),
  };
}

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
  readonly #standbys: RigProcess[] = [];
  /** Nodes that were not there from the start. */
  readonly #joined: RigNode[] = [];
  readonly #agents: Map<string, RigProcess>;
  /** Servers by node. */
  readonly #servers = new Map<string, NvidiaSmiServer>();
  readonly #options: RigOptions;

  private constructor(
    options: RigOptions,
    guard: Guard,
    agents: Map<string, RigProcess>,
    { folder, fleet, controller }: Pick<Rig, 'folder' | 'fleet' | 'controller'>,
  ) {
    this.#options = options;
    this.#guard = guard;
    this.#agents = agents;
    this.controlPlane = options.controlPlane;
    this.folder = folder;
    this.fleet = fleet;
    this.controller = controller;
  }

  /** Installs CRDs and RBAC, boots the nodes, and starts the controller and an agent on each node. */
  static async start(options: RigOptions): Promise<Rig> {
    const { controlPlane, nodes } = options;
    await installApi(controlPlane);
    if (nodes.some(({ plugin }) => plugin === 'dra')) await installDriver(controlPlane);
    const folder = await mkdtemp(join(tmpdir(), 'gpu-partition-rig-'));
    // Invalid options are rejected before anything runs.
    for (const { name } of nodes) nodeFilesIn(folder, name);
    const kubeletConfig = await controlPlane.kubeconfigFile({ token: controlPlane.kubeletToken });
    const client = new KubeClient(loadKubeConfig({ kubeconfig: kubeletConfig }), 'simulated-kubelet');
    const agents = new Map<string, RigProcess>();
    const fleet = new KubeletFleet({
      client,
      timing: options.kubeletTiming ?? {},
      programOf: (pod) => agentOf(pod, agents),
    });
    await fleet.start();
    // However we end, the programs and the folder go with us.
    const guard = startGuard(folder);
    const controller = await makeController(options, guard, folder, 'controller-0');
    const rig = new Rig(options, guard, agents, { folder, fleet, controller });
    await Promise.all(nodes.map((node) => rig.#boot(node)));
    rig.controller.start();
    for (const agent of rig.#agents.values()) agent.start();
    return rig;
  }

  /** Adds a controller, not started yet, as a standby. @param argumentsOf its arguments, from those of the others */
  async addController(
    identity: string,
    argumentsOf: (given: readonly string[]) => readonly string[] = (given) => given,
  ): Promise<RigProcess> {
    const options = { ...this.#options, controllerArguments: argumentsOf(this.#options.controllerArguments ?? []) };
    const controller = await makeController(options, this.#guard, this.folder, identity);
    this.#standbys.push(controller);
    return controller;
  }

  /** Adds nodes, each with its agent. */
  async join(nodes: readonly RigNode[]): Promise<void> {
    this.#joined.push(...nodes);
    await Promise.all(nodes.map((node) => this.#boot(node)));
    for (const { name } of nodes) this.agent(name).start();
  }

  agent(node: string): RigProcess {
    const agent = this.#agents.get(node);
    if (agent === undefined) throw new Error(`no agent on ${node}; there is ${[...this.#agents.keys()].join(', ')}`);
    return agent;
  }

  get nodeNames(): readonly string[] {
    return [...this.#agents.keys()];
  }

  get agents(): readonly RigProcess[] {
    return [...this.#agents.values()];
  }

  /**
   * Reboots a node: instances and processes are gone, a pending MIG mode is in effect unless the board forgets it, and the request for
   * a reboot is gone; the agent restarts, or is left to the caller to start.
   */
  async rebootNode(name: string, { withAgent = true } = {}): Promise<void> {
    await this.agent(name).stop('SIGKILL');
    this.#rebootDevice(name);
    await rm(this.rebootSentinel(name), { force: true });
    this.fleet.rebootNode(name, await writeBootId(this.#filesOf(name)));
    if (withAgent) this.agent(name).start();
  }

  /** Deletes a Node and boots it again under its old name, as an autoscaler may; its agent stays stopped. */
  async replaceNode(name: string): Promise<void> {
    const node = this.#nodeOf(name);
    await this.agent(name).stop('SIGKILL');
    await this.fleet.removeNode(name);
    const path = `/api/v1/nodes/${name}`;
    await this.controlPlane.client.demand({ method: 'DELETE', path });
    await waitFor(async () => (await this.controlPlane.client.send({ path })).status === 404);
    this.#rebootDevice(name);
    await this.#boot(node);
    // Pods of before are rejected: their devices are gone.
    this.fleet.rebootNode(name, await writeBootId(this.#filesOf(name)));
  }

  #rebootDevice(name: string): void {
    endDeviceCommands(this.stateFile(name));
    const gpus = assembleGpus(this.#nodeOf(name).gpus, name);
    updateStateFile(this.stateFile(name), gpus.length, (state) => rebootNode(gpus, state));
  }

  /** State of a node's simulated nvidia-smi, one fact per line. */
  async deviceState(node: string): Promise<string> {
    return readFile(this.stateFile(node), 'utf8').catch(() => '');
  }

  stateFile(node: string): string {
    return this.#filesOf(node).state;
  }

  /** Sets the faults of the node's simulated nvidia-smi; see docs/internal/simulator.md. */
  faultsFile(node: string): string {
    return this.#filesOf(node).faults;
  }

  /** The file that asks for a reboot of the node. */
  rebootSentinel(node: string): string {
    return this.#filesOf(node).rebootSentinel;
  }

  /** The state folder of a node's agent. */
  agentFolder(node: string): string {
    return this.#filesOf(node).agentFolder;
  }

  /** Every run of a node's nvidia-smi that changed the device, oldest first. */
  async deviceOperations(node: string): Promise<readonly (readonly string[])[]> {
    const text = await readFile(this.#filesOf(node).operations, 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { readonly event: string; readonly argv: readonly string[] })
      .flatMap(({ event, argv }) => (event === 'start' ? [argv] : []))
      .filter((argv) => argv.some((word) => /^-(mig|cgi|cci|dgi|dci|C|-gpu-reset|r)$/.test(word)));
  }

  async stop(): Promise<void> {
    const programs = [this.controller, ...this.#standbys, ...this.#agents.values()];
    await Promise.all(programs.map((program) => program.stop('SIGTERM')));
    await this.fleet.stop();
    await Promise.all([...this.#servers.values()].map((server) => server[Symbol.asyncDispose]()));
    this.#guard.release();
    await rm(this.folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #boot(node: RigNode): Promise<void> {
    const { controlPlane } = this.#options;
    const { name } = node;
    const files = this.#filesOf(name);
    const bootId = await writeNodeFiles(files, machineProduct);
    const nvidiaSmi = writeNvidiaSmiWrapper(files.folder, {
      gpus: node.gpus,
      ...(node.driver !== undefined && { driver: node.driver }),
      stateFile: files.state,
      logFile: files.operations,
      faultsFile: files.faults,
      seed: name,
      ...(this.#options.servesNvidiaSmi === true && { port: await this.#serve(node, files) }),
      program: programPath('nvidia-smi-sim'),
      node: process.execPath,
    });
    await this.fleet.addNode({ ...describeRigNode(node, files), bootId });
    // A token names its node by uid: the Node must exist first.
    await waitFor(async () => (await controlPlane.client.send({ path: `/api/v1/nodes/${name}` })).status === 200);
    const onChange = (): void => this.fleet.wakeNode(name);
    const ignorePods = this.#nodeOf(name).podResources === false;
    this.#agents.set(
      name,
      await makeAgent(this.#options, this.#guard, { node: name, files, nvidiaSmi, ignorePods, onChange }),
    );
  }

  async #serve({ name, gpus, driver = recordedBranch }: RigNode, files: NodeFiles): Promise<number> {
    const known = this.#servers.get(name);
    if (known) return known.port;
    const settings = { gpus: assembleGpus(gpus, name), driver, pace: 0, uid: 0 };
    const server = await NvidiaSmiServer.start({ ...settings, stateFile: files.state, logFile: files.operations });
    this.#servers.set(name, server);
    return server.port;
  }

  #filesOf(node: string): NodeFiles {
    return nodeFilesIn(this.folder, node);
  }

  #nodeOf(name: string): RigNode {
    const node = [...this.#options.nodes, ...this.#joined].find((one) => one.name === name);
    if (node === undefined) throw new Error(`no node ${name}`);
    return node;
  }
}
