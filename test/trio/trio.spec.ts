import { expect } from 'chai';
import { isDeepStrictEqual } from 'node:util';
import { Random } from '../model/random.ts';
import { useRig } from '../support/rig.ts';
import { Interference } from './interference.ts';
import { listPerturbations, type Perturbation } from './perturbation.ts';
import { controller, type TurnEnding, Player } from './play.ts';
import { controllerArguments, installPlugin, type Scenario, scenarioNodes, scenarios } from './scenarios.ts';

/** `make trio` plays all of them; else a sample, drawn by this seed. */
const isWhole = process.env['TRIO'] === 'all';
const sampleSize = Number(process.env['TRIO_SAMPLE'] ?? 3);
const seed = Number(process.env['TRIO_SEED'] ?? 1);

describe('a program that is killed between two writes, restarts at a server that lags, or misses what happened @all', function () {
  const programs = [controller, ...scenarioNodes.map(({ name }) => name)];
  const rig = useRig(scenarioNodes, { proxied: programs, controllerArguments });
  let player: Player;

  before(async () => {
    await installPlugin(rig());
    const interferences = new Map(programs.map((program) => [program, new Interference()]));
    for (const [program, { rule }] of interferences) {
      rig().proxy(program).rule = rule;
      // What watches are already open bring goes past the rule.
      rig().proxy(program).reset();
    }
    player = new Player(rig(), interferences);
  });

  for (const scenario of scenarios) {
    it(`changes nothing about how it ends if ${scenario.name}`, async function () {
      this.timeout(isWhole ? 3 * 3_600_000 : 600_000);
      const { usual, queues } = await learn(scenario);
      const random = new Random(seed);
      const count = queues.flat().length;
      expect(count, 'perturbations').to.be.above(20);
      if (!isWhole) draw(queues, sampleSize, random);
      const different: string[] = [];
      const missed: string[] = [];
      let tried = 0;
      for (let turn = 0; queues.some((queue) => queue.length > 0); turn = (turn + 1) % queues.length) {
        const one = queues[turn]?.shift();
        const ending = usual[turn];
        if (one === undefined || ending === undefined) {
          await player.play(scenario, turn);
          continue;
        }
        tried += 1;
        const name = `${scenario.turns[turn]?.name ?? ''}, ${one.program}, write ${one.at} (${one.write}): ${one.kind}`;
        const found = await player.disturb(scenario, turn, one, ending).catch((error: unknown) => String(error));
        if (typeof found === 'string') different.push(`${name}: ${found}`);
        else {
          if (!found.hasStruck) missed.push(name);
          const difference = describeDifference(found, ending);
          if (difference !== '') different.push(`${name}: ${difference}`);
        }
        if (isWhole) process.stderr.write(`${name}${found === different.at(-1) ? ' DIFFERENT' : ''}\n`);
      }
      if (isWhole) process.stderr.write(`tried ${tried}, different ${different.length}, missed ${missed.length}\n`);
      expect(different, different.join('\n')).to.deep.equal([]);
      expect(missed.length, `writes that did not come: ${missed.join('; ')}`).to.be.at.most(Math.ceil(tried / 4));
    });
  }

  /** Plays a scenario until it is in its circle, and once more to see how each turn ends undisturbed. */
  async function learn(
    scenario: Scenario,
  ): Promise<{ readonly usual: readonly TurnEnding[]; readonly queues: Perturbation[][] }> {
    await scenario.prepare?.(rig());
    for (const turn of scenario.turns.keys()) await player.play(scenario, turn);
    const usual: TurnEnding[] = [];
    const queues: Perturbation[][] = [];
    for (const turn of scenario.turns.keys()) {
      const { writes, ...ending } = await player.play(scenario, turn);
      usual.push(ending);
      queues.push([...listPerturbations(writes)]);
    }
    return { usual, queues };
  }
});

/** Leaves so many, of any turn. */
function draw(queues: Perturbation[][], size: number, random: Random): void {
  const all = queues.flat().map((one) => ({ one, at: random.next() }));
  const drawn = new Set(
    all
      .toSorted((a, b) => a.at - b.at)
      .slice(0, size)
      .map(({ one }) => one),
  );
  for (const queue of queues) queue.splice(0, Infinity, ...queue.filter((one) => drawn.has(one)));
}

/** Only what differs. */
function describeDifference(found: TurnEnding, usual: TurnEnding): string {
  const flat = ({ end, destroyed, evicted }: TurnEnding): Readonly<Record<string, unknown>> => ({
    ...end,
    destroyed,
    evicted,
  });
  const [a, b] = [flat(found), flat(usual)];
  return Object.keys({ ...a, ...b })
    .filter((key) => !isDeepStrictEqual(a[key], b[key]))
    .map((key) => `${key} is ${JSON.stringify(a[key])} instead of ${JSON.stringify(b[key])}`)
    .join('; ');
}
