import type { Geometry } from '../../core/gpu/geometry/geometry.ts';
import { drawCells, type DrawnInstance } from '../../core/gpu/plan/picture.ts';
import { groupAlike } from '../../core/view/node-status.ts';

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
  const drawn = pictures.map(({ index, picture }) => ({ index, text: picture }));
  return groupAlike(drawn).map(({ name, first }) => `${name.padEnd(8)} ${first.text}`);
}
