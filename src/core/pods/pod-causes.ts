import { namePods, type PodView } from './gpu-pods.ts';

/** What keeps a pod from going. */
export interface PodCause {
  readonly pod: Pick<PodView, 'metadata'>;
  readonly why: string;
}

/** Pods with what keeps them, those of one cause together: `team/a, team/b and 3 more: CAUSE`. */
export function listPodCauses(causes: readonly PodCause[]): readonly string[] {
  return [...Map.groupBy(causes, ({ why }) => why)].map(
    ([why, list]) => `${namePods(list.map(({ pod }) => pod))}: ${why}`,
  );
}
