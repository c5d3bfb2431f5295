import { systemClock } from '../process/clock.ts';
import { type Checks, type HealthServer, serveHealth } from '../process/health.ts';
import type { Logger } from '../process/logger.ts';
import { createRegistry } from '../process/metrics.ts';
import { AgentMetrics } from './metrics.ts';

/** A change of many GPUs, each with its undo, takes minutes with a slow driver. */
const stalledMs = 30 * 60_000;

/** Serves an agent's probes and metrics. Loaded only on request: there is an agent on every node. */
export async function serveAgentHealth({
  logger,
  port,
  host,
  ready,
}: {
  readonly logger: Logger;
  readonly port: number;
  readonly host: string | undefined;
  readonly ready: Checks;
}): Promise<{ readonly metrics: AgentMetrics; readonly server: HealthServer }> {
  const registry = createRegistry({ program: 'agent' });
  const metrics = new AgentMetrics(registry, systemClock);
  const server = await serveHealth({
    logger,
    port,
    ...(host !== undefined && { host }),
    registry,
    live: { loop: () => metrics.explainStall(stalledMs) },
    ready,
  });
  return { metrics, server };
}
