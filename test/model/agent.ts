import type { KubeletWord } from '../../src/core/device/kubelet.ts';
import { KubeletError } from '../../src/core/device/grants.ts';
import type { PodHolding } from '../../src/core/device/kubelet.ts';
import { GrantRefused } from '../../src/core/device/grants.ts';
import type { OwnRecord } from '../../src/agent/own-partition.ts';
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
import { type Api, refuse, type StoredPartition } from './api.ts';
import { Calls, type ServedWorld } from './client.ts';
import { VirtualClock } from './clock.ts';
import { ModelSmi, type Operation, type SmiHost } from './smi.ts';
import type { Gpu } from './device.ts';

/** The work that an agent does on the device. */
export interface DeviceWork {
  /** The object as it is, and its grant. */
  readonly partition: StoredPartition;
  readonly granted: Grant;
  /** Whether it has not touched this GPU before, and can undo nothing there. */
  readonly isFirst: boolean;
}

/** The machine of an agent, and what lies between it and the API server. */
export interface AgentHost extends SmiHost, Pick<ServedWorld, 'timeline' | 'fail' | 'call' | 'hasBug'> {
  readonly api: Api;
  /** Of its Node. */
  readonly name: string;
  readonly nodeUID: string;
  readonly bootID: string;
  /** How far its clock is ahead of the API server's, in ms. */
  readonly aheadMs: number;
  readonly gpusAtOnce: number;
  /** `--read-interval-ms` */
  readonly readIntervalMs: number;
  /** Whether its kubelet has no PodResources, and need not have any. */
  readonly ignoresPods: boolean;
  /** The agent's record of its own work, on disk. */
  record: OwnRecord | undefined;
  /** @throws KubeletError */
  listHoldings(): readonly PodHolding[];
  /** Devices that the kubelet offers, by resource. @throws KubeletError */
  listOffered(): ReadonlyMap<string, readonly string[]>;
  /** @returns whether a program in this pod was reached */
  signal(uid: string): boolean;
  /** @returns false if a plugin serves it */
  endRegistration(resource: string, partition: StoredPartition): boolean;
  /** Called when an agent sees a grant that it has not answered. */
  grantIsTaken(agent: AgentProcess, partition: StoredPartition): void;
  /** Called before each operation. */
  deviceIsChanged(work: DeviceWork, gpu: Gpu, operation: Operation): void;
  /** Called when the API server has a report. */
  isReported(partition: StoredPartition): void;
}

const farFuture = '9999-01-01T00:00:00Z';
const noJournal = { begin: () => Promise.resolve(), finish: () => undefined };
const noSocket = new KubeletError('KubeletSocketMissing', { tried: 'List', found: 'no such file' });

/** One process of the agent that ships, on a client, a driver and a kubelet in memory. Its memory ends with it. */
export class AgentProcess {
  readonly #host: AgentHost;
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

  constructor(host: AgentHost) {
    this.#host = host;
    this.#calls = new Calls(host, isSurvived);
    this.#clock = new VirtualClock(host.timeline, () => host.aheadMs);
    const logger = silentLogger;
    this.#agent = new NodeAgent({
      client: this.#client(),
      device: this.#device(),
      kubelet: this.#kubelet(),
      signalPods: (uids) => Promise.resolve(uids.filter((uid) => host.signal(uid))),
      endRegistration: (resource) => this.#endRegistration(resource),
      record: {
        read: () => host.record,
        write: (record) =>
          this.#take(1, 20, () => {
            host.record = record;
          }),
      },
      askForReboot: () => Promise.resolve(),
      logger,
      nodeName: host.name,
      agentVersion: 'model',
      bootID: host.bootID,
      machine: undefined,
      readIntervalMs: host.readIntervalMs,
      clock: this.#clock,
    });
    this.#queue = new WorkQueue({
      logger,
      backoff: agentBackoff,
      clock: this.#clock,
      random: () => host.random.next(),
      reconcile: (_, signal) => this.#reconcile(signal),
    });
    this.see(host.api.find('partitions', host.name));
  }

  /** The watch of its own object delivers news. */
  see(partition: StoredPartition | undefined): void {
    this.#watched = partition;
    this.#queue.add(this.#host.name);
    this.#host.timeline.wake();
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
      if (!isSurvived(error)) this.#host.fail(error);
      throw error;
    }
  }

  #know(partition: StoredPartition): void {
    this.#known = partition;
    const { granted } = partition.spec;
    const { observedEpoch = 0 } = partition.status?.device ?? {};
    if (granted !== undefined && granted.epoch > observedEpoch) this.#host.grantIsTaken(this, partition);
  }

  /** Lets a while pass, in which the process may be killed. */
  #take<Answer>(from: number, to: number, act: () => Answer): Promise<Answer> {
    const host = this.#host;
    return this.#calls.make(
      (function* () {
        yield host.random.between(from, to);
        host.mayCrash();
        return act();
      })(),
    );
  }

  /** Everything that it asks the API server for is its own object. */
  #client(): AgentClient {
    const host = this.#host;
    const { api, name } = host;
    const read = (): Promise<StoredPartition | undefined> =>
      this.#calls.make(host.call('agent', 'Read', () => api.find('partitions', name)));
    const client = {
      config: {
        serverClock: {
          get skewMs(): number {
            return host.hasBug('OwnClock') ? 0 : host.aheadMs;
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
        this.#known = await this.#calls.make(host.call('agent', 'Write', () => this.#write(patch as StatusPatch)));
        return this.#bend(this.#known);
      },
    };
    return client as unknown as AgentClient;
  }

  #write({ metadata, status }: StatusPatch): StoredPartition {
    const { api, name, nodeUID } = this.#host;
    const change = (one: StoredPartition): StoredPartition => {
      // An agent's token names its node's uid: it cannot write to the object of an earlier node.
      if (one.spec.nodeUID !== nodeUID) throw refuse(422, 'Invalid', 'this is another node');
      return mergePatch(one, { status }) as StoredPartition;
    };
    const written = api.update('partitions', name, 'agent', change, metadata?.resourceVersion);
    this.#host.isReported(written);
    return written;
  }

  #device(): Device {
    const host = this.#host;
    const smi = new ModelSmi(host, this.#calls, (gpu, operation) => this.#deviceIsChanged(gpu, operation));
    const device = deviceOf(smi, {
      journal: noJournal,
      lock: { explainLoss: () => undefined },
      logger: silentLogger,
      gpusAtOnce: host.gpusAtOnce,
      listOpeners: () => [],
    });
    return {
      ...device,
      apply: async (wishes, work, options) => {
        this.#touched = new Set();
        const result = await device.apply(wishes, work, options);
        if (host.hasBug('UndoPending')) for (const gpu of host.device.gpus) gpu.pending = undefined;
        return result;
      },
    };
  }

  #deviceIsChanged(gpu: Gpu, operation: Operation): void {
    const partition = this.#known;
    const granted = partition?.spec.granted;
    if (!partition || !granted) throw new Error('the device is changed without a grant');
    this.#host.deviceIsChanged({ partition, granted, isFirst: !this.#touched.has(gpu.uuid) }, gpu, operation);
    this.#touched.add(gpu.uuid);
  }

  #kubelet(): Kubelet {
    const host = this.#host;
    const list = <Answer>(answer: () => Answer): Promise<Answer> =>
      host.ignoresPods ? Promise.reject(noSocket) : this.#take(1, 10, answer);
    const client = {
      list: () => list(() => host.listHoldings()),
      listAllocatable: () => list(() => host.listOffered()),
    };
    const kubelet = kubeletOf({ client, ignorePods: host.ignoresPods, logger: silentLogger });
    return {
      ask: async (device, spec) => {
        const isDeaf = host.hasBug('ReadSlowly') && this.#known?.spec.drain !== undefined;
        const { now } = host.timeline;
        if (isDeaf && now - this.#heard.at < host.readIntervalMs) return this.#heard.word;
        const word = await kubelet.ask(device, spec);
        this.#heard = { at: now, word };
        return word && this.#bendWord(word);
      },
    };
  }

  #endRegistration(resource: string): Promise<boolean> {
    const partition = this.#known;
    if (!partition || this.#host.hasBug('NeverUnregister')) return Promise.resolve(true);
    return this.#take(20, 300, () => this.#host.endRegistration(resource, partition));
  }

  // --- planted bugs -----------------------------------------------------------------------------------------------

  /** The object as it sees it. */
  #bend(partition: StoredPartition): StoredPartition {
    const host = this.#host;
    const { granted, unregister } = partition.spec;
    const isLate = host.hasBug('LateGrant');
    if (granted === undefined) return partition;
    if (isLate || host.hasBug('TwiceSeconds')) {
      const { seconds = 0 } = granted;
      const bent = isLate ? { ...granted, deadline: farFuture } : { ...granted, seconds: 2 * seconds };
      return { ...partition, spec: { ...partition.spec, granted: bent } };
    }
    if (unregister === undefined || !host.hasBug('UnregisterForEarlier')) return partition;
    return { ...partition, spec: { ...partition.spec, unregister: { ...unregister, epoch: granted.epoch } } };
  }

  /** What the kubelet says as it hears it. */
  #bendWord(word: KubeletWord): KubeletWord {
    const host = this.#host;
    const { stale } = word.holders;
    // A device of such a long name is never said to be gone.
    const odd = stale.map((one) => ({ ...one, id: one.id.padEnd(129, '-') }));
    if (host.hasBug('NeverLost')) return { ...word, holders: { ...word.holders, stale: odd } };
    if (host.hasBug('HoldLost')) return { ...word, holders: { ...word.holders, stale: [...stale, ...odd] } };
    return host.hasBug('UnregisterServed') ? { ...word, unserved: [...host.listOffered().keys()] } : word;
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
