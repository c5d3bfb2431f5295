import { systemClock } from '../process/clock.ts';
import { type Checks, type HealthServer, serveHealth } from '../process/health.ts';
import type { Logger } from '../process/logger.ts';
import { createRegistry } from '../process/metrics.ts';
import { AgentMetrics } from './metrics.ts';

/** A change of many GPUs, each with its undo, takes minutes where the driver is slow. */
const stalledMs = 30 * 60_000;

/** Serves probes and metrics of an agent. Loaded only where they are asked for: there is an agent on every node. */
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
