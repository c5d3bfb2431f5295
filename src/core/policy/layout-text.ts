import type { GpuReport } from '../../api/types.ts';
import { listProfiles, writeLayout } from '../gpu/search/layout-words.ts';
import { layoutOf } from '../wish/wish.ts';

/** What is on the GPUs of a node, equal GPUs counted: `8 × (2×1g.5gb + 1×3g.20gb)`, `1 × whole`. */
export function deviceText(gpus: readonly GpuReport[]): string {
  const counts = new Map<string, number>();
  for (const gpu of gpus) {
    const text =
      gpu.error ??
      (gpu.mig === 'Enabled' ? (gpu.instances.length > 0 ? writeLayout(layoutOf(gpu)) : 'empty') : 'whole');
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => `${count} GPU${count === 1 ? '' : 's'}: ${text}`).join('; ');
}

/**
 * The same as a label value: at most 63 of the allowed characters; `various` if GPUs differ or it gets too long. GPUs that cannot be
 * used do not count: what the others offer is the same as before.
 */
export function layoutLabelValue(gpus: readonly GpuReport[]): string {
  const working = gpus.filter(({ error }) => error === undefined);
  const values = new Set(
    working.map((gpu) =>
      gpu.mig === 'Enabled'
        ? listProfiles(layoutOf(gpu))
            .map(([profile, count]) => `${count}x${profile.replaceAll('+', '.')}`)
            .join('_') || 'empty'
        : 'whole',
    ),
  );
  const [only = 'whole', ...others] = values;
  return others.length > 0 || only.length > 63 ? 'various' : only;
}
