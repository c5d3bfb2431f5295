import type { Strategy } from '../../api/types.ts';

/** Everything that the demo shows at its end. */
export interface DemoResult {
  /** One line per node, and one per group of its GPUs. */
  readonly pictures: readonly string[];
  /** Output of kubectl, by title. */
  readonly tables: readonly { readonly title: string; readonly text: string }[];
  /** `notebook: sim-a30` */
  readonly pods: readonly string[];
  readonly nodes: readonly LabelledNode[];
}

export interface LabelledNode {
  readonly name: string;
  readonly strategy: Strategy;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ScreenLine {
  readonly text: string;
  readonly isTitle: boolean;
}

const columns = 80;

/** The end of the demo on one screen of 80 columns and 40 rows, two of them for the verdict; `isVerbose` shows every label instead. */
export function composeLastScreen(
  { pictures, tables, pods, nodes }: DemoResult,
  isVerbose = false,
): readonly ScreenLine[] {
  return [
    ...section('The GPUs', pictures),
    ...tables.flatMap(({ title, text }) => section(title, text.trimEnd().split('\n'))),
    ...section('Where the pods are', pods),
    ...(isVerbose
      ? section("The nodes' nvidia.com/* labels (as GPU Feature Discovery writes them)", nodes.flatMap(listLabels))
      : section('What the strategy decides of the labels (VERBOSE=1 for all of them)', nodes.map(condenseLabels))),
  ].map((line) => (isVerbose ? line : { ...line, text: cut(line.text) }));
}

function section(title: string, lines: readonly string[]): readonly ScreenLine[] {
  return [{ text: title, isTitle: true }, ...lines.map((text) => ({ text, isTitle: false }))];
}

function listLabels({ name, labels }: LabelledNode): readonly string[] {
  const own = Object.entries(labels).filter(([key]) => key.startsWith('nvidia.com/'));
  return [name, ...own.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => `  ${key}=${value}`)];
}

/** Under mixed each profile has its own count; under single and none the product label shows what a GPU resource is. */
function condenseLabels({ name, strategy, labels }: LabelledNode): string {
  const keys =
    strategy === 'mixed'
      ? Object.keys(labels).filter((key) => /^nvidia\.com\/mig-.*\.count$/.test(key))
      : ['nvidia.com/gpu.product', 'nvidia.com/gpu.count'];
  const told = keys.toSorted().map((key) => `${key.replace('nvidia.com/', '')}=${labels[key] ?? 'absent'}`);
  return `${name.padEnd(10)}${strategy.padEnd(8)}${told.join(' ')}`;
}

function cut(text: string): string {
  return text.length > columns ? `${text.slice(0, columns - 1)}…` : text;
}
