import { gpus } from './gpus.ts';
import type { DriverFiles } from './platform-files.ts';

/** What a platform's machine has, and the overlay is for. */
export interface Platform {
  /** Of its folder in config/overlays. */
  readonly overlay: string;
  /** How the driver is there. */
  readonly where: string;
  /** Products of the GPUs that its nvidia-smi lists: they tell which driver an agent has read. */
  readonly gpus: readonly string[];
  /** Absent: gpu-operator's container, which the node has anyway. */
  readonly driver?: {
    /** Folder of the machine that the files are written over. */
    readonly covers: string;
    readonly files: DriverFiles;
  };
  readonly nodeLabels?: readonly string[];
  readonly namespaces?: readonly string[];
  /** The user id that the controller gets, where the platform chooses it. */
  readonly controllerUser?: number;
}

const gkeFolder = '/home/kubernetes/bin/nvidia';

/**
 * What no machine but the platform's has is not here: OpenShift's API of security context constraints, GKE's admission of critical
 * pods (test/api/critical-pods.spec.ts), Talos' operating system.
 */
export const platforms: readonly Platform[] = [
  {
    overlay: 'host-driver',
    where: 'installed on the machine',
    gpus: ['NVIDIA A30'],
    driver: {
      covers: '/usr/bin',
      files: {
        gpu: 'NVIDIA A30',
        bin: '/usr/bin',
        folder: '/run/host-driver',
        seenAs: '/run/host-driver',
        node: process.execPath,
      },
    },
  },
  {
    overlay: 'talos',
    where: 'an extension of the system, with libraries in a folder of its own',
    gpus: ['NVIDIA H100 80GB HBM3'],
    driver: {
      covers: '/usr/local',
      files: {
        gpu: 'NVIDIA H100 80GB HBM3',
        bin: '/usr/local/bin',
        folder: '/run/talos-driver',
        seenAs: '/run/talos-driver',
        node: process.execPath,
        libraries: '/usr/local/glibc/usr/lib',
      },
    },
  },
  {
    overlay: 'gke-cos',
    where: `in ${gkeFolder}, which no linker knows`,
    gpus: ['NVIDIA A100-SXM4-80GB'],
    driver: {
      covers: '/home',
      files: {
        gpu: 'NVIDIA A100-SXM4-80GB',
        bin: `${gkeFolder}/bin`,
        folder: `${gkeFolder}/simulator`,
        seenAs: '/usr/local/nvidia/simulator',
        node: '/usr/local/bin/node',
        lacksShell: true,
        libraries: `${gkeFolder}/lib64`,
      },
    },
    nodeLabels: ['cloud.google.com/gke-gpu=true'],
  },
  { overlay: 'openshift', where: 'in a container', gpus, controllerUser: 1_000_650_000 },
  { overlay: 'gpu-operator', where: 'in a container', gpus, namespaces: ['gpu-operator'] },
];
