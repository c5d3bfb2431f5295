import type { Geometry } from '../../core/gpu/geometry/geometry.ts';
import { drawCells, type DrawnInstance } from '../../core/gpu/plan/picture.ts';

/** 80 columns including the GPU's name before it. */
const width = 67;

/** @param instances undefined for a GPU with MIG off */
export function drawPicture(geometry: Geometry, instances: readonly DrawnInstance[] | undefined): string {
  const cells = drawCells(geometry, instances, width);
  return `|${cells.map(({ text }) => text).join('|')}|`;
}

/** Consecutive equal GPUs are drawn once: `GPU 0-7  |1g.5gb …|`. */
export function groupPictures(
  pictures: readonly { readonly index: number; readonly picture: string }[],
): readonly string[] {
  const groups: { first: number; last: number; readonly picture: string }[] = [];
  for (const { index, picture } of pictures) {
    const last = groups.at(-1);
    if (last?.picture === picture && last.last === index - 1) last.last = index;
    else groups.push({ first: index, last: index, picture });
  }
  return groups.map(({ first, last, picture }) => {
    const name = first === last ? `GPU ${first}` : `GPU ${first}-${last}`;
    return `${name.padEnd(8)} ${picture}`;
  });
}
