import type { ClusterAdvice } from '../demand/recommend.ts';
import type { SideFigures } from '../plan/simulation/play.ts';
import { countWords, joinWithin, wrapHanging } from '../text/words.ts';
import { describeDuration } from '../text/syntax.ts';
import { drawTable, type Line, span, type Tone } from './lines.ts';
import type { WasteReport } from '../explain/waste.ts';

// The door to answers on a screen: what recommend advises, what report finds wasted, and what simulate has played.

type PoolAdvice = ClusterAdvice['pools'][number];
type Bill = NonNullable<PoolAdvice['bill']>;
type HomelessPods = ClusterAdvice['homeless'][number];

const mostPods = 3;

/** What `gpu-partition recommend` advises for a cluster, on a screen. */
export function drawAdvice(
  pools: readonly PoolAdvice[],
  homeless: readonly HomelessPods[],
  columns: number,
): readonly Line[] {
  return [
    ...pools.flatMap((pool, index) => [...(index === 0 ? [] : [[]]), ...drawPool(pool, columns)]),
    ...homeless.flatMap((one) => [[], ...wrap(describeHomeless(one), columns, 'bad')]),
  ];
}

function drawPool(pool: PoolAdvice, columns: number): readonly Line[] {
  const { slices, why, unread, withEvictions } = pool;
  return [
    ...wrap(describePool(pool), columns, 'title'),
    ...(unread.length > 0
      ? wrap(`no agent reports the GPUs of ${joinWithin(unread, columns, ', ')}: not counted`, columns, 'warn')
      : []),
    ...(slices.length > 0 ? drawSlices(pool) : []),
    ...describeWhole(pool).flatMap((text) => wrap(text, columns)),
    ...describeBest(pool).flatMap((text) => wrap(text, columns)),
    ...(withEvictions
      ? wrap(
          `with --evict if-needed it would be ${writeBest(withEvictions.best)}: ${describeBill(withEvictions)}`,
          columns,
        )
      : []),
    ...(why === undefined ? [] : wrap(`no policy is advised: ${why}`, columns, 'dim')),
  ];
}

function describePool({ name, policy, nodes, gpus }: PoolAdvice): string {
  const who = policy === undefined ? 'no policy' : policy === name ? 'its policy decides' : `policy ${policy} decides`;
  const what = Object.entries(gpus).map(([product, count]) => `${count}×${product}`);
  return `${name} (${who}): ${countWords(nodes, 'node')}${what.length === 0 ? '' : `, ${what.join(', ')}`}`;
}

function drawSlices({ slices }: PoolAdvice): readonly Line[] {
  const rows = slices.map(({ name, running, inUse, waiting, wanted, now, best }) => [
    span(`  ${name}`),
    span(String(running)),
    span(String(inUse)),
    span(String(waiting), waiting > 0 ? 'warn' : 'plain'),
    span(String(wanted)),
    span(String(now), now < wanted ? 'warn' : 'plain'),
    span(String(best), best < wanted ? 'bad' : best > now ? 'good' : 'plain'),
  ]);
  return drawTable(['  SLICE', 'RUNNING', 'IN USE', 'WAITING', 'WANTED', 'NOW', 'BEST'], rows);
}

function describeWhole({ slices, wholeGpus: { held, offered, waiting } }: PoolAdvice): readonly string[] {
  if (slices.length > 0 || (held === 0 && waiting === 0)) return [];
  return [`nvidia.com/gpu: ${held} of ${offered} held, ${waiting} waited for; not part of the plan`];
}

function describeBest({ slices, bill, optimal, gap }: PoolAdvice): readonly string[] {
  if (bill === undefined) return [];
  const sum = (amounts: readonly number[]): number => amounts.reduce((all, one) => all + one, 0);
  const wanted = sum(slices.map((one) => one.wanted));
  const now = sum(slices.map((one) => one.now));
  const best = sum(slices.map((one) => one.best));
  const proof = optimal === true ? 'proven' : `not proven in time: ${gap?.figure ?? ''} may be ${gap?.bound ?? 0}`;
  const way = bill.gpusChanged === 0 ? 'no GPU changes' : describeBill(bill);
  return [
    `the layouts offer ${now} of ${wanted} now, at best ${best}: ${way} (${proof})`,
    ...slices.flatMap(({ name, why }) => (why === undefined ? [] : [`${name}: ${why}`])),
  ];
}

/** `2 GPUs on 1 node change, no eviction, 3 idle slices go, about 4 min` */
function describeBill({ gpusChanged, nodes, evictions, instancesDestroyed, minutes }: Bill): string {
  const verb = gpusChanged === 1 ? 'changes' : 'change';
  const parts = [
    `${countWords(gpusChanged, 'GPU')} on ${countWords(nodes.length, 'node')} ${verb}`,
    evictions === 0 ? 'no eviction' : countWords(evictions, 'eviction'),
    `${countWords(instancesDestroyed, 'idle slice')} ${instancesDestroyed === 1 ? 'goes' : 'go'}`,
    ...(minutes === undefined ? [] : [`about ${describeDuration(minutes * 60)}`]),
  ];
  return parts.join(', ');
}

/** `2 of 1g.5gb, 4 of 3g.20gb` */
function writeBest(best: Readonly<Record<string, number>>): string {
  return Object.entries(best)
    .map(([name, count]) => `${count} of ${name}`)
    .join(', ');
}

function describeHomeless({ resource, pods }: HomelessPods): string {
  const named = pods.slice(0, mostPods).join(', ');
  const rest = pods.length > mostPods ? `, and ${pods.length - mostPods} more` : '';
  return `no pool can offer ${resource} to ${named}${rest}: gpu-partition explain pod says why`;
}

function wrap(text: string, columns: number, tone: Tone = 'plain'): readonly Line[] {
  return wrapHanging(text, columns, '  ').map((line) => [span(line, tone)]);
}

/** The report of waste on a screen. */
export function drawWaste(report: WasteReport, columns: number): readonly Line[] {
  const { samples, gpus, resources, layouts } = report;
  const idle = samples === 1 ? 'nobody uses now' : `nobody used in any of ${samples} snapshots`;
  const sections = [
    [[span('Stranded slices: they belong to no instance and cannot be allocated', 'title')]],
    gpus.length === 0 ? [[span('no GPU is in MIG mode')]] : drawStranded(report),
    [[], [span(`Instances that ${idle}`, 'title')]],
    drawIdle(report),
    [[], [span('What is offered, held by pods, and asked for by pods that wait', 'title')]],
    resources.length === 0 ? [[span('no node offers GPUs, and no pod asks for them')]] : drawDemand(report),
    [[], [span('What another layout would have served', 'title')]],
    layouts.length === 0
      ? [[span('no other layout of a policy would have served more')]]
      : layouts.flatMap(({ message }) => wrapHanging(message, columns).map((text): Line => [span(text)])),
  ] satisfies readonly (readonly Line[])[];
  return sections.flat();
}

function drawStranded({ gpus }: WasteReport): readonly Line[] {
  const rows = gpus.map(({ policy = '-', product, gpus: count, slices, stranded }) => [
    span(policy, 'title'),
    span(product),
    span(String(count)),
    share(stranded.compute, slices.compute),
    share(stranded.memory, slices.memory),
  ]);
  return drawTable(['POLICY', 'PRODUCT', 'GPUS', 'STRANDED COMPUTE', 'STRANDED MEMORY'], rows);
}

const mostNamed = 3;

function drawIdle({ gpus }: WasteReport): readonly Line[] {
  const rows = gpus.flatMap(({ policy = '-', profiles }) =>
    profiles
      .filter(({ neverUsed }) => neverUsed > 0)
      .map(({ profile, instances, neverUsed, nodes }) => {
        const named = nodes.slice(0, mostNamed).map((one) => `${one.node} (${one.neverUsed})`);
        return [
          span(policy, 'title'),
          span(profile),
          share(neverUsed, instances),
          span([...named, ...(nodes.length > mostNamed ? ['…'] : [])].join(', '), 'dim'),
        ];
      }),
  );
  if (rows.length === 0) return [[span('none')]];
  return drawTable(['POLICY', 'PROFILE', 'UNUSED', 'MOST ON'], rows);
}

function drawDemand({ samples, resources }: WasteReport): readonly Line[] {
  const rows = resources.map(({ resource, offered, held, mostHeld, mostWaiting }) => [
    span(resource, 'title'),
    span(String(offered)),
    span(String(held), mostHeld === 0 && offered > 0 ? 'warn' : 'plain'),
    ...(samples === 1 ? [] : [span(String(mostHeld))]),
    span(mostWaiting === undefined ? 'unknown' : String(mostWaiting), (mostWaiting ?? 0) > 0 ? 'warn' : 'plain'),
  ]);
  const most = samples === 1 ? [] : ['MOST HELD'];
  const header = ['RESOURCE', 'OFFERED', samples === 1 ? 'HELD' : 'HELD (MEAN)', ...most, 'WAITING'];
  return drawTable(header, rows);
}

/** `54 of 432 (13 %)` */
function share(part: number, whole: number) {
  const percent = whole === 0 ? 0 : Math.round((100 * part) / whole);
  const tone: Tone = percent >= 25 ? 'warn' : 'plain';
  return span(`${part} of ${whole} (${percent} %)`, tone);
}

/** A simulation as people read it. */
export interface SimulationView {
  readonly title: string;
  readonly days: number;
  readonly sides: readonly { readonly name: string; readonly figures: SideFigures }[];
}

/** Rows of the picture; longer times are drawn in spans of several days. */
const mostRows = 31;
const barWidth = 20;

export function drawSimulation({ title, days, sides }: SimulationView): readonly Line[] {
  return [
    [span(title, 'title')],
    [],
    ...drawTotals(sides),
    [],
    ...drawProfiles(sides),
    [],
    [span('Served by day, of what pods asked for on it; more than 100 % where earlier ones are served too', 'title')],
    ...drawDays(sides, days),
  ];
}

function drawTotals(sides: SimulationView['sides']): readonly Line[] {
  const rows = sides.map(({ name, figures: { total } }) => [
    span(name, 'title'),
    span(percent(total.servedShare)),
    span(wait(total.medianWaitSeconds)),
    span(wait(total.p95WaitSeconds)),
    span(wait(total.longestWaitSeconds)),
    span(String(total.stillWaiting), total.stillWaiting > 0 ? 'warn' : 'plain'),
    span(String(total.evictions), total.evictions > 0 ? 'warn' : 'plain'),
    span(percent(total.lostShare), total.lostShare > 0 ? 'warn' : 'plain'),
    span(String(total.relayouts)),
    span(total.relayoutsPerGpuMonth.toFixed(1)),
  ]);
  return drawTable(
    [
      '',
      'SERVED',
      'MEDIAN WAIT',
      '95 % WAIT',
      'LONGEST',
      'STILL WAITING',
      'EVICTED',
      'LOST',
      'GPUS RE-LAID',
      'PER GPU-MONTH',
    ],
    rows,
  );
}

function drawProfiles(sides: SimulationView['sides']): readonly Line[] {
  const names = [...new Set(sides.flatMap(({ figures }) => figures.profiles.map(({ profile }) => profile)))];
  const rows = names.flatMap((profile) =>
    sides.flatMap(({ name, figures }, index) => {
      const one = figures.profiles.find((other) => other.profile === profile);
      if (one === undefined) return [];
      return [
        [
          span(index === 0 ? profile : ''),
          span(index === 0 ? String(one.pods) : ''),
          span(name),
          span(percent(one.askedSeconds === 0 ? 1 : one.servedSeconds / one.askedSeconds)),
          span(wait(one.medianWaitSeconds)),
          span(wait(one.p95WaitSeconds)),
          span(wait(one.longestWaitSeconds)),
          span(String(one.stillWaiting), one.stillWaiting > 0 ? 'warn' : 'plain'),
          span(String(one.evictions), one.evictions > 0 ? 'warn' : 'plain'),
        ],
      ];
    }),
  );
  return drawTable(
    ['SLICE', 'PODS', '', 'SERVED', 'MEDIAN WAIT', '95 % WAIT', 'LONGEST', 'STILL WAITING', 'EVICTED'],
    rows,
  );
}

function drawDays(sides: SimulationView['sides'], days: number): readonly Line[] {
  const each = Math.ceil(days / mostRows);
  const spans = Array.from({ length: Math.ceil(days / each) }, (_, index) => ({
    from: index * each + 1,
    to: Math.min(days, (index + 1) * each),
  }));
  const rows = spans.map(({ from, to }) => [
    span(from === to ? String(from) : `${from}–${to}`),
    ...sides.map(({ figures }) => span(drawBar(shareOf(figures, from, to)))),
  ]);
  return drawTable([each === 1 ? 'DAY' : 'DAYS', ...sides.map(({ name }) => name)], rows);
}

/** The share of the requested time that was served on some days, by memory slices, like the total. */
function shareOf({ days, profiles }: SideFigures, from: number, to: number): number {
  const sizes = new Map(profiles.map(({ profile, size }) => [profile, size]));
  const own = days.filter(({ day }) => day >= from && day <= to);
  const sum = (value: (one: (typeof own)[number]) => number): number =>
    own.reduce((all, one) => all + value(one) * (sizes.get(one.profile) ?? 0), 0);
  const asked = sum((one) => one.askedSeconds);
  return asked === 0 ? 1 : sum((one) => one.servedSeconds) / asked;
}

function drawBar(share: number): string {
  const full = Math.min(barWidth, Math.round(share * barWidth));
  return `${'█'.repeat(full)}${'·'.repeat(barWidth - full)} ${percent(share)}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function wait(seconds: number): string {
  return seconds === 0 ? '0' : describeDuration(seconds);
}

const csvColumns = [
  'side',
  'day',
  'profile',
  'pods',
  'asked_slice_s',
  'served_slice_s',
  'lost_slice_s',
  'wait_slice_s',
  'started',
  'longest_wait_s',
  'evictions',
  'gpus_relaid',
] as const;

/** Writes one row for each side, day and profile, and one without a profile for the GPUs that were re-laid that day. */
export function writeSimulationCsv({ sides }: SimulationView): readonly string[] {
  const rows = sides.flatMap(({ name, figures }) =>
    figures.relayouts.flatMap((relaid, index) => [
      ...figures.days
        .filter(({ day }) => day === index + 1)
        .map((one) => [
          name,
          one.day,
          one.profile,
          one.pods,
          one.askedSeconds,
          one.servedSeconds,
          one.lostSeconds,
          one.waitSeconds,
          one.started,
          one.longestWaitSeconds,
          one.evictions,
          '',
        ]),
      [name, index + 1, '', '', '', '', '', '', '', '', '', relaid],
    ]),
  );
  return [csvColumns.join(','), ...rows.map((row) => row.map(writeCell).join(','))];
}

function writeCell(value: string | number): string {
  return typeof value === 'string' && /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : String(value);
}
