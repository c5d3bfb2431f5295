import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from './stage.ts';

/** What may be struck; the controller only while its memory is not measured. */
interface Allowance {
  readonly killController: () => boolean;
  readonly killApiServer: boolean;
}

/** People and faults act one after the other, until all faults end. */
export async function storm(stage: Stage, { killController, killApiServer }: Allowance): Promise<void> {
  const { options, random, users, faults, onlooker } = stage;
  const end = Date.now() + options.stormSeconds * 1000;
  while (Date.now() < end) {
    if (random.chance(0.6)) await users.act();
    else {
      await faults.strike({ killController: killController(), killApiServer });
      onlooker.forgive();
    }
    stage.restartController();
    onlooker.tick();
    await pause(random.between(100, 1_500));
  }
  await faults.heal();
  onlooker.forgive();
}
