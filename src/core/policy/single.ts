import type { GpuReport, GpuWish, PolicyLayout } from '../../api/types.ts';
import type { Mistake } from './refusal.ts';

/**
 * Strategy single requires all GPUs of a node in MIG mode with one profile, or none in MIG mode; else the device plugin exits and
 * GPU Feature Discovery reports MIG-INVALID. GPUs that no layout matches, and GPUs without MIG, count too (facts: k8s-device-plugin
 * internal/rm/device_map.go).
 */
export function checkSingle(gpus: readonly GpuReport[], wish: readonly GpuWish[]): Mistake | undefined {
  const after = gpus.flatMap((gpu) => {
    const wanted = wish.find(({ uuid }) => uuid === gpu.uuid);
    // What a lost GPU is cannot be told, and it offers nothing.
    if (wanted === undefined && gpu.error !== undefined) return [];
    const profiles = wanted ? wanted.profiles && Object.keys(wanted.profiles) : profilesOf(gpu);
    return [{ gpu, profiles: profiles?.toSorted() }];
  });
  const sliced = after.flatMap(({ profiles }) => (profiles === undefined ? [] : [profiles]));
  if (sliced.length === 0) return undefined;
  const whole = after.find(({ profiles }) => profiles === undefined);
  if (whole) {
    return refuse(`GPU ${whole.gpu.index} (${whole.gpu.product}) would stay whole beside sliced GPUs`);
  }
  const names = [...new Set(sliced.flat())];
  if (names.length > 1) return refuse(`the node would have slices of ${names.join(' and ')}`);
  const empty = after.find(({ profiles }) => profiles?.length === 0);
  return empty ? refuse(`GPU ${empty.gpu.index} would be in MIG mode without a slice`) : undefined;
}

/** What no node could have under strategy single, whatever its GPUs. The schema counts profiles, but not those of a preset. */
export function checkSinglePreset({ preset }: PolicyLayout): Mistake | undefined {
  if (preset === 'all-balanced') return refuse(`preset ${preset} makes slices of several profiles`);
  return preset === 'all-enabled' ? refuse(`preset ${preset} makes no slice`) : undefined;
}

/** Undefined for a whole GPU. */
function profilesOf({ mig, instances }: GpuReport): readonly string[] | undefined {
  return mig === 'Enabled' ? instances.map(({ profile }) => profile) : undefined;
}

function refuse(found: string): Mistake {
  return {
    reason: 'SingleNeedsOneProfile',
    message:
      `strategy single needs all GPUs of a node in MIG mode with the same profile, or none in MIG mode: ${found}; ` +
      'the device plugin would not start. Use strategy mixed, or layouts that cover every GPU of the node with one profile',
  };
}
