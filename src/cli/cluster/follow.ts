import { nodePartitions, policies } from '../../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { KubeClient } from '../../kube/client.ts';
import { Reflector } from '../../kube/reflector.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { whenAborted } from '../../process/abort.ts';
import { silentLogger } from '../../process/logger.ts';
import { type Clock, systemClock } from '../../process/clock.ts';
import { listAll } from './connection.ts';

/** The objects behind a view of the fleet. */
export interface FleetObjects {
  readonly policies: readonly GpuPartitionPolicy[];
  readonly partitions: readonly GpuNodePartition[];
}

/** Many nodes change at a time; a screen is redrawn at most this often, in ms. */
const paceMs = 200;

export async function readFleet(client: KubeClient): Promise<FleetObjects> {
  const [found, partitions] = await Promise.all([
    listAll<GpuPartitionPolicy & KubeObject>(client, policies),
    listAll<GpuNodePartition & KubeObject>(client, nodePartitions),
  ]);
  return { policies: found, partitions };
}

/** Calls `draw` with the current fleet, and again on every change, until the signal aborts. */
export async function followFleet(
  client: KubeClient,
  draw: (fleet: FleetObjects) => void,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  let cancel: (() => void) | undefined;
  const redraw = (): void => {
    cancel ??= clock.startTimer(paceMs, () => {
      cancel = undefined;
      draw({ policies: policyWatch.store.list(), partitions: partitionWatch.store.list() });
    });
  };
  const options = { client, logger: silentLogger };
  const policyWatch = new Reflector<GpuPartitionPolicy & KubeObject>({
    ...options,
    resource: policies,
    onChange: () => synced && redraw(),
  });
  const partitionWatch = new Reflector<GpuNodePartition & KubeObject>({
    ...options,
    resource: nodePartitions,
    onChange: () => synced && redraw(),
  });
  let synced = false;
  const watches = [policyWatch.start(), partitionWatch.start()];
  try {
    await Promise.all(watches.map((watch) => watch.waitForSync(signal)));
    synced = true;
    draw({ policies: policyWatch.store.list(), partitions: partitionWatch.store.list() });
    await whenAborted(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    cancel?.();
    await Promise.all(watches.map((watch) => watch.stop()));
  }
}
