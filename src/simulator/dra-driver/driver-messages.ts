import protobuf from 'protobufjs/light.js';

import { codecOf } from '../../kubelet/message-codec.ts';
import type { MessageCodec } from '../../kubelet/message-codec.ts';

/**
 * gRPC paths of a DRA driver on a node (k8s.io/kubelet v0.36 `pkg/apis/pluginregistration/v1/api.proto` and `pkg/apis/dra/v1/api.proto`).
 */
export const driverPaths = {
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

/** By the uid of the claim. */
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

export const pluginInfo: MessageCodec<PluginInfo> = codecOf(definition, 'PluginInfo');
export const registrationStatus: MessageCodec<RegistrationStatus> = codecOf(definition, 'RegistrationStatus');
/** The request of both calls about claims. */
export const claimRefs: MessageCodec<{ readonly claims: readonly ClaimRef[] }> = codecOf(definition, 'Claims');
export const preparedClaims: MessageCodec<ClaimAnswers<PreparedClaim>> = codecOf(definition, 'PreparedClaims');
export const unpreparedClaims: MessageCodec<ClaimAnswers<{ readonly error?: string }>> = codecOf(
  definition,
  'UnpreparedClaims',
);
