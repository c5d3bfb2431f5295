import type { NodeOutcome, PolicyTally } from '../policy/tally.ts';
import { countWords, joinWithin } from '../text/cut-text.ts';

const mostCauses = 5;
const mostNames = 3;
/** Of a condition's message. */
const longest = 4096;

/**
 * The nodes of a group, joined by what they have in common: `n1: MESSAGE` for one, and for several how many, their reason, the first
 * names, and one message as an example.
 */
export function listNodes(
  tally: PolicyTally,
  group: Parameters<PolicyTally['size']>[0],
  say: (outcome: NodeOutcome) => string = ({ message }) => message,
): string {
  const causes = tally.causes(group, mostNames);
  const named = causes.slice(0, mostCauses).map((cause) => describeCause(cause, say));
  const sayRest = (shown: number): string => {
    const left = causes.slice(shown).reduce((sum, { count }) => sum + count, 0);
    return left > 0 ? `and ${countWords(left, 'more node')}` : '';
  };
  return joinWithin(named, longest, '; ', sayRest);
}

function describeCause(
  { count, first }: ReturnType<PolicyTally['causes']>[number],
  say: (outcome: NodeOutcome) => string,
): string {
  const [example] = first;
  if (example === undefined) return '';
  if (count === 1) return `${example.node}: ${say(example)}`;
  const names = first.map(({ node }) => node).join(', ');
  const more = count > first.length ? ` and ${count - first.length} more` : '';
  const many = countWords(count, 'node');
  // Nodes that another policy has won have nothing else in common.
  if (example.wonBy !== undefined) return `${many} (${names}${more}): ${say(example)}`;
  return `${many} ${example.reason} (${names}${more}), for example ${example.node}: ${say(example)}`;
}
