import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { parse } from 'yaml';
import { controllerManager } from '../api/names.ts';
import { checkHolders } from '../core/pods/holder-check.ts';
import { defaultHolders, type GpuHolder } from '../core/pods/gpu-holders.ts';
import { type LabelSelector, parseEqualitySelector } from '../core/pods/plugin-pods.ts';
import { KubeClient } from '../kube/client.ts';
import { LeadershipLostError, runElected } from '../kube/election.ts';
import { loadKubeConfig } from '../kube/kubeconfig-loader.ts';
import type { Term } from '../kube/term.ts';
import { untilAborted, whenAborted } from '../process/abort.ts';
import { exitOnUnhandled } from '../process/fatal.ts';
import { serveHealth } from '../process/health.ts';
import { createLogger, type LogLevel, logLevels } from '../process/log.ts';
import { createRegistry } from '../process/metrics.ts';
import { integer, oneOf } from '../process/option.ts';
import { abortOnSignals } from '../process/shutdown.ts';
import { programVersion } from '../process/version.ts';
import { GpuPartitionOperator } from './operator.ts';

interface ConfigMapName {
  readonly namespace: string;
  readonly name: string;
}

interface Options {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  readonly agentNamespace: string;
  readonly identity: string;
  readonly leaderElect: boolean;
  readonly leaseSeconds: number;
  readonly healthPort?: number;
  readonly logLevel: LogLevel;
  readonly grantDeadlineSeconds: number;
  readonly settleMs: number;
  readonly waitingPollMs: number;
  readonly refreshAfterMs: number;
  readonly pluginRefresh: 'Signal' | 'Evict';
  readonly devicePluginSelector?: LabelSelector;
  readonly devicePluginConfigMap?: ConfigMapName;
  readonly advertiseDeadlineSeconds: number;
  readonly gpuClients?: readonly GpuHolder[];
  readonly clientsDeadlineSeconds: number;
}

/** The program: options, then leadership, then the operator until a signal ends it. */
export function controllerCommand(): Command {
  return new Command('controller')
    .description('reconciles GpuPartitionPolicies; one leads, others wait')
    .version(programVersion)
    .option('--kubeconfig <file>', 'kubeconfig; otherwise $KUBECONFIG, the pod’s service account, ~/.kube/config')
    .option('--context <name>', 'context of the kubeconfig')
    .option(
      '--namespace <name>',
      'namespace of the leader’s Lease',
      process.env['POD_NAMESPACE'] ?? 'gpu-partition-system',
    )
    .option(
      '--agent-namespace <name>',
      'namespace of the agents’ pods, whose readiness is watched',
      'gpu-partition-agents',
    )
    .option(
      '--identity <name>',
      'name of this process in the Lease',
      process.env['POD_NAME'] ?? `${hostname()}-${process.pid}`,
    )
    .option('--no-leader-elect', 'lead without a Lease; only where no other controller runs')
    .option('--lease-seconds <n>', 'how long a leader that is gone blocks the next', integer(3, 120), 15)
    .option('--health-port <port>', 'serve /healthz, /readyz and /metrics', integer(0, 65535))
    .option('--log-level <level>', `one of ${logLevels.join(', ')}`, oneOf(logLevels), 'info')
    .option('--grant-deadline-seconds <n>', 'how long an agent may take for a change', integer(10, 86_400), 600)
    .option('--settle-ms <n>', 'time between closing a node and looking for pods again', integer(0, 60_000), 300)
    .option('--waiting-poll-ms <n>', 'how often the pods of a waiting node are listed', integer(100, 600_000), 5000)
    .option(
      '--refresh-after-ms <n>',
      'time for a device plugin to follow a change by itself',
      integer(0, 600_000),
      1000,
    )
    .option(
      '--plugin-refresh <way>',
      'how a device plugin is made to look at the devices after a change: Signal (SIGHUP to its process; its pod is replaced if it ' +
        'does not follow) or Evict (its pod is replaced)',
      oneOf(['Signal', 'Evict'] as const),
      'Signal',
    )
    .option(
      '--device-plugin-selector <labels>',
      'labels of a device plugin that is not NVIDIA’s: key=value,…',
      equalitySelector,
    )
    .option(
      '--device-plugin-config-map <namespace/name>',
      'ConfigMap of the device plugin in which its strategy and time-slicing are kept for each node',
      configMapName,
    )
    .option(
      '--advertise-deadline-seconds <n>',
      'how long a layout may take to be advertised before its node counts as failed',
      integer(1, 86_400),
      300,
    )
    .option('--gpu-clients <file>', 'YAML: programs that hold GPUs, and when their pods have to go', readHolders)
    .option('--clients-deadline-seconds <n>', 'how long pods of such programs are waited for', integer(1, 86_400), 300)
    .action(async (options: Options) => runController(options));
}

async function runController(options: Options): Promise<void> {
  const logger = createLogger({ level: options.logLevel });
  exitOnUnhandled(logger);
  const signal = abortOnSignals(logger);
  const client = new KubeClient(loadKubeConfig(options), controllerManager);
  const state = { leads: false };
  const health =
    options.healthPort === undefined
      ? undefined
      : await serveHealth({
          logger,
          port: options.healthPort,
          registry: createRegistry({ program: 'controller' }),
          live: { process: () => undefined },
          ready: { started: () => undefined },
        });
  const lead = async (term: Term): Promise<void> => {
    state.leads = true;
    const operator = new GpuPartitionOperator({
      // Nothing that was begun as the leader goes on after: neither a write nor its retries.
      client: new KubeClient(client.config, controllerManager, term),
      logger,
      instance: options.identity,
      agentNamespace: options.agentNamespace,
      settings: {
        settleMs: options.settleMs,
        deadlineMs: options.grantDeadlineSeconds * 1000,
        waitingPollMs: options.waitingPollMs,
        refreshAfterMs: options.refreshAfterMs,
        pluginRefresh: options.pluginRefresh,
        pluginSelector: options.devicePluginSelector,
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
      state.leads = false;
    }
  };
  try {
    if (!options.leaderElect) await lead({ signal, requireLeadership: () => undefined });
    while (options.leaderElect && !signal.aborted) {
      try {
        await runElected({ client, logger, ...leaseOf(options) }, lead, signal);
      } catch (error) {
        // What was led has been stopped: stand again. If it has not, ending the process is the only way to stop it.
        if (!(error instanceof LeadershipLostError) || state.leads) throw error;
        logger.warn('leadership lost; standing for election again', { error: error.message });
      }
    }
  } finally {
    await health?.stop();
  }
}

function equalitySelector(text: string): LabelSelector {
  const selector = parseEqualitySelector(text);
  if (selector === undefined) throw new InvalidArgumentError('must be labels as in app=my-plugin,tier=gpu.');
  return selector;
}

function configMapName(text: string): ConfigMapName {
  const [, namespace, name] = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined) throw new InvalidArgumentError('must be NAMESPACE/NAME.');
  return { namespace, name };
}

function readHolders(path: string): readonly GpuHolder[] {
  let value: unknown;
  try {
    value = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new InvalidArgumentError(`cannot be read: ${String(error)}`);
  }
  const holders = checkHolders(value);
  if (typeof holders === 'string') throw new InvalidArgumentError(`${path}: ${holders}`);
  return holders;
}

function leaseOf({ namespace, identity, leaseSeconds }: Options) {
  const leaseMs = leaseSeconds * 1000;
  // client-go's proportions: 15 s, 10 s, 2 s.
  const timing = { leaseMs, renewMs: (leaseMs * 2) / 3, retryMs: (leaseMs * 2) / 15 };
  return { namespace, name: controllerManager, identity, timing };
}
