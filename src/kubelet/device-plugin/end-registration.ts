import { setTimeout as sleep } from 'node:timers/promises';

import type { PodResourcesClient } from '../pod-resources.ts';
import { serveResource } from './resource-server.ts';

const askMs = 100;
const timeoutMs = 5_000;

/**
 * Ends what the kubelet offers of a device plugin that is gone, where it did not notice that it went: the resource is registered once more,
 * without devices, and this registration ends. A plugin that is still there would be forgotten as well, until it registers again.
 *
 * @param folder `/var/lib/kubelet/device-plugins`
 * @throws Error if the kubelet rejects the registration or still offers devices after it
 */
export async function endRegistration(
  folder: string,
  name: string,
  kubelet: Pick<PodResourcesClient, 'listAllocatable'>,
): Promise<void> {
  const endpoint = `gpu-partition-${name.replaceAll('/', '-')}.sock`;
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
}
