import { byId } from './dom.js';
import { state } from './state.js';
import { clock, duration } from './words.js';

/** gpu-partition ui hears from the API server every five seconds, or says that it does not. */
const staleMs = 15_000;

function describeSource({ files, context, server }) {
  return files ? `saved cluster ${files.join(', ')}` : `context ${context} (${server})`;
}

function findTrouble(now) {
  const { fleet, isCutOff, currentAt } = state;
  const age = now - currentAt;
  if (isCutOff) return { kind: 'Disconnected', age, why: 'gpu-partition ui does not answer; is it still running?' };
  if (fleet.interruption) return { ...fleet.interruption, age };
  if (fleet.ageMs !== null && age > staleMs) return { kind: 'Stale', age, why: 'gpu-partition ui sends nothing' };
  return undefined;
}

/** Whose cluster it is, and how old what is shown is; what is no longer current must not look well. */
export function tellFreshness() {
  const banner = byId('interruption');
  if (!state.fleet) {
    banner.hidden = !state.isCutOff;
    if (state.isCutOff) banner.textContent = 'Disconnected: gpu-partition ui does not answer; is it still running?';
    return;
  }
  const now = performance.now();
  const source = describeSource(state.fleet.source);
  const trouble = findTrouble(now);
  const age = (now - state.currentAt) / 1000;
  byId('source').textContent = source;
  byId('age').textContent = state.fleet.ageMs === null ? '' : trouble ? `${duration(age)} old` : `${duration(age)} ago`;
  document.body.dataset.freshness = trouble ? trouble.kind.toLowerCase() : 'current';
  document.title = `${trouble ? `${trouble.kind}: ` : ''}GPU partitions`;
  banner.hidden = !trouble;
  if (!trouble) return;
  const at = clock(Date.now() - trouble.age);
  const text = `${trouble.kind}. No updates since ${at}: ${trouble.why}. What is shown is from then.`;
  if (banner.textContent !== text) banner.textContent = text;
}
