import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type StoryRequest, Tellers } from './tellers.ts';

/** A deliberate mistake that a model has to notice. */
interface PlantedBug {
  readonly name: string;
  readonly what: string;
  readonly theme?: string;
}

interface BugHunt {
  readonly bugs: readonly PlantedBug[];
  /** Module of the threads. */
  readonly script: URL;
  /** Seeds tried before a bug counts as missed. */
  readonly mostSeeds: number;
  /**
   * JSON file: bug to the seed that showed it last, which is tried first. It only saves time: a story may have changed since, and then
   * all seeds are tried. `NOTE_SEEDS=1` writes it.
   */
  readonly seedFile: URL;
}

/** Tests that a model finds each bug within the seeds. */
export function testPlantedBugs({ bugs, script, mostSeeds, seedFile }: BugHunt): void {
  const known: Readonly<Record<string, number>> = JSON.parse(readFileSync(seedFile, 'utf8')) as Record<string, number>;
  const seen = new Map<string, number>();
  let tellers: Tellers;

  before(() => {
    tellers = new Tellers(script);
  });

  after(() => tellers.stop());

  after(() => {
    const sorted = [...seen].toSorted(([a], [b]) => (a < b ? -1 : 1));
    if (process.env['NOTE_SEEDS'] === '1')
      writeFileSync(seedFile, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
  });

  for (const { name, what, theme } of bugs) {
    it(`is seen to break a promise when it ${what} (${name})`, async function () {
      const request: Omit<StoryRequest, 'seed'> = { theme, bug: name };
      const found = await tellers.find({ from: 0, to: mostSeeds, first: known[name], ...request });
      expect(found, `no seed below ${mostSeeds} finds it`).to.match(/^seed \d+: /);
      seen.set(name, Number(/^seed (\d+)/.exec(found ?? '')?.[1]));
      // Whoever wants to see the story needs its seed.
      if (this.test) this.test.title += `: ${theme ?? 'Usual'}, ${found}`;
    });
  }
}
