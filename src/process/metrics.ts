import type { Figure } from '../core/status/fleet-figures.ts';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** A registry with the process's own metrics (CPU, memory, event loop, garbage collection), all labelled. */
export function createRegistry(labels: Readonly<Record<string, string>> = {}): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ ...labels });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** A gauge whose series are computed on scrape. */
export function registerGauge<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[],
  list: () => readonly Figure<Label>[],
): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, value } of list()) this.set(labels, value);
    },
  });
}
