import { judgeAdvertised } from '../core/pods/advertised-devices.ts';
import { holdersOf } from '../core/pods/slice-holders.ts';
import { KubeletError } from '../kubelet/errors.ts';
import type { PodResourcesClient } from '../kubelet/pod-resources.ts';
import type { Logger } from '../process/logger.ts';
import type { Kubelet } from './kubelet.ts';

/** What a kubelet does not tell, now or ever: the agent works without it, as well as it can. Anything else may pass. */
const untold: readonly string[] = ['KubeletSocketMissing', 'KubeletUnsupported'];

/** The agent's view of the kubelet's PodResources. */
export function kubeletOf(client: Pick<PodResourcesClient, 'list' | 'listAllocatable'>, logger: Logger): Kubelet {
  let wasTold = true;
  return {
    async ask(device, strategy) {
      try {
        // One after the other: the kubelet refuses callers in a hurry.
        const holdings = await client.list();
        const allocatable = await client.listAllocatable();
        wasTold = true;
        const { resources, stale } = judgeAdvertised(device, allocatable, strategy);
        return { holders: holdersOf(device, holdings), advertised: { stale, ...some(resources) } };
      } catch (error) {
        if (!(error instanceof KubeletError) || !untold.includes(error.code)) throw error;
        if (wasTold)
          logger.warn('the kubelet does not tell who holds GPUs; processes alone do', { error: error.message });
        wasTold = false;
        return undefined;
      }
    },
  };
}

/** Server-side apply makes null of an empty map, which the schema refuses. */
function some(resources: Readonly<Record<string, number>>): { readonly resources?: Record<string, number> } {
  return Object.keys(resources).length > 0 ? { resources: { ...resources } } : {};
}
