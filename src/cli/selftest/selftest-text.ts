import { wrapHanging } from '../../core/text/wrap.ts';
import { paint, printLine, type Style, type Terminal } from '../terminal.ts';
import type { ChangeTest, ProfileTest } from '../../core/selftest/change-test.ts';
import { checkAreas, type CheckVerdict, type SelftestCheck, type Selftest } from '../../core/selftest/selftest.ts';

const width = 80;

const marks: Readonly<Record<CheckVerdict, { readonly word: string; readonly style: Style }>> = {
  Good: { word: 'ok', style: 'green' },
  Note: { word: 'note', style: 'cyan' },
  Finding: { word: 'finding', style: 'red' },
  Unknown: { word: 'unknown', style: 'yellow' },
};

export function printChecks({ stdout }: Terminal, checks: readonly SelftestCheck[]): void {
  for (const area of checkAreas) {
    const some = checks.filter((check) => check.area === area);
    if (some.length > 0) printLine(stdout, paint(stdout, 'bold', area));
    for (const { verdict, message, ms } of some) {
      const { word, style } = marks[verdict];
      const time = ms === undefined ? '' : ` (${writeSeconds(ms)})`;
      const mark = `  ${word.padEnd(8)}`;
      const [first = '', ...rest] = wrapHanging(`${mark}${message}${time}`, width, ' '.repeat(mark.length));
      printLine(stdout, `  ${paint(stdout, style, word.padEnd(8))}${first.slice(mark.length)}`);
      for (const line of rest) printLine(stdout, line);
    }
  }
}

export function printProfileTest({ stdout }: Terminal, test: ProfileTest): void {
  const { profile, start, makeMs, verifyMs, undoMs, error = 'unknown' } = test;
  const times = `made ${writeSeconds(makeMs)}, verified ${writeSeconds(verifyMs)}, undone ${writeSeconds(undoMs)}`;
  const [word, what] = test.outcome === 'Passed' ? ['ok', times] : ['finding', `failed: ${error}`];
  const text = `  ${word.padEnd(8)}${profile} at ${start}: ${what}`;
  for (const line of wrapHanging(text, width, ' '.repeat(10))) printLine(stdout, line);
}

export function printOutcome({ stdout }: Terminal, { state, checks, change }: Selftest): void {
  for (const text of change === undefined ? [] : [writeChange(change), ...(change.notes ?? [])])
    for (const line of wrapHanging(text, width, '  ')) printLine(stdout, line);
  const count = (verdict: CheckVerdict): string =>
    `${checks.filter((check) => check.verdict === verdict).length} ${marks[verdict].word}`;
  const figures = (['Good', 'Note', 'Finding', 'Unknown'] as const).map(count).join(', ');
  const style = state === 'Good' ? 'green' : state === 'Unknown' ? 'yellow' : 'red';
  printLine(stdout, `${paint(stdout, style, `selftest: ${describeState(state)}`)} (${figures})`);
}

function writeChange({ index, state, reason, profiles, isPutBack, otherUuids }: ChangeTest): string {
  const passed = profiles.filter(({ outcome }) => outcome === 'Passed').length;
  const why = reason === undefined ? '' : `: ${reason}`;
  if (state === 'Refused') return `GPU ${index}: nothing was tried${why}`;
  const uuids = otherUuids > 0 ? `; ${otherUuids} of its MIG devices have another UUID now` : '';
  const back = isPutBack ? `it is again what it was${uuids}` : 'IT IS NOT WHAT IT WAS';
  return `GPU ${index}: ${passed} of ${profiles.length} profiles made, verified and undone; ${back}${why}`;
}

function describeState(state: Selftest['state']): string {
  switch (state) {
    case 'Good':
      return 'good';
    case 'Findings':
      return 'something is in the way';
    case 'Unknown':
      return 'not everything could be found out';
  }
}

function writeSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
