import { status, type ServiceError, Client, Metadata, type ClientOptions } from '@grpc/grpc-js';
import { cutText } from '../core/text/words.ts';
import protobuf from 'protobufjs/light.js';
import { stat } from 'node:fs/promises';
import type { PodHolding } from '../core/device/kubelet.ts';
import { KubeletError } from '../core/device/grants.ts';
import { SocketCredentials } from './socket-credentials.ts';

/** Explains a failed gRPC call. */
function describeCallFault(tried: string, timeoutMs: number, error: ServiceError): KubeletError {
  const { code } = error;
  const found =
    code === status.DEADLINE_EXCEEDED
      ? `no answer within ${timeoutMs} ms`
      : `${status[code] ?? code}: ${trimDetails(error.details)}`;
  return new KubeletError(codeOf(error), { tried, found, cause: error });
}

/** Removes grpc-js's times and notes: the same fault must always have the same text. */
function trimDetails(details: string): string {
  const text = details.replace(/\. Resolution note:.*/s, '').replace(/ \(\d{4}-[\dT:.-]+Z\)/g, '');
  return text === '' ? 'no explanation given' : cutText(text, 300);
}

function codeOf({ code, details }: ServiceError): KubeletError['code'] {
  switch (code) {
    case status.DEADLINE_EXCEEDED:
      return 'KubeletTimeout';
    case status.UNIMPLEMENTED:
      return 'KubeletUnsupported';
    case status.INTERNAL:
    case status.DATA_LOSS:
      return 'KubeletAnswerUnreadable';
    case status.UNKNOWN:
      // Kubelets before 1.28 report this as an error without a code while the feature gate is off (server_v1.go).
      return details.includes('GetAllocatableResources disabled') ? 'KubeletUnsupported' : 'KubeletUnavailable';
    case status.RESOURCE_EXHAUSTED:
      // On our side, the answer exceeds the limit; on the kubelet's, it is its rate limit.
      return details.includes('larger than max') ? 'KubeletAnswerUnreadable' : 'KubeletUnavailable';
    case status.UNAVAILABLE:
      // Whoever listens does not speak HTTP/2.
      return /protocol error|settings|preface/i.test(details) ? 'KubeletAnswerUnreadable' : 'KubeletUnavailable';
    default:
      return 'KubeletUnavailable';
  }
}

export interface MessageCodec<Message> {
  encode(message: Message): Buffer;
  /** Decodes a message. Absent lists and texts become empty; undescribed fields are skipped. @throws if the bytes are not such a message */
  decode(bytes: Uint8Array): Message;
}

/** The codec of one message in a definition. The definition makes it a Message: TypeScript cannot see that. */
export function codecOf<Message extends object>(definition: protobuf.Root, name: string): MessageCodec<Message> {
  const type = definition.lookupType(name);
  return {
    encode: (message) => Buffer.from(type.encode(type.fromObject(message)).finish()),
    decode: (bytes) => type.toObject(type.decode(bytes), { arrays: true, defaults: true }) as Message,
  };
}

/** gRPC paths of the kubelet's `v1.PodResourcesLister` (k8s.io/kubelet `pkg/apis/podresources/v1/api.proto`). */
export const podResourcesPaths = {
  List: '/v1.PodResourcesLister/List',
  GetAllocatableResources: '/v1.PodResourcesLister/GetAllocatableResources',
} as const;

type PodResourcesMethod = keyof typeof podResourcesPaths;

/** Usually there is one entry per device id, so the same resource name repeats. */
export interface ContainerDevices {
  readonly resourceName: string;
  readonly deviceIds: readonly string[];
  /** The NUMA nodes of the devices; null, or without nodes: their plugin does not tell. */
  readonly topology?: { readonly nodes: readonly object[] } | null;
}

/** Devices that a container has through one claim (DRA). */
export interface DynamicResource {
  readonly claimName: string;
  readonly claimNamespace: string;
  readonly claimResources: readonly {
    readonly cdiDevices: readonly { readonly name: string }[];
    /** Older kubelets leave it and the device's name empty. */
    readonly driverName: string;
    readonly deviceName: string;
  }[];
}

interface ContainerResources {
  readonly name: string;
  readonly devices: readonly ContainerDevices[];
  /** Devices by claim; absent means none. */
  readonly dynamicResources?: readonly DynamicResource[];
}

interface ListPodResourcesResponse {
  readonly podResources: readonly {
    readonly name: string;
    readonly namespace: string;
    readonly containers: readonly ContainerResources[];
  }[];
}

interface AllocatableResourcesResponse {
  readonly devices: readonly ContainerDevices[];
}

/** The part of api.proto about devices; CPUs and memory are left out. */
const definition = protobuf.Root.fromJSON({
  nested: {
    v1: {
      nested: {
        ListPodResourcesResponse: { fields: { podResources: { rule: 'repeated', type: 'PodResources', id: 1 } } },
        PodResources: {
          fields: {
            name: { type: 'string', id: 1 },
            namespace: { type: 'string', id: 2 },
            containers: { rule: 'repeated', type: 'ContainerResources', id: 3 },
          },
        },
        ContainerResources: {
          fields: {
            name: { type: 'string', id: 1 },
            devices: { rule: 'repeated', type: 'ContainerDevices', id: 2 },
            dynamicResources: { rule: 'repeated', type: 'DynamicResource', id: 5 },
          },
        },
        DynamicResource: {
          fields: {
            claimName: { type: 'string', id: 2 },
            claimNamespace: { type: 'string', id: 3 },
            claimResources: { rule: 'repeated', type: 'ClaimResource', id: 4 },
          },
        },
        ClaimResource: {
          fields: {
            cdiDevices: { rule: 'repeated', type: 'CDIDevice', id: 1 },
            driverName: { type: 'string', id: 2 },
            deviceName: { type: 'string', id: 4 },
          },
        },
        CDIDevice: { fields: { name: { type: 'string', id: 1 } } },
        ContainerDevices: {
          fields: {
            resourceName: { type: 'string', id: 1 },
            deviceIds: { rule: 'repeated', type: 'string', id: 2 },
            topology: { type: 'TopologyInfo', id: 3 },
          },
        },
        TopologyInfo: { fields: { nodes: { rule: 'repeated', type: 'NumaNode', id: 1 } } },
        NumaNode: { fields: { ID: { type: 'int32', id: 1 } } },
        AllocatableResourcesResponse: { fields: { devices: { rule: 'repeated', type: 'ContainerDevices', id: 1 } } },
      },
    },
  },
});

export const listResponse: MessageCodec<ListPodResourcesResponse> = codecOf(definition, 'v1.ListPodResourcesResponse');
export const allocatableResponse: MessageCodec<AllocatableResourcesResponse> = codecOf(
  definition,
  'v1.AllocatableResourcesResponse',
);

interface PodResourcesClientOptions {
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
   * Lists all pods of the node with their devices, of any device plugin and by claim, including pods without devices. The kubelet names a
   * destroyed device for as long as the pod lives.
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

function listDevices(devices: readonly ContainerDevices[]): PodHolding['devices'] {
  return devices.flatMap(({ resourceName, deviceIds }) => deviceIds.map((id) => ({ resource: resourceName, id })));
}

function listClaimedDevices({ dynamicResources = [] }: ContainerResources): NonNullable<PodHolding['claimed']> {
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
