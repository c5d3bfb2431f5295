import { collectDefaultMetrics, Registry } from 'prom-client';

/** A registry with the process's own metrics (CPU, memory, event loop, garbage collection), all labelled. */
export function createRegistry(labels: Readonly<Record<string, string>> = {}): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ ...labels });
  collectDefaultMetrics({ register: registry });
  return registry;
}
