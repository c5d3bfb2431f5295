import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { callbackify } from 'node:util';

import { Server, status } from '@grpc/grpc-js';
import type { handleUnaryCall } from '@grpc/grpc-js';

import { asItIs, bindSocket } from '../../kubelet/device-plugin/unix-socket.ts';
import {
  claimRefs,
  driverPaths,
  pluginInfo,
  preparedClaims,
  registrationStatus,
  unpreparedClaims,
} from './driver-messages.ts';
import type { ClaimRef, PreparedClaim } from './driver-messages.ts';
import { driverName } from './resource-slice.ts';

/**
 * Serves the kubelet: first what prepares claims, then the socket by which the kubelet's plugin watcher finds the driver.
 *
 * @param folder `/var/lib/kubelet`
 */
export async function serveDriver(folder: string, prepare: (claim: ClaimRef) => Promise<PreparedClaim>): Promise<void> {
  const endpoint = join(folder, 'plugins', driverName, 'dra.sock');
  mkdirSync(dirname(endpoint), { recursive: true });
  const driver = new Server({ 'grpc.enable_channelz': 0 });
  const prepareAll = unary(async (request) => {
    const { claims } = claimRefs.decode(request);
    const answers = await Promise.all(claims.map(async (claim) => [claim.uid, await prepare(claim)] as const));
    return preparedClaims.encode({ claims: Object.fromEntries(answers) });
  });
  const unprepareAll = unary(async (request) => {
    const { claims } = claimRefs.decode(request);
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
