import protobuf from 'protobufjs/light.js';
import { codecOf, type MessageCodec } from '../../kubelet/pod-resources.ts';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { callbackify } from 'node:util';
import { Server, status, type handleUnaryCall } from '@grpc/grpc-js';
import { asItIs, bindSocket } from '../../kubelet/device-plugin.ts';
import { driverName } from './devices.ts';

/**
 * gRPC paths of a DRA driver on a node (k8s.io/kubelet v0.36 `pkg/apis/pluginregistration/v1/api.proto` and `pkg/apis/dra/v1/api.proto`).
 */
const driverPaths = {
  GetInfo: '/pluginregistration.Registration/GetInfo',
  NotifyRegistrationStatus: '/pluginregistration.Registration/NotifyRegistrationStatus',
  NodePrepareResources: '/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources',
  NodeUnprepareResources: '/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodeUnprepareResources',
} as const;

interface PluginInfo {
  readonly type: 'DRAPlugin';
  readonly name: string;
  /** Path of the socket that serves the rest. */
  readonly endpoint: string;
  readonly supportedVersions: readonly string[];
}

interface RegistrationStatus {
  readonly pluginRegistered: boolean;
  readonly error: string;
}

/** A claim as the kubelet names it. */
export interface ClaimRef {
  readonly namespace: string;
  readonly uid: string;
  readonly name: string;
}

/** What a driver says of one claim: its devices, or why there are none. */
export interface PreparedClaim {
  readonly devices?: readonly {
    readonly requestNames: readonly string[];
    readonly poolName: string;
    readonly deviceName: string;
  }[];
  readonly error?: string;
}

/** Answers by the uid of the claim. */
interface ClaimAnswers<Answer> {
  readonly claims: Readonly<Record<string, Answer>>;
}

const text = { type: 'string' } as const;

function answersOf(type: string): protobuf.IType {
  const claims: protobuf.IMapField = { keyType: 'string', type, id: 1 };
  return { fields: { claims } };
}

/** The part that this driver needs: no CDI devices, which containerd 1.6 does not know. */
const definition = protobuf.Root.fromJSON({
  nested: {
    PluginInfo: {
      fields: {
        type: { ...text, id: 1 },
        name: { ...text, id: 2 },
        endpoint: { ...text, id: 3 },
        supportedVersions: { rule: 'repeated', ...text, id: 4 },
      },
    },
    RegistrationStatus: { fields: { pluginRegistered: { type: 'bool', id: 1 }, error: { ...text, id: 2 } } },
    Claim: { fields: { namespace: { ...text, id: 1 }, uid: { ...text, id: 2 }, name: { ...text, id: 3 } } },
    Claims: { fields: { claims: { rule: 'repeated', type: 'Claim', id: 1 } } },
    Device: {
      fields: {
        requestNames: { rule: 'repeated', ...text, id: 1 },
        poolName: { ...text, id: 2 },
        deviceName: { ...text, id: 3 },
      },
    },
    Prepared: { fields: { devices: { rule: 'repeated', type: 'Device', id: 1 }, error: { ...text, id: 2 } } },
    Unprepared: { fields: { error: { ...text, id: 1 } } },
    PreparedClaims: answersOf('Prepared'),
    UnpreparedClaims: answersOf('Unprepared'),
  },
});

const pluginInfo: MessageCodec<PluginInfo> = codecOf(definition, 'PluginInfo');
const registrationStatus: MessageCodec<RegistrationStatus> = codecOf(definition, 'RegistrationStatus');
/** The request of both calls about claims. */
const claimRefs: MessageCodec<{ readonly claims: readonly ClaimRef[] }> = codecOf(definition, 'Claims');
const preparedClaims: MessageCodec<ClaimAnswers<PreparedClaim>> = codecOf(definition, 'PreparedClaims');
const unpreparedClaims: MessageCodec<ClaimAnswers<{ readonly error?: string }>> = codecOf(
  definition,
  'UnpreparedClaims',
);

/** What a driver does with claims. */
interface ClaimWork {
  readonly prepare: (claim: ClaimRef) => Promise<PreparedClaim>;
  readonly unprepare: (uid: string) => void;
}

/** The folder of the driver's socket and files on a node, made if it is not there. @param folder `/var/lib/kubelet` */
export function makeDriverFolder(folder: string): string {
  const own = join(folder, 'plugins', driverName);
  mkdirSync(own, { recursive: true });
  return own;
}

/**
 * Serves the kubelet: first what prepares claims, then the socket by which the kubelet's plugin watcher finds the driver.
 *
 * @param folder `/var/lib/kubelet`
 */
export async function serveDriver(folder: string, { prepare, unprepare }: ClaimWork): Promise<void> {
  const endpoint = join(makeDriverFolder(folder), 'dra.sock');
  const driver = new Server({ 'grpc.enable_channelz': 0 });
  const prepareAll = unary(async (request) => {
    const { claims } = claimRefs.decode(request);
    const answers = await Promise.all(claims.map(async (claim) => [claim.uid, await prepare(claim)] as const));
    return preparedClaims.encode({ claims: Object.fromEntries(answers) });
  });
  const unprepareAll = unary(async (request) => {
    const { claims } = claimRefs.decode(request);
    for (const { uid } of claims) unprepare(uid);
    return unpreparedClaims.encode({ claims: Object.fromEntries(claims.map(({ uid }) => [uid, {}])) });
  });
  driver.register(driverPaths.NodePrepareResources, prepareAll, asItIs, asItIs, 'unary');
  driver.register(driverPaths.NodeUnprepareResources, unprepareAll, asItIs, asItIs, 'unary');
  await bindSocket(driver, endpoint);

  const registration = new Server({ 'grpc.enable_channelz': 0 });
  const info = pluginInfo.encode({
    type: 'DRAPlugin',
    name: driverName,
    endpoint,
    supportedVersions: ['v1.DRAPlugin'],
  });
  const describe = unary(async () => info);
  const hear = unary(async (request) => {
    const { pluginRegistered, error } = registrationStatus.decode(request);
    console.log(pluginRegistered ? 'registered with the kubelet' : `the kubelet refuses the registration: ${error}`);
    return Buffer.alloc(0);
  });
  registration.register(driverPaths.GetInfo, describe, asItIs, asItIs, 'unary');
  registration.register(driverPaths.NotifyRegistrationStatus, hear, asItIs, asItIs, 'unary');
  await bindSocket(registration, join(folder, 'plugins_registry', `${driverName}-reg.sock`));
}

function unary(answer: (request: Buffer) => Promise<Buffer>): handleUnaryCall<Buffer, Buffer> {
  const answerLater = callbackify(answer);
  return ({ request }, callback) =>
    answerLater(request, (error, bytes) => callback(error && { code: status.INTERNAL, details: error.message }, bytes));
}
