import { byId } from './dom.js';
import { state } from './state.js';
import { clock, duration } from './words.js';

/** gpu-partition ui hears from the API server every five seconds, or says that it does not. */
const staleMs = 15_000;

function describeSource({ files, context, server }) {
  return files ? `saved cluster ${files.join(', ')}` : `context ${context} (${server})`;
}

function findTrouble(now) {
  const { fleet, cutOff, currentAt } = state;
  const age = now - currentAt;
  if (cutOff) return { kind: 'Disconnected', age, why: cutOff };
  if (fleet.interruption) return { ...fleet.interruption, age };
  if (fleet.ageMs !== null && age > staleMs) return { kind: 'Stale', age, why: 'gpu-partition ui sends nothing' };
  return undefined;
}

/** What is shown is old for one of two reasons: it does not arrive here, or nobody writes it. */
function describeTrouble({ kind, since, why, age }) {
  if (kind === 'No controller') {
    const from = since === undefined ? '' : ` since ${clock(since)}`;
    return `${kind}${from}: ${why}. What is shown is the last state that a controller wrote.`;
  }
  return `${kind}. No updates since ${clock(Date.now() - age)}: ${why}. What is shown is from then.`;
}

/** Whose cluster it is, and how old what is shown is; what is no longer current must not look well. */
export function tellFreshness() {
  const banner = byId('interruption');
  if (!state.fleet) {
    banner.hidden = !state.cutOff;
    if (state.cutOff) banner.textContent = `Disconnected: ${state.cutOff}`;
    return;
  }
  const now = performance.now();
  const source = describeSource(state.fleet.source);
  const trouble = findTrouble(now);
  const age = (now - state.currentAt) / 1000;
  byId('source').textContent = source;
  const isOld = trouble !== undefined && trouble.kind !== 'No controller';
  byId('age').textContent = state.fleet.ageMs === null ? '' : `${duration(age)} ${isOld ? 'old' : 'ago'}`;
  document.body.dataset.freshness = trouble ? trouble.kind.toLowerCase().replace(' ', '-') : 'current';
  document.title = `${trouble ? `${trouble.kind}: ` : ''}GPU partitions`;
  banner.hidden = !trouble;
  if (!trouble) return;
  const text = describeTrouble(trouble);
  if (banner.textContent !== text) banner.textContent = text;
}
