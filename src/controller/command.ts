import type { Command } from 'commander';
import { controllerManager } from '../api/names.ts';
import { defaultHolders } from '../core/pods/gpu-holders.ts';
import { KubeClient } from '../kube/client.ts';
import { LeadershipLostError, runElected } from '../kube/election.ts';
import { loadKubeConfig } from '../kube/kubeconfig-loader.ts';
import { NotSentError } from '../kube/send-guard.ts';
import type { Term } from '../kube/term.ts';
import { untilAborted, whenAborted } from '../process/abort.ts';
import { makeConfigurable } from '../process/configuration.ts';
import { exitOnUnhandled } from '../process/fatal.ts';
import { serveHealth } from '../process/health.ts';
import { createLogger } from '../process/log.ts';
import { createRegistry } from '../process/metrics.ts';
import { abortOnSignals } from '../process/shutdown.ts';
import { programVersion } from '../process/version.ts';
import { ClusterWatches } from './cluster-watches.ts';
import { ControllerMetrics } from './metrics.ts';
import { GpuPartitionOperator } from './operator.ts';
import { type ProgramOptions, describeController } from './options.ts';

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
        refusesUnknownPlugin: options.unknownDevicePlugin === 'Refuse',
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

/** Nothing is decided before the lists are complete. A standby without them is not ready to take over. */
function explainUnsynced({ unsynced }: ControllerMetrics): string | undefined {
  return unsynced.length === 0 ? undefined : `no complete list yet of ${unsynced.join(', ')}`;
}

function leaseOf({ namespace, identity, leaseSeconds }: ProgramOptions) {
  const leaseMs = leaseSeconds * 1000;
  // The same proportions as client-go: 15 s, 10 s, 2 s.
  const timing = { leaseMs, renewMs: (leaseMs * 2) / 3, retryMs: (leaseMs * 2) / 15 };
  return { namespace, name: controllerManager, identity, timing };
}
