import { testPlantedBugs } from '../model/planted-bugs.ts';
import { fleetBugs } from '../model/fleet-bugs.ts';

describe('model of a fleet with a planted bug @all', function () {
  this.timeout(0);
  testPlantedBugs({
    bugs: fleetBugs,
    script: new URL('../model/fleet-tell-worker.ts', import.meta.url),
    mostSeeds: 200,
    seedFile: new URL('./bug-seeds.json', import.meta.url),
  });
});
