import type { FleetRecorder } from '../support/fleet-recorder.ts';
import { listRefused } from './refused.ts';
import { countResigned } from './resigned.ts';
import type { Stage } from './stage.ts';

/** What only the end of a round shows. @returns whether each of its revisions was seen */
export async function judgeRound({ rig, faults, onlooker }: Stage, recorder: FleetRecorder): Promise<boolean> {
  if (recorder.hasSeenAll) for (const broken of recorder.broken) onlooker.report(`S5: ${broken}`);
  for (const program of [rig.controller, ...rig.agents]) {
    if (program.crashes === 0) continue;
    const resigned = countResigned(await program.readLog());
    if (program.crashes > resigned) onlooker.report(`${program.name} has ended without being told to`);
  }
  for (const refused of listRefused(rig, faults.disturbances)) onlooker.report(`S1: ${refused}`);
  return recorder.hasSeenAll;
}
