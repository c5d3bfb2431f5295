import { judgeAdvertised, listUnserved, KubeletError } from '../core/device/kubelet.ts';
import { holdersOf, type Holders } from '../core/device/holders.ts';
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
    async ask(device, { strategy, monitors }) {
      try {
        // One after the other: the kubelet rate-limits its callers.
        const holdings = await client.list();
        const allocatable = await orUntold(client.listAllocatable(), ['KubeletUnsupported']);
        wasTold = true;
        const holders = holdersOf(device, holdings, monitors);
        if (allocatable === undefined) return { holders };
        const { resources, stale } = judgeAdvertised(device, allocatable, strategy);
        return {
          holders,
          advertised: { stale, ...some(resources) },
          // Hardly ever asked for, and after a change the kubelet is asked many times a second.
          get unserved() {
            return listUnserved(device, allocatable, strategy);
          },
        };
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

/** Server-side apply turns an empty map into null, which the schema rejects. */
function some(resources: Readonly<Record<string, number>>): { readonly resources?: Record<string, number> } {
  return Object.keys(resources).length > 0 ? { resources: { ...resources } } : {};
}

/** What the node's kubelet reports about its GPUs. */
export interface KubeletWord {
  /** Pods that hold devices, by device. */
  readonly holders: Holders;
  /** Resources that the kubelet offers; absent if this kubelet does not report them (before Kubernetes 1.28). */
  readonly advertised?: NonNullable<DeviceReport['advertised']>;
  /** Resources of it that no plugin serves which has read the devices. */
  readonly unserved?: readonly string[];
}

/** What the controller says that bears on the kubelet's answer. */
export type AskedSpec = Pick<NodePartitionSpec, 'strategy' | 'monitors'>;

/** The node's kubelet, as the agent uses it. */
export interface Kubelet {
  /**
   * @param spec under some strategies a GPU in MIG mode is not advertised itself; claims of monitors hold nothing
   * @returns undefined if it need not be asked (`--ignore-pods`): then only processes show who uses a GPU
   * @throws if it does not answer: unknown is not empty
   */
  ask(device: DeviceReport, spec: AskedSpec): Promise<KubeletWord | undefined>;
}
