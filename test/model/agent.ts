import type { KubeletWord } from '../../src/core/device/kubelet.ts';
import { KubeletError } from '../../src/core/device/grants.ts';
import { GrantRefused } from '../../src/core/device/grants.ts';
import { DeviceError } from '../../src/core/gpu/device-state.ts';
import type { Grant } from '../../src/api/types.ts';
import { agentBackoff, NodeAgent } from '../../src/agent/agent.ts';
import { deviceOf, type Device } from '../../src/agent/open-device.ts';
import { type Kubelet, kubeletOf } from '../../src/agent/open-kubelet.ts';
import type { AgentClient } from '../../src/agent/own-partition.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import { type ReconcileResult, WorkQueue } from '../../src/kube/queue.ts';
import { isOlder } from '../../src/kube/watch.ts';
import { silentLogger } from '../../src/process/log.ts';
import { mergePatch } from '../support/merge-patch.ts';
import { refuse, type StoredPartition } from './api.ts';
import { Calls } from './client.ts';
import { VirtualClock } from './clock.ts';
import type { Gpu } from './device.ts';
import type { ModelMachine } from './machine.ts';
import { ModelSmi, type Operation } from './smi.ts';

/** The work that an agent does on the device. */
export interface DeviceWork {
  /** The object as it is, and its grant. */
  readonly partition: StoredPartition;
  readonly granted: Grant;
  /** Whether it has not touched this GPU before, and can undo nothing there. */
  readonly isFirst: boolean;
}

const farFuture = '9999-01-01T00:00:00Z';
const noJournal = { begin: () => Promise.resolve(), finish: () => undefined };
const noSocket = new KubeletError('KubeletSocketMissing', { tried: 'List', found: 'no such file' });

/** One process of the agent that ships, on a client, a driver and a kubelet in memory. Its memory ends with it. */
export class AgentProcess {
  readonly #machine: ModelMachine;
  readonly #calls: Calls;
  readonly #clock: VirtualClock;
  readonly #queue: WorkQueue;
  readonly #agent: NodeAgent;
  #watched: StoredPartition | undefined;
  /** The newest version of its object that it knows. */
  #known: StoredPartition | undefined;
  /** UUIDs of GPUs on which the work that is under way has done something. */
  #touched = new Set<string>();
  /** What the kubelet said last. */
  #heard: { readonly at: number; readonly word: KubeletWord | undefined } = { at: -Infinity, word: undefined };

  constructor(machine: ModelMachine) {
    this.#machine = machine;
    this.#calls = new Calls(machine, isSurvived);
    this.#clock = new VirtualClock(machine.timeline, () => machine.aheadMs);
    const logger = silentLogger;
    this.#agent = new NodeAgent({
      client: this.#client(),
      device: this.#device(),
      kubelet: this.#kubelet(),
      signalPods: (uids) => Promise.resolve(uids.filter((uid) => machine.signal(uid))),
      endRegistration: (resource) => this.#endRegistration(resource),
      record: {
        read: () => machine.record,
        write: (record) =>
          this.#calls.make(
            machine.wait(1, 20, () => {
              machine.record = record;
            }),
          ),
      },
      askForReboot: () => Promise.resolve(),
      logger,
      nodeName: machine.name,
      agentVersion: 'model',
      bootID: machine.bootID,
      machine: undefined,
      readIntervalMs: machine.readIntervalMs,
      clock: this.#clock,
    });
    this.#queue = new WorkQueue({
      logger,
      backoff: agentBackoff,
      clock: this.#clock,
      random: () => machine.random.next(),
      reconcile: (_, signal) => this.#reconcile(signal),
    });
    this.see(machine.api.find('partitions', machine.name));
  }

  /** The watch of its own object delivers news. */
  see(partition: StoredPartition | undefined): void {
    this.#watched = partition;
    this.#queue.add(this.#machine.name);
    this.#machine.timeline.wake();
  }

  /** The process is gone, whatever it was doing: it hears of nothing any more. */
  stop(): void {
    this.#calls.close();
    this.#clock.stop();
  }

  async #reconcile(signal: AbortSignal): Promise<ReconcileResult | void> {
    const watched = this.#watched;
    const { uid, resourceVersion } = this.#known?.metadata ?? {};
    const isBehind = uid === watched?.metadata.uid && isOlder(watched?.metadata.resourceVersion, resourceVersion);
    if (watched && !isBehind) this.#know(watched);
    try {
      return await this.#agent.reconcile(watched && this.#bend(watched), signal);
    } catch (error) {
      if (!isSurvived(error)) this.#machine.fail(error);
      throw error;
    }
  }

  #know(partition: StoredPartition): void {
    this.#known = partition;
    const { granted } = partition.spec;
    const { observedEpoch = 0 } = partition.status?.device ?? {};
    if (granted !== undefined && granted.epoch > observedEpoch) this.#machine.grantIsTaken(this, partition);
  }

  /** Everything that it asks the API server for is its own object. */
  #client(): AgentClient {
    const machine = this.#machine;
    const { api, name } = machine;
    const read = (): Promise<StoredPartition | undefined> =>
      this.#calls.make(machine.call('Read', () => api.find('partitions', name)));
    const client = {
      config: {
        serverClock: {
          get skewMs(): number {
            return machine.hasBug('OwnClock') ? 0 : machine.aheadMs;
          },
        },
      },
      get: async () => {
        const found = await read();
        if (found === undefined) throw refuse(404, 'NotFound', `partitions ${name}`);
        return this.#bend(found);
      },
      find: async () => {
        const found = await read();
        if (found) this.#know(found);
        return found && this.#bend(found);
      },
      merge: async (_ref: unknown, patch: unknown) => {
        this.#known = await this.#calls.make(machine.call('Write', () => this.#write(patch as StatusPatch)));
        return this.#bend(this.#known);
      },
    };
    return client as unknown as AgentClient;
  }

  #write({ metadata, status }: StatusPatch): StoredPartition {
    const { api, name, uid } = this.#machine;
    const change = (one: StoredPartition): StoredPartition => {
      // An agent's token names its node's uid: it cannot write to the object of an earlier node.
      if (one.spec.nodeUID !== uid) throw refuse(422, 'Invalid', 'this is another node');
      return mergePatch(one, { status }) as StoredPartition;
    };
    const written = api.update('partitions', name, 'agent', change, metadata?.resourceVersion);
    this.#machine.isReported(written);
    return written;
  }

  #device(): Device {
    const machine = this.#machine;
    const smi = new ModelSmi(machine, this.#calls, (gpu, operation) => this.#deviceIsChanged(gpu, operation));
    const device = deviceOf(smi, {
      journal: noJournal,
      lock: { explainLoss: () => undefined },
      logger: silentLogger,
      gpusAtOnce: machine.drawGpusAtOnce(),
      listOpeners: () => [],
    });
    return {
      ...device,
      apply: async (wishes, work, options) => {
        this.#touched = new Set();
        const result = await device.apply(wishes, work, options);
        if (machine.hasBug('UndoPending')) for (const gpu of machine.device.gpus) gpu.pending = undefined;
        return result;
      },
    };
  }

  #deviceIsChanged(gpu: Gpu, operation: Operation): void {
    const partition = this.#known;
    const granted = partition?.spec.granted;
    if (!partition || !granted) throw new Error('the device is changed without a grant');
    this.#machine.deviceIsChanged({ partition, granted, isFirst: !this.#touched.has(gpu.uuid) }, gpu, operation);
    this.#touched.add(gpu.uuid);
  }

  #kubelet(): Kubelet {
    const machine = this.#machine;
    const list = <Answer>(answer: () => Answer): Promise<Answer> =>
      machine.ignoresPods ? Promise.reject(noSocket) : this.#calls.make(machine.wait(1, 10, answer));
    const client = {
      list: () => list(() => machine.listHoldings()),
      listAllocatable: () => list(() => machine.listOffered()),
    };
    const kubelet = kubeletOf({ client, ignorePods: machine.ignoresPods, logger: silentLogger });
    return {
      ask: async (device, spec) => {
        const isDeaf = machine.hasBug('ReadSlowly') && this.#known?.spec.drain !== undefined;
        const { now } = machine.timeline;
        if (isDeaf && now - this.#heard.at < machine.readIntervalMs) return this.#heard.word;
        const word = await kubelet.ask(device, spec);
        this.#heard = { at: now, word };
        return word && this.#bendWord(word);
      },
    };
  }

  #endRegistration(resource: string): Promise<boolean> {
    const partition = this.#known;
    if (!partition || this.#machine.hasBug('NeverUnregister')) return Promise.resolve(true);
    return this.#calls.make(this.#machine.wait(20, 300, () => this.#machine.endRegistration(resource, partition)));
  }

  // --- planted bugs -----------------------------------------------------------------------------------------------

  /** The object as it sees it. */
  #bend(partition: StoredPartition): StoredPartition {
    const machine = this.#machine;
    const { granted, unregister } = partition.spec;
    const isLate = machine.hasBug('LateGrant');
    if (granted === undefined) return partition;
    if (isLate || machine.hasBug('TwiceSeconds')) {
      const { seconds = 0 } = granted;
      const bent = isLate ? { ...granted, deadline: farFuture } : { ...granted, seconds: 2 * seconds };
      return { ...partition, spec: { ...partition.spec, granted: bent } };
    }
    if (unregister === undefined || !machine.hasBug('UnregisterForEarlier')) return partition;
    return { ...partition, spec: { ...partition.spec, unregister: { ...unregister, epoch: granted.epoch } } };
  }

  /** What the kubelet says as it hears it. */
  #bendWord(word: KubeletWord): KubeletWord {
    const machine = this.#machine;
    const { stale } = word.holders;
    // A device of such a long name is never said to be gone.
    const odd = stale.map((one) => ({ ...one, id: one.id.padEnd(129, '-') }));
    if (machine.hasBug('NeverLost')) return { ...word, holders: { ...word.holders, stale: odd } };
    if (machine.hasBug('HoldLost')) return { ...word, holders: { ...word.holders, stale: [...stale, ...odd] } };
    return machine.hasBug('UnregisterServed') ? { ...word, unserved: [...machine.listOffered().keys()] } : word;
  }
}

interface StatusPatch {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly status: object;
}

/** Whether it is an error that the agent hears of, and survives. */
function isSurvived(error: unknown): boolean {
  return [ApiError, DeviceError, KubeletError, GrantRefused].some((kind) => error instanceof kind);
}
