import { type KubeletWord, readKubelet } from '../core/device/kubelet.ts';
import { KubeletError } from '../core/device/grants.ts';
import type { PodResourcesClient } from '../kubelet/pod-resources.ts';
import type { Logger } from '../process/log.ts';
import type { DeviceReport, NodePartitionSpec } from '../api/types.ts';

interface KubeletOptions {
  readonly client: Pick<PodResourcesClient, 'list' | 'listAllocatable'>;
  /** Works without a kubelet that reports who holds what: then only processes show who uses a GPU. */
  readonly ignorePods: boolean;
  readonly logger: Logger;
}

/** What a kubelet does not report, now or ever; any other error may pass. */
const untold: readonly string[] = ['KubeletSocketMissing', 'KubeletUnsupported'];

/** The agent's view of the kubelet's PodResources. */
export function kubeletOf({ client, ignorePods, logger }: KubeletOptions): Kubelet {
  let wasTold = true;
  return {
    async ask(device, spec) {
      try {
        // One after the other: the kubelet rate-limits its callers.
        const holdings = await client.list();
        const allocatable = await orUntold(client.listAllocatable(), ['KubeletUnsupported']);
        wasTold = true;
        return readKubelet(device, holdings, allocatable, spec);
      } catch (error) {
        // Who holds what is unknown: unknown is not nobody.
        if (!ignorePods || !isUntold(error, untold)) throw error;
        if (wasTold)
          logger.warn('the kubelet does not report who holds GPUs; only processes do', { error: error.message });
        wasTold = false;
        return undefined;
      }
    },
  };
}

async function orUntold<T>(answer: Promise<T>, codes: readonly string[]): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isUntold(error, codes)) return undefined;
    throw error;
  }
}

function isUntold(error: unknown, codes: readonly string[]): error is KubeletError {
  return error instanceof KubeletError && codes.includes(error.code);
}

/** The node's kubelet, as the agent uses it. */
export interface Kubelet {
  /**
   * @param spec under some strategies a GPU in MIG mode is not advertised itself; claims of monitors hold nothing
   * @returns undefined if it need not be asked (`--ignore-pods`): then only processes show who uses a GPU
   * @throws if it does not answer: unknown is not empty
   */
  ask(device: DeviceReport, spec: Pick<NodePartitionSpec, 'strategy' | 'monitors'>): Promise<KubeletWord | undefined>;
}
