import type { GpuReport } from '../../api/types.ts';
import type { Layout } from '../gpu/geometry/geometry.ts';
import { compareText } from '../text/compare.ts';
import { layoutOf } from './wish.ts';

/** `2×1g.5gb + 1×3g.20gb`; `empty` for no slices. */
export function layoutText(layout: Layout): string {
  const parts = Object.entries(layout)
    .sort(([a], [b]) => compareProfiles(a, b))
    .map(([profile, count]) => `${count}×${profile}`);
  return parts.length > 0 ? parts.join(' + ') : 'empty';
}

/** What is on the GPUs of a node, equal GPUs counted: `8 × (2×1g.5gb + 1×3g.20gb)`, `1 × whole`. */
export function deviceText(gpus: readonly GpuReport[]): string {
  const counts = new Map<string, number>();
  for (const gpu of gpus) {
    const text = gpu.error ?? (gpu.mig === 'Enabled' ? layoutText(layoutOf(gpu)) : 'whole');
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => `${count} GPU${count === 1 ? '' : 's'}: ${text}`).join('; ');
}

/** The same as a label value: at most 63 of the allowed characters; `various` where GPUs differ or it gets too long. */
export function layoutLabelValue(gpus: readonly GpuReport[]): string {
  const values = new Set(
    gpus.map((gpu) =>
      gpu.mig === 'Enabled'
        ? Object.entries(layoutOf(gpu))
            .sort(([a], [b]) => compareProfiles(a, b))
            .map(([profile, count]) => `${count}x${profile.replaceAll('+', '.')}`)
            .join('_') || 'empty'
        : 'whole',
    ),
  );
  const [only = 'whole', ...others] = values;
  return others.length > 0 || only.length > 63 ? 'various' : only;
}

// By compute slices, then by name: 1g.5gb, 1g.5gb+me, 1g.10gb, 2g.10gb.
function compareProfiles(a: string, b: string): number {
  const slices = (name: string) => Number(/(\d)g\./.exec(name)?.[1] ?? 0);
  const memory = (name: string) => Number(/\.(\d+)gb/.exec(name)?.[1] ?? 0);
  return slices(a) - slices(b) || memory(a) - memory(b) || compareText(a, b);
}
