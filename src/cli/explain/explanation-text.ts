import type { PodExplanation } from '../../core/explain/explanation.ts';
import { paint, printLine, type Terminal } from '../terminal.ts';

/** A node is only mentioned if that helps. */
const mostNodes = 10;

/** What is explained in one line, then what keeps it from each node, and what would help. */
export function printExplanation(
  { stdout }: Terminal,
  subject: { readonly kind: string; readonly name: string },
  { isPending, message, nodes, suggestions }: Pick<PodExplanation, 'isPending' | 'message' | 'nodes' | 'suggestions'>,
  more: readonly string[] = [],
): void {
  const state = isPending ? paint(stdout, 'yellow', 'is pending') : paint(stdout, 'green', 'is not pending');
  printLine(stdout, `${subject.kind} ${paint(stdout, 'bold', subject.name)} ${state}: ${message}`);
  for (const line of more) printLine(stdout, line);
  const shown = isPending ? nodes.filter(({ blockers }) => blockers.length > 0) : [];
  if (shown.length > 1) {
    printLine(stdout, '');
    for (const { node, blockers } of shown.slice(0, mostNodes)) printLine(stdout, `  ${node}: ${blockers.join('; ')}`);
  }
  if (shown.length > mostNodes) printLine(stdout, `  and ${shown.length - mostNodes} more nodes (-o json has all)`);
  if (suggestions.length === 0) return;
  printLine(stdout, '');
  printLine(stdout, 'What would let it run:');
  for (const one of suggestions) printLine(stdout, `  - ${one.message}`);
}
