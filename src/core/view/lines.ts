// Room view: what people see of a fleet, in words and lines, whatever shows it, a terminal or the page.
// Ask here for lines and tables themselves, for GPUs that look alike, and what is said where no controller leads.
import { controllerManager } from '../../api/names.ts';

/** What a piece of text means; a terminal gives each its colour. */
export type Tone = 'plain' | 'title' | 'good' | 'warn' | 'bad' | 'dim' | 'used' | 'free' | 'going' | 'coming';

interface Span {
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

/** Adjacent GPUs that look alike, and the name of all of them: `GPU 0-7`. */
export function groupAlike<Drawn extends { readonly index: number; readonly text: string }>(
  drawn: readonly Drawn[],
): readonly { readonly name: string; readonly first: Drawn }[] {
  const groups: { readonly first: Drawn; last: number }[] = [];
  for (const one of drawn) {
    const group = groups.at(-1);
    if (group?.first.text === one.text && group.last === one.index - 1) group.last = one.index;
    else groups.push({ first: one, last: one.index });
  }
  return groups.map(({ first, last }) => ({
    first,
    name: first.index === last ? `GPU ${last}` : `GPU ${first.index}-${last}`,
  }));
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
