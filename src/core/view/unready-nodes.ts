import { compareText } from '../text/fingerprint.ts';
import type { NodeRowView } from './fleet-status.ts';
import { byUrgency, type Urgency } from './urgency.ts';

/** Nodes that are in the same state for the same reason: `12 nodes: the rollout is paused`. */
export interface UnreadyNodes {
  readonly urgency: Urgency;
  readonly phase: string;
  readonly reason: string;
  readonly count: number;
  /** The first of them, by name. */
  readonly nodes: readonly string[];
  /** What their conditions say, the most frequent first; the first few of them. What they name is left out where it differs. */
  readonly messages: readonly { readonly message: string; readonly count: number }[];
}

const mostNodes = 5;
const mostMessages = 3;

/** Nodes that are not Ready, joined; most urgent first. Those that no policy wants need nobody. */
export function groupNodes(nodes: readonly NodeRowView[]): readonly UnreadyNodes[] {
  const unready = nodes.filter(({ urgency }) => urgency !== 'ready' && urgency !== 'unmanaged');
  return [...Map.groupBy(unready, ({ urgency, phase, reason }) => `${urgency} ${phase} ${reason}`).values()]
    .map(joinNodes)
    .toSorted((a, b) => byUrgency(a.urgency, b.urgency) || b.count - a.count || compareText(a.reason, b.reason));
}

const named = /\b[a-z0-9][a-z0-9.-]*\/[a-z0-9][a-z0-9.-]*\b|\b\d{4}-\d\d-\d\dT[\d:]+Z/g;

/** What a message says, whichever pods and times it names. */
function gistOf({ message }: NodeRowView): string {
  return message.replaceAll(named, '…').replaceAll(/…(?:(?:, | and )…)+/g, '…');
}

/** Nodes that wait for other pods in the same words are told once, without the names. */
function sayTogether(gist: string, alike: readonly NodeRowView[]): string {
  const [first, ...others] = alike;
  return others.every(({ message }) => message === first?.message) ? (first?.message ?? gist) : gist;
}

function joinNodes(nodes: readonly NodeRowView[]): UnreadyNodes {
  const [{ urgency, phase, reason } = { urgency: 'failed' as const, phase: '', reason: '' }] = nodes;
  const messages = [...Map.groupBy(nodes, gistOf)]
    .map(([gist, alike]) => ({ message: sayTogether(gist, alike), count: alike.length }))
    .toSorted((a, b) => b.count - a.count || compareText(a.message, b.message));
  const names = nodes.map(({ node }) => node).toSorted(compareText);
  return {
    urgency,
    phase,
    reason,
    count: nodes.length,
    nodes: names.slice(0, mostNodes),
    messages: messages.slice(0, mostMessages),
  };
}
