import type { KubeClient } from '../../../kube/client.ts';
import { findDevices } from '../../dra-driver/driver-device.ts';
import { offerPossibleDevices, withoutIdleInstances } from '../../dra-driver/dynamic-mig.ts';
import { type DriverOffer, publishDevices } from '../../dra-driver/resource-slice.ts';
import { nodesResource } from '../node/kube-objects.ts';
import type { KubeletNode, PodObject } from '../node/kube-objects.ts';
import type { Machine } from '../node/machine.ts';
import type { DaemonRunResult, DaemonWork } from './daemon-work.ts';

/** NVIDIA's DRA driver: reads the devices once, publishes them, and prepares claims for them until it ends. */
export class DriverWork implements DaemonWork {
  readonly #machine: Machine;
  readonly #client: KubeClient;
  readonly #uid: string;
  readonly #isDynamic: boolean;
  /** What is still to be published, and when. */
  #due: { readonly offer: DriverOffer; readonly atMs: number } | undefined;

  /** @param client with the driver's own field manager */
  constructor(machine: Machine, client: KubeClient, pod: PodObject) {
    this.#machine = machine;
    this.#client = client;
    this.#uid = pod.metadata.uid ?? '';
    this.#isDynamic = hasGate(pod, 'DynamicMIG');
  }

  start(): DaemonRunResult {
    const { gpus, node, driver } = this.#machine;
    if (this.#isDynamic) this.#machine.changeState(withoutIdleInstances);
    const state = this.#machine.readState();
    if (state === undefined) return { failure: 'error creating driver: error initializing NVML: ERROR_UNKNOWN' };
    const devices = this.#isDynamic ? [] : findDevices(gpus, state, node.driver);
    if ('failure' in devices) return { failure: `error creating driver: ${devices.failure}` };
    driver.register(this.#uid, devices);
    const staleMs = driver.fault?.kind === 'Stale' ? driver.fault.forMs : 0;
    const found = { devices: devices.map(({ offered }) => offered) };
    const offer = this.#isDynamic ? offerPossibleDevices(gpus, node.driver) : found;
    this.#due = { offer, atMs: performance.now() + staleMs };
    return {};
  }

  async continue(): Promise<DaemonRunResult> {
    if (this.#due === undefined) return {};
    const { offer, atMs } = this.#due;
    const waitMs = atMs - performance.now();
    if (waitMs > 0) return { againAfterMs: waitMs };
    const ref = { resource: nodesResource, name: this.#machine.node.name };
    const uid = (await this.#client.find<KubeletNode>(ref))?.metadata.uid;
    if (uid === undefined) return { failure: `error publishing resources: nodes "${ref.name}" not found` };
    await publishDevices(this.#client, { name: ref.name, uid }, offer);
    this.#due = undefined;
    return {};
  }

  /** Its slice stays. */
  stop(): void {
    this.#due = undefined;
    this.#machine.driver.unregister(this.#uid);
  }
}

/** `FEATURE_GATES: DynamicMIG=true,…`, as the chart sets it. */
function hasGate({ spec }: PodObject, gate: string): boolean {
  const env = (spec?.containers ?? []).flatMap((container) => container.env ?? []);
  const gates = env.findLast(({ name }) => name === 'FEATURE_GATES')?.value ?? '';
  return gates.split(',').includes(`${gate}=true`);
}
