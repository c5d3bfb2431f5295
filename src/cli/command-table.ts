import type { Command } from 'commander';

import type { CommandOutcome } from './exit.ts';
import type { Terminal } from './terminal.ts';

/** What a command is built from. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly outcome: CommandOutcome;
}

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Loads the command's code: only for the command that runs, so that `--help` does not wait for the others. */
  readonly load: () => Promise<(context: CommandContext) => Command>;
}

/** Every command, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'validate',
    summary:
      'check policies and mig-parted files: schema, rules, and whether layouts fit every GPU model that they can meet',
    load: async () => (await import('./commands/validate.ts')).validateCommand,
  },
  {
    name: 'fit',
    summary: 'check whether one GPU can take a layout, where its slices go, and what must be destroyed',
    load: async () => (await import('./commands/fit.ts')).fitCommand,
  },
  {
    name: 'layouts',
    summary: 'list every layout that a GPU model can hold',
    load: async () => (await import('./commands/layouts.ts')).layoutsCommand,
  },
  {
    name: 'labels',
    summary: 'predict the labels and resources of a node',
    load: async () => (await import('./commands/labels.ts')).labelsCommand,
  },
  {
    name: 'import',
    summary: 'convert the configuration of other tools to policies',
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  {
    name: 'export',
    summary: 'write the objects by which DRA or Kueue uses the slices of policies: export dra|kueue -f POLICY',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  {
    name: 'plan',
    summary: 'preview what policies would do to a cluster: GPUs, pods, waves of nodes; writes nothing',
    load: async () => (await import('./commands/plan.ts')).planCommand,
  },
  {
    name: 'undo',
    summary: 'go back one edit of a policy: print it, or write it with --apply',
    load: async () => (await import('./commands/undo.ts')).undoCommand,
  },
  {
    name: 'retry',
    summary: 'retry now what failed on nodes, or on all nodes of a policy',
    load: async () => (await import('./commands/retry.ts')).retryCommand,
  },
  {
    name: 'release',
    summary: 'clean up nodes and policies after a controller that is gone',
    load: async () => (await import('./commands/release.ts')).releaseCommand,
  },
  {
    name: 'status',
    summary: 'show the fleet, or draw each GPU of a node; --watch follows',
    load: async () => (await import('./commands/status.ts')).statusCommand,
  },
  {
    name: 'ui',
    summary: 'serve a web page of the fleet, or of a saved cluster, on this machine',
    load: async () => (await import('./commands/ui.ts')).uiCommand,
  },
  {
    name: 'report',
    summary:
      'report waste: slices that are unused or cannot be allocated, what pods wait for, and layouts that would serve more',
    load: async () => (await import('./commands/report.ts')).reportCommand,
  },
  {
    name: 'recommend',
    summary: 'find the layouts that serve what pods ask for, or a demand in a file, with a proof; print a policy',
    load: async () => (await import('./commands/recommend.ts')).recommendCommand,
  },
  {
    name: 'defrag',
    summary:
      'find the fewest evictions that free slices, with room for every evicted pod; --apply has the controller do it',
    load: async () => (await import('./commands/defrag.ts')).defragCommand,
  },
  {
    name: 'simulate',
    summary: 'play policies against a model of a cluster: slices served, waits, evictions, layout changes',
    load: async () => (await import('./commands/simulate.ts')).simulateCommand,
  },
  {
    name: 'explain',
    summary: 'explain why a pod is pending and what would let it run: explain pod NAMESPACE/NAME',
    load: async () => (await import('./commands/explain.ts')).explainCommand,
  },
  {
    name: 'node',
    summary: 'partition the GPUs of this machine without Kubernetes: export, plan, apply, assert, reset, selftest',
    load: async () => (await import('./commands/node.ts')).nodeCommand,
  },
  {
    name: 'support-bundle',
    summary: 'collect what others need to help with a cluster: objects, Events and logs, no secrets',
    load: async () => (await import('./commands/support-bundle.ts')).supportBundleCommand,
  },
  {
    name: 'completion',
    summary: 'print the completion script for bash, zsh or fish',
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
];
