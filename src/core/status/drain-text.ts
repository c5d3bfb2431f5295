import type { GpuReport } from '../../api/types.ts';
import type { Drain } from '../node/commands.ts';
import { namePods } from '../pods/pod-view.ts';
import { countWords } from '../text/cut-text.ts';

const mostPods = 10;
const mostPlaces = 7;

/** Who is about to be evicted, and from what: `2 pods: team/a, team/b (GPU 0: 2g.10gb at 0, 3g.20gb at 4)`. */
export function describeDrain({ pods, places = [] }: Drain, gpus: readonly GpuReport[]): string {
  const names = namePods(
    pods.map((metadata) => ({ metadata })),
    mostPods,
  );
  const held = describePlaces(places, gpus);
  return `${countWords(pods.length, 'pod')}: ${names}${held === '' ? '' : ` (${held})`}`;
}

/** @param places as in `status.device.plan.drains`: `UUID` or `UUID PROFILE@START` */
function describePlaces(places: readonly string[], gpus: readonly GpuReport[]): string {
  const shown = places.slice(0, mostPlaces).map((place) => place.split(' '));
  const texts = [...Map.groupBy(shown, ([uuid = '']) => uuid)].map(([uuid, held]) => {
    const index = gpus.find((gpu) => gpu.uuid === uuid)?.index;
    const slices = held.flatMap(([, slice]) => slice?.replace('@', ' at ') ?? []);
    return `GPU ${index ?? uuid}${slices.length > 0 ? `: ${slices.join(', ')}` : ''}`;
  });
  const rest = places.length - mostPlaces;
  return rest > 0 ? `${texts.join('; ')}; and ${rest} more` : texts.join('; ');
}
