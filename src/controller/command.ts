import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parse } from 'yaml';
import { controllerManager } from '../api/names.ts';
import { checkHolders } from '../core/pods/holder-check.ts';
import { defaultHolders, type GpuHolder } from '../core/pods/gpu-holders.ts';
import type { LabelSelector } from '../core/pods/plugin-pods.ts';
import { defaultSystemNamespaces } from '../core/pods/system-pods.ts';
import { KubeClient } from '../kube/client.ts';
import { LeadershipLostError, runElected } from '../kube/election.ts';
import { loadKubeConfig } from '../kube/kubeconfig-loader.ts';
import type { Term } from '../kube/term.ts';
import { untilAborted, whenAborted } from '../process/abort.ts';
import { makeConfigurable } from '../process/configuration.ts';
import { exitOnUnhandled } from '../process/fatal.ts';
import { serveHealth } from '../process/health.ts';
import { createLogger, type LogFormat, logFormats, type LogLevel, logLevels } from '../process/log.ts';
import { createRegistry } from '../process/metrics.ts';
import { steadyMs } from '../process/clock.ts';
import { integer, limit, oneOf } from '../process/option.ts';
import { configMapName, equalitySelector } from '../process/plugin-option.ts';
import { abortOnSignals } from '../process/shutdown.ts';
import { programVersion } from '../process/version.ts';
import { ControllerMetrics } from './metrics.ts';
import { GpuPartitionOperator } from './operator.ts';

interface Options {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  readonly agentNamespace: string;
  readonly identity: string;
  readonly leaderElect: boolean;
  readonly leaseSeconds: number;
  readonly healthPort?: number;
  readonly healthHost?: string;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly grantDeadlineSeconds: number;
  readonly settleMs: number;
  readonly waitingPollMs: number;
  readonly refreshAfterMs: number;
  readonly pluginRefresh: 'Signal' | 'Evict';
  readonly devicePluginSelector?: LabelSelector;
  readonly systemNamespaces: readonly string[];
  readonly devicePluginConfigMap?: ReturnType<typeof configMapName>;
  readonly advertiseDeadlineSeconds: number;
  readonly gpuClients?: readonly GpuHolder[];
  readonly clientsDeadlineSeconds: number;
  readonly maxConcurrentNodes: string;
  readonly freeze?: string;
  readonly deleteDeadlineSeconds: number;
}

/** No reconcile takes this long while the API server is reachable: each of its requests has a deadline. */
const stalledMs = 5 * 60_000;

/** The program: parses options, waits for leadership, then runs the operator until a signal ends it. */
export function controllerCommand(): Command {
  return makeConfigurable(describeCommand());
}

function describeCommand(): Command {
  return new Command('controller')
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
    .option('--lease-seconds <n>', 'how long a dead leader blocks its successor', integer(3, 120), 15)
    .option('--health-port <port>', 'port that serves /healthz, /readyz and /metrics; absent: none', integer(0, 65535))
    .addOption(
      new Option('--health-host <address>', 'address for --health-port').default(
        process.env['POD_IP'] ?? '127.0.0.1',
        '$POD_IP, else 127.0.0.1',
      ),
    )
    .option('--log-level <level>', `one of ${logLevels.join(', ')}`, oneOf(logLevels), 'info')
    .option('--log-format <format>', 'json, text for people, or auto: text on a terminal', oneOf(logFormats), 'auto')
    .option('--grant-deadline-seconds <n>', 'time limit of an agent for one change', integer(10, 86_400), 600)
    .option('--settle-ms <n>', 'delay between closing a node and listing its pods again', integer(0, 60_000), 300)
    .option(
      '--waiting-poll-ms <n>',
      'interval at which the pods of a waiting node are listed',
      integer(100, 600_000),
      5000,
    )
    .option(
      '--refresh-after-ms <n>',
      'time for an unknown device plugin to follow a change on its own',
      integer(0, 600_000),
      1000,
    )
    .option(
      '--plugin-refresh <way>',
      'how a device plugin reads the devices again after a change: Signal (SIGHUP to its process; its pod is replaced if it ' +
        'does not follow) or Evict (its pod is replaced)',
      oneOf(['Signal', 'Evict'] as const),
      'Signal',
    )
    .option(
      '--device-plugin-selector <labels>',
      'labels of the pods of a device plugin that is not NVIDIA’s: key=value,…',
      equalitySelector,
    )
    .option(
      '--system-namespaces <names>',
      'namespaces of the device plugin, of GPU clients and of other owners of GPUs; labels of pods in other namespaces are not trusted',
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
      'YAML file of GPU clients: programs that keep GPUs open, and when their pods are evicted',
      readHolders,
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
    .option('--freeze <reason>', 'start no change on any node; every policy shows the reason in its status')
    .option(
      '--clients-deadline-seconds <n>',
      'how long to wait for the pods of GPU clients to terminate',
      integer(1, 86_400),
      300,
    )
    .action(async (options: Options) => runController(options));
}

async function runController(options: Options): Promise<void> {
  const logger = createLogger({ level: options.logLevel, format: options.logFormat });
  exitOnUnhandled(logger);
  const signal = abortOnSignals(logger);
  const client = new KubeClient(loadKubeConfig(options), controllerManager);
  const state = { leads: false };
  const registry = options.healthPort === undefined ? undefined : createRegistry({ program: 'controller' });
  const metrics = registry && new ControllerMetrics(registry, steadyMs);
  const health =
    options.healthPort === undefined
      ? undefined
      : await serveHealth({
          logger,
          port: options.healthPort,
          ...(options.healthHost !== undefined && { host: options.healthHost }),
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
      agentNamespace: options.agentNamespace,
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
        pluginSelector: options.devicePluginSelector,
        systemNamespaces: options.systemNamespaces,
        version: programVersion,
        pluginConfigMap: options.devicePluginConfigMap,
        advertiseDeadlineMs: options.advertiseDeadlineSeconds * 1000,
        gpuHolders: options.gpuClients ?? defaultHolders,
        holdersDeadlineMs: options.clientsDeadlineSeconds * 1000,
      },
    });
    try {
      await untilAborted(operator.start(), term.signal);
      await whenAborted(term.signal);
    } catch (error) {
      if (!term.signal.aborted) throw error;
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
    await health?.stop();
  }
}

/** A standby is ready to take over; a leader decides nothing before its lists are complete. */
function explainUnsynced({ unsynced = [] }: ControllerMetrics): string | undefined {
  return unsynced.length === 0 ? undefined : `no complete list yet of ${unsynced.join(', ')}`;
}

function nameList(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name))) return names;
  throw new InvalidArgumentError('must be names of namespaces as in gpu-operator,kube-system.');
}

function readHolders(path: string): readonly GpuHolder[] {
  let value: unknown;
  try {
    value = parse(readFileSync(path, 'utf8'), { logLevel: 'error' });
  } catch (error) {
    throw new InvalidArgumentError(`cannot be read: ${String(error)}`);
  }
  const holders = checkHolders(value);
  if (typeof holders === 'string') throw new InvalidArgumentError(`${path}: ${holders}`);
  return holders;
}

function leaseOf({ namespace, identity, leaseSeconds }: Options) {
  const leaseMs = leaseSeconds * 1000;
  // The same proportions as client-go: 15 s, 10 s, 2 s.
  const timing = { leaseMs, renewMs: (leaseMs * 2) / 3, retryMs: (leaseMs * 2) / 15 };
  return { namespace, name: controllerManager, identity, timing };
}
