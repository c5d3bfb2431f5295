/**
 * A recorded trace played against ways to partition a fleet: layouts that stay, a slice for each request, and layouts that follow the
 * demand. docs/demand.md says what the figures mean.
 */
import type { Highs } from 'highs';
import { findModel } from '../../src/core/gpu/geometry.ts';
import { expandPreset } from '../../src/core/gpu/layouts.ts';
import { compareText } from '../../src/core/text/json.ts';
import { loadSolver } from '../../src/planner/highs.ts';
import { printMetric, tell } from './metric.ts';
import { TraceFleet } from './trace/fleet.ts';
import { play, type TraceOutcome, type TracePolicy } from './trace/play.ts';
import { DynamicSlices, FollowedDemand, type FollowRules, layOut, relayFor, StandingSlices } from './trace/policies.ts';
import { DAY, DAYS, readTasks, superpose, type BenchMapping, type TraceRequest } from './trace/requests.ts';

const GPUS = 64;
const LOADS = [0.85, 0.7];
const SEEDS = [1, 2, 3];
const MAPPINGS: readonly BenchMapping[] = ['by memory', 'by share'];
const HALF_HOUR = 1800;
const MINUTE_MS = 60_000;

/** A higher demand counts after a minute, a lower one after half a day. */
const steadiness = { riseMs: MINUTE_MS, fallMs: 12 * 60 * MINUTE_MS, every: HALF_HOUR, cooldownMs: 30 * MINUTE_MS };
/** Quantiles of the demand of the counted month, of which the best static layout is planned. */
const QUANTILES = [0.5, 0.75, 0.9, 1];

const model = findModel('h100-80gb-sxm');
if (model === undefined) throw new Error('the table has no H100');
const emptyFleet = (): TraceFleet => new TraceFleet(model, GPUS);

export async function measureTrace(): Promise<void> {
  const tasks = await readTasks();
  const highs = await loadSolver();
  for (const mapping of MAPPINGS)
    for (const load of LOADS)
      for (const seed of SEEDS) {
        const requests = superpose(tasks, mapping, load, GPUS * 8, seed);
        measure(`trace ${mapping}, load ${load}, seed ${seed}`, requests, highs);
      }
}

function measure(name: string, requests: readonly TraceRequest[], highs: Highs): void {
  const first = play(requests, new DynamicSlices(emptyFleet(), 'FirstFit'));
  const show = (policy: string, outcome: TraceOutcome): void => {
    tell(`${name}: ${policy}: ${describe(outcome)}`);
    const { served, accepted } = shares(outcome);
    const than = shares(first);
    printMetric({ metric: `${name}: ${policy}: slice-time served`, value: served, unit: '%', baseline: than.served });
    printMetric({
      metric: `${name}: ${policy}: requests accepted`,
      value: accepted,
      unit: '%',
      baseline: than.accepted,
    });
  };
  show('dynamic, best fit', play(requests, new DynamicSlices(emptyFleet(), 'BestFit')));
  show('all-balanced', playStatic(requests, layBalanced));
  show('best static of hindsight', playHindsight(requests, highs));
  for (const evict of ['Never', 'IfNeeded'] as const) {
    const followed = follow(requests, { ...steadiness, evict }, highs);
    const policy = `follows the demand, evict ${evict}`;
    show(policy, followed.outcome);
    printMetric({ metric: `${name}: ${policy}: evictions`, value: followed.outcome.evictions, unit: 'pods' });
    printMetric({ metric: `${name}: ${policy}: re-layouts`, value: followed.relayouts, unit: 'per GPU and month' });
  }
}

function layBalanced(fleet: TraceFleet): void {
  const balanced = expandPreset(fleet.model, 'all-balanced');
  if (!('layout' in balanced)) throw new Error('no preset all-balanced');
  layOut(fleet, balanced.layout);
}

function playStatic(requests: readonly TraceRequest[], lay: (fleet: TraceFleet) => void): TraceOutcome {
  const fleet = emptyFleet();
  lay(fleet);
  return play(requests, new StandingSlices(fleet));
}

/** Of layouts for several quantiles of what was really asked for, the one that served most. */
function playHindsight(requests: readonly TraceRequest[], highs: Highs): TraceOutcome {
  const demand = sampleDemand(requests);
  const outcomes = QUANTILES.map((quantile) =>
    playStatic(requests, (fleet) => {
      const counts = new Map([...demand].map(([profile, counts]) => [profile, atQuantile(counts, quantile)]));
      relayFor(fleet, counts, { highs, evict: 'Never' });
    }),
  );
  return outcomes.reduce((best, outcome) => (outcome.served > best.served ? outcome : best));
}

/** Per profile how many were wanted at once, each ten minutes of the counted month. */
function sampleDemand(requests: readonly TraceRequest[]): ReadonlyMap<string, readonly number[]> {
  const step = 600;
  const samples = new Map<string, number[]>();
  for (const { start, end, profile } of requests) {
    const counts = samples.get(profile) ?? Array<number>((DAYS * DAY) / step).fill(0);
    samples.set(profile, counts);
    const from = Math.max(0, Math.ceil((start - DAYS * DAY) / step));
    const until = Math.min(counts.length, Math.ceil((end - DAYS * DAY) / step));
    for (let index = from; index < until; index += 1) counts[index] = (counts[index] ?? 0) + 1;
  }
  return samples;
}

function atQuantile(counts: readonly number[], quantile: number): number {
  const sorted = counts.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? 0;
}

function follow(
  requests: readonly TraceRequest[],
  rules: FollowRules,
  highs: Highs,
): { readonly outcome: TraceOutcome; readonly relayouts: number } {
  const policy = new FollowedDemand(emptyFleet(), rules, highs);
  const outcome = play(requests, policy satisfies TracePolicy);
  const counted = policy.relaidAt.filter((time) => time >= DAYS * DAY && time < 2 * DAYS * DAY);
  return { outcome, relayouts: counted.length / GPUS };
}

function shares({ served, asked, accepted, requests }: TraceOutcome): {
  readonly served: number;
  readonly accepted: number;
} {
  return { served: (100 * served) / asked, accepted: (100 * accepted) / requests };
}

function describe(outcome: TraceOutcome): string {
  const { served, accepted } = shares(outcome);
  const byProfile = [...outcome.byProfile]
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([profile, one]) => `${profile} ${((100 * one.accepted) / one.requests).toFixed(1)}`);
  return `${served.toFixed(1)} / ${accepted.toFixed(1)} (${byProfile.join(', ')})`;
}
