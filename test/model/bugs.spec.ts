import { bugs } from './bugs.ts';
import { testPlantedBugs } from './planted-bugs.ts';

describe('model of a node with a planted bug @all', function () {
  this.timeout(0);
  testPlantedBugs({
    bugs,
    script: new URL('./tell-worker.ts', import.meta.url),
    mostSeeds: 400,
    seedFile: new URL('./bug-seeds.json', import.meta.url),
  });
});
