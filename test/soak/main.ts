/**
 * People and faults at a fleet for hours: `make soak HOURS=1`. JSON lines on standard output, a table and the progress on standard error.
 * Exit 1 if an invariant was broken, or if memory certainly grew by more than 1 MB an hour.
 */
import { printMetric, tell } from '../bench/metric.ts';
import { describeSoak, drawSoak } from './report.ts';
import { soak } from './soak.ts';

const { HOURS, SOAK_MINUTES, NODES, SEED, EVIDENCE } = process.env;
const minutes = SOAK_MINUTES === undefined ? Number(HOURS ?? '1') * 60 : Number(SOAK_MINUTES);
/** As the aim of docs/internal/reliability.md says; memory of shorter runs is told, not judged. */
const mostGrowth = 1;

const result = await soak({
  minutes,
  nodes: Number(NODES ?? '100'),
  seed: Number(SEED ?? Date.now() % 100_000),
  stormSeconds: 90,
  standstillSeconds: 240,
  quietSeconds: 15,
  sampleSeconds: 15,
  readSeconds: 20,
  warmUpMinutes: Math.min(10, minutes / 4),
  tell,
  ...(EVIDENCE !== undefined && { evidenceFolder: EVIDENCE }),
});
const metrics = describeSoak(result);
metrics.forEach(printMetric);
tell(drawSoak(result));
const valueOf = (metric: string): number => metrics.find((one) => one.metric === metric)?.value ?? 0;
const hasGrown =
  minutes >= 60 &&
  ['controller', 'agents'].some((who) => {
    const slope = `soak: RSS slope of ${who}`;
    return valueOf(slope) - valueOf(`${slope}, give or take`) > mostGrowth;
  });
process.exit(result.violations.length > 0 || hasGrown ? 1 : 0);
