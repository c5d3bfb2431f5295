import { readFileSync } from 'node:fs';
import type { MigStrategy } from '../../../src/core/nvidia/labels.ts';

/** A node, a strategy and a config with what NVIDIA's own packages answered to them. */
export interface LabelVector {
  readonly id: string;
  readonly strategy: MigStrategy;
  readonly node: unknown;
  /** The config file as text, and its sharing section as parsed by the recorder. */
  readonly configFile: string | null;
  readonly config: unknown;
  readonly expected: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly resources?: Readonly<Record<string, number>>;
    readonly configError?: string;
    readonly gfdError?: string;
    readonly pluginError?: string;
  };
}

interface Dump {
  readonly labels: Readonly<Record<string, string>>;
}

export function readVectors(): readonly LabelVector[] {
  return readJson('label-vectors.json') as readonly LabelVector[];
}

/** Labels of a node in a published article, per strategy. */
export function readArticleDump(strategy: MigStrategy): Readonly<Record<string, string>> {
  return (readJson('article-dumps.json') as Readonly<Record<MigStrategy, Dump>>)[strategy].labels;
}

/** Labels of a real node. */
export function readRealDump(name: string): Readonly<Record<string, string>> {
  return (readJson(`real-dumps/${name}.json`) as Dump).labels;
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../fixtures/labels/${name}`, import.meta.url), 'utf8'));
}
