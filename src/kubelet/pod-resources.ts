import { stat } from 'node:fs/promises';

import { Client, Metadata } from '@grpc/grpc-js';
import type { ClientOptions } from '@grpc/grpc-js';

import type { ClaimedDevice, HeldDevice, PodHolding } from '../core/pods/holding.ts';
import { describeCallFault } from './call-fault.ts';
import { KubeletError } from '../core/pods/kubelet-error.ts';
import type { MessageCodec } from './message-codec.ts';
import { allocatableResponse, listResponse, podResourcesPaths } from './pod-resources-messages.ts';
import type { ContainerDevices, ContainerResources, PodResourcesMethod } from './pod-resources-messages.ts';
import { SocketCredentials } from './socket-credentials.ts';

export interface PodResourcesClientOptions {
  /** Path of the kubelet's socket, at most 107 bytes: `/var/lib/kubelet/pod-resources/kubelet.sock`. */
  readonly socket: string;
  /** Time limit of one whole call. Default 10,000: on a busy node an answer in time is not always read in time. */
  readonly timeoutMs?: number;
}

const largestAnswer = 16 * 1024 * 1024;

const clientOptions: ClientOptions = {
  'grpc.max_receive_message_length': largestAnswer,
  'grpc.enable_retries': 0,
  'grpc.enable_channelz': 0,
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.use_local_subchannel_pool': 1,
};

/**
 * Asks this node's kubelet which devices it advertises and which pods hold them (`v1.PodResourcesLister`). Each call has its
 * own connection: a restarted kubelet has a new socket, and a failed call never delays the next one.
 */
export class PodResourcesClient {
  readonly #socket: string;
  readonly #timeoutMs: number;

  constructor({ socket, timeoutMs = 10_000 }: PodResourcesClientOptions) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * All pods of the node with their devices, of any device plugin and by claim, including pods without devices. The kubelet
   * names a destroyed device for as long as the pod lives.
   *
   * @throws KubeletError
   */
  async list(): Promise<readonly PodHolding[]> {
    const { podResources } = await this.#ask('List', listResponse);
    return podResources.map(({ namespace, name, containers }) => {
      const claimed = containers.flatMap(listClaimedDevices);
      return {
        namespace,
        name,
        devices: containers.flatMap(({ devices }) => listDevices(devices)),
        ...(claimed.length > 0 && { claimed }),
      };
    });
  }

  /**
   * Ids of all devices that the kubelet advertises on behalf of device plugins, allocated or not, by resource.
   *
   * @throws KubeletError
   */
  async listAllocatable(): Promise<ReadonlyMap<string, readonly string[]>> {
    const { devices } = await this.#ask('GetAllocatableResources', allocatableResponse);
    const ids = new Map<string, string[]>();
    for (const { resource, id } of listDevices(devices)) {
      const known = ids.get(resource);
      if (known === undefined) ids.set(resource, [id]);
      else known.push(id);
    }
    return ids;
  }

  /**
   * An answer as it came.
   *
   * @throws KubeletError
   */
  async read(method: PodResourcesMethod): Promise<Buffer> {
    const tried = `${method} on ${this.#socket}`;
    await findSocket(this.#socket, tried);
    const timeoutMs = this.#timeoutMs;
    const credentials = new SocketCredentials();
    const client = new Client(`unix:${this.#socket}`, credentials, clientOptions);
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    client.makeUnaryRequest<undefined, Buffer>(
      podResourcesPaths[method],
      // Both requests are the empty message.
      () => Buffer.alloc(0),
      (bytes) => bytes,
      undefined,
      new Metadata(),
      { deadline: Date.now() + timeoutMs },
      (error, answer) => {
        if (error !== null) reject(describeCallFault(tried, timeoutMs, error));
        else resolve(answer ?? Buffer.alloc(0));
      },
    );
    try {
      return await promise;
    } finally {
      client.close();
      credentials.destroy();
    }
  }

  async #ask<Answer>(method: PodResourcesMethod, codec: MessageCodec<Answer>): Promise<Answer> {
    const tried = `${method} on ${this.#socket}`;
    const bytes = await this.read(method);
    try {
      return codec.decode(bytes);
    } catch (error) {
      const found = `${bytes.length} bytes that are not a valid answer (${String(error)})`;
      throw new KubeletError('KubeletAnswerUnreadable', { tried, found, cause: error });
    }
  }
}

function listDevices(devices: readonly ContainerDevices[]): readonly HeldDevice[] {
  return devices.flatMap(({ resourceName, deviceIds }) => deviceIds.map((id) => ({ resource: resourceName, id })));
}

function listClaimedDevices({ dynamicResources = [] }: ContainerResources): readonly ClaimedDevice[] {
  return dynamicResources.flatMap(({ claimNamespace, claimName, claimResources }) =>
    claimResources.map(({ driverName, deviceName, cdiDevices }) => ({
      claim: `${claimNamespace}/${claimName}`,
      driver: driverName,
      device: deviceName,
      cdiDevices: cdiDevices.map(({ name }) => name),
    })),
  );
}

/** gRPC reports a missing socket in the same way as a kubelet that is down. */
async function findSocket(socket: string, tried: string): Promise<void> {
  try {
    await stat(socket);
  } catch (error) {
    throw new KubeletError(isAbsent(error) ? 'KubeletSocketMissing' : 'KubeletUnavailable', {
      tried,
      found: String(error),
      cause: error,
    });
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
