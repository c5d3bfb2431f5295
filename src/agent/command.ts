import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { agentManager } from '../api/names.ts';
import { nodePartitions } from '../api/resources.ts';
import { KubeClient } from '../kube/client.ts';
import { loadKubeConfig } from '../kube/kubeconfig.ts';
import { WorkQueue } from '../kube/queue.ts';
import { Reflector } from '../kube/reflector.ts';
import { PodResourcesClient } from '../kubelet/pod-resources.ts';
import { whenAborted } from '../process/clock.ts';
import {
  makeConfigurable,
  integer,
  list,
  addServiceOptions,
  type ServiceOptions,
  programVersion,
} from '../process/options.ts';
import { exitOnUnhandled, describeError, type Logger, createLogger, abortOnSignals } from '../process/log.ts';
import type { Checks } from '../process/health.ts';
import { addTimeoutOptions, readTimeouts, type TimeoutOptions } from '../device/child.ts';
import { addHostUnitOption } from '../device/host/loans.ts';
import { agentBackoff, NodeAgent } from './agent.ts';
import { followDriverLoad, watchDriverLoad } from './device-view.ts';
import { explainHiddenProcesses } from '../device/host/openers.ts';
import { openDevice, type OpenDevice, watchLock, tellOfLock } from './open-device.ts';
import { kubeletOf } from './open-kubelet.ts';
import { signalPods } from './grant-work.ts';
import { type Partition, RecordFile } from './own-partition.ts';

interface Options extends TimeoutOptions, ServiceOptions {
  readonly nodeName: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly nvidiaSmi?: string;
  readonly driverRoot?: readonly string[];
  readonly libraryPath?: string;
  readonly toolkitRoot?: readonly string[];
  readonly hostUnits?: readonly string[];
  readonly stateDir: string;
  readonly podResourcesSocket: string;
  readonly devicePluginFolder: string;
  readonly ignorePods?: boolean;
  readonly sliceMetrics?: boolean;
  readonly gpusAtOnce: number;
  readonly readIntervalMs: number;
  readonly bootIdFile: string;
  readonly driverModule: string;
  readonly rebootSentinel: string;
  readonly machineFile: string;
}

/** The program: parses options, then watches the node's own object until a signal ends it. */
export function agentCommand(): Command {
  return makeConfigurable(describeCommand());
}

function describeCommand(): Command {
  return addServiceOptions(
    addHostUnitOption(addTimeoutOptions(new Command('agent')))
      .description('Partitions the GPUs of this node as its GpuNodePartition grants.')
      .version(programVersion)
      .addOption(new Option('--node-name <name>', 'name of this Node').env('NODE_NAME').makeOptionMandatory())
      .option(
        '--kubeconfig <file>',
        'kubeconfig file; otherwise $KUBECONFIG, the pod’s service account, or ~/.kube/config',
      )
      .option('--context <name>', 'context in the kubeconfig')
      .option(
        '--nvidia-smi <file>',
        'path of nvidia-smi; otherwise found in /usr/bin or another folder of the system, whatever PATH says',
      )
      .option(
        '--driver-root <folders>',
        'folders that may contain the driver’s files, in order; nvidia-smi runs by chroot in the first that has it',
        list,
      )
      .option(
        '--toolkit-root <folders>',
        'folders that may contain the NVIDIA Container Toolkit, in order; nvidia-ctk in it makes device nodes and CDI specs after a change ' +
          '(default: the roots of the driver)',
        list,
      )
      .option('--library-path <folders>', 'LD_LIBRARY_PATH of nvidia-smi, if its libraries are not in a usual place')
      .option(
        '--state-dir <folder>',
        'folder on the host for lock, journal, the record of the agent’s work, and the last output that it did not understand',
        '/var/lib/gpu-partition',
      )
      .option(
        '--pod-resources-socket <file>',
        'PodResources socket of the kubelet, which tells which pod holds which device',
        '/var/lib/kubelet/pod-resources/kubelet.sock',
      )
      .option(
        '--device-plugin-folder <folder>',
        'where device plugins register with the kubelet; registrations of plugins that are gone are ended there',
        '/var/lib/kubelet/device-plugins',
      )
      .option(
        '--ignore-pods',
        'proceed without the kubelet’s PodResources; a pod that holds a device without a process on it is then not noticed',
      )
      .option(
        '--gpus-at-once <n>',
        'GPUs whose instances may change at the same time: shortens the closure of a node with many GPUs, if its driver works on ' +
          'several at once. Above 1, each command names one GPU. Changes of MIG mode and resets are then made one after another',
        integer(1, 16),
        1,
      )
      .option(
        '--read-interval-ms <n>',
        'interval at which the GPUs are read if nothing else causes it; at most 15 s while one is sick',
        integer(500, 86_400_000),
        60_000,
      )
      .option(
        '--slice-metrics',
        'with --health-port: serve a series for each slice of this node, and for each pod that holds one, to join with the metrics of ' +
          'dcgm-exporter (docs/metrics.md)',
      )
      .option('--boot-id-file <file>', 'file with the kernel’s boot id', '/proc/sys/kernel/random/boot_id')
      .option(
        '--driver-module <folder>',
        'sysfs folder of the driver’s kernel module, which is new after each load',
        '/sys/module/nvidia',
      )
      .option(
        '--reboot-sentinel <file>',
        'file to create if a MIG mode change needs a reboot and the policy allows it; kured watches it on the host',
        '/proc/1/root/run/reboot-required',
      )
      .option('--machine-file <file>', 'file with the machine’s product name', '/sys/class/dmi/id/product_name'),
  ).action(async (options: Options) => runAgent(options));
}

async function runAgent(options: Options): Promise<void> {
  const logger = createLogger({ level: options.logLevel, format: options.logFormat }).child({ node: options.nodeName });
  exitOnUnhandled(logger);
  const isPod = process.env['KUBERNETES_SERVICE_HOST'] !== undefined;
  const hidden = explainHiddenProcesses({ proc: '/proc', pid: process.pid, isPod });
  if (hidden !== undefined) throw new Error(hidden);
  const asked = abortOnSignals(logger);
  const client = new KubeClient(loadKubeConfig(options), agentManager);
  const state: { agent?: NodeAgent; opened?: OpenDevice } = {};
  const health = await openHealth(options, logger, {
    lock: () => (state.opened ? state.opened.explainLoss() : 'another agent holds this node’s lock'),
    device: () => (state.agent ? state.agent.unready : 'the GPUs have not been read yet'),
  });
  const timeouts = readTimeouts(options);
  const tellLock = (message: string, had: AbortSignal): Promise<void> =>
    tellOfLock({ client, nodeName: options.nodeName, logger, message }, had);
  const driverLoad = watchDriverLoad(options.driverModule);
  const opened = await openDevice({ ...options, driverLoad, timeouts, tellOfLock: tellLock }, logger, asked, (done) =>
    health?.metrics.operated(done),
  );
  if (opened === undefined) return health?.server.stop();
  const lost = watchLock(opened.explainLoss, asked);
  const signal = AbortSignal.any([asked, lost]);
  const device = health?.metrics.measure(opened.device) ?? opened.device;
  const kubelet = new PodResourcesClient({ socket: options.podResourcesSocket });
  const agent = new NodeAgent({
    client,
    device,
    signalPods: (uids) => signalPods(uids),
    kubelet: kubeletOf({ client: kubelet, ignorePods: options.ignorePods === true, logger }),
    endRegistration: async (resource) => {
      // Hardly any node ever needs it.
      const { endRegistration } = await import('../kubelet/end-registration.ts');
      return endRegistration(options.devicePluginFolder, resource, kubelet);
    },
    record: new RecordFile(join(options.stateDir, 'agent.json')),
    logger,
    nodeName: options.nodeName,
    agentVersion: programVersion,
    askForReboot: () => leaveSentinel(options.rebootSentinel, logger),
    bootID: (await readLine(options.bootIdFile)) ?? 'unknown',
    driverLoad,
    machine: await readLine(options.machineFile),
    readIntervalMs: options.readIntervalMs,
  });
  Object.assign(state, { agent, opened });
  const queue = new WorkQueue({
    logger,
    backoff: agentBackoff,
    observer: health?.metrics.observeQueue(),
    reconcile: (name, stopped) => agent.reconcile(watch.store.get(name), stopped),
  });
  const watch = new Reflector<Partition>({
    client,
    logger,
    resource: nodePartitions,
    fieldSelector: `metadata.name=${options.nodeName}`,
    onChange: ({ key }) => queue.add(key),
  }).start();
  health?.metrics.attach({
    queue,
    watch,
    serverClock: client.config.serverClock,
    partition: () => watch.store.get(options.nodeName),
  });
  const followed = followDriverLoad(driverLoad, { onLoad: () => queue.add(options.nodeName) }, signal);
  logger.info('agent started', { version: programVersion });
  await whenAborted(signal);
  await followed;
  await watch.stop();
  await queue.stop();
  await health?.server.stop();
  lost.throwIfAborted();
}

async function openHealth(
  { healthPort: port, healthHost: host, sliceMetrics: hasSlices }: Options,
  logger: Logger,
  ready: Checks,
) {
  if (port === undefined) return undefined;
  // Only on request: there is an agent on every node.
  const { serveAgentHealth } = await import('./metrics.ts');
  const health = await serveAgentHealth({ logger, port, host, ready, hasSlices });
  logger.info('probes and metrics are served', { port: health.server.port });
  return health;
}

async function readLine(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Writes the sentinel of a reboot. If that fails, the agent must still report what it waits for. */
async function leaveSentinel(path: string, logger: Logger): Promise<void> {
  try {
    await writeFile(path, 'gpu-partition: a MIG mode change\n');
    logger.info('reboot requested', { path });
  } catch (error) {
    logger.warn('cannot request a reboot', { path, error: describeError(error) });
  }
}
