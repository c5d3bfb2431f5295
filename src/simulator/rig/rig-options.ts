import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { KubeletTiming } from '../kubelet/timing.ts';
import type { RigNode } from './rig-node.ts';

export interface RigOptions {
  readonly controlPlane: ControlPlane;
  readonly nodes: readonly RigNode[];
  readonly controllerArguments?: readonly string[];
  readonly agentArguments?: readonly string[];
  /** Whether commands of nvidia-smi run in this process, which takes a tenth of the time, and not each in its own. */
  readonly servesNvidiaSmi?: boolean;
  /** Waits of the simulated kubelets. */
  readonly kubeletTiming?: Partial<KubeletTiming>;
  /** Address of a proxy to the API server for one program: a controller by its identity, an agent by its node. */
  readonly serverOf?: (program: string) => string | undefined;
  /** File of another version to run instead of the checkout's: for a controller by its identity, for an agent by its node. */
  readonly fileOf?: (program: string) => string | undefined;
}
