/**
 * Measures speed, writes and memory; docs/internal/benchmarks.md says what each figure means.
 *
 *   node test/bench/main.ts [TOPIC…]
 *
 * JSON lines on standard output, progress on standard error. Exit 0 unless something is broken: a machine may be slow.
 */
import { printMetric, tell } from './metric.ts';

const topics: Readonly<Record<string, () => Promise<void>>> = {
  planning: async () => {
    await import('./planning.ts');
  },
  demand: async () => (await import('./demand.ts')).measureDemand(),
  trace: async () => (await import('./trace.ts')).measureTrace(),
  priorities: async () => (await import('./simulation.ts')).measurePriorities(),
  simulation: async () => (await import('./simulation.ts')).measureSimulation(),
  sharing: async () => (await import('./sharing.ts')).measureSharing(),
  device: async () => (await import('./device.ts')).benchDevice(printMetric),
  processes: async () => (await import('./processes.ts')).measureProcesses(printMetric),
  simulator: async () => (await import('./simulator.ts')).measureSimulator(),
  startup: async () => (await import('./startup.ts')).measureStartup(),
  rollout: async () => (await import('./rollout.ts')).measureRollout(),
  refresh: async () => (await import('./refresh.ts')).measureRefresh(),
  dra: async () => (await import('./dra.ts')).measureDra(),
  'real-refresh': async () => (await import('./real-refresh.ts')).measureRealRefresh(),
  memory: async () => (await import('./memory.ts')).measureMemory(),
  scale: async () => (await import('./scale.ts')).measureScale(),
  convergence: async () => (await import('./convergence.ts')).measureConvergence(),
  fleet: async () => (await import('./fleet.ts')).measureFleet(),
  'take-over': async () => (await import('./take-over.ts')).measureTakeOver(),
  recovery: async () => (await import('./recovery.ts')).measureRecovery(),
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => topics[name] === undefined);
if (unknown.length > 0) {
  tell(`no topic ${unknown.join(', ')}; there is ${Object.keys(topics).join(', ')}`);
  process.exit(2);
}
for (const [name, measure] of Object.entries(topics)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  tell(`— ${name}`);
  await measure();
}
