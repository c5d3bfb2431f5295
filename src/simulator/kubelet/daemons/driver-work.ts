import type { KubeClient } from '../../../kube/client.ts';
import { findDevices } from '../../dra-driver/driver-device.ts';
import { offerPossibleDevices, withoutIdleInstances } from '../../dra-driver/dynamic-mig.ts';
import { type DriverOffer, publishDevices } from '../../dra-driver/resource-slice.ts';
import { nodesResource } from '../node/kube-objects.ts';
import type { KubeletNode, PodObject } from '../node/kube-objects.ts';
import type { Machine } from '../node/machine.ts';
import type { DaemonWork } from './daemon-work.ts';

/**
 * NVIDIA's DRA driver: reads the devices once, publishes them, and prepares claims for them until it ends. Its slice stays.
 *
 * @param client with the driver's own field manager
 */
export function driverWork(machine: Machine, client: KubeClient, pod: PodObject): DaemonWork {
  const { gpus, node, driver } = machine;
  const { uid = '' } = pod.metadata;
  const isDynamic = hasGate(pod, 'DynamicMIG');
  /** What is still to be published. */
  let due: DriverOffer | undefined;
  return {
    start: () => {
      if (isDynamic) machine.changeState(withoutIdleInstances);
      const state = machine.readState();
      if (state === undefined) return { failure: 'error creating driver: error initializing NVML: ERROR_UNKNOWN' };
      const devices = isDynamic ? [] : findDevices(gpus, state, node.driver);
      if ('failure' in devices) return { failure: `error creating driver: ${devices.failure}` };
      driver.register(uid, devices);
      const found = { devices: devices.map(({ offered }) => offered) };
      due = isDynamic ? offerPossibleDevices(gpus, node.driver) : found;
      return {};
    },
    continue: async () => {
      if (due === undefined || driver.fault === 'Stale') return {};
      const ref = { resource: nodesResource, name: node.name };
      const offer = due;
      const nodeUid = (await client.find<KubeletNode>(ref))?.metadata.uid;
      if (nodeUid === undefined) return { failure: `error publishing resources: nodes "${ref.name}" not found` };
      await publishDevices(client, { name: ref.name, uid: nodeUid }, offer);
      due = undefined;
      return {};
    },
    stop: () => {
      due = undefined;
      driver.unregister(uid);
    },
  };
}

/** `FEATURE_GATES: DynamicMIG=true,…`, as the chart sets it. */
function hasGate({ spec }: PodObject, gate: string): boolean {
  const env = (spec?.containers ?? []).flatMap((container) => container.env ?? []);
  const gates = env.findLast(({ name }) => name === 'FEATURE_GATES')?.value ?? '';
  return gates.split(',').includes(`${gate}=true`);
}
