import { nodes, resourceClaims } from '../../api/resources.ts';
import { KubeClient } from '../../kube/client.ts';
import { loadKubeConfig } from '../../kube/kubeconfig.ts';
import type { KubeObject } from '../../kube/watch.ts';
import { readSettings } from '../nvidia-smi/world.ts';
import { readStateFile } from '../nvidia-smi/state.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClaimObject, findDevices, driverName, publishDevices, refuseHeld } from './devices.ts';
import { type ClaimRef, makeDriverFolder, type PreparedClaim, serveDriver } from './server.ts';

/**
 * A DRA driver for a real kubelet, on the GPUs of the simulated nvidia-smi. Like NVIDIA's it reads the devices only when it starts, publishes
 * them once, prepares claims for these alone and a device for one claim at a time, and ends at SIGHUP. It needs `NODE_NAME` and the
 * simulator's variables.
 */
for (const signal of ['SIGHUP', 'SIGTERM']) process.on(signal, () => process.exit(0));

const client = new KubeClient(loadKubeConfig(), 'gpu-kubelet-plugin');
const node = process.env['NODE_NAME'] ?? '';
const { gpus, stateFile } = readSettings(process.env);
const found = findDevices(gpus, readStateFile(stateFile, gpus.length));
if ('failure' in found) throw new Error(`error creating driver: ${found.failure}`);
const devices = new Map(found.map((device) => [device.offered.name, device]));

const kubeletFolder = '/var/lib/kubelet';
/** What is prepared outlives the process. */
const checkpoint = join(makeDriverFolder(kubeletFolder), 'checkpoint.json');
const held = new Map<string, readonly string[]>(readCheckpoint());

function readCheckpoint(): readonly (readonly [string, readonly string[]])[] {
  try {
    return Object.entries(JSON.parse(readFileSync(checkpoint, 'utf8')) as Readonly<Record<string, readonly string[]>>);
  } catch {
    return [];
  }
}

function writeCheckpoint(): void {
  writeFileSync(checkpoint, JSON.stringify(Object.fromEntries(held)));
}

async function prepare({ namespace, name, uid }: ClaimRef): Promise<PreparedClaim> {
  const claim = await client.find<ClaimObject>({ resource: resourceClaims, namespace, name });
  if (claim?.metadata.uid !== uid) return { error: `claim ${namespace}/${name} is another one now` };
  const own = (claim.status?.allocation?.devices?.results ?? []).filter(({ driver }) => driver === driverName);
  const missing = own.find(({ device }) => !devices.has(device));
  if (missing !== undefined) return { error: `allocatable not found for device "${missing.device}"` };
  const exclusive = own.filter(({ adminAccess }) => adminAccess !== true).map(({ device }) => device);
  const refusal = refuseHeld(uid, exclusive, held);
  if (refusal !== undefined) return { error: refusal };
  held.set(uid, exclusive);
  writeCheckpoint();
  return {
    devices: own.map(({ request, pool, device }) => ({
      requestNames: [request],
      poolName: pool,
      deviceName: device,
    })),
  };
}

function unprepare(uid: string): void {
  if (held.delete(uid)) writeCheckpoint();
}

await serveDriver(kubeletFolder, { prepare, unprepare });
const { metadata } = await client.get<KubeObject>({ resource: nodes, name: node });
const offer = { devices: found.map(({ offered }) => offered) };
await publishDevices(client, { name: node, uid: metadata.uid ?? '' }, offer);
console.log(`${found.length} devices published: ${[...devices.keys()].join(', ')}`);
