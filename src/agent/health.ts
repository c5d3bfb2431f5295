import { systemClock } from '../process/clock.ts';
import { type HealthOptions, type HealthServer, serveHealth } from '../process/health.ts';
import { createRegistry } from '../process/metrics.ts';
import { AgentMetrics } from './metrics.ts';

/** A change of many GPUs, each with its undo, takes minutes with a slow driver. */
const stalledMs = 30 * 60_000;

/** Serves an agent's probes and metrics. */
export async function serveAgentHealth(
  options: Omit<HealthOptions, 'registry' | 'live'>,
): Promise<{ readonly metrics: AgentMetrics; readonly server: HealthServer }> {
  const registry = createRegistry({ program: 'agent' });
  const metrics = new AgentMetrics(registry, systemClock);
  const live = { loop: () => metrics.explainStall(stalledMs) };
  const server = await serveHealth({ ...options, registry, live });
  return { metrics, server };
}
