import { drawGpu } from '../../core/gpu/plan/picture.ts';
import { writeLayout } from '../../core/gpu/search/layout-words.ts';
import type { SlicePlace } from '../../core/supply/defrag-moves.ts';
import { canonicalJson } from '../../core/text/fingerprint.ts';
import { countWords } from '../../core/text/cut-text.ts';
import { wrapHanging } from '../../core/text/wrap.ts';
import { paint, printLine, type Terminal } from '../terminal.ts';
import type { DefragAnswer, PicturedGpu } from './plan-defrag.ts';

export function printDefrag(
  { stdout }: Terminal,
  answer: DefragAnswer & { readonly gpus: readonly PicturedGpu[] },
): void {
  const { gpus, moves, findings } = answer;
  const print = (text: string): void => {
    for (const line of wrapHanging(text, 80, '  ')) printLine(stdout, line);
  };
  for (const gpu of gpus) drawChange(gpu).forEach((line) => printLine(stdout, line));
  for (const { pod, from, to } of moves)
    print(
      `pod ${pod} goes from ${from.map(writePlace).join(' and ')}; room for it: ${to?.map(writePlace).join(' and ') ?? 'none'}`,
    );
  for (const finding of findings) print(`${paint(stdout, 'yellow', 'finding')}: ${finding}`);
  print(paint(stdout, 'bold', summarize(answer)));
  if (!answer.hasDemand && gpus.length > 0 && answer.isPossible) {
    print(`policy ${answer.policy} has layouts, and would take this back: put these entries before its own`);
    for (const line of writeEntries(gpus)) printLine(stdout, line);
  }
}

function drawChange({ node, index, product, profiles, geometry, now, keep, create }: PicturedGpu): readonly string[] {
  const then = [...keep, ...create.map((one) => ({ ...one, busy: false }))].toSorted((a, b) => a.start - b.start);
  return [
    `${node} GPU ${index} (${product.replace(/^NVIDIA /, '')}): ${writeLayout(profiles)}`,
    `  now   ${drawGpu(geometry, now)}`,
    `  then  ${drawGpu(geometry, then)}`,
  ];
}

function writePlace({ node, gpu, profile, start }: SlicePlace): string {
  return `${node} GPU ${gpu}: ${profile} at ${start}`;
}

function summarize({
  free,
  isDone,
  isPossible,
  optimal,
  gap,
  moves,
  gpusChanged,
  instancesDestroyed,
  gpus,
}: DefragAnswer): string {
  if (isDone) return `${writeLayout(free)} idle already: nothing has to change`;
  const nodes = new Set(gpus.map(({ node }) => node)).size;
  const pods =
    moves.length === 0 ? 'no pod moves' : `${countWords(moves.length, 'pod')} ${moves.length === 1 ? 'moves' : 'move'}`;
  const bill = `${pods}, ${countWords(gpusChanged, 'GPU')} of ${countWords(nodes, 'node')} ${gpusChanged === 1 ? 'changes' : 'change'}, ${countWords(instancesDestroyed, 'idle instance')} ${instancesDestroyed === 1 ? 'goes' : 'go'}`;
  const proof = optimal ? 'proven: nothing cheaper does' : 'not proven in time: raise --time-limit';
  if (isPossible) return `${writeLayout(free)} idle: ${bill}; ${proof}`;
  const how = `${writeLayout(free)} ${gap?.figure === 'unserved' ? 'not freed in time' : 'cannot be freed'}`;
  return gpus.length === 0 ? how : `${how}; the nearest: ${bill}`;
}

/** For a policy with layouts: an entry for each layout, of the GPUs that get it. */
function writeEntries(gpus: readonly PicturedGpu[]): readonly string[] {
  const byLayout = Map.groupBy(gpus, ({ profiles }) => canonicalJson(profiles));
  return [...byLayout.values()].flatMap((alike) => {
    const profiles = Object.entries(alike[0]?.profiles ?? {}).map(([profile, count]) => `${profile}: ${count}`);
    return [
      `  - gpus: {uuids: [${alike.map(({ uuid }) => uuid).join(', ')}]}`,
      `    profiles: {${profiles.join(', ')}}`,
    ];
  });
}
