// Room view: what people see of a fleet, in words and lines, whatever shows it, a terminal or the page.
// Ask here for lines and tables themselves, the order of urgency, and what is said where no controller leads.
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { describeDuration, timeText } from '../text/syntax.ts';
import { wrapHanging } from '../text/words.ts';
import { controllerManager } from '../../api/names.ts';

/** What a piece of text means; a terminal gives each its colour. */
export type Tone = 'plain' | 'title' | 'good' | 'warn' | 'bad' | 'dim' | 'used' | 'free' | 'going' | 'coming';

export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

/** One line on a screen. */
export type Line = readonly Span[];

export function span(text: string, tone: Tone = 'plain'): Span {
  return { text, tone };
}

export function plainText(line: Line): string {
  return line.map(({ text }) => text).join('');
}

/** Width of a text in columns; names and messages here have no double-width characters. */
function widthOf(text: string): number {
  return Array.from(text).length;
}

/** Rows under a header, each column as wide as its widest cell. */
export function drawTable(header: readonly string[], rows: readonly (readonly Span[])[]): readonly Line[] {
  const all = [header.map((text) => span(text, 'dim')), ...rows];
  const widths = header.map((_, at) => Math.max(...all.map((row) => widthOf(row[at]?.text ?? ''))));
  return all.map((row) =>
    row.flatMap(({ text, tone }, at) => {
      const gap = at === row.length - 1 ? '' : ' '.repeat((widths[at] ?? 0) - widthOf(text) + 2);
      return [{ text, tone }, span(gap)];
    }),
  );
}

/** How much a node or a policy needs somebody, most first; every list here is in this order. */
export const urgencies = ['failed', 'blocked', 'changing', 'waiting', 'ready', 'unmanaged'] as const;
export type Urgency = (typeof urgencies)[number];

/** What does not resolve by itself, or only when somebody outside of this operator acts, although the phase is a passing one. */
const blocking: ReadonlySet<string> = new Set([
  'AgentNotReporting',
  'EvictionBlocked',
  'ForeignCordon',
  'NodeNotReady',
  'PodsUseGpus',
  'PolicyInvalid',
  'RefreshBlocked',
]);

const urgencyOfPhase: Readonly<Record<string, Urgency>> = {
  Failed: 'failed',
  Invalid: 'failed',
  Waiting: 'blocked',
  Updating: 'changing',
  Pending: 'waiting',
  Ready: 'ready',
  Unmanaged: 'unmanaged',
};

/** A phase of a later version needs attention. */
export function urgencyOfNode(phase: string, reason: string): Urgency {
  const urgency = urgencyOfPhase[phase] ?? 'failed';
  return blocking.has(reason) && (urgency === 'changing' || urgency === 'waiting') ? 'blocked' : urgency;
}

/** The entry of a node in a list. */
export interface NodeHead {
  readonly phase: string;
  readonly reason: string;
  readonly message: string;
  readonly urgency: Urgency;
}

/** How a node stands, and what is broken on it: a node is Ready with GPUs that do not respond, as far as its others go. */
export function headOf(status: GpuNodePartition['status']): NodeHead {
  const conditions = status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  const degraded = conditions.find(({ type, status: value }) => type === 'Degraded' && value === 'True');
  const phase = status?.phase ?? 'Pending';
  const { reason = 'AgentNotReporting', message = 'nothing is known yet' } = ready ?? {};
  const urgency = urgencyOfNode(phase, reason);
  if (degraded === undefined) return { phase, reason, message, urgency };
  const isWell = urgency === 'ready' || urgency === 'unmanaged';
  return isWell
    ? { phase, reason: degraded.reason, message: degraded.message, urgency: 'blocked' }
    : { phase, reason, message: `${message}; ${degraded.reason}: ${degraded.message}`, urgency };
}

/** Urgency by reason of the condition Ready; what stalls a policy is failed whatever its reason. */
const urgencyOfReason: Readonly<Record<string, Urgency>> = {
  Waiting: 'blocked',
  NodesUnavailable: 'blocked',
  Reconciling: 'changing',
  CanarySoak: 'changing',
  Deleting: 'changing',
};

export function urgencyOfPolicy({ status }: GpuPartitionPolicy): Urgency {
  const conditions = status?.conditions ?? [];
  const isStalled = conditions.some(
    ({ type, status: value }) => (type === 'Stalled' && value === 'True') || (type === 'Valid' && value === 'False'),
  );
  if (isStalled) return 'failed';
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? 'ready' : (urgencyOfReason[ready?.reason ?? ''] ?? 'waiting');
}

const tones: Readonly<Record<Urgency, Tone>> = {
  failed: 'bad',
  blocked: 'warn',
  changing: 'warn',
  waiting: 'plain',
  ready: 'good',
  unmanaged: 'plain',
};

export function toneOf(urgency: Urgency): Tone {
  return tones[urgency];
}

/** Orders by urgency, the most urgent first. */
export function byUrgency(a: Urgency, b: Urgency): number {
  return urgencies.indexOf(a) - urgencies.indexOf(b);
}

/** Updates have stopped: what is shown is from then. */
export interface Interruption {
  /**
   * Disconnected: the API server does not answer. Stale: it answers, and does not send what changes. No controller: it sends what
   * there is, which nobody writes any more.
   */
  readonly kind: 'Disconnected' | 'Stale' | 'No controller';
  /** The last time when everything was known to be current, in ms since 1970; undefined if it never was. */
  readonly since: number | undefined;
  readonly why: string;
}

/** The source of a picture. */
export type Source =
  | { readonly context: string; readonly server: string }
  /** A saved cluster does not age on the screen: it never was current there. */
  | { readonly files: readonly string[] };

/** How a picture is framed. */
export interface Frame {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly columns: number;
  /** Source of the picture, and when it was last known to be current; undefined where its age would be wrong at once: in a file. */
  readonly followed?: { readonly source: Source; readonly seenAt: number } | undefined;
}

/** `context prod (https://10.0.0.1:6443)` */
function describeSource(source: Source): string {
  return 'files' in source
    ? `saved cluster ${source.files.join(', ')}`
    : `context ${source.context} (${source.server})`;
}

/** A picture under a line that says whose it is and how old; or what interrupts it, and then nothing in it may look well. */
export function framePicture(
  picture: readonly Line[],
  interruption: Interruption | undefined,
  { now, columns, followed }: Frame,
): readonly Line[] {
  if (interruption !== undefined) {
    const words = wrapHanging(describeInterruption(interruption, now), columns).map((text): Line => [
      span(text, 'bad'),
    ]);
    return [...words, [], ...picture.map((line) => line.map(({ text }) => span(text, 'dim')))];
  }
  if (followed === undefined) return picture;
  const age = describeDuration(Math.max(0, now - followed.seenAt) / 1000);
  return [[span(describeSource(followed.source), 'title'), span(`  ${age} ago`, 'dim')], [], ...picture];
}

/** In words for everybody, also those who read them later in a file. */
function describeInterruption({ kind, since, why }: Interruption, now: number): string {
  const loud = kind.toUpperCase();
  if (since === undefined) return `${loud}: ${why}. What follows is the last state that a controller wrote.`;
  const age = describeDuration(Math.max(0, now - since) / 1000);
  const at = `${timeText(since).slice(11, 19)} UTC`;
  return kind === 'No controller'
    ? `${loud} for ${age}: since ${at} ${why}. What follows is the last state that a controller wrote.`
    : `${loud} for ${age}. No updates since ${at}: ${why}. What follows is from then.`;
}

/** The Lease of the controllers, as far as it says who leads. */
export interface LeaseView {
  readonly metadata: { readonly namespace?: string; readonly resourceVersion?: string };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly renewTime?: string;
  };
}

/** Whether somebody holds a lease that has been renewed within its duration. @param now in ms since 1970, by the API server's clock */
function isLeaseHeld({ spec }: LeaseView, now: number): boolean {
  const { holderIdentity = '', leaseDurationSeconds = 0, renewTime = '' } = spec ?? {};
  return holderIdentity !== '' && now - Date.parse(renewTime) <= leaseDurationSeconds * 1000;
}

/** What a picture says where no controller leads: it shows what the last one wrote. Undefined if one leads. @param now as above */
export function judgeLeases(leases: readonly LeaseView[], now: number): Interruption | undefined {
  if (leases.some((lease) => isLeaseHeld(lease, now))) return undefined;
  const renewed = leases.map(({ spec }) => Date.parse(spec?.renewTime ?? '')).filter(Number.isFinite);
  const since = renewed.length === 0 ? undefined : Math.max(...renewed);
  const why =
    since === undefined
      ? `no namespace has a Lease ${controllerManager}: the controller was never started, or with --no-leader-elect`
      : `no controller renews its Lease${leases.length === 1 ? ` ${leases[0]?.metadata.namespace}/${controllerManager}` : 's'}`;
  return { kind: 'No controller', since, why };
}
