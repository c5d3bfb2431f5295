import type { Geometry } from '../geometry/geometry.ts';
import { gridOf } from '../search/grid.ts';

/** What the picture needs of an instance; both present and planned instances have it. */
export interface DrawnInstance {
  readonly profile: string;
  readonly start: number;
  readonly busy?: boolean;
  readonly size?: number;
}

/** Characters between the outer bars: a multiple of 2, 4 and 8 units; 12 units share it as evenly as they can. */
const WIDTH = 71;

/**
 * One GPU as a line of 73 characters, by its placement units: `|1g.5gb  |1g.5gb* |2g.10gb          |3g.20gb …|`. Free units are dots, a
 * busy instance ends in `*`, an instance that does not fit its cell loses the memory in its name (`1g+me`).
 *
 * @param instances undefined for a GPU with MIG off
 */
export function drawGpu(geometry: Geometry, instances: readonly DrawnInstance[] | undefined): string {
  if (instances === undefined) return `|${center('MIG off: whole GPU', WIDTH)}|`;
  const cells = listCells(geometry, instances);
  const units = cells.reduce((sum, cell) => sum + cell.size, 0);
  if (units === 0) return `|${center('MIG on: no instances', WIDTH)}|`;
  let position = 0;
  let line = '|';
  for (const cell of cells) {
    const from = column(position, units);
    position += cell.size;
    line += `${fillCell(cell, column(position, units) - from - 1)}|`;
  }
  return line;
}

interface Cell {
  readonly size: number;
  /** Undefined for a free unit. */
  readonly instance: DrawnInstance | undefined;
}

/** Bars stand at whole columns from 0 to the width of the line. */
function column(unit: number, units: number): number {
  return Math.round((unit * (WIDTH + 1)) / units);
}

function listCells(geometry: Geometry, instances: readonly DrawnInstance[]): readonly Cell[] {
  const grid = gridOf(geometry);
  const cells: Cell[] = [];
  let unit = 0;
  for (const instance of instances.toSorted((a, b) => a.start - b.start)) {
    const profile = grid.profiles[grid.indexOf.get(instance.profile) ?? -1];
    // Without a placement grid (Thor) compute slices stand in for units.
    const size = Math.max(
      1,
      instance.size ?? profile?.memorySlices ?? 1,
      grid.placeable ? 1 : (profile?.computeSlices ?? 1),
    );
    for (; unit < instance.start; unit += 1) cells.push({ size: 1, instance: undefined });
    cells.push({ size, instance });
    unit += size;
  }
  const end = grid.placeable ? geometry.memorySlices : geometry.computeSlices;
  for (; unit < end; unit += 1) cells.push({ size: 1, instance: undefined });
  return cells;
}

function fillCell({ instance }: Cell, width: number): string {
  if (instance === undefined) return '.'.repeat(width);
  const mark = instance.busy === true ? '*' : '';
  const room = width - mark.length;
  const short = instance.profile.replace(/\.\d+gb/, '');
  const name = instance.profile.length <= room ? instance.profile : short.slice(0, room);
  return `${name}${mark}`.padEnd(width);
}

function center(text: string, width: number): string {
  return text.padStart(Math.floor((width + text.length) / 2)).padEnd(width);
}
