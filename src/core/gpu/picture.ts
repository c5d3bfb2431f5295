// Room gpu: NVIDIA's GPUs as geometry, layouts and state, without Kubernetes.
// Ask here for a GPU drawn in a line of text.
import type { Geometry } from './geometry.ts';
import { gridOf } from './grid.ts';

/** What the picture needs of an instance, present or planned. */
export interface DrawnInstance {
  readonly profile: string;
  readonly start: number;
  readonly busy?: boolean;
  readonly size?: number;
}

/** A part of the picture: an instance, or a free placement unit. */
interface PictureCell {
  /** The instance in the cell; undefined for a free unit. */
  readonly instance: DrawnInstance | undefined;
  /** The text of the cell, as wide as the cell. */
  readonly text: string;
}

/** Characters between the outer bars: a multiple of 2, 4 and 8 units; 12 units share it as evenly as possible. */
const usualWidth = 71;

/**
 * Draws one GPU as a line of 73 characters, by its placement units: `|1g.5gb  |1g.5gb* |2g.10gb          |3g.20gb …|`. Free units are dots,
 * a busy instance ends in `*`, an instance that does not fit its cell loses the memory in its name (`1g+me`).
 *
 * @param instances undefined for a GPU with MIG off
 */
export function drawGpu(geometry: Geometry, instances: readonly DrawnInstance[] | undefined): string {
  const cells = drawCells(geometry, instances, usualWidth);
  return `|${cells.map(({ text }) => text).join('|')}|`;
}

/**
 * The cells of the picture, to be set between bars.
 *
 * @param width characters between the outer bars
 * @param markOf what follows a name; by default `*` for busy ones
 */
export function drawCells(
  geometry: Geometry,
  instances: readonly DrawnInstance[] | undefined,
  width: number,
  markOf: (instance: DrawnInstance) => string = ({ busy }) => (busy === true ? '*' : ''),
): readonly PictureCell[] {
  const whole = (text: string): readonly PictureCell[] => [{ instance: undefined, text: center(text, width) }];
  if (instances === undefined) return whole('MIG off: whole GPU');
  const cells = listCells(geometry, instances);
  const units = cells.reduce((sum, cell) => sum + cell.size, 0);
  if (units === 0) return whole('MIG on: no instances');
  /** Bars stand at whole columns from 0 to the width of the line. */
  const column = (unit: number): number => Math.round((unit * (width + 1)) / units);
  let position = 0;
  return cells.map(({ size, instance }) => {
    const from = column(position);
    position += size;
    const room = column(position) - from - 1;
    return { instance, text: instance === undefined ? '.'.repeat(room) : fillCell(instance, markOf(instance), room) };
  });
}

interface Cell {
  readonly size: number;
  /** The instance in the cell; undefined for a free unit. */
  readonly instance: DrawnInstance | undefined;
}

function listCells(geometry: Geometry, instances: readonly DrawnInstance[]): readonly Cell[] {
  const grid = gridOf(geometry);
  const cells: Cell[] = [];
  let unit = 0;
  for (const instance of instances.toSorted((a, b) => a.start - b.start)) {
    const profile = grid.profiles[grid.indexOf.get(instance.profile) ?? -1];
    // Without a placement grid (Thor) compute slices stand in for units.
    const size = Math.max(instance.size ?? profile?.memorySlices ?? 1, profile?.computeSlices ?? 1);
    for (; unit < instance.start; unit += 1) cells.push({ size: 1, instance: undefined });
    cells.push({ size, instance });
    unit += size;
  }
  const end = grid.placeable ? geometry.memorySlices : geometry.computeSlices;
  for (; unit < end; unit += 1) cells.push({ size: 1, instance: undefined });
  return cells;
}

function fillCell({ profile }: DrawnInstance, mark: string, width: number): string {
  const room = width - mark.length;
  const short = profile.replace(/\.\d+gb/, '');
  const name = profile.length <= room ? profile : short.slice(0, room);
  return `${name}${mark}`.padEnd(width);
}

function center(text: string, width: number): string {
  return text.padStart(Math.floor((width + text.length) / 2)).padEnd(width);
}
