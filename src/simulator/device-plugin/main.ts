import { existsSync, readFileSync, watch, watchFile } from 'node:fs';
import { dirname, join } from 'node:path';
import { isMigStrategy } from '../../core/nvidia/labels.ts';
import { advertise } from '../kubelet/gpu-devices.ts';
import { failureToOpen } from '../nvidia-smi/faults.ts';
import { readSettings } from '../nvidia-smi/world.ts';
import { readStateFile } from '../nvidia-smi/state.ts';
import { serveResource, type ResourceServer } from '../../kubelet/device-plugin.ts';
import { messageOf } from '../../core/text/words.ts';

/**
 * A device plugin for a real kubelet, on the GPUs of the simulated nvidia-smi. Like NVIDIA's it reads the devices only when it starts, on
 * SIGHUP, and when the kubelet recreates its socket. Its strategy is `MIG_STRATEGY`, its GPUs are those of the simulator's
 * variables. Devices whose UUIDs are written, one a line, into `unhealthy` beside the simulator's state while it runs are unhealthy
 * until it starts again, as with a critical Xid.
 */
const folder = process.env['DEVICE_PLUGIN_FOLDER'] ?? '/var/lib/kubelet/device-plugins';
const strategy = process.env['MIG_STRATEGY'] ?? 'none';
let servers: readonly ResourceServer[] = [];
let work: Promise<void> = Promise.resolve();

async function offer(): Promise<void> {
  for (const server of servers) server.close();
  servers = [];
  if (!isMigStrategy(strategy)) throw new Error(`invalid value for --mig-strategy: ${strategy}`);
  const { gpus, stateFile, faultsFile } = readSettings(process.env);
  const unopened = failureToOpen(gpus, faultsFile);
  if (unopened !== undefined) throw new Error(`error starting plugins: error building device map: ${unopened}`);
  const { deviceIds, failure } = advertise(gpus, readStateFile(stateFile, gpus.length), strategy);
  if (failure !== undefined) throw new Error(`error starting plugins: ${failure}`);
  const offered = [...deviceIds].map(([name, ids]) => ({ name, deviceIds: ids }));
  const started: ResourceServer[] = [];
  for (const resource of offered) started.push(await serveResource(folder, resource));
  servers = started;
  console.log(offered.map(({ name, deviceIds: ids }) => `${name}: ${ids.length}`).join(', ') || 'no devices found');
}

/** Starts again, one start at a time: a signal during a start triggers another after it. */
function offerAgain(): void {
  work = work.then(offer).catch((error: unknown) => {
    console.error(messageOf(error));
    process.exit(1);
  });
}

process.on('SIGHUP', offerAgain);
process.on('SIGTERM', () => process.exit(0));
watch(folder, (event, name) => {
  if (event === 'rename' && name === 'kubelet.sock' && existsSync(join(folder, name))) offerAgain();
});
const sickFile = join(dirname(readSettings(process.env).stateFile), 'unhealthy');
watchFile(sickFile, { interval: 100 }, () => {
  const sick = existsSync(sickFile) ? readFileSync(sickFile, 'utf8').split('\n') : [];
  for (const server of servers) server.markUnhealthy(sick);
});
offerAgain();
