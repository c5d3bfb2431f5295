import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isListening } from '../process/health.ts';
import type { PodResourcesClient } from './pod-resources.ts';
import { serveResource } from './device-plugin.ts';

const askMs = 100;
const timeoutMs = 5_000;
const ownPrefix = 'gpu-partition-';

/**
 * Ends what the kubelet offers of a device plugin that is gone, where it did not notice that it went: the resource is registered once more,
 * without devices, and this registration ends.
 *
 * @param folder `/var/lib/kubelet/device-plugins`
 * @returns false if a plugin serves the resource: it would not hear that it was forgotten
 * @throws Error if the kubelet rejects the registration or still offers devices after it
 */
export async function endRegistration(
  folder: string,
  name: string,
  kubelet: Pick<PodResourcesClient, 'listAllocatable'>,
): Promise<boolean> {
  if (await isServed(folder, name)) return false;
  const endpoint = `${ownPrefix}${name.replaceAll('/', '-')}.sock`;
  const server = await serveResource(folder, { name, deviceIds: [] }, endpoint);
  try {
    const endsAt = performance.now() + timeoutMs;
    while (((await kubelet.listAllocatable()).get(name) ?? []).length > 0) {
      if (performance.now() > endsAt)
        throw new Error(`the kubelet still offers ${name} after a registration without devices`);
      await sleep(askMs);
    }
  } finally {
    server.close();
  }
  return true;
}

/**
 * Whether somebody listens on a socket that is named after the resource, as NVIDIA's plugin names its own (`nvidia-mig-1g.5gb.sock`). It is
 * not asked for its devices: a plugin sends each change of their health to one of those who asked.
 */
async function isServed(folder: string, name: string): Promise<boolean> {
  const device = name.slice(name.indexOf('/') + 1);
  const names = (await readdir(folder)).filter(
    (file) => file.endsWith(`${device}.sock`) && !file.startsWith(ownPrefix),
  );
  const answers = await Promise.all(names.map((file) => isListening(join(folder, file))));
  return answers.includes(true);
}
