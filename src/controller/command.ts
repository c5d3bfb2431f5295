import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parse } from 'yaml';
import { checkClients } from '../core/node/plugin-pods.ts';
import { defaultSystemNamespaces } from '../core/kubernetes/pod.ts';
import {
  integer,
  limit,
  oneOf,
  reason,
  configMapName,
  equalitySelector,
  addServiceOptions,
  type ServiceOptions,
  programVersion,
  makeConfigurable,
} from '../process/options.ts';
import { controllerManager } from '../api/names.ts';
import { KubeClient } from '../kube/client.ts';
import { LeadershipLostError, runElected, type Term } from '../kube/election.ts';
import { loadKubeConfig } from '../kube/kubeconfig.ts';
import { NotSentError } from '../kube/request.ts';
import { untilAborted, whenAborted } from '../process/clock.ts';
import { exitOnUnhandled, createLogger, abortOnSignals } from '../process/log.ts';
import { serveHealth, createRegistry } from '../process/health.ts';
import { ClusterWatches } from './cluster.ts';
import { ControllerMetrics } from './metrics.ts';
import { GpuPartitionOperator } from './operator.ts';

interface ProgramOptions extends ServiceOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  readonly agentNamespace: string;
  readonly identity: string;
  readonly leaderElect: boolean;
  readonly leaseSeconds: number;
  readonly grantDeadlineSeconds: number;
  readonly settleMs: number;
  readonly waitingPollMs: number;
  readonly refreshAfterMs: number;
  readonly pluginRefresh: 'Signal' | 'Evict';
  readonly nodeStatus: 'Write' | 'Wait';
  readonly tidyNodeStatus: boolean;
  readonly nodeCondition: boolean;
  readonly unknownDevicePlugin: 'Refuse' | 'Await';
  readonly devicePluginSelector?: ReturnType<typeof equalitySelector>;
  readonly systemNamespaces: readonly string[];
  readonly devicePluginConfigMap?: ReturnType<typeof configMapName>;
  readonly advertiseDeadlineSeconds: number;
  readonly gpuClients?: ReturnType<typeof readClients>;
  readonly clientsDeadlineSeconds: number;
  readonly maxConcurrentNodes: string;
  readonly freeze?: string;
  readonly deleteDeadlineSeconds: number;
}

/** The options of the program, without what it does. */
function describeController(): Command {
  return addServiceOptions(
    new Command('controller')
      .description('Reconciles GpuPartitionPolicies. One replica leads, the others stand by.')
      .version(programVersion)
      .option(
        '--kubeconfig <file>',
        'kubeconfig file; otherwise $KUBECONFIG, the pod’s service account, or ~/.kube/config',
      )
      .option('--context <name>', 'context in the kubeconfig')
      .addOption(
        new Option('--namespace <name>', 'namespace of the leader’s Lease').default(
          process.env['POD_NAMESPACE'] ?? 'gpu-partition-system',
          '$POD_NAMESPACE, else gpu-partition-system',
        ),
      )
      .option(
        '--agent-namespace <name>',
        'namespace of the agents’ pods, whose readiness the controller watches',
        'gpu-partition-agents',
      )
      .addOption(
        new Option('--identity <name>', 'name of this process in the Lease').default(
          process.env['POD_NAME'] ?? `${hostname()}-${process.pid}`,
          '$POD_NAME, else HOST-PID',
        ),
      )
      .option('--no-leader-elect', 'lead without a Lease; only if no other controller runs')
      .option('--lease-seconds <n>', 'how long a dead leader blocks its successor', integer(3, 120), 15),
  )
    .option('--grant-deadline-seconds <n>', 'time limit of an agent for one change', integer(10, 86_400), 600)
    .option('--settle-ms <n>', 'delay between closing a node and listing its pods again', integer(0, 60_000), 100)
    .option(
      '--waiting-poll-ms <n>',
      'interval at which the pods of a waiting node are listed',
      integer(100, 600_000),
      5000,
    )
    .option(
      '--refresh-after-ms <n>',
      'time that an unknown device plugin has to follow a change on its own',
      integer(0, 600_000),
      1000,
    )
    .option(
      '--plugin-refresh <way>',
      'how a device plugin is made to read the devices again after a change: Signal (SIGHUP; its pod is evicted if it does not ' +
        'follow) or Evict',
      oneOf(['Signal', 'Evict'] as const),
      'Signal',
    )
    .option(
      '--node-status <way>',
      'who writes the new devices of a changed node into its status: Write (the controller, as soon as the kubelet offers them) or ' +
        'Wait (the kubelet, within its status period of 10 s)',
      oneOf(['Write', 'Wait'] as const),
      'Write',
    )
    .option(
      '--tidy-node-status',
      'remove resources of earlier layouts from the status of a node that has been Ready for 10 minutes; the kubelet leaves them at 0',
      false,
    )
    .option(
      '--node-condition',
      'keep the condition GpuPartitionReady on nodes that a policy decides over, for other programs that gate nodes by conditions',
      false,
    )
    .option(
      '--device-plugin-selector <labels>',
      'labels of the pods of a device plugin that is not NVIDIA’s: key=value,…',
      equalitySelector,
    )
    .option(
      '--unknown-device-plugin <way>',
      'what becomes of a change where the device plugin runs without a pod that the controller knows, such as a systemd unit: Refuse, or Await ' +
        '(the node stays closed until it offers the new layout: somebody else restarts the plugin)',
      oneOf(['Refuse', 'Await'] as const),
      'Refuse',
    )
    .option(
      '--system-namespaces <names>',
      'namespaces of the device plugin, GPU clients and other owners of GPUs; labels of pods elsewhere are not trusted',
      nameList,
      defaultSystemNamespaces,
    )
    .option(
      '--device-plugin-config-map <namespace/name>',
      'ConfigMap of the device plugin in which the controller keeps strategy and time-slicing per node',
      configMapName,
    )
    .option(
      '--advertise-deadline-seconds <n>',
      'time limit for a node to advertise its new layout, before it counts as Failed',
      integer(1, 86_400),
      300,
    )
    .option(
      '--gpu-clients <file>',
      'YAML file of GPU clients: programs that keep GPUs open, and when to evict their pods',
      readClients,
    )
    .option(
      '--max-concurrent-nodes <n>',
      'maximum number of nodes that change at a time, across all policies: a number, or a percentage of the GPU nodes, at least 1',
      limit,
      '10%',
    )
    .option(
      '--delete-deadline-seconds <n>',
      'time limit for a deleted policy with onDelete: DisableMig to make its GPUs whole, before it is removed regardless',
      integer(1, 86_400),
      1800,
    )
    .option('--freeze <reason>', 'start no change on any node; every policy shows the reason in its status', reason)
    .option(
      '--clients-deadline-seconds <n>',
      'how long to wait for the pods of GPU clients to terminate',
      integer(1, 86_400),
      300,
    );
}

function nameList(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name))) return names;
  throw new InvalidArgumentError('must be names of namespaces as in gpu-operator,kube-system.');
}

function readClients(path: string): Exclude<ReturnType<typeof checkClients>, string> {
  let value: unknown;
  try {
    value = parse(readFileSync(path, 'utf8'), { logLevel: 'error' });
  } catch (error) {
    throw new InvalidArgumentError(`cannot be read: ${String(error)}`);
  }
  const clients = checkClients(value);
  if (typeof clients === 'string') throw new InvalidArgumentError(`${path}: ${clients}`);
  return clients;
}

/** No reconcile takes this long while the API server is reachable: each of its requests has a deadline. */
const stalledMs = 5 * 60_000;

/** The program: parses options, waits for leadership, then runs the operator until a signal ends it. */
export function controllerCommand(): Command {
  return makeConfigurable(describeController().action(async (options: ProgramOptions) => runController(options)));
}

async function runController(options: ProgramOptions): Promise<void> {
  const logger = createLogger({ level: options.logLevel, format: options.logFormat });
  exitOnUnhandled(logger);
  const signal = abortOnSignals(logger);
  const client = new KubeClient(loadKubeConfig(options), controllerManager);
  const state = { leads: false };
  const registry = options.healthPort === undefined ? undefined : createRegistry({ program: 'controller' });
  // From the start: a standby whose watches are warm leads at once.
  const watches = new ClusterWatches({ client, logger, agentNamespace: options.agentNamespace }).start();
  const now = (): number => client.config.serverClock.nowMs();
  const metrics = registry && new ControllerMetrics(registry, now, () => watches.figures);
  const health =
    options.healthPort === undefined
      ? undefined
      : await serveHealth({
          logger,
          port: options.healthPort,
          host: options.healthHost,
          ...(registry && { registry }),
          live: { loops: () => metrics?.explainStall(stalledMs) },
          ready: { watches: () => metrics && explainUnsynced(metrics) },
        });
  const lead = async (term: Term): Promise<void> => {
    state.leads = true;
    const operator = new GpuPartitionOperator({
      // Nothing begun as the leader outlives the leadership: no write, and no retry of one.
      client: new KubeClient(client.config, controllerManager, term),
      logger,
      metrics,
      instance: options.identity,
      watches,
      rollout: {
        maxConcurrentNodes: options.maxConcurrentNodes,
        freeze: options.freeze,
        deleteDeadlineMs: options.deleteDeadlineSeconds * 1000,
      },
      settings: {
        settleMs: options.settleMs,
        deadlineMs: options.grantDeadlineSeconds * 1000,
        waitingPollMs: options.waitingPollMs,
        refreshAfterMs: options.refreshAfterMs,
        pluginRefresh: options.pluginRefresh,
        nodeStatus: options.nodeStatus,
        tidyNodeStatus: options.tidyNodeStatus,
        nodeCondition: options.nodeCondition,
        refusesUnknownPlugin: options.unknownDevicePlugin === 'Refuse',
        pluginSelector: options.devicePluginSelector,
        systemNamespaces: options.systemNamespaces,
        version: programVersion,
        pluginConfigMap: options.devicePluginConfigMap,
        advertiseDeadlineMs: options.advertiseDeadlineSeconds * 1000,
        gpuClients: options.gpuClients,
        clientsDeadlineMs: options.clientsDeadlineSeconds * 1000,
      },
    });
    try {
      await untilAborted(operator.start(), term.signal);
      await whenAborted(term.signal);
    } catch (error) {
      // Its first requests may notice before the renewals do that the lease was not renewed.
      if (!term.signal.aborted && !(error instanceof NotSentError)) throw error;
    } finally {
      await operator.stop();
      metrics?.detach();
      state.leads = false;
    }
  };
  try {
    if (!options.leaderElect) await lead({ signal, requireLeadership: () => undefined });
    while (options.leaderElect && !signal.aborted) {
      try {
        await runElected({ client, logger, ...leaseOf(options) }, lead, signal);
      } catch (error) {
        // If the operator has stopped, stand for election again. If not, only ending the process stops it.
        if (!(error instanceof LeadershipLostError) || state.leads) throw error;
        logger.warn('leadership lost; standing for election again', { error: error.message });
      }
    }
  } finally {
    await watches.stop();
    await health?.stop();
  }
}

/**
 * Explains why this controller is not ready: nothing is decided before the lists are complete, and a standby without them cannot take over.
 */
function explainUnsynced({ unsynced }: ControllerMetrics): string | undefined {
  return unsynced.length === 0 ? undefined : `no complete list yet of ${unsynced.join(', ')}`;
}

function leaseOf({ namespace, identity, leaseSeconds }: ProgramOptions) {
  const leaseMs = leaseSeconds * 1000;
  // The same proportions as client-go: 15 s, 10 s, 2 s.
  const timing = { leaseMs, renewMs: (leaseMs * 2) / 3, retryMs: (leaseMs * 2) / 15 };
  return { namespace, name: controllerManager, identity, timing };
}
