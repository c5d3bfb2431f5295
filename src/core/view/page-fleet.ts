import type { GpuNodePartition } from '../../api/types.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import { gridOf } from '../gpu/search/grid.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import { type NodeRowView, type PolicyStatusView, viewRow } from './fleet-status.ts';
import type { Interruption, Source } from './freshness.ts';
import type { FleetTotals } from './fleet-totals.ts';
import type { UnreadyNodes } from './unready-nodes.ts';
import type { GpuPicture, PicturedSlice } from './gpu-picture.ts';
import { type NodeStatusView, viewNodeStatus } from './node-status.ts';

/** A slice with its size, so that it can be drawn to scale. */
export interface PageSlice extends PicturedSlice {
  readonly size: number;
  readonly memoryMiB: number | undefined;
}

/** A GPU on the page: its slices on a scale of so many placement units. */
export interface PageGpu extends Pick<GpuPicture, 'index' | 'product' | 'error' | 'health' | 'pods' | 'claims'> {
  readonly uuid: string;
  readonly units: number;
  /** Null for a GPU that is whole. */
  readonly now: readonly PageSlice[] | null;
  /** Absent if nothing is to change. */
  readonly after?: { readonly slices: readonly PageSlice[] | null } | { readonly refusal: string };
}

export interface PageNode extends NodeRowView, Pick<NodeStatusView, 'strategy' | 'plan' | 'error' | 'driver'> {
  readonly pool: string;
  readonly gpus: readonly PageGpu[];
}

/** Everything that the page of the fleet shows. */
export interface PageFleet {
  readonly source: Source;
  /** Since everything was last known to be current, in ms: the clock of the browser may be another. Null for a saved cluster. */
  readonly ageMs: number | null;
  readonly totals: FleetTotals;
  readonly policies: readonly PolicyStatusView[];
  /** Of the nodes that are not Ready; most urgent first. */
  readonly groups: readonly UnreadyNodes[];
  readonly nodes: readonly PageNode[];
  /** Null while updates come in. */
  readonly interruption: Interruption | null;
}

/** @param pool of the node, empty if unknown */
export function viewPageNode(partition: GpuNodePartition, pool: string): PageNode {
  const { strategy, plan, error, driver, gpus } = viewNodeStatus(partition);
  const { device } = partition.status ?? {};
  const reports = device?.gpus ?? [];
  return {
    ...viewRow(partition),
    pool,
    strategy,
    plan,
    error,
    driver,
    gpus: gpus.map((picture, at) => {
      const gpu = reports[at];
      return viewGpu(picture, gpu?.uuid ?? '', gpu && device ? liveGeometry(device, gpu) : undefined);
    }),
  };
}

function viewGpu(
  { index, product, error, health, pods, claims, now, after }: GpuPicture,
  uuid: string,
  geometry: Geometry | undefined,
): PageGpu {
  const size = (slices: readonly PicturedSlice[] | undefined): readonly PageSlice[] | null =>
    slices === undefined || geometry === undefined ? null : slices.map((slice) => sizeSlice(slice, geometry));
  return {
    index,
    uuid,
    product,
    pods,
    claims,
    ...(error !== undefined && { error }),
    ...(health !== undefined && { health }),
    units: geometry === undefined ? 1 : geometry.memorySlices || geometry.computeSlices,
    now: size(now),
    ...(after !== undefined && { after: 'refusal' in after ? after : { slices: size(after.slices) } }),
  };
}

function sizeSlice(slice: PicturedSlice, geometry: Geometry): PageSlice {
  const grid = gridOf(geometry);
  const profile = grid.profiles[grid.indexOf.get(slice.profile) ?? -1];
  // Without a placement grid (Thor) compute slices stand in for units.
  return { ...slice, size: profile?.memorySlices || profile?.computeSlices || 1, memoryMiB: profile?.memoryMiB };
}
