import { nodePartitions, policies } from '../../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { KubeClient } from '../../kube/client.ts';
import { Reflector } from '../../kube/reflector.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { silentLogger } from '../../process/logger.ts';
import { type Clock, systemClock } from '../../process/clock.ts';
import { listAll } from './connection.ts';
import { type ContactState, watchContact } from './contact.ts';

/** The objects behind a view of the fleet. */
export interface FleetObjects {
  readonly policies: readonly GpuPartitionPolicy[];
  readonly partitions: readonly GpuNodePartition[];
}

/** The fleet as it was last seen. */
export interface FollowedFleet extends FleetObjects, ContactState {
  /** False if only time has passed. */
  readonly isNews: boolean;
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

/** A person waits for the screen to be right again. */
const timing = { backoffMaxMs: 5000 };

/**
 * Calls `draw` with the current fleet, and again on every change, interruption and sign of life, until the signal aborts.
 *
 * @param first the fleet until the watches have it
 */
export async function followFleet(
  client: KubeClient,
  first: FleetObjects,
  draw: (fleet: FollowedFleet) => void,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  let cancel: (() => void) | undefined;
  let contactState: ContactState = { seenAt: clock.wallMs(), interruption: undefined };
  let isSynced = false;
  const drawNow = (isNews = true): void => {
    const seen = { policies: policyWatch.store.list(), partitions: partitionWatch.store.list() };
    draw({ ...(isSynced ? seen : first), ...contactState, isNews });
  };
  const onChange = (): void => {
    if (!isSynced) return;
    cancel ??= clock.startTimer(paceMs, () => {
      cancel = undefined;
      drawNow();
    });
  };
  const options = { client, logger: silentLogger, timing, onChange };
  const policyWatch = new Reflector<GpuPartitionPolicy & KubeObject>({ ...options, resource: policies });
  const partitionWatch = new Reflector<GpuNodePartition & KubeObject>({ ...options, resource: nodePartitions });
  const watches = [policyWatch.start(), partitionWatch.start()];
  const sync = async (): Promise<void> => {
    await Promise.all(watches.map((watch) => watch.waitForSync(signal)));
    isSynced = true;
    drawNow();
  };
  const contact = watchContact({ client, watches, clock }, signal, (state) => {
    const isNews = state.interruption?.why !== contactState.interruption?.why;
    contactState = state;
    drawNow(isNews);
  });
  try {
    await Promise.all([sync(), contact]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    cancel?.();
    await Promise.all(watches.map((watch) => watch.stop()));
  }
}
