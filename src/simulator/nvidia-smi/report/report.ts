import type { ReportFacts } from '../nvml/gpu-facts.ts';

/**
 * One entry of `nvidia-smi -q`, printed as text and, with `-x`, as XML. An entry without `label` is only in the XML,
 * one without `tag` only in the text.
 */
export type ReportNode =
  | {
      readonly kind: 'leaf';
      readonly label: string | null;
      readonly tag: string | null;
      readonly text: string;
      readonly xml: string;
    }
  | {
      readonly kind: 'group';
      readonly label: string | null;
      readonly tag: string | null;
      readonly children: readonly ReportNode[];
    }
  /** Raw XML, lines without line ends: for places that nvidia-smi indents irregularly. */
  | { readonly kind: 'xml'; readonly lines: readonly string[] };

/** A value that may differ between text and XML. */
export type ReportValue = string | { readonly text: string; readonly xml: string };

export function leaf(label: string | null, tag: string | null, value: ReportValue): ReportNode {
  const { text, xml } = typeof value === 'string' ? { text: value, xml: value } : value;
  return { kind: 'leaf', label, tag, text, xml };
}

export function group(label: string | null, tag: string | null, children: readonly ReportNode[]): ReportNode {
  return { kind: 'group', label, tag, children };
}

/** Entries that the driver prints from this branch on. */
export function since(first: number, { driver }: ReportFacts, ...nodes: readonly ReportNode[]): readonly ReportNode[] {
  return driver.branch >= first ? nodes : [];
}

/** Entries that it prints up to this branch. */
export function until(last: number, { driver }: ReportFacts, ...nodes: readonly ReportNode[]): readonly ReportNode[] {
  return driver.branch <= last ? nodes : [];
}

/** A hexadecimal number: with `0x` in the text, without it in the XML. */
export function hex(digits: string): ReportValue {
  return { text: `0x${digits}`, xml: digits };
}

export function mib(count: number): string {
  return `${count} MiB`;
}

/** Column of the colon in the text form. */
const LABEL_WIDTH = 42;

export function renderReportText(nodes: readonly ReportNode[], indent: number): string {
  return nodes.map((node) => renderTextNode(node, indent)).join('');
}

function renderTextNode(node: ReportNode, indent: number): string {
  if (node.kind === 'xml' || node.label === null) return '';
  const label = ' '.repeat(indent) + node.label;
  return node.kind === 'leaf'
    ? `${label.padEnd(LABEL_WIDTH)}: ${node.text}\n`
    : `${label}\n${renderReportText(node.children, indent + 4)}`;
}

export function renderReportXml(nodes: readonly ReportNode[], depth: number): string {
  return nodes.map((node) => renderXmlNode(node, depth)).join('');
}

function renderXmlNode(node: ReportNode, depth: number): string {
  const tabs = '\t'.repeat(depth);
  if (node.kind === 'xml') {
    return node.lines.map((line) => `${line}\n`).join('');
  }
  if (node.tag === null) return '';
  return node.kind === 'leaf'
    ? `${tabs}<${node.tag}>${escapeXml(node.xml)}</${node.tag}>\n`
    : `${tabs}<${node.tag}>\n${renderReportXml(node.children, depth + 1)}${tabs}</${node.tag}>\n`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
