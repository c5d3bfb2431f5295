import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from './stage.ts';
import { Standstill } from './standstill.ts';

/** How often people ask for a retry of every node meanwhile, in ms. */
const askAgainMs = 15_000;

/** Waits until everything is as the policies say. @returns after how many seconds; undefined if the fleet stands still before */
export async function comeToRest(stage: Stage, round: number): Promise<number | undefined> {
  const { options, rig, users, onlooker } = stage;
  const from = Date.now();
  const standstill = new Standstill(options.standstillSeconds * 1000);
  let askedMs = 0;
  let isAsked = false;
  for (;;) {
    const left = await stage.findUnrest();
    if (left.length === 0 && isAsked) break;
    if (standstill.note(left.length, Date.now())) {
      onlooker.report(`L1: round ${round} does not come to rest: ${nameSome(left)}`);
      await stage.dump(`round-${round}-unrest`);
      return undefined;
    }
    isAsked ||= await users.settle();
    if (isAsked && Date.now() - askedMs > askAgainMs) {
      askedMs = Date.now();
      options.tell?.(`round ${round}: ${nameSome(left)}`);
      await users.retryAll(rig.nodeNames);
    }
    stage.restartController();
    onlooker.tick();
    await pause(500);
  }
  const seconds = (Date.now() - from) / 1000;
  options.tell?.(`round ${round}: at rest after ${seconds.toFixed(0)} s`);
  return seconds;
}

function nameSome(findings: readonly string[], most = 6): string {
  const more = findings.length - most;
  return findings.slice(0, most).join('; ') + (more > 0 ? `; and ${more} more` : '');
}
